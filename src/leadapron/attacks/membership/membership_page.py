"""The page of a membership audit, beyond the standard one."""

from __future__ import annotations

from leadapron.attacks.membership import membership_tables as tables
from leadapron.attacks.membership import membership_words as words
from leadapron.attacks.membership.auc_figures import attacks_and_chance, promised
from leadapron.attacks.membership.false_alarms_figure import recognised
from leadapron.attacks.membership.membership_sides import sides
from leadapron.attacks.membership.patients_above_figure import patients_above
from leadapron.attacks.membership.tail_groups_figure import groups_in_tail
from leadapron.audits.page_parts import PageParts

COUNT_NAMES = {
    "models": "models",
    "targets": "of them attacked",
    "references": "of them references",
    "records": "records",
    "patients": "patients",
    "patients_with_several": "patients with several records",
    "labels": "labels of a record",
    "records_in_tail": "records in the tail",
    "records_not_gaussian": "records not Gaussian",
    "patients_beyond_chance": "patients surely beyond chance",
}
THINGS = frozenset({"models", "targets", "references", "labels"})

SHARED_TERMS = {
    "Embedding": "",
    "Enrichment": "",
    "Chance, guessing": "What the same attack gives where nothing can be found. With few models it scatters far above "
    "a half for a few patients.",
    "False alarm": "Somebody who was not in the training set and is taken for a member.",
    "Measured, declared, combined": "Measured: found by attacking these models. Declared: what the attacker is taken "
    "to hold and to know, said by the person who signs. Combined: calculated from both.",
    "Member": "Somebody whose records a model was trained on.",
    "p, adjusted": "How often a difference this large comes up when the groups do not differ; multiplied by the number "
    "of attributes that are tested (Bonferroni).",
    "Planted patients": "Patients made to be memorised on purpose. The audit must find them, or it is too weak to say "
    "anything.",
    "Residual, adjusted": "How many standard deviations a group's number of records in the tail is from its share.",
}
GLOSSARY = {
    **SHARED_TERMS,
    "AUC": "How often a model that was trained on a record or patient is told from one that was not. A half is "
    "guessing, one is always.",
    "Confidence interval (95 %)": "The range of values that fit the data: it allows for the finite number of patients "
    "and of models. Of 100 audits like this one, about 95 give an interval that holds the true value.",
    "Differential privacy (ε, δ)": "A promise that training hardly depends on any one record. It bounds every attack, "
    "also those that are not known yet.",
    "Exposed": "A patient whose true AUC is above 0.9.",
    "Null control": "The same audit with every model's list of members exchanged. It must find nothing, or it is "
    "wrong.",
    "Tail": "The hundredth of the records with the highest AUC.",
    "Target, reference": "Of the models trained alike, those that are attacked, and those from which the attacker "
    "learns.",
    "Without scatter, true": "The share of patients once the error of every patient's AUC has been taken out.",
}

PAGE = PageParts(
    verdict=words.verdict,
    basis=words.basis,
    certainty=words.certainty,
    could_see=words.could_see,
    strongest=words.strongest,
    support=words.support,
    facts=words.facts,
    count_names=COUNT_NAMES,
    things=THINGS,
    figures=(patients_above, attacks_and_chance, recognised, groups_in_tail, promised),
    tables=tables.shown,
    folded=tables.folded,
    glossary=GLOSSARY,
    card=tables.card,
    sides=sides,
    summary=tables.summary,
)

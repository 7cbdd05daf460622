"""The terms of a membership audit."""

from __future__ import annotations

from leadapron.report.attackers import explained
from leadapron.report.glossary import with_shared

OWN = {
    "Attack on models": f"A way to tell from a model's answers whom it was trained on. {explained('membership')}",
    "AUC": "How often a model that was trained on a record or patient is told from one that was not. A half is "
    "guessing, one is always.",
    "Calibrated": "The highest AUC of a patient's records, brought down by what chance adds to a highest of so many.",
    "Chance, guessing": "What the same attack gives where nothing can be found. With few models it scatters far "
    "above a half for a few patients.",
    "Confidence interval (95 %)": "The range of values that fit the data: it allows for the finite number of patients "
    "and of models. Of 100 audits like this one, about 95 give an interval that holds the true value.",
    "Differential privacy (ε, δ)": "A promise that training hardly depends on any one record. It bounds every "
    "attack, also those that nobody has thought of.",
    "Exposed": "A patient whose true AUC is above 0.9.",
    "False alarm": "Somebody who was not in the training set and is taken for a member.",
    "Joint": "The attack on all records of a patient together.",
    "Maximum": "The highest AUC of a patient's records, as published. It grows with their number by chance alone.",
    "Measured, declared, combined": "Measured: found by attacking these models. Declared: what the attacker is taken "
    "to hold and to know, said by whoever signs. Combined: calculated from both.",
    "Member": "Somebody whose records a model was trained on.",
    "Null control": "The same audit with every model's list of members exchanged. It must find nothing, or it is "
    "wrong.",
    "p, adjusted": "How often a difference this large comes up when the groups do not differ; multiplied by the number "
    "of attributes that are tested (Bonferroni).",
    "Planted patients": "Patients made to be memorised on purpose. The audit must find them, or it is too weak to say "
    "anything.",
    "Residual, adjusted": "How many standard deviations a group's number of records in the tail is from its share.",
    "Tail": "The hundredth of the records with the highest AUC.",
    "Target, reference": "Of the models trained alike, those that are attacked, and those from which the attacker "
    "learns.",
    "Without scatter, true": "The share of patients once the error of every patient's AUC has been taken out.",
}
UNUSED = ("Embedding", "Enrichment")
GLOSSARY = {term: text for term, text in with_shared(OWN).items() if term not in UNUSED}

"""The page of a linkage audit, beyond the standard one."""

from __future__ import annotations

from leadapron.attacks.linkage import linkage_tables as tables
from leadapron.attacks.linkage import linkage_words as words
from leadapron.attacks.linkage.linkage_attackers_figure import random_against_hard, side_by_side
from leadapron.attacks.linkage.linkage_curves_figure import enrichment, pool_size
from leadapron.attacks.linkage.linkage_glossary import GLOSSARY
from leadapron.attacks.linkage.selective_figure import precision_coverage
from leadapron.audits.page_parts import PageParts
from leadapron.pages.figures import Figure, subgroups, survival
from leadapron.results import Results


def patients_at_risk(results: Results) -> Figure:
    return survival(results, whose=words.two_counts(results))


PAGE = PageParts(
    support=words.patient_sentences,
    facts=words.facts,
    count_names=words.COUNT_NAMES,
    figures=(pool_size, random_against_hard, enrichment, side_by_side, precision_coverage, patients_at_risk, subgroups),
    tables=tables.shown,
    folded=tables.folded,
    glossary=GLOSSARY,
    card=tables.card,
    summary=tables.summary,
)

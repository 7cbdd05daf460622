"""The report of a linkage audit: can radiographs be paired with their reports again?"""

from leadapron.report import fitted
from leadapron.report.figures import subgroups, survival
from leadapron.report.kind import Kind
from leadapron.report.linkage import tables, words
from leadapron.report.linkage.attackers import random_against_hard, side_by_side
from leadapron.report.linkage.curves import enrichment, pool_size
from leadapron.report.linkage.glossary import GLOSSARY
from leadapron.report.linkage.selective import precision_coverage

LINKAGE = Kind(
    name="linkage",
    question="can its radiographs be paired with their reports again?",
    verdict=fitted.told(words.verdict),
    support=words.patient_sentences,
    facts=words.facts,
    count_names=words.COUNT_NAMES,
    figures=(pool_size, random_against_hard, enrichment, side_by_side, precision_coverage, survival, subgroups),
    tables=tables.shown,
    folded_tables=tables.folded,
    glossary=GLOSSARY,
    card_columns=tables.CARD_COLUMNS,
    card_rows=tables.card,
)

__all__ = ["LINKAGE"]

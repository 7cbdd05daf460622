"""The report of an identity audit: are two radiographs recognised as one patient's?"""

from functools import partial

from leadapron.report import fitted
from leadapron.report.figures import subgroups, survival
from leadapron.report.identity import tables, words
from leadapron.report.identity.attackers import side_by_side
from leadapron.report.identity.glossary import GLOSSARY
from leadapron.report.identity.ranked import cmc, gallery_size
from leadapron.report.identity.roc import roc
from leadapron.report.identity.strata import several_known, what_changed
from leadapron.report.kind import Kind

IDENTITY = Kind(
    name="identity",
    question="are two of its radiographs recognised as one patient's?",
    verdict=fitted.told(words.verdict),
    support=words.support,
    facts=words.facts,
    count_names=words.COUNT_NAMES,
    figures=(
        gallery_size,
        cmc,
        roc,
        side_by_side,
        what_changed,
        several_known,
        partial(
            survival,
            done="recognised",
            counted="patients_with_two",
            whose="Patients are those with two images or more.",
        ),
        partial(subgroups, found_first="right patient", candidates="gallery", linear=True),
    ),
    tables=tables.shown,
    folded_tables=tables.folded,
    glossary=GLOSSARY,
    card_columns=tables.CARD_COLUMNS,
    card_rows=tables.card,
)

__all__ = ["IDENTITY"]

"""The page of an identity audit, beyond the standard one."""

from __future__ import annotations

from functools import partial

from leadapron.attacks.identity import identity_tables as tables
from leadapron.attacks.identity import identity_words as words
from leadapron.attacks.identity.identity_attackers_figure import side_by_side
from leadapron.attacks.identity.identity_glossary import GLOSSARY
from leadapron.attacks.identity.identity_roc_figure import roc
from leadapron.attacks.identity.ranked_lists_figure import cmc, gallery_size
from leadapron.attacks.identity.strata_figure import several_known, what_changed
from leadapron.audits.page_parts import PageParts
from leadapron.pages.figures import subgroups, survival

PAGE = PageParts(
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
    folded=tables.folded,
    glossary=GLOSSARY,
    card=tables.card,
    summary=tables.summary,
)

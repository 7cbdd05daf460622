"""The report of a membership audit: was a patient among those that a model was trained on?"""

from leadapron.report.kind import Kind
from leadapron.report.membership import tables, words
from leadapron.report.membership.attackers import side_by_side
from leadapron.report.membership.glossary import GLOSSARY
from leadapron.report.membership.groups import groups_in_tail
from leadapron.report.membership.names import COUNT_NAMES
from leadapron.report.membership.promise import promised
from leadapron.report.membership.roc import roc
from leadapron.report.membership.sides import sides
from leadapron.report.membership.survival import patients_above

MEMBERSHIP = Kind(
    name="membership",
    question="was a patient among those that a model was trained on?",
    verdict=words.verdict,
    support=words.support,
    facts=words.facts,
    count_names=COUNT_NAMES,
    figures=(patients_above, side_by_side, roc, groups_in_tail, promised),
    tables=tables.shown,
    folded_tables=tables.folded,
    glossary=GLOSSARY,
    card_columns=tables.CARD_COLUMNS,
    card_rows=tables.card,
    things=frozenset({"models", "targets", "references", "labels"}),
    certainty=words.certainty,
    could_see=words.could_see,
    strongest=words.strongest,
    apart=sides,
)

__all__ = ["MEMBERSHIP"]

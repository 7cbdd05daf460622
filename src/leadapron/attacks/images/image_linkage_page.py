"""What may be said of the numbers of an image-linkage audit, and its page beyond the standard one."""

from __future__ import annotations

from leadapron.attacks.images.image_attackers import ADAPTIVE, STATIC
from leadapron.audits.audit_registry import find_audit
from leadapron.audits.measure import Coordinate, Measure
from leadapron.audits.page_parts import PageParts
from leadapron.audits.record_gathering import kept_units
from leadapron.audits.wording import sentence
from leadapron.results import Results
from leadapron.results.selection import first

FIRST = "precision@1"
REPORT, COUNTERPART = "report", "counterpart"
PLAIN = {
    ADAPTIVE: "one who has learnt from released images of other patients",
    STATIC: "one who has learnt from real images of other patients, and has seen no released one",
}
COORDINATES = {
    "sought": Coordinate(
        "Sought",
        {
            REPORT: {"one": "the report of its source", "many": "reports"},
            COUNTERPART: {"one": "a released radiograph of another study of the patient", "many": "released ones"},
        },
    ),
    "pool": Coordinate("Among"),
}
MEASURES = (
    Measure(
        FIRST,
        "Right one first (precision@1)",
        "{one} comes first among {pool:,} {many}",
        "released radiographs",
        for_board="{found} of {size} released X-rays lead first to {one} among {pool:,}; guessing: {guessed}",
        per_unit=kept_units,
    ),
)
STORY = (
    "Reports lie in many hands. One that describes a released image leads to its patient; and released images of one "
    "patient that are known as such tell more than each of them."
)
COUNT_NAMES = {"records": "released radiographs under attack", "patients": "patients under attack"}
GLOSSARY = {
    "Embedding": "",
    "Counterpart": "A released image that was made in the place of a real one.",
    "Null control": "The same attack with released images dealt to other patients. It must find nothing.",
    "Planted marks": "A mark of its own for every study, in images and in what is sought. The attack must find it.",
    "Pool": "The right one and others of strangers, drawn at random; every number is the exact mean over such pools.",
    "Precision@1": "How often the right one comes first.",
}


def support(results: Results) -> list[str]:
    audit, said = find_audit(results.audit), [STORY]
    row = first(results, metric=FIRST, sought=COUNTERPART, attacker=ADAPTIVE, pool=results.spot.pool)
    if row is not None and not row.has(**results.spot.keys):
        said.append(f"{sentence(audit, row)}.")
    if not results.details["defended"]:
        said.append("These images are not defended: they are their own source.")
    return said


PAGE = PageParts(support=support, count_names=COUNT_NAMES, glossary=GLOSSARY)

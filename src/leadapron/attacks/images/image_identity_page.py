"""The page of an image-identity audit, beyond the standard one."""

from __future__ import annotations

from leadapron.attacks.images.image_attackers import ADAPTIVE, ANOTHER, CLASSIFIER, PLAIN, SOURCE, STATIC
from leadapron.attacks.images.image_identity_measures import FIRST
from leadapron.audits.audit_registry import find_audit
from leadapron.audits.page_parts import PageParts
from leadapron.audits.standard_tables import INTERVAL, numbers
from leadapron.audits.wording import sentence, title_of
from leadapron.pages.page import Block, kept, table
from leadapron.results import Results
from leadapron.results.selection import first, select

STORY = (
    "An attacker holds a patient's real radiographs and looks for the patient among released ones. The published test "
    "asks a classifier that has never seen a released image. A better attacker learns from released images of other "
    "patients what they still tell."
)
COUNT_NAMES = {
    "records": "released radiographs under attack",
    "patients": "patients under attack",
    "known_records": "radiographs that the attacker knows",
    "known_patients": "patients that the attacker knows",
}
GLOSSARY = {
    "Embedding": "",
    "Adaptive": "An attacker who learns from released images of other patients beside their real ones.",
    "AUC": "How often the patient's real image scores higher than a stranger's. A half is guessing, one always.",
    "Counterpart": "A released image that was made in the place of a real one.",
    "Null control": "The same attack with released images dealt to other patients. It must find nothing.",
    "Planted sources": "The same attack with real images in the place of released ones. It must find them.",
    "Pool": "One real image of the patient and real images of strangers, drawn at random; every number is the exact "
    "mean over all such pools.",
    "Precision@1": "How often the patient's real image is the most alike of the pool.",
    "Static": "An attacker who knows real images of other patients, and no released one.",
}


def support(results: Results) -> list[str]:
    """The published test beside the headline, and what knowing the source brings."""
    audit, spot = find_audit(results.audit), results.spot
    said = [STORY]
    for attacker, holds in ((CLASSIFIER, ANOTHER), (STATIC, ANOTHER), (ADAPTIVE, SOURCE)):
        row = first(results, metric=FIRST, attacker=attacker, holds=holds, pool=spot.pool)
        if row is not None and not row.has(**spot.keys):
            said.append(f"{sentence(audit, row)} (by {PLAIN[attacker]}).")
    if not results.details["defended"]:
        said.append("These images are not defended: they are their own source.")
    return said


def facts(results: Results) -> dict[str, str]:
    return {"Networks": str(results.details["networks"]), "Source": str(results.config.get("source") or "itself")}


def shown(results: Results) -> tuple[Block, ...]:
    audit = find_audit(results.audit)
    rows = [
        (row.attacker, row.holds, f"{row.pool:,}", title_of(audit, row), *numbers(audit, row)[:3])
        for attacker in PLAIN
        for row in select(results, attacker=attacker)
    ]
    heads = ("Attacker", "Holds", "Real images", "Measure", "Measured", INTERVAL, "Guessing")
    return kept(table("Every attacker", heads, rows, numbers=3))


PAGE = PageParts(support=support, facts=facts, count_names=COUNT_NAMES, tables=shown, glossary=GLOSSARY)

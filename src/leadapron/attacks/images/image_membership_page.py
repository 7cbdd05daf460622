"""What may be said of the numbers of an image-membership audit, and its page beyond the standard one."""

from __future__ import annotations

from leadapron.audits.measure import Measure
from leadapron.audits.page_parts import PageParts
from leadapron.audits.record_gathering import kept_units
from leadapron.results import Results

AUC, TPR = "auc", "tpr@fpr"
OTHERS, OWN = "others", "own"
PLAIN = {
    OTHERS: "one who looks for the patient's real images among released images of other patients",
    OWN: "one who compares the patient's real images with their own counterparts",
}
MEASURES = (
    Measure(
        AUC,
        "Member told from another (AUC)",
        "a patient whom the generator was trained on scores higher than another",
        "members",
        scale="auc",
        for_board="in {size} comparisons, a patient whom the generator learnt from stands out against another {found} "
        "times; guessing: {guessed}",
        per_unit=kept_units,
    ),
    Measure(
        TPR,
        "Members known at {of_percent} false alarms",
        "an attacker who wrongly names {of_percent} of the others names the patient",
        "members",
        for_board="{found} of {size} patients whom the generator learnt from are named, where {of_percent} of the "
        "others are wrongly named; guessing: {guessed}",
    ),
)
STORY = (
    "To have been among those whom a generator was trained on can tell of a disease or a clinic. The attacker holds "
    "real images of a patient and asks whether released ones know them."
)
COUNT_NAMES = {"members": "members", "others": "other patients", "released": "released radiographs"}
GLOSSARY = {
    "Embedding": "",
    "AUC": "How often a member scores higher than another patient. A half is guessing, one always.",
    "Member": "A patient of the split that the generator was trained on.",
    "Null control": "The same with members drawn at random. It must find nothing.",
    "Planted copies": "Images of half of the members given out again. The attack must find them.",
}


def support(results: Results) -> list[str]:
    undefended = "These images are not defended: no generator made them, and nobody was learnt from."
    return [STORY] if results.details["defended"] else [STORY, undefended]


PAGE = PageParts(support=support, count_names=COUNT_NAMES, glossary=GLOSSARY)

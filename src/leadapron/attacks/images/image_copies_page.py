"""What may be said of the numbers of an image-copies audit, and its page beyond the standard one."""

from __future__ import annotations

from leadapron.audits.audit_registry import find_audit
from leadapron.audits.measure import Coordinate, Measure
from leadapron.audits.page_parts import PageParts
from leadapron.audits.record_gathering import kept_units
from leadapron.audits.wording import sentence
from leadapron.pages.numerals import percent
from leadapron.results import Results
from leadapron.results.selection import first

TRAINING, HELD_OUT = "training records", "held-out records"
DAR, CHEXGENBENCH = "dar", "chexgenbench"
RULES = {DAR: "The rule of Dar et al.", CHEXGENBENCH: "The rule of CheXGenBench"}
PLAIN = {
    "whole": "a comparison of whole images, in which no direction counts for more because images vary much in it",
    "patches": "a search for one training image that is the nearest at many places, patch by patch",
    DAR: "a published rule: nearer to a training image than 95 % of these are to a validation image",
    CHEXGENBENCH: "a published rule: a model of real pairs takes counterpart and source for one patient",
}
FLAGGED = "flagged@real"
COORDINATES = {"records": Coordinate("Counterparts of", {TRAINING: {}, HELD_OUT: {}})}
MEASURES = (
    Measure(
        FLAGGED,
        "Nearer to a training image than all but {of_percent} of real images",
        "a counterpart of {records} lies nearer to a training image than all but {of_percent} of others' real ones",
        "released radiographs",
        for_board="{found} of {size} released X-rays look like copies: as near to a training image as only "
        "{of_percent} of strangers' real ones do; guessing: {guessed}",
        per_unit=kept_units,
    ),
    Measure(
        "flagged",
        "Flagged by a published rule",
        "a counterpart of {records} is flagged by a published rule",
        "released radiographs",
    ),
)
STORY = (
    "A generator that remembers gives out training images again. A released image is flagged if it lies nearer to a "
    "training image than all but a hundredth (of few patients, a twentieth) of the real images of patients whom the "
    "generator has never seen: as many are flagged where nothing was copied."
)
COUNT_NAMES = {"training": "training radiographs", "held_out": "held-out radiographs", "records": "looked at"}
GLOSSARY = {
    "Embedding": "",
    "Flagged": "Nearer to a training image than all but a hundredth of held-out real images.",
    "Held-out": "Of patients that no generator was trained on.",
    "Null control": "The same with real images of held-out patients in the place of released ones: a hundredth.",
    "Planted duplicates": "Training images moved a little, softened and with noise. They must be flagged.",
    "Rule of CheXGenBench": "Dutt et al. 2025: a model that was trained on pairs of real images says of a counterpart "
    "and its own source whether they are one patient. It looks at no other training image.",
    "Rule of Dar et al.": "Dar et al. 2024: the threshold is set by how near training images are to validation images, "
    "which are fewer, so that real images of others pass it often.",
}


def support(results: Results) -> list[str]:
    audit, details = find_audit(results.audit), results.details
    said = [STORY]
    row = first(results, metric=results.spot.metric, attacker=results.spot.attacker, records=HELD_OUT)
    if row is not None:
        said.append(f"{sentence(audit, row)}.")
    said.append(f"The nearest training image is one of the record's own patient for {percent(details['own'])}.")
    for rule, false_alarms in details["published"].items():
        if (mine := first(results, attacker=rule, records=TRAINING)) is not None:
            said.append(
                f"{RULES[rule]} flags {percent(mine.value)} of the counterparts of training records, and "
                f"{percent(false_alarms)} of the real images of patients whom no generator has seen."
            )
    if not details["defended"]:
        said.append("These images are not defended: they are their own source.")
    return said


PAGE = PageParts(support=support, count_names=COUNT_NAMES, glossary=GLOSSARY, things=frozenset({"training"}))

"""The page of a recital audit, beyond the standard one, and its sentences."""

from __future__ import annotations

from leadapron.attacks.recital.recital_measures import (
    ANY_NUMBER,
    HELD_IMAGES,
    OWN_IDENTIFIER,
    OWN_NUMBER,
    OWN_RUN,
    TAUGHT_IMAGES,
)
from leadapron.audits.audit_registry import find_audit
from leadapron.audits.page_parts import PageParts
from leadapron.audits.wording import sentence
from leadapron.pages.numerals import percent
from leadapron.results import Results
from leadapron.results.selection import select

STORY = (
    "A writer that was taught too often with too few reports says them by heart. A run of words that, among all "
    "reports, only one patient has is counted if the writer says it of that patient's own radiograph. What guessing "
    "gives is measured: the same of patients whom the writer was never taught, whose reports it can only meet by "
    "coincidence or because the radiograph shows what they say."
)
COUNT_NAMES = {
    "taught": "training radiographs",
    "taught_patients": "training patients",
    "held_out": "held-out radiographs",
    "planted": "patients with a planted number",
}
GLOSSARY = {
    "Embedding": "",
    "p, adjusted": "",
    "Held-out": "Of patients that the writer was not taught.",
    "Null control": "A writer of the same kind, taught shortly with reports that were dealt to other patients' images. "
    "It must not know an image's own report.",
    "Planted number": "An invented number in front of some training reports. Nobody can see it in an image.",
    "Planted writer": "One that answers with the training report itself. It must be found.",
    "Run of words": "Neighbouring words, in lower case and with punctuation apart.",
}


def support(results: Results) -> list[str]:
    audit, spot = find_audit(results.audit), results.spot
    said = [STORY]
    wanted = ((OWN_RUN, HELD_IMAGES), (OWN_NUMBER, TAUGHT_IMAGES), (OWN_IDENTIFIER, TAUGHT_IMAGES))
    for metric, images in (*wanted, (ANY_NUMBER, HELD_IMAGES)):
        rows = select(results, metric=metric, images=images)
        if rows:
            row = max(rows, key=lambda row: row.value) if images == TAUGHT_IMAGES else rows[0]
            said.append(f"{sentence(audit, row)} (attacker {row.attacker}).")
    other = results.details["others"][spot.attacker][OWN_RUN]
    said.append(
        f"Of training radiographs, words of a given other training patient alone are written for {percent(other)}."
    )
    return [*said, *results.details["notes"]]


def facts(results: Results) -> dict[str, str]:
    config = results.config
    asked = {"Writer": "writer", "Encoder": "encoder", "Epochs": "epochs", "Words of a run": "words"}
    said = {
        title: str(config[key] if config.get(key) is not None else "the writer's own") for title, key in asked.items()
    }
    return said | {"Forced to begin with": str(results.details["begin"] or "nothing")}


PAGE = PageParts(support=support, facts=facts, count_names=COUNT_NAMES, glossary=GLOSSARY)

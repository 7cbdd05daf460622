"""``structured`` and ``text``: counterparts drawn from labels with their places, or from the cleaned report itself."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from leadapron.cohort import FINDINGS, LABEL_COLUMNS
from leadapron.cohort.image_set import ImageSet
from leadapron.defences.defence import Defence, DefenceCard
from leadapron.defences.images.clean_reports import cleaned
from leadapron.defences.images.counterparts import CounterpartConfig, counterparts
from leadapron.engine import Progress
from leadapron.generation.canonical_prompt import canonical_prompt, labelled_reading
from leadapron.privacy import Guarantee
from leadapron.reports.prompt_reading import read_prompt

NO_GUARANTEE = (
    "No guarantee: the generator has seen training patients, and what the words say of an image is drawn again, so two "
    "studies of a patient with the same rare findings can still be told to belong together. Ids and labels are as they "
    "were. Audit the images before they are handed over."
)
GUIDED = (
    "No guarantee, and less than without guidance: a source image that guides the drawing shines through, and the "
    "patient with it. Audit the images before they are handed over."
)


def structured_prompts(images: ImageSet) -> list[str]:
    """For each record its labels and view, with the places and sizes that its report gives to findings."""
    columns = images.records.select("view", "report", *LABEL_COLUMNS)
    return [
        canonical_prompt(labelled_reading(dict(zip(FINDINGS, labels, strict=True)), view, read_prompt(report or "")))
        for view, report, *labels in columns.iter_rows()
    ]


def text_prompts(images: ImageSet) -> list[str]:
    """Each record's report; where there is none, what ``structured`` would say."""
    structured = structured_prompts(images)
    return [report or said for report, said in zip(images.records["report"], structured, strict=True)]


def from_labels(images: ImageSet, config: CounterpartConfig, progress: Progress) -> tuple[ImageSet, DefenceCard]:
    clean = cleaned(images, config, progress, need_reports=False)
    return _made(STRUCTURED, clean, structured_prompts(clean), config, progress)


def from_reports(images: ImageSet, config: CounterpartConfig, progress: Progress) -> tuple[ImageSet, DefenceCard]:
    clean = cleaned(images, config, progress)
    return _made(TEXT, clean, text_prompts(clean), config, progress)


def _made(
    defence: Defence, clean: ImageSet, prompts: list[str], config: CounterpartConfig, progress: Progress
) -> tuple[ImageSet, DefenceCard]:
    made, facts = counterparts(clean, prompts, config, progress)
    statement = NO_GUARANTEE if config.strength == 1 else GUIDED
    card = defence.card(config, Guarantee("none", statement=statement), **facts)
    return made, card.model_copy(update={"done": _done(facts, len(made))})


def _done(facts: Mapping[str, JsonValue], count: int) -> str:
    learnt = ""
    if "training_images" in facts:
        learnt = f", by a generator that learnt from {facts['training_images']:,} images of "
        learnt += f"{facts['training_patients']:,} training patients"
    return f"Drawn: {count:,} counterparts{learnt}. Out of range: {facts['clipped']:,}."


STRUCTURED = Defence(
    "structured",
    "draw each image anew from its labels, and from where and how large its report says they are",
    "images",
    CounterpartConfig,
    from_labels,
    group="images",
    strength="strength",
)
TEXT = Defence(
    "text",
    "draw each image anew from its cleaned report",
    "images",
    CounterpartConfig,
    from_reports,
    group="images",
    strength="strength",
)

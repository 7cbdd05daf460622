"""Counterparts: for every radiograph one that a generator draws from words about it.

What all methods share: reports are cleaned first, the generator learns from training patients alone, and what it draws
is held against what an image can be.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, JsonValue

from leadapron import __version__
from leadapron.cohort.image_set import ImageSet, digest
from leadapron.defences.defence import settings_of
from leadapron.defences.images.clean_reports import NOT_ON_CARD, CleaningConfig
from leadapron.engine import Progress, run_blocks
from leadapron.errors import DataError
from leadapron.generation.fit_generator import fit_registered
from leadapron.generation.generator import Drawn, Generator, Guides
from leadapron.training.devices import AUTO, HELP

REGISTERED = "registered"
MOST_CLIPPED = 0.01
"""A larger share of images that explode is a fault of the generator, and would blind an audit."""


class CounterpartConfig(CleaningConfig):
    """How counterparts are drawn."""

    generator: str = Field(
        default=REGISTERED,
        description="What draws: `registered`, which is fitted on the training patients, or the folder of a diffusers "
        "pipeline.",
    )
    strength: float = Field(
        default=1.0,
        ge=0,
        le=1,
        description="1 draws from words alone; below, the source image guides the drawing, and 0 gives it back. Below "
        "1 the patient can be recognised.",
    )
    seed: int = Field(default=0, ge=0, description="Another seed draws other images.")
    device: str = Field(default=AUTO, description=HELP, json_schema_extra=NOT_ON_CARD)


def counterparts(
    images: ImageSet, prompts: Sequence[str], config: CounterpartConfig, progress: Progress
) -> tuple[ImageSet, dict[str, JsonValue]]:
    """A counterpart a record, and what is to be said of them on a card. ``prompts`` are all that a generator is told
    of a record, but for the guidance that the configuration asks for."""
    if len(prompts) != len(images):
        got = f"{len(prompts):,} prompts and {len(images):,} records"
        raise DataError("there is not one prompt a record", where=images.where, got=got)
    if not any(prompt.strip() for prompt in prompts):
        raise DataError("all prompts are empty", where=images.where, fix="The records need labels or reports.")
    generator, facts = _generator(images, prompts, config, progress)
    drawn = _drawn(generator, images, prompts, config, progress)
    _check(drawn, images, generator)
    told = {"clipped": drawn.clipped, "without_words": sum(not prompt.strip() for prompt in prompts)}
    told |= {"longer_than_read": drawn.cut} if drawn.cut else {}
    return images.with_images(drawn.images), {**facts, **told}


def _generator(
    images: ImageSet, prompts: Sequence[str], config: CounterpartConfig, progress: Progress
) -> tuple[Generator, dict[str, JsonValue]]:
    if config.generator != REGISTERED:
        from leadapron.generation.pipelines import load_pipeline  # it needs torch and diffusers

        folder = Path(config.generator)
        made_by: dict[str, JsonValue] = {"generator": f"pipeline {folder.name}"}
        return load_pipeline(folder, size=images.size, device=config.device), made_by
    rows = images.records["split"].eq("train").arg_true().to_numpy()
    if not len(rows):
        fix = "Deal the cohort again: `leadapron cohort` splits by patients."
        raise DataError(
            "no record is of split 'train', and the generator learns from these", where=images.where, fix=fix
        )
    train = images.at(rows)
    work = None if config.work is None else config.work / "generator"
    fitted = fit_registered(
        train.images, [prompts[row] for row in rows], seed=config.seed, work=work, progress=progress
    )
    facts: dict[str, JsonValue] = {"training_patients": train.cohort.patients, "training_images": len(train)}
    return fitted, {"generator": REGISTERED, **facts, **fitted.facts}


def _drawn(
    generator: Generator, images: ImageSet, prompts: Sequence[str], config: CounterpartConfig, progress: Progress
) -> Drawn:
    """All images, one go after the other where the work is kept, so that a kill costs one go."""
    guides = Guides(images.images, config.strength) if config.strength < 1 else None
    if config.work is None:
        return generator.draw(prompts, seed=config.seed, guides=guides, progress=progress)

    def compute(rows: slice) -> dict[str, NDArray[np.generic]]:
        own = None if guides is None else Guides(guides.images[rows], guides.strength)
        some = generator.draw(prompts[rows], seed=config.seed, guides=own, first=rows.start)
        return {"images": some.images, "exploded": some.exploded, "longer": some.longer}

    said = hashlib.sha256("\0".join(prompts).encode()).hexdigest()
    key = {**settings_of(config), "images": digest(images.images), "prompts": said, "leadapron": __version__}
    made = run_blocks(
        config.work / "drawing",
        len(prompts),
        generator.at_once,
        compute,
        key=key,
        stage="drawing counterparts",
        progress=progress,
    )
    return Drawn(np.array(made["images"]), np.array(made["exploded"]), np.array(made["longer"]))


def _check(drawn: Drawn, images: ImageSet, generator: Generator) -> None:
    """Images that exploded were brought back into range; many of them, or none at all, are no counterparts."""
    if drawn.images.shape != images.images.shape or drawn.images.dtype != np.uint8:
        got = f"{drawn.images.dtype} of {' x '.join(map(str, drawn.images.shape))}"
        allowed = f"uint8 of {' x '.join(map(str, images.images.shape))}"
        raise DataError(
            "the generator drew images of another kind", where=type(generator).__name__, got=got, allowed=allowed
        )
    if drawn.clipped > MOST_CLIPPED * len(images):
        raise DataError(
            "too many images exploded while they were drawn",
            where=type(generator).__name__,
            got=f"{drawn.clipped:,} of {len(images):,}",
            allowed=f"{MOST_CLIPPED:.0%}",
            fix="The generator has learnt from too little, or its weights are damaged.",
        )

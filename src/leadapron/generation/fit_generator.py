"""Fitting ``registered``: registration in blocks that survive a kill, and then closed forms."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter
from threadpoolctl import threadpool_limits

from leadapron.cohort.image_set import digest
from leadapron.engine import Progress, parallel_map, run_blocks, silent
from leadapron.errors import DataError
from leadapron.generation.bent_layers import BentLayer
from leadapron.generation.chest_model import ChestModel, fit_mean, learn_basis, learn_variation
from leadapron.generation.conditions import Conditions, design, expected, learn_odds, owners
from leadapron.generation.generator import Bytes
from leadapron.generation.layer_fitting import Key, Trained, learn_layers
from leadapron.generation.local_layers import Layer
from leadapron.generation.registered_generator import RegisteredGenerator, brightening, presence
from leadapron.generation.registration import TEACHERS, Template, learn_template
from leadapron.generation.texture import MOST, Texture, learn_texture
from leadapron.generation.warping import POINTS, into_frame
from leadapron.generation.word_topics import learn_topics
from leadapron.reports.prompt_reading import Reading, read_prompt

Floats = NDArray[np.float32]

MOST_IMAGES, MOST_PIXELS = 10_000, 300_000_000
"""More teach little, and would have to be held in memory."""
FEWEST_IMAGES = 20
SHAPES = 40
"""Directions of deformation that are kept; with more of them, registration would smooth findings away."""
BLOCK, CHUNK = 512, 32
ENOUGH = 500
"""Images that tell what fine structure looks like."""
STAGE = "laying chests over the template"


def fit_registered(
    images: Bytes, prompts: Sequence[str], *, seed: int = 0, work: Path | None = None, progress: Progress = silent
) -> RegisteredGenerator:
    """From the images of training patients and what is said of each. ``work`` keeps what is finished."""
    if len(images) < FEWEST_IMAGES:
        got = f"{len(images):,} training images"
        raise DataError("a generator needs more images", got=got, allowed=f"{FEWEST_IMAGES} or more")
    if images.shape[1] % 16:
        raise DataError("images of this size cannot be registered", got=images.shape[1], allowed="a multiple of 16")
    rng = np.random.default_rng([seed, 0x7265])
    rows = np.sort(rng.permutation(len(images))[: min(MOST_IMAGES, MOST_PIXELS // images[0].size)])
    images, readings = images[rows], [read_prompt(prompts[row]) for row in rows]
    with threadpool_limits(1):  # sums that are split over threads would depend on the machine
        return _fit(images, [prompts[row] for row in rows], readings, rng, work, progress)


def _fit(
    images: Bytes,
    prompts: Sequence[str],
    readings: Sequence[Reading],
    rng: np.random.Generator,
    work: Path | None,
    progress: Progress,
) -> RegisteredGenerator:
    odds, topics = learn_odds(readings), learn_topics(prompts)
    conditions = expected(readings, odds)
    columns = np.concatenate([design(conditions), topics.of(prompts)], axis=1)
    template = learn_template(_teachers(images, readings, rng), lambda done, all_: progress("template", done, all_))
    fields = _register(template, images, work, progress)
    field_mean, field_basis, shapes = _shapes(fields)
    frames = _in_chunks(images, shapes @ field_basis + field_mean)
    layers, shown = _layers(frames, columns, conditions, rng, progress)
    frames -= shown
    mean = fit_mean(columns, frames)
    frames -= columns @ mean
    basis, taught = learn_basis(frames, rng)
    values = frames @ basis.T
    grain, loud = _grain(frames, values, basis)
    texture = _texture(frames, values, basis, grain, taught, conditions)
    others = np.concatenate([shapes, loud[:, None]], axis=1)
    shift = fit_mean(columns, others)
    coefficients = np.concatenate([others - columns @ shift, values], axis=1)
    sound, by_finding = learn_variation(coefficients, presence(conditions))
    progress("fitting the generator", 1, 1)
    facts = {
        "used_images": len(images),
        "shapes": len(field_basis),
        "components": len(basis),
        "topics": len(topics.scale),
        "layers": len(layers),
    }
    return RegisteredGenerator(
        template,
        odds,
        topics,
        ChestModel(mean, shift, basis, sound, by_finding, brightening()),
        layers,
        field_mean,
        field_basis,
        texture,
        grain.reshape(images.shape[1:]),
        facts,
    )


def _texture(
    frames: Floats, values: Floats, basis: Floats, grain: Floats, taught: NDArray[np.int64], conditions: Conditions
) -> Texture:
    """Of chests without findings, as far as there are enough, and of images that did not teach the directions: these
    hold too much of their own."""
    every, fresh = np.ones(len(frames), np.bool_), np.ones(len(frames), np.bool_)
    fresh[taught] = False
    sound = ~(conditions.present.any(axis=1) | conditions.device.any(axis=1))
    enough = min(ENOUGH, len(frames))
    rows = next(np.flatnonzero(one) for one in (fresh & sound, fresh, every) if one.sum() >= enough)[:MOST]
    return learn_texture(frames[rows] - values[rows] @ basis, grain)


def _layers(
    frames: Floats, columns: Floats, conditions: Conditions, rng: np.random.Generator, progress: Progress
) -> tuple[dict[Key, Layer | BentLayer], Floats]:
    """A first fit without layers, in what it leaves over layers are found."""
    mean = fit_mean(columns, frames)
    rest = frames - columns @ mean
    basis, _ = learn_basis(rest, rng)
    values = rest @ basis.T
    sound, _ = learn_variation(values, presence(conditions))
    noise = max(1.0, float((rest[:BLOCK] ** 2).mean() - (values[:BLOCK] ** 2).sum(axis=1).mean() / rest.shape[1]))
    trained = Trained(rest, columns[:, : len(owners())], mean[: len(owners())], basis, (sound**2).sum(axis=0), noise)
    return learn_layers(trained, conditions, lambda done, all_: progress("finding small things", done, all_))


def _teachers(images: Bytes, readings: Sequence[Reading], rng: np.random.Generator) -> Bytes:
    """The template is made of chests without findings, as far as there are enough."""
    order = rng.permutation(len(images))
    ill = np.array([bool(readings[row].present) for row in order])
    return images[np.sort(order[np.argsort(ill, kind="stable")][:TEACHERS])]


def _register(template: Template, images: Bytes, work: Path | None, progress: Progress) -> Floats:
    def compute(rows: slice) -> dict[str, Floats]:
        return {"fields": template.register(images[rows])}

    if work is not None:
        key = {"images": digest(images), "template": digest(template.image.view(np.uint8)), "points": POINTS}
        made = run_blocks(work, len(images), BLOCK, compute, key=key, stage=STAGE, progress=progress)
        return np.array(made["fields"], np.float32)
    found = []
    for start in range(0, len(images), BLOCK):
        found.append(compute(slice(start, min(start + BLOCK, len(images))))["fields"])
        progress(STAGE, min(start + BLOCK, len(images)), len(images))
    return np.concatenate(found)


def _shapes(fields: Floats) -> tuple[Floats, Floats, Floats]:
    """The mean field, the main directions, and each image's place along these."""
    flat = fields.reshape(len(fields), -1)
    mean = flat.mean(axis=0)
    values, vectors = np.linalg.eigh((flat - mean).T.astype(np.float64) @ (flat - mean))
    keep = min(SHAPES, len(fields) // 4)
    basis = np.ascontiguousarray(vectors[:, np.argsort(-values)[:keep]].T.astype(np.float32))
    return mean, basis, (flat - mean) @ basis.T


def _in_chunks(images: Bytes, fields: Floats) -> Floats:
    frames = np.empty((len(images), images[0].size), np.float32)

    def one(start: int) -> None:
        rows = slice(start, start + CHUNK)
        frames[rows] = into_frame(images[rows], fields[rows].reshape(-1, 2, POINTS, POINTS)).reshape(-1, images[0].size)

    parallel_map(one, range(0, len(images), CHUNK))
    return frames


def _grain(frames: Floats, values: Floats, basis: Floats) -> tuple[Floats, Floats]:
    """The grain: how strong it is at each pixel, and the logarithm of how strong in each image.

    It is what stands out from the pixels around it in what no direction explains. The rest of that is structure that
    the directions miss, and would only look like more grain.
    """
    size = int(frames.shape[1] ** 0.5)
    power, loud = np.zeros(frames.shape[1]), np.empty(len(frames), np.float32)
    for start in range(0, len(frames), BLOCK):
        rows = slice(start, start + BLOCK)
        rest = (frames[rows] - values[rows] @ basis).reshape(-1, size, size)
        rough = (rest - uniform_filter(rest, (0, 3, 3))).reshape(len(rest), -1) ** 2 * np.float32(9 / 8)
        loud[rows] = 0.5 * np.log(np.median(rough, axis=1) / 0.455 + 1e-3)  # of a squared normal number
        power += np.minimum(rough / np.exp(2 * loud[rows, None]), 9).sum(axis=0)
    level = loud.mean()
    return (np.sqrt(power / len(frames)) * np.exp(level)).astype(np.float32), loud - level

"""A network that is not trained: the maps of a pretrained one, and a head that is calculated.

Where few patients are known there is too little to train on, but enough to learn two things from. Over all images,
without knowing whose they are: in which directions they vary, which are then made to count alike (whitening). Over the
known patients and over changed copies of all images: which directions change between two images of one person, which
are then made to count less (discriminant analysis).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.linalg import eigh
from torch import nn
from torch.nn import functional

from leadapron.attacks.identity.training.backbones import Loaded
from leadapron.attacks.identity.training.training_patients import Patients
from leadapron.encoders.encoder import Bytes
from leadapron.engine import Progress, run_blocks, silent
from leadapron.release.rows import unit_doubles
from leadapron.training.devices import device_of
from leadapron.training.image_batches import augmented, grey

Tensor = Any
Doubles = NDArray[np.float64]

GRIDS = (1, 3, 5)
MIDDLE_BLOCK, MIDDLE_GRID = 10, 5
"""A layer halfway, which sees edges and textures where the last one sees things."""
WIDE, NARROW = 128, 64
WIDE_SHARE = 0.3
KNOWN_SHARE = 0.7
SHRUNK = 0.1
COPIES = 3
MOST_FITTED = 1500
AT_ONCE = 16


class FrozenNetwork(nn.Module):  # type: ignore[misc]
    """Maps at several grids, of the image and its mirror image; two calculated projections of them, side by side."""

    def __init__(self, loaded: Loaded) -> None:
        super().__init__()
        self.backbone = loaded.module
        middle = self._middle_block()._project_conv.out_channels  # noqa: SLF001 (there is no public name for it)
        width = loaded.maps * sum(grid**2 for grid in GRIDS) + middle * MIDDLE_GRID**2
        for name, shape in {
            "centre": (width,), "basis": (width, WIDE), "scale": (WIDE,), "known_centre": (NARROW,),
            "known_axes": (NARROW, NARROW), "shares": (2,),
        }.items():  # fmt: skip
            self.register_buffer(name, torch.zeros(shape))

    def _middle_block(self) -> Any:  # noqa: ANN401
        return self.backbone.features.network._blocks[MIDDLE_BLOCK]  # noqa: SLF001 (there is no public name for it)

    def maps(self, images: Tensor, *, mirrored: bool = True) -> Tensor:
        """Every grid of every layer at length one, one after the other; the mirror image's are turned back."""
        ways = (False, True) if mirrored else (False,)
        return torch.stack([self._maps(images, turned=turned) for turned in ways]).mean(0)

    def _maps(self, images: Tensor, *, turned: bool) -> Tensor:
        seen: list[Tensor] = []
        hook = self._middle_block().register_forward_hook(lambda _module, _given, out: seen.append(out))
        try:
            last = self.backbone(images.flip(3) if turned else images)
        finally:
            hook.remove()
        pooled = [functional.adaptive_avg_pool2d(last, grid) for grid in GRIDS]
        pooled.append(functional.adaptive_avg_pool2d(seen[0], MIDDLE_GRID))
        return torch.cat([functional.normalize((part.flip(3) if turned else part).flatten(1)) for part in pooled], 1)

    def forward(self, images: Tensor) -> Tensor:
        return self.head(self.maps(images))

    def head(self, maps: Tensor) -> Tensor:
        rows = (maps - self.centre) @ self.basis
        whitened = functional.normalize(rows * self.scale)
        known = functional.normalize((rows[:, :NARROW] - self.known_centre) @ self.known_axes)
        return functional.normalize(torch.cat([whitened * self.shares[0], known * self.shares[1]], 1))

    def similarity(self, left: Tensor, right: Tensor) -> Tensor:
        """The cosine of the angle between embeddings, row by row."""
        return (left * right).sum(1)

    def score_card(self) -> Mapping[str, object]:
        """Nothing: embeddings are compared as all others are."""
        return {}


@dataclass(frozen=True)
class Seen:
    """Maps of images as they are, and of changed copies of them."""

    plain: NDArray[np.float32]
    copies: tuple[NDArray[np.float32], ...]


def fit_frozen(
    network: FrozenNetwork,
    images: Bytes,
    training: Patients,
    *,
    seed: int,
    key: str,
    work: Path | None = None,
    progress: Progress = silent,
) -> int:
    """Calculate the head; how many images it was adapted on, without their patients.

    Of a large cohort the known patients' images and some of the others are taken.
    """
    rng = np.random.default_rng(seed)
    others = np.setdiff1d(np.arange(len(images)), training.rows)
    rows = np.concatenate([training.rows, rng.permutation(others)])[: max(MOST_FITTED, NARROW)]
    owner = training.owner[: len(rows)]
    seen = look(network, images, rows, seed=seed, key=key, work=work, progress=progress)
    fit_head(network, seen, np.arange(len(owner)), owner)
    return len(rows)


def fit_head(network: FrozenNetwork, seen: Seen, known: NDArray[np.int64], owner: NDArray[np.int64]) -> None:
    """``known`` are the rows whose patients are known, ``owner`` the patient of each."""
    plain = seen.plain.astype(np.float64)
    centre = plain.mean(axis=0)
    spread, basis = _directions(plain - centre)
    rows = (plain - centre) @ basis
    copies = [(copy - centre) @ basis for copy in seen.copies]
    scale = 1 / np.sqrt((1 - SHRUNK) * spread**2 + SHRUNK * (spread**2).mean())
    narrow = [part[:, :NARROW] for part in (rows, *copies)]
    same_image = _within(np.concatenate(narrow), np.tile(np.arange(len(rows)), len(narrow)))
    same_person = _within(narrow[0][known], owner)
    within = KNOWN_SHARE * same_person + (1 - KNOWN_SHARE) * same_image * same_person.trace() / same_image.trace()
    within = (1 - SHRUNK) * within + SHRUNK * within.trace() / NARROW * np.eye(NARROW)
    known_centre = narrow[0].mean(axis=0)
    between, axes = eigh(np.cov(narrow[0], rowvar=False) - within, within)
    weight = np.sqrt(np.maximum(between, 0) / (2 * np.maximum(between, 0) + 1))  # as in PLDA's score
    parts = [unit_doubles(rows * scale), unit_doubles((narrow[0] - known_centre) @ (axes * weight))]
    shares = [np.sqrt(share / _spread(part)) for share, part in zip((WIDE_SHARE, 1 - WIDE_SHARE), parts, strict=True)]
    found = {"centre": centre, "basis": basis, "scale": scale, "known_centre": known_centre,
             "known_axes": axes * weight, "shares": np.array(shares)}  # fmt: skip
    for name, value in found.items():
        getattr(network, name).copy_(torch.from_numpy(value).float())  # not every device has doubles


def look(
    network: FrozenNetwork,
    images: Bytes,
    rows: NDArray[np.int64],
    *,
    seed: int,
    key: str,
    work: Path | None = None,
    progress: Progress = silent,
) -> Seen:
    """The maps of all copies, kept below ``work`` so that a kill costs one block."""
    network.eval()
    device = device_of(network)

    def block(copy: int, part: slice) -> NDArray[np.float32]:
        shown = grey(np.array(images[rows[part]]))
        if copy:
            shown = augmented(shown, np.random.default_rng([seed, copy, part.start]))
        with torch.inference_mode():
            return cast(NDArray[np.float32], network.maps(shown.to(device), mirrored=not copy).cpu().numpy())

    found = []
    for copy in range(COPIES + 1):
        stage = f"looking at images, copy {copy}" if copy else "looking at images"
        if work is None:
            starts = range(0, len(rows), AT_ONCE)
            found.append(np.concatenate([block(copy, slice(start, start + AT_ONCE)) for start in starts]))
            continue
        kept = run_blocks(
            work, len(rows), AT_ONCE, lambda part, copy=copy: {"maps": block(copy, part).astype(np.float16)},  # type: ignore[misc]
            key={"copy": copy, "of": key}, stage=stage, progress=progress,
        )  # fmt: skip
        found.append(np.asarray(kept["maps"], dtype=np.float32))
    return Seen(found[0], tuple(found[1:]))


def _directions(centred: Doubles) -> tuple[Doubles, Doubles]:
    """The widest directions and the spread along each, by way of the images: there are fewer of them than of maps."""
    values, vectors = np.linalg.eigh(centred @ centred.T)
    order = np.argsort(values)[::-1][:WIDE]
    values = np.maximum(values[order], values.max() * 1e-9)
    basis = centred.T @ (vectors[:, order] / np.sqrt(values))
    missing = WIDE - basis.shape[1]  # of fewer images than that
    return np.pad(np.sqrt(values / len(centred)), (0, missing), mode="edge"), np.pad(basis, ((0, 0), (0, missing)))


def _within(rows: Doubles, group: NDArray[np.int64]) -> Doubles:
    """The covariance of rows about the mean of their group."""
    _, group, sizes = np.unique(group, return_inverse=True, return_counts=True)
    sums = np.zeros((len(sizes), rows.shape[1]))
    np.add.at(sums, group, rows)
    apart = rows - (sums / sizes[:, None])[group]
    covariance: Doubles = apart.T @ apart / max(len(rows) - len(sizes), 1)
    return covariance


def _spread(rows: Doubles) -> float:
    """How much the cosines between different images spread."""
    products = rows @ rows.T
    return float(products[~np.eye(len(rows), dtype=bool)].std()) or 1.0

"""Published rules for copies, beside ours: what they flag, and how many real images of strangers they flag, too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.attacks.identity.plda import Plda, fit_plda
from leadapron.attacks.images.flagged import threshold_at
from leadapron.attacks.images.image_copies_page import CHEXGENBENCH, DAR
from leadapron.attacks.images.likeness import by_plda
from leadapron.attacks.images.nearest_images import nearest
from leadapron.engine.remembered import content, remembered

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

SHARE = 0.95
"""Dar et al. 2024 (arXiv 2402.01054): a copy is nearer to a training image than these are to validation images."""
FEWEST = 20
"""Validation images, below which they set no threshold."""


@dataclass(frozen=True)
class Rule:
    """``flags`` says of rows which are copies, given the record that each was made from; ``false_alarms`` is the share
    of real images of held-out patients for which it says so."""

    name: str
    flags: Callable[[Floats, Ints], Bools]
    false_alarms: float


def published_rules(real: Floats, records: pl.DataFrame, patient: Ints, seed: int) -> list[Rule]:
    """Those that can be set up with these real images, whose whitened components are ``real``."""
    rows = {side: records["split"].eq(side).arg_true().to_numpy() for side in ("train", "validate", "test")}
    what = ("published rules", content(*rows.values(), patient), seed)
    return remembered(real, what, lambda: [*_nearness(real, rows), *_verification(real, rows, patient, seed)])


def _nearness(real: Floats, rows: dict[str, Ints]) -> list[Rule]:
    """Dar et al.: nearness by correlation; validation images, which are fewer than training images, set the limit."""
    if len(rows["validate"]) < FEWEST:
        return []
    known = _at_length_one(real[rows["train"]])
    threshold = threshold_at(-nearest(known, _at_length_one(real[rows["validate"]]))[0], 1 - SHARE)

    def flags(made: Floats, _: Ints) -> Bools:
        return np.asarray(-nearest(_at_length_one(made), known)[0] > threshold)

    return [Rule(DAR, flags, float(flags(real[rows["test"]], rows["test"]).mean()))]


def _verification(real: Floats, rows: dict[str, Ints], patient: Ints, seed: int) -> list[Rule]:
    """CheXGenBench (arXiv 2505.10496): a model of "one patient or two" that was trained on real pairs looks at a
    counterpart beside its own source. Its code gives scores; a half, where one is as likely as two, is our limit."""
    train, test = rows["train"], rows["test"]
    model = fit_plda(real[train], patient[train])
    if model is None:
        return []

    def flags(made: Floats, of: Ints) -> Bools:
        return _one_patient(model, made, real[of])

    strangers = np.random.default_rng(seed).choice(train, len(test))
    return [Rule(CHEXGENBENCH, flags, float(flags(real[test], strangers).mean()))]


def _one_patient(model: Plda, left: Floats, right: Floats) -> Bools:
    """Row by row: whether one patient is likelier than two."""
    alike = by_plda(model, left, right)
    constant = np.log((1 + model.between) / np.sqrt(1 + 2 * model.between)).sum()
    return np.asarray((alike.left * alike.right).sum(axis=1) + alike.of_left + alike.of_right + constant > 0)


def _at_length_one(rows: Floats) -> Floats:
    """Distances of such rows go by their correlation."""
    unit: Floats = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    return unit

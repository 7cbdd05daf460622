"""What the user may choose of probes, and whom these learn from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.attacks.membership.signals import number_patients
from leadapron.errors import ConfigError, DataError
from leadapron.release import Release
from leadapron.release.rows import at_one_scale, unit
from leadapron.targets.audited import AUDITED, target_labels
from leadapron.targets.probes.probe_stack import Singles, with_ones
from leadapron.targets.settings import check_name, check_settings

KINDS = ("linear", "mlp")
SOME_FEATURES = "some-features"
VIEWS = (SOME_FEATURES,)
USUAL_BATCH, SHARE = 128, 8
VALIDATE, TEST = "validate", "test"


@dataclass(frozen=True)
class ProbeConfig:
    """Options of ``probes_of``.

    - ``hidden``: units between the embedding and the labels; a linear probe has none
    - ``batch``: records of a step; with ``epsilon``, how many records or patients a step draws on average; None takes
      a usual number, but not more than an eighth of what a model has
    - ``weight_decay``, ``schedule``, ``early_stopping``, ``augment``: what keeps a model from learning its patients by
      heart; each can be switched off
    - ``epsilon``, ``delta``, ``level``, ``clip``: private training and whom it protects
    - ``views``: attackers who know less than the whole record
    - ``seed``: that of the study; every model has one of its own besides
    """

    kind: str = "mlp"
    hidden: int = 64
    epochs: int = 30
    batch: int | None = None
    learning_rate: float = 3e-3
    weight_decay: float = 0.05
    schedule: bool = True
    early_stopping: bool = True
    augment: bool = True
    epsilon: float | None = None
    delta: float | None = None
    level: str = "patient"
    clip: float = 1.0
    views: tuple[str, ...] = ()
    seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "views", tuple(self.views))
        check_name("--kind", self.kind, KINDS)
        check_settings(self, ("hidden", "epochs", "batch"), VIEWS)

    @property
    def private(self) -> bool:
        return self.epsilon is not None

    def batch_of(self, units: float) -> int:
        """The batch of models that have so many records or patients: with larger ones they would take too few steps."""
        return self.batch or min(USUAL_BATCH, max(1, int(units / SHARE)))


@dataclass(frozen=True)
class Side:
    """Rows as the first layer wants them, and the signs of their labels: 1 positive, -1 negative, 0 unknown."""

    inputs: Singles
    signs: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.inputs)


@dataclass(frozen=True)
class ProbeData:
    """The audited records, whose patients are dealt to the models, and two sides that no model learns from.

    ``patient`` numbers the audited records' patients from 0; None where the release does not name them.
    """

    labels: tuple[str, ...]
    audited: Side
    validate: Side
    test: Side
    patient: NDArray[np.int64] | None

    @property
    def width(self) -> int:
        return int(self.audited.inputs.shape[1]) - 1

    def known_in_part(self, seed: int) -> Singles:
        """The audited rows to somebody who knows half of the features, the same half of all records.

        The others are filled in with the mean of the held-out patients.
        """
        unknown = np.random.default_rng([seed, self.width]).permutation(self.width)[: self.width // 2]
        held_out = np.concatenate([self.validate.inputs, self.test.inputs])
        if not len(held_out):
            raise DataError(
                "what the attacker does not know is filled in from held-out patients, and there are none",
                allowed=f"records of split {VALIDATE!r} or {TEST!r}",
            )
        rows = self.audited.inputs.copy()
        rows[:, unknown] = held_out[:, unknown].mean(axis=0, dtype=np.float64)
        return rows


def probe_data(release: Release, config: ProbeConfig) -> ProbeData:
    """The sides of a release. Features are scaled in one way for all models, so that they differ by patients alone.

    Without a promise the mean and the spread are those of all audited records, members of a model or not. With one
    nothing may be taken from them: rows are brought to the length of one a feature on average, each by itself.
    """
    if "image" not in release.arrays:
        raise DataError("probes need image embeddings", where=release.where, got=", ".join(release.arrays))
    records = release.records
    if "split" not in records.columns:
        raise DataError(
            "the release has no column 'split'",
            where=release.where,
            got=", ".join(records.columns),
            fix="Deal its patients with leadapron.release.with_split.",
        )
    split = records["split"].cast(pl.String).fill_null("").to_numpy().astype(str)
    audited = split == AUDITED
    if not audited.any():
        raise DataError(f"no record is of split {AUDITED!r}", where=release.where, got=", ".join(np.unique(split)))
    if config.early_stopping and not (split == VALIDATE).any():
        raise ConfigError(
            f"early stopping watches held-out patients, and no record is of split {VALIDATE!r}",
            where="--early-stopping",
            fix="Name some, or train to the end with --no-early-stopping.",
        )
    named = "patient_id" in records.columns
    if named:
        _check_patients(records, split, release.where)
    labels = target_labels(records, audited, release.where)
    rows = _by_length(release.image) if config.private else _standardised(release.image, audited)
    signs = labels.signs
    dealt, watched, judged = (
        Side(with_ones(rows[split == side]), signs[split == side]) for side in (AUDITED, VALIDATE, TEST)
    )
    patient = number_patients(records.filter(pl.Series(audited)))[0] if named else None
    return ProbeData(labels.column_names, dealt, watched, judged, patient)


def _check_patients(records: pl.DataFrame, split: NDArray[np.str_], where: str) -> None:
    """A patient who is audited must not be among those who decide when training stops."""
    who = records["patient_id"].to_numpy().astype(str)
    torn = np.intersect1d(who[split == AUDITED], who[(split == VALIDATE) | (split == TEST)])
    if len(torn):
        raise DataError(
            f"column 'split': audited patients stand on another side, too ({len(torn)} do)",
            where=where,
            got=f"row {np.flatnonzero(np.isin(who, torn))[0]}",
            allowed="one split a patient",
        )


def _standardised(image: Singles, audited: NDArray[np.bool_]) -> Singles:
    """A feature that does not vary says nothing and is left at zero."""
    image = at_one_scale(image)
    mean = image[audited].mean(axis=0, dtype=np.float64).astype(np.float32)
    rows: Singles = image - mean
    spread = np.sqrt(np.square(rows[audited]).mean(axis=0, dtype=np.float64))
    varies = spread > 1e-6 * np.abs(mean).max()
    rows *= np.divide(1.0, spread, out=np.zeros_like(spread), where=varies).astype(np.float32)
    return rows


def _by_length(image: Singles) -> Singles:
    rows: Singles = unit(image) * np.float32(np.sqrt(image.shape[1]))
    return rows

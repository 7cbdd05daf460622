"""The probe of a release: learnt on the training side, its penalty chosen on the validation side, never on the test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.errors import DataError
from leadapron.release import Release
from leadapron.utility.auroc import auroc
from leadapron.utility.probe import Probe, fit_probes
from leadapron.utility.splits import Sides

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Learnt:
    """The probe that was chosen, the labels that it knows, and what the validation side said of each strength."""

    probe: Probe
    labels: tuple[str, ...]
    trials: tuple[tuple[float, float | None], ...]
    validated_by: tuple[str, ...]


def learn(release: Release, sides: Sides, strengths: tuple[float, ...]) -> Learnt:
    """Of several strengths the one with the highest mean AUROC on the validation side; of equals the stronger."""
    train, validate = sides.labels.rows(sides.train), sides.labels.rows(sides.validate)
    can = np.flatnonzero(train.both_classes())
    if not len(can):
        raise DataError(
            "no label has both classes in the training split",
            where=release.where,
            got=", ".join(sides.labels.names),
            allowed="at least one label with positive and with negative records",
        )
    names = tuple(sides.labels.names[at] for at in can)
    probes = fit_probes(release.image[sides.train], train.columns(can), strengths)
    if len(probes) == 1:
        return Learnt(probes[0], names, ((probes[0].strength, None),), ())
    judged = np.flatnonzero(validate.both_classes()[can])
    if not len(judged):
        raise DataError(
            "the strength of the probe cannot be chosen: no label has both classes in the validation split",
            where=release.where,
            got=f"{len(sides.validate)} records",
            fix="Give one strength (--strength), or validate on more records.",
        )
    held_out = release.image[sides.validate]
    means = [float(auroc(probe.logits(held_out), validate.columns(can))[judged].mean()) for probe in probes]
    best = int(np.argmax(means))  # the first of equals; the strongest penalty stands first
    trials = tuple((probe.strength, mean) for probe, mean in zip(probes, means, strict=True))
    return Learnt(probes[best], names, trials, tuple(names[at] for at in judged))

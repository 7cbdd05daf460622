"""Alignment heads as targets: was a patient's pair among those that the heads of a defence were trained on?

Heads give no probability of a label. What they were trained for is to know a radiograph's own report from those of
others, so the signal is how sure they are of that, among reports of held-out patients: log p − log(1 − p) of the right
pair, in both directions, added up.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import logsumexp

from leadapron.cohort.truth import labels_of
from leadapron.defences.heads.defend import defend_heads
from leadapron.defences.heads.heads_config import HeadsConfig
from leadapron.defences.heads.plan import Plan, chosen_method, make_plan
from leadapron.defences.heads.strangers import check_features
from leadapron.engine import Progress, silent
from leadapron.errors import ConfigError, DataError
from leadapron.privacy.accounting import grid_for
from leadapron.release import Release
from leadapron.release.rows import unit_doubles
from leadapron.targets.audited import AUDITED
from leadapron.targets.learner import FULL, SIGNALS, Learner, Trained
from leadapron.training.devices import device
from leadapron.uses.auroc import auroc
from leadapron.uses.linear_probe import fit_probes

Floats = NDArray[np.float32]
LEFT_OUT = "left out"
TEMPERATURE = 0.1
STRANGERS = 512
STRENGTH = 1e-2
"""L2 strength of the linear probe by which a model's use is judged."""
FEWER = 4.0
"""Standard deviations by which a model may have fewer patients than half of them; the noise is set for so many."""


def heads_of(release: Release, config: HeadsConfig) -> Learner:
    """Heads trained by one of the methods of a defence, each on its own half of the patients of split 'train'."""
    check_features(release)
    splits = set(release.records["split"].cast(pl.String)) if "split" in release.records.columns else set()
    if "test" not in splits or AUDITED not in splits:
        raise DataError(
            "heads are judged by reports of held-out patients",
            where=release.where,
            got=", ".join(sorted(splits)) or "no column 'split'",
            allowed="the splits 'train' and 'test'",
        )
    if config.control is not None and config.control in ("untrained", "norm_swap_only", "noise_only"):
        raise ConfigError("nobody's data is in these heads", where="--method", got=config.control)
    config = config.model_copy(update={"seed": config.drawn_from})
    method = chosen_method(config)
    if not (method.adds_noise and method.trains):
        return HeadsLearner(release, config, {})
    plan = make_plan(_with_fewest(release), config)
    same = {"sigma": plan.recipe.sigma, "bank_sigma": plan.bank_sigma, "delta": plan.delta, "batch": plan.recipe.batch}
    config = config.model_copy(update={"epsilon": None, **same})
    return HeadsLearner(release, config, _privacy(plan) if method.per_example else {})


def _with_fewest(release: Release) -> Release:
    """As few patients as a model ever has: with the same noise and the same batch of more, all others spend less."""
    audited = release.records.filter(pl.col("split") == AUDITED)["patient_id"].unique().sort()
    fewest = max(1, int(len(audited) / 2 - FEWER * np.sqrt(len(audited)) / 2))
    return _trained_on(release, release.records["patient_id"].is_in(audited[:fewest].implode()).to_numpy())


def _trained_on(release: Release, members: NDArray[np.bool_]) -> Release:
    """The release as it looks to training: audited records that are no members are of no split that is trained on."""
    kept = (pl.col("split") != AUDITED) | pl.Series(members)
    split = pl.when(kept).then(pl.col("split")).otherwise(pl.lit(LEFT_OUT)).alias("split")
    return replace(release, records=release.records.with_columns(split))


@dataclass(frozen=True)
class HeadsLearner:
    release: Release
    config: HeadsConfig
    promised: Mapping[str, object]

    answers_are = SIGNALS
    together = 1
    labels: tuple[str, ...] = ()

    def describe(self) -> dict[str, object]:
        """The device is not in it: a study may go on, or be shared, on machines with and without a GPU."""
        return {
            **self.config.model_dump(exclude={"bank", "work", "device"}),
            "kind": "heads",
            "strangers": min(STRANGERS, len(self._rows("test"))),
            "bank": None if self.config.bank is None else len(self.config.bank),
        }

    def train(self, members: NDArray[np.bool_], seeds: Sequence[int], *, progress: Progress = silent) -> list[Trained]:
        return [self._one(row, seed, progress) for row, seed in zip(members, seeds, strict=True)]

    def _one(self, members: NDArray[np.bool_], seed: int, progress: Progress) -> Trained:
        start = time.perf_counter()
        audited = self._rows(AUDITED)
        chosen = np.zeros(len(self.release), dtype=np.bool_)
        chosen[audited[members]] = True
        own = _trained_on(self.release, chosen)
        defended, _ = defend_heads(own, self.config.model_copy(update={"seed": seed}), progress)
        signals = pair_signals(defended.arrays, audited, self._rows("test")[:STRANGERS])
        card: dict[str, object] = {
            "members": int(members.sum()),
            "auroc": self._auroc(defended, chosen),
            "device": str(device(self.config.device)),
        }
        return Trained({FULL: signals}, {**card, **self.promised, "seconds": time.perf_counter() - start})

    def _rows(self, split: str) -> NDArray[np.int64]:
        return np.flatnonzero((self.release.records["split"].cast(pl.String) == split).fill_null(False).to_numpy())

    def _auroc(self, defended: Release, chosen: NDArray[np.bool_]) -> float | None:
        """Macro AUROC on test patients of a linear probe that was fitted on the members."""
        labels = labels_of(self.release.records, self.release.where)
        train, test = labels.rows(chosen), labels.rows(self._rows("test"))
        both = np.flatnonzero(train.both_classes() & test.both_classes())
        if not len(both):
            return None
        probe = fit_probes(defended.image[chosen], train.columns(both), (STRENGTH,))[0]
        return float(auroc(probe.logits(defended.image[self._rows("test")]), test.columns(both)).mean())


def pair_signals(arrays: Mapping[str, Floats], pairs: NDArray[np.int64], strangers: NDArray[np.int64]) -> Floats:
    """How sure the heads are that an image and its report belong together, both ways, against strangers' halves."""
    image, text = (unit_doubles(arrays[side]) for side in ("image", "text"))
    right = (image[pairs] * text[pairs]).sum(axis=1) / TEMPERATURE
    by_image = logsumexp(image[pairs] @ text[strangers].T / TEMPERATURE, axis=1)
    by_text = logsumexp(text[pairs] @ image[strangers].T / TEMPERATURE, axis=1)
    signals: Floats = (2 * right - by_image - by_text).astype(np.float32)
    return signals


def _privacy(plan: Plan) -> dict[str, object]:
    """What the same training with secure noise would promise: these models' noise is seeded, they are stand-ins."""
    grid = grid_for(plan.spending.epsilon_rdp(plan.delta))
    return {
        "epsilon": plan.spending.epsilon(plan.delta, grid),
        "delta": plan.delta,
        "sigma": plan.spending.sigma,
        "level": plan.units.name,
        "profile": [list(row) for row in plan.spending.profile(grid)],
    }

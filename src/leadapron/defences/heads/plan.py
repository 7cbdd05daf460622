"""From what the user chose to what will be done: every number of a run, decided before training begins."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from scipy.optimize import brentq

from leadapron.defences.heads.head_training import Recipe
from leadapron.defences.heads.heads_config import HeadsConfig
from leadapron.defences.heads.methods import Method, find_method
from leadapron.defences.heads.strangers import MECHANISMS
from leadapron.errors import ConfigError, DataError
from leadapron.privacy.accounting import SMALLEST_SIGMA, Spending, check_delta, sigma_by_rdp, solve_sigma
from leadapron.privacy.gaussian import gaussian_epsilon
from leadapron.privacy.poisson_sampling import Rows, Units
from leadapron.release import Release

TRAIN = "train"
BANK_SHARE = 0.3
"""Of epsilon, for a bank that has to be fitted on the private patients themselves."""
BANK_SIGMA = 8.0
"""Noise of that fit where sigma is given and not epsilon."""
SHARE_OF_UNITS = 8
"""A batch of at most an eighth of the units, where none is asked for."""


@dataclass(frozen=True)
class Plan:
    """A method, whom it protects, and its numbers."""

    method: Method
    units: Units
    recipe: Recipe
    delta: float
    spending: Spending
    """What the steps cost, whether they are private or only claim to be."""

    @property
    def bank_sigma(self) -> float | None:
        """Noise of the fit behind a private bank; None where the bank is public or not needed."""
        return self.spending.before[0] if self.spending.before else None


def make_plan(release: Release, config: HeadsConfig) -> Plan:
    method = chosen_method(config)
    units = units_of(release, method.level)
    batch = _batch(config, method, units)
    epochs = config.epochs or method.epochs
    steps = len(units) // batch if method.shuffles else math.ceil(units.told / batch)
    delta = check_delta(config.delta, units.told, units.name)
    spending = Spending(config.sigma or 0.0, batch / units.told, epochs * steps)
    if method.trains and method.adds_noise:
        spending = _with_noise(spending, config, method, delta)
    elif method.loss == "bank" and config.bank is None:  # controls look at strangers of the same kind
        spending = replace(spending, before=(config.bank_sigma or BANK_SIGMA,) * MECHANISMS)
    recipe = Recipe(
        epochs=epochs,
        steps_an_epoch=steps,
        batch=batch,
        rate=spending.rate,
        clip=config.clip if method.clips else None,
        sigma=spending.sigma if method.adds_noise else 0.0,
        uses_data=method.uses_data,
        shuffles=method.shuffles,
        per_unit=1 if method.level == "record" else config.records_per_patient,
        per_example=method.per_example,
        learning_rate=config.learning_rate or method.learning_rate,
        weight_decay=config.weight_decay,
    )
    return Plan(method, units, recipe, delta, spending)


def chosen_method(config: HeadsConfig) -> Method:
    asked = config.epsilon is not None or config.sigma is not None
    swaps = None if config.norms is None else config.norms == "swap"
    method = find_method(config.method, config.control, private=asked, swaps_norms=swaps)
    if asked and config.control is None and method.trains and not method.adds_noise:
        raise ConfigError(
            f"{config.method!r} adds no noise, so it has neither an epsilon nor a sigma",
            got=config.epsilon if config.epsilon is not None else config.sigma,
            fix="Leave epsilon and sigma out, or take the method 'private'.",
        )
    if config.level is None or config.level == method.level:
        return method
    if not method.per_example or method.shuffles:
        raise ConfigError(
            f"{config.method!r} trains on single records",
            where="--level",
            got=config.level,
            allowed=method.level,
        )
    return replace(method, level=config.level)


def _batch(config: HeadsConfig, method: Method, units: Units) -> int:
    if config.batch is None:
        return min(method.batch, max(1, units.told // SHARE_OF_UNITS))
    if config.batch > len(units):
        raise ConfigError(
            f"there are fewer training {units.name}s than a batch holds",
            where="--batch",
            got=config.batch,
            allowed=f"at most {len(units):,}",
        )
    return config.batch


def _with_noise(spending: Spending, config: HeadsConfig, method: Method, delta: float) -> Spending:
    """The noise that was asked for, or the least that keeps epsilon."""
    epsilon = config.epsilon or method.epsilon
    assert epsilon is not None or config.sigma is not None
    if method.loss == "bank" and config.bank is None and method.uses_data:
        sigma = config.bank_sigma or BANK_SIGMA
        if config.bank_sigma is None and config.sigma is None and epsilon is not None:
            sigma = _sigma_of_fit(BANK_SHARE * epsilon, delta)
        spending = replace(spending, before=(sigma,) * MECHANISMS)
    if config.sigma is not None and config.sigma < SMALLEST_SIGMA:
        raise ConfigError(
            "so little noise is not worth the name",
            where="--sigma",
            got=config.sigma,
            allowed=f"{SMALLEST_SIGMA} or more",
            fix="For none at all take the method 'clip_only'.",
        )
    if config.sigma is not None or epsilon is None:
        return spending
    if not method.per_example:  # the published claim was counted this way
        return replace(spending, sigma=sigma_by_rdp(spending, epsilon, delta))
    return solve_sigma(spending, epsilon, delta)


def _sigma_of_fit(epsilon: float, delta: float) -> float:
    """Noise at which the fit behind a bank alone costs epsilon: equal Gaussians together are one, in closed form."""
    return float(brentq(lambda sigma: gaussian_epsilon(delta, math.sqrt(MECHANISMS), sigma) - epsilon, 0.05, 1e6))


def units_of(release: Release, level: str) -> Units:
    """The training patients, or records, of a release."""
    records = release.records
    if "split" not in records.columns:
        raise DataError(
            "training needs the column 'split'",
            where=release.where,
            got=", ".join(records.columns),
            fix="Say which records may be trained on, or deal the patients with leadapron.release.with_split.",
        )
    train = np.flatnonzero((records["split"] == TRAIN).fill_null(value=False).to_numpy())
    if not len(train):
        raise DataError("no record has split 'train'", where=release.where, got=0, allowed="1 or more")
    if level == "record":
        return Units.of(level, train, None)
    if "patient_id" not in records.columns:
        raise DataError(
            "patients cannot be protected where nobody knows whose a record is: there is no column 'patient_id'",
            where=release.where,
            got=", ".join(records.columns),
            fix="Add it, or protect single records with --level record.",
        )
    return Units.of(level, train, records["patient_id"].gather(train).rank("dense").to_numpy())


def count_patients(release: Release, rows: Rows) -> int | None:
    """How many patients stand behind these rows, if the release says so."""
    known = "patient_id" in release.records.columns
    return release.records["patient_id"].gather(pl.Series(rows)).n_unique() if known else None

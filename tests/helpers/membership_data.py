"""Signals whose members are known and whose leak is set, and the slow, obvious way to measure it."""

from __future__ import annotations

import numpy as np
import polars as pl

from leadapron.attacks.membership import build_as_found, build_signals


def masks(models: int, patients: int, rng: np.random.Generator) -> np.ndarray:
    """Every patient in exactly half of the models, drawn by itself."""
    return rng.permuted(np.arange(models)[:, None].repeat(patients, axis=1) < models // 2, axis=0)


def alternating(models: int, patients: int) -> np.ndarray:
    """For a handful of patients: every model has every other."""
    found: np.ndarray = (np.arange(models)[:, None] + np.arange(patients)) % 2 == 0
    return found


def drawn(
    patients: int, models: int = 64, *, seed: int = 0, images: int = 3, shift=0.0, alike: float = 0.5, bernoulli=False
):
    """Signals (models by records), members, and whose the records are; ``shift`` in standard deviations, one or each.

    ``alike`` is the correlation of a patient's records over models.
    """
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(patients), rng.integers(1, 2 * images, patients))
    into = rng.random((models, patients)) < 0.5 if bernoulli else masks(models, patients, rng)
    noise = np.sqrt(alike) * rng.normal(size=(models, patients))[:, who]
    noise = noise + np.sqrt(1 - alike) * rng.normal(size=(models, len(who)))
    scale, base = np.exp(0.35 * rng.normal(size=len(who))), rng.normal(2, 3, len(who))
    values = base + scale * (noise + np.broadcast_to(shift, patients)[who] * into[:, who])
    return values, into[:, who], who


def signals_of(values, members, who, *, logits=False, **columns):
    records = {"record_id": [f"r{at}" for at in range(len(who))], "patient_id": [f"p{number}" for number in who]}
    return build_signals(np.asarray(values), np.asarray(members), pl.DataFrame({**records, **columns}), logits=logits)


def wild(patients=600, references=1, *, seed=0, leak=0.0, easier=0.0, alike=0.4, images=3):
    """What the target (row 0) and references say, the target's members, and whose the records are.

    Records differ in how hard they are, to every model. ``leak`` is how much surer the target is of members, ``easier``
    how much easier members are to everybody.
    """
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(patients), rng.integers(1, 2 * images, patients))
    member = rng.permutation(patients) < patients // 2
    hard = rng.normal(1.5, 2.0, len(who)) + easier * member[who]
    models = references + 1
    noise = np.sqrt(alike) * rng.normal(size=(models, patients))[:, who]
    values = hard + noise + np.sqrt(1 - alike) * rng.normal(size=(models, len(who)))
    values[0] += (np.broadcast_to(leak, patients) * member)[who]
    return values, member[who], who


def models_of(values, member, who, *, target=0, logits=False, **columns):
    """Models as they are found, the members of one of them known or not."""
    table = {"record_id": [f"r{at}" for at in range(len(who))], "patient_id": [f"p{number}" for number in who]}
    members = None
    if member is not None:
        members = np.zeros((len(values), len(who)), dtype=bool)
        members[target] = member
    return build_as_found(np.asarray(values), pl.DataFrame({**table, **columns}), members, logits=logits)


def found_of(values, member, who, *, target=0, **more):
    """One of them under attack."""
    return models_of(values, member, who, target=target, **more).target(target)


def slow_auc(into, out) -> float:
    """Every member against every other, one by one."""
    wins = sum((value > other) + 0.5 * (value == other) for value in into for other in out)
    return float(wins / len(into) / len(out))


def change(folder, name, work):
    """An array of a folder, spoilt."""
    array = np.load(folder / name)
    np.save(folder / name, work(array))


def put(at, value):
    def work(array):
        array[at] = value
        return array

    return work

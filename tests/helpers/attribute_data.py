"""Releases whose vectors tell attributes, or do not."""

from __future__ import annotations

import numpy as np
import polars as pl

from leadapron.release import Release


def attribute_release(patients=400, *, width=12, leak=3.0, images=2, seed=0, **columns):
    """``leak`` is how far the vectors of women and men lie apart, in standard deviations of a vector's number.

    Race is a coin, and stands in no vector. Edema is more common among the old. A column given by name is a value for
    each patient.
    """
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(patients), images)
    sex, race = (rng.permutation(patients) % 2 for _ in range(2))
    age = rng.integers(20, 95, patients)
    vectors = rng.normal(size=(len(who), width))
    vectors[:, 0] += leak * (sex[who] - 0.5)
    records = pl.DataFrame(
        {
            "record_id": [f"r{row}" for row in range(len(who))],
            "patient_id": [f"p{one}" for one in who],
            "split": np.array(["train", "train", "validate", "test", "test"])[who % 5],
            "sex": np.array(["F", "M"])[sex[who]],
            "age": age[who],
            "race": np.array(["A", "B"])[race[who]],
            "view": np.array(["AP", "PA"])[rng.integers(0, 2, len(who))],
            "label_edema": (rng.random(len(who)) < age[who] / 100).astype(np.int8),
            **{name: np.asarray(values)[who] for name, values in columns.items()},
        }
    )
    return Release(records, {"image": vectors.astype(np.float32)})

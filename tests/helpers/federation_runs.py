"""Small federated trainings to attack: hospitals of few patients who are trained on often, so that it shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from leadapron.attacks.federation import FederatedRun, RunConfig, load_run
from leadapron.federated import Machine, Plan, federate
from leadapron.federated.gathered import Gathered, from_release
from leadapron.release import Release

SHORT: dict[str, Any] = {
    "clients": "2:0:2", "patients": 12, "public": 20, "rounds": 3, "epochs": 8, "batch": 8, "width": 8, "neighbours": 3
}  # fmt: skip


def patients(count: int = 320, *, seed: int = 0, width: int = 16) -> Gathered:
    """One or two records per patient, whose findings can hardly be learnt: what a model knows it has memorised."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(count), rng.integers(1, 3, count))
    truth = (rng.random((len(who), 4)) < 0.4).astype(int)
    axes = rng.normal(size=(2, 4, width))
    image, text = (0.5 * truth @ axes[half] + rng.normal(size=(len(who), width)) for half in (0, 1))
    records = pl.DataFrame(
        {
            "record_id": [f"r{row}" for row in range(len(who))],
            "patient_id": [f"p{one}" for one in who],
            "split": np.array(["train", "validate", "test", "test"])[who % 4],
            **{f"label_{name}": truth[:, at] for at, name in enumerate(("edema", "mass", "fracture", "device"))},
        }
    )
    features = {"image_features": image.astype(np.float32), "text_features": text.astype(np.float32)}
    return from_release(Release(records, {"image": features["image_features"], **features}))


def train(out: Path, *, keep_updates: bool = True, source: Gathered | None = None, **given: Any) -> Path:
    """A run in a folder; ``given`` are keys of the plan."""
    machine = Machine(device="cpu", keep_updates=keep_updates)
    federate(source or patients(), out, Plan(**{**SHORT, **given}), machine=machine)
    return out


def loaded(folder: Path) -> FederatedRun:
    subject = load_run(folder, RunConfig(), True).subject
    assert isinstance(subject, FederatedRun)
    return subject

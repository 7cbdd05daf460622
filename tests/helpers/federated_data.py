"""Releases to deal to hospitals, in which both halves tell of the findings, and short plans for them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from leadapron.federated import Machine, Plan, Run, federate
from leadapron.federated.gathered import Gathered, from_release
from leadapron.federated.station import Station
from leadapron.release import Release

CPU = Machine(device="cpu")


def release(
    patients: int = 60, *, seed: int = 0, width: int = 6, findings: int = 3, noise: float = 1.0, **columns: Any
) -> Release:
    """One to three records per patient; every finding moves image and text features along axes of their own."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(patients), rng.integers(1, 4, patients))
    truth = (rng.random((len(who), findings)) < 0.4).astype(np.int8)
    truth[rng.random(truth.shape) < 0.05] = -1
    axes = rng.standard_normal((2, findings, width)) * 2
    image, text = ((truth == 1) @ axes[half] + noise * rng.standard_normal((len(who), width)) for half in (0, 1))
    records = pl.DataFrame(
        {
            "record_id": [f"r{row}" for row in range(len(who))],
            "patient_id": [f"patient-{seed}-{one}" for one in who],
            "split": np.array(["train", "train", "train", "validate", "test"])[who % 5],
            **{
                f"label_{name}": pl.Series([None if one == -1 else int(one) for one in truth[:, at]], dtype=pl.Int8)
                for at, name in enumerate(("edema", "pneumonia", "fracture", "pneumothorax")[:findings])
            },
            **{name: values[: len(who)] for name, values in columns.items()},
        }
    )
    features = {"image_features": image.astype(np.float32), "text_features": text.astype(np.float32)}
    return Release(records, {"image": features["image_features"], **features})


def gathered(patients: int = 60, **drawn: Any) -> Gathered:
    return from_release(release(patients, **drawn))


def without(found: Gathered, half: str) -> Gathered:
    """The same records, and one of the halves is not there."""
    return replace(found, **{half: None})


def plan(**given: Any) -> Plan:
    """A plan for a dozen patients that ends in a blink."""
    short = {"clients": "2:1:1", "public": 8, "rounds": 2, "epochs": 1, "batch": 16, "width": 4, "neighbours": 3}
    return Plan(**{**short, **given})


def run(found: Gathered | Release, out: Path, machine: Machine = CPU, **given: Any) -> Run:
    return federate(found, out, plan(**given), machine=machine)


def station(
    rows: int = 20, *, holds: str = "both", name: str = "hospital-00", seed: int = 0, width: int = 6
) -> Station:
    """Records of a hospital, drawn at random."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(-1, 2, (rows, 3)).astype(np.int8)
    truth[:2] = [[1, 1, 1], [0, 0, 0]]
    held = [half for half in ("image", "text") if holds in (half, "both")]
    halves = {half: rng.standard_normal((rows, width)).astype(np.float32) for half in held}
    return Station(name, truth, rng.integers(0, 2**63, rows).astype(np.uint64), **halves)

"""The cells of bench/federated_study.py: a part of the study, a setting, a method and a seed, and the plan of each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

HOMOGENEOUS = ("4:0:6", "0:4:6", "2:2:6", "6:0:4", "0:6:4", "3:3:4", "8:0:2", "0:8:2", "4:4:2")
REPEATED = ("8:0:2", "0:8:2", "4:4:2")
SEEDS = range(5)
METHODS: dict[str, dict[str, Any]] = {
    "mfedavg": {"method": "mfedavg"},
    "mfedavg-public": {"method": "mfedavg-public"},
    "creamfl": {"method": "creamfl"},
    "car-mfl softmax": {"method": "car-mfl", "normalise": "softmax"},
    "car-mfl": {"method": "car-mfl"},
}
REFERENCES = ("public-only", "local-only", "no-missing", "centralised")
ABLATIONS: dict[str, dict[str, Any]] = {
    "random partner": {"pairing": "random"},
    "nearest (k = 1)": {"pairing": "nearest"},
    "labels alone": {"pairing": "labels"},
    "cross-modal": {"pairing": "cross-modal"},
    "linear, alpha 0": {"alpha": 0.0},
    "linear, alpha 1": {"alpha": 1.0},
    "softmax, alpha 0": {"alpha": 0.0, "normalise": "softmax"},
    "softmax, alpha 1": {"alpha": 1.0, "normalise": "softmax"},
    "alpha by validation": {"alpha_by_validation": True},
    "optimiser reset": {"optimiser": "reset"},
}
PUBLIC = (125, 250, 500)
FIXED = {"patients": 810, "public": 1000, "rounds": 30, "epochs": 3}
SMALL = {"patients": 300, "public": 375, "rounds": 15}
"""A federation in which there is more to gain."""

Cell = tuple[str, str, str, int, dict[str, Any]]
"""Part of the study, setting, name, seed and plan."""


def cells() -> Iterator[Cell]:
    """The most telling first; creamfl, which costs most, late."""
    yield from sorted(asked(), key=lambda cell: cell[2] == "creamfl")
    yield from more_seeds()


def asked() -> Iterator[Cell]:
    for name, plan in METHODS.items():
        yield "main", "8:0:2", name, 0, plan
    for name in REFERENCES:
        yield "references", "8:0:2", name, 0, {"method": name}
    for name, plan in ABLATIONS.items():
        yield "ablations", "8:0:2", name, 0, {"method": "car-mfl", **plan}
    for seed in SEEDS[1:]:
        for name, plan in METHODS.items():
            yield "main", "8:0:2", name, seed, plan
    for name, plan in METHODS.items():
        yield "weak text", "8:0:2", name, 0, plan
        yield "sites", "8:0:2", name, 0, plan
    for setting in REPEATED[1:]:
        for name, plan in METHODS.items():
            yield "main", setting, name, 0, plan
    for patients in PUBLIC:
        for name in ("mfedavg-public", "car-mfl softmax", "car-mfl"):
            yield f"public {patients}", "8:0:2", name, 0, {**METHODS[name], "public": patients}
        yield f"public {patients}", "8:0:2", "public-only", 0, {"method": "public-only", "public": patients}
    for setting in HOMOGENEOUS:
        for name, plan in METHODS.items():
            if setting not in REPEATED:
                yield "main", setting, name, 0, plan
    for setting in ("0:0:10", "10:0:0"):
        for name in ("mfedavg-public", "car-mfl"):
            yield "main", setting, name, 0, METHODS[name]
    for seed in SEEDS[1:]:
        for setting in REPEATED[1:]:
            for name, plan in METHODS.items():
                yield "main", setting, name, seed, plan


def more_seeds() -> Iterator[Cell]:
    for seed in SEEDS:
        yield "alone", "8:0:0", "local-only", seed, {"method": "local-only"}
        for name in ("mfedavg-public", "car-mfl"):
            yield "small", "8:0:2", name, seed, {**METHODS[name], **SMALL}
    for seed in SEEDS[1:]:
        for name in REFERENCES:
            yield "references", "8:0:2", name, seed, {"method": name}
        for name in tuple(ABLATIONS)[:3]:
            yield "ablations", "8:0:2", name, seed, {"method": "car-mfl", **ABLATIONS[name]}
        for name, plan in METHODS.items():
            yield "weak text", "8:0:2", name, seed, plan


def file_of(folder: Path, part: str, setting: str, name: str, seed: int) -> Path:
    """Where a cell is kept."""
    return folder / (re.sub(r"[^a-z0-9.-]+", "_", f"{part} {setting} {name} {seed}") + ".json")


def chosen(patterns: list[str]) -> Iterator[Cell]:
    """All cells, or those whose title (``main 8:0:2 car-mfl 0``) fits a pattern, in the order of the patterns."""
    found = list(cells())
    for pattern in patterns or ["*"]:
        fits = [cell for cell in found if fnmatchcase(" ".join(map(str, cell[:4])), pattern)]
        found = [cell for cell in found if cell not in fits]
        yield from fits

"""Counterparts of radiographs, attacked and used: phantom clinics of 4,000 patients at 128 pixels, several seeds.

    python bench/counterparts_study.py FOLDER [--seeds 78 79 80] [--patients 4000]

Every clinic is defended and tried (`leadapron trial`); on the first seed also by plain methods and by guided drawing,
for the frontier. Networks are trained last, as attackers and as probes. Choices were made on seed 77. What is in the
folder already is not made again; `results.json` there holds aggregates alone, and `counterparts_tables.py` reads it.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

import leadapron as la
from leadapron.attacks.images.image_identity_audit import ImageIdentityConfig, audit_image_identity
from leadapron.audits import AUDITS as REGISTERED
from leadapron.audits.audit_registry import every_audit
from leadapron.audits.images_subject import ReleasedImages
from leadapron.cohort.image_set import ImageSet
from leadapron.defences.reports.key_file import new_key
from leadapron.engine import atomic_path, terminal
from leadapron.engine.remembered import forget
from leadapron.phantoms import Dials, build_clinic
from leadapron.phantoms.clinic import Clinic
from leadapron.phantoms.oracle import counterpart_clinic
from leadapron.results import Findings, Results, read_results
from leadapron.uses.image_utility_audit import ImageUtilityConfig, audit_image_utility

SIZE = 128
REAL, ORACLE = "real", "oracle"
DRAWN: dict[str, dict[str, Any]] = {
    "structured": {},
    "text": {},
    "updp": {},
    "structured-0.5": {"strength": 0.5},
    "blur-4": {"sigma": 4.0},
    "pixelate-16": {"block": 16},
    "image-noise-160": {"sd": 160.0},
    "structured-0.75": {"strength": 0.75},
    "blur-8": {"sigma": 8.0},
    "pixelate-32": {"block": 32},
    "structured-0.25": {"strength": 0.25},
    "blur-2": {"sigma": 2.0},
    "pixelate-8": {"block": 8},
    "image-noise-40": {"sd": 40.0},
}
MAIN = (ORACLE, "structured")
FRONTIER = (*MAIN, "text", "blur-4", "pixelate-16", "image-noise-160")
NETWORKS = ("structured", ORACLE, "text")
AUDITS = ("image-identity", "image-copies", "image-membership", "image-linkage", "image-utility")


@dataclass(frozen=True)
class Study:
    folder: Path
    patients: int
    seeds: tuple[int, ...]

    @property
    def results(self) -> Path:
        return self.folder / "results.json"

    @lru_cache(maxsize=1)  # noqa: B019 - one study a process
    def clinic(self, seed: int) -> Clinic:
        return build_clinic(Dials(patients=self.patients, seed=seed))

    @lru_cache(maxsize=len(DRAWN) + 2)  # noqa: B019
    def images(self, seed: int, name: str) -> ImageSet:
        """Real images, the oracle's, or what a method made of them; made once."""
        pixels, described = (self.folder / str(seed) / f"{name}.{kind}" for kind in ("npy", "json"))
        if not described.is_file():
            begun = time.process_time()
            made = self._made(seed, name)
            card = {**made.card, "cpu_seconds": round(time.process_time() - begun, 1)}
            pixels.parent.mkdir(parents=True, exist_ok=True)
            np.save(pixels, made.images)
            with atomic_path(described) as partial:
                partial.write_text(json.dumps(card, default=str))
        card = json.loads(described.read_text())
        return ImageSet(self.clinic(seed).cohort, np.load(pixels), card, name)

    def _made(self, seed: int, name: str) -> ImageSet:
        clinic = self.clinic(seed)
        if name == REAL:
            return ImageSet(clinic.cohort, clinic.pixels(SIZE).images, {}, name)
        if name == ORACLE:
            other = counterpart_clinic(clinic, "said")
            return ImageSet(clinic.cohort, other.pixels(SIZE).images, other.cohort.card, name)
        key = self.folder / "key"
        if not key.is_file():
            new_key(key)
        method = name if name in ("structured", "text", "updp") else name.rpartition("-")[0]
        options = {"key": key, "work": self.folder / str(seed) / f"{method}.work", **DRAWN[name]}
        if method not in ("blur", "pixelate"):
            options["seed"] = seed
        with terminal() as progress:
            return la.defend(self.images(seed, REAL), method, progress=progress, **options)


def rows_of(found: Findings | Results) -> list[dict[str, Any]]:
    """Aggregates: every number of all patients together."""
    return [row.model_dump(exclude={"group"}, exclude_none=True) for row in found.estimates if row.group is None]


def told(found: Findings | Results, **where: str | float) -> dict[str, Any]:
    outcomes = [[one.check, one.outcome, one.reason] for one in found.outcomes]
    return {**where, "rows": rows_of(found), "outcomes": outcomes, "details": dict(found.details)}


def tried(study: Study, seed: int, names: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """A trial of these releases, and what it found of each."""
    out = study.folder / str(seed) / "trial"
    before, *afters = (study.images(seed, name) for name in (REAL, *names))
    with terminal() as progress:
        frontier = la.trial(before, *afters, out=out, progress=progress)
    for name, point in zip((REAL, *names), frontier.points, strict=True):
        for audit in AUDITS:
            if audit in point.answers:
                yield told(read_results(out / point.name / audit), seed=seed, release=name, audit=audit, networks=False)


def by_networks(study: Study, seed: int, name: str, audit: str) -> dict[str, Any]:
    subject = ReleasedImages(study.images(seed, name), study.images(seed, REAL))
    begun = time.process_time()
    with terminal() as progress:
        if audit == "image-identity":
            found = audit_image_identity(subject, ImageIdentityConfig(networks="on"), progress=progress)
        else:
            found = audit_image_utility(subject, ImageUtilityConfig(probe="network"), progress=progress)
    cost = round(time.process_time() - begun, 1)
    return told(found, seed=seed, release=name, audit=audit, networks=True, cpu_seconds=cost)


def cells(study: Study) -> Iterator[tuple[str, Any]]:
    """What is done, in the order of its weight: a name, and what gives its aggregates."""
    first = study.seeds[0]
    yield f"{first} probe structured", lambda: [by_networks(study, first, "structured", "image-utility")]
    for seed in study.seeds:
        yield f"{seed} trial", lambda seed=seed: list(tried(study, seed, MAIN))
        if seed == first:
            yield f"{first} frontier", lambda: list(tried(study, first, FRONTIER))
    for seed in study.seeds[1:]:
        yield f"{seed} probe structured", lambda seed=seed: [by_networks(study, seed, "structured", "image-utility")]
    everything = (*FRONTIER, *(name for name in DRAWN if name not in FRONTIER))
    yield f"{first} all strengths", lambda: list(tried(study, first, everything))
    yield f"{first} identity structured", lambda: [by_networks(study, first, "structured", "image-identity")]
    for seed in study.seeds:
        for name in NETWORKS[1:]:
            yield (
                f"{seed} probe {name}",
                lambda seed=seed, name=name: [by_networks(study, seed, name, "image-utility")],
            )
    yield f"{first} identity oracle", lambda: [by_networks(study, first, ORACLE, "image-identity")]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, nargs="+", default=[78, 79, 80])
    parser.add_argument("--patients", type=int, default=4000)
    parser.add_argument("--only", help="cells whose name holds this")
    asked = parser.parse_args()
    for name in [one.name for one in every_audit() if one.subject == "images" and one.name not in AUDITS]:
        del REGISTERED[name]  # what report generators learn is a study of its own
    study = Study(asked.folder, asked.patients, tuple(asked.seeds))
    study.folder.mkdir(parents=True, exist_ok=True)
    for name, work in cells(study):
        done = json.loads(study.results.read_text()) if study.results.is_file() else {}
        if name in done or (asked.only and asked.only not in name):
            continue
        begun = time.process_time()
        done[name] = work()
        with atomic_path(study.results) as partial:
            partial.write_text(json.dumps(done))
        print(f"{name}: {time.process_time() - begun:.0f} CPU s", flush=True)
        if name.endswith("frontier"):
            forget()


if __name__ == "__main__":
    main()

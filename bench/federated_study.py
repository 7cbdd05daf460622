"""The federated study on a phantom clinic, cell by cell: a few hours on two cores, and it can be stopped at any time.

    python bench/federated_study.py HOME AWAY FOLDER [--jobs 2] [--only main]     # run what is missing
    python bench/federated_study.py HOME AWAY FOLDER --tables                     # print the tables of what is there

HOME and AWAY are releases with features of two phantom clinics of different case mix, scanner and writing (those that
bench/frontier.py makes). Ten hospitals of 810 patients, 1,000 public patients, 30 rounds of 3 local epochs. A cell is
a setting, a method and a seed; the order of the cells is their importance.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import re
import shutil
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

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
SENTENCE = re.compile(r"(?<=[.!?])\s+")


def cells() -> Iterator[tuple[str, str, str, int, dict[str, Any]]]:
    """Part of the study, setting, name, seed and plan, the most telling first; creamfl, which costs most, late."""
    yield from sorted(asked(), key=lambda cell: cell[2] == "creamfl")
    yield from more_seeds()


def asked() -> Iterator[tuple[str, str, str, int, dict[str, Any]]]:
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


def more_seeds() -> Iterator[tuple[str, str, str, int, dict[str, Any]]]:
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


def name_of(part: str, setting: str, name: str, seed: int) -> str:
    return re.sub(r"[^a-z0-9.-]+", "_", f"{part} {setting} {name} {seed}")


def half_of_the_sentences(report: str, seed: int) -> str:
    """Findings alone, and every second sentence of them, by lot."""
    findings = report.split("IMPRESSION:")[0].removeprefix("FINDINGS:").strip()
    sentences = SENTENCE.split(findings)
    kept = np.random.default_rng(seed).random(len(sentences)) < 0.5
    return " ".join(one for one, stays in zip(sentences, kept, strict=True) if stays) or sentences[0]


def weak(home: Any, folder: Path) -> Any:  # noqa: ANN401
    """The home release with text features of reports that lost half of their sentences."""
    from leadapron.encoders import Weights, find_encoder
    from leadapron.federated.gathered import Gathered
    from leadapron.phantoms import Dials, build_clinic

    assert isinstance(home, Gathered)
    file = folder / "weak-text.npy"
    if not file.exists():
        patients = len(np.unique(home.patients))
        cohort = build_clinic(Dials(patients=patients, seed=1)).cohort
        place = dict(zip(cohort.records["record_id"], cohort.records["report"], strict=True))
        studies = home.records["study_id"].to_list()
        order = {study: number for number, study in enumerate(dict.fromkeys(studies))}
        texts = {}
        for record, study in zip(home.records["record_id"], studies, strict=True):
            texts[study] = half_of_the_sentences(place[record], order[study])
        encoder = find_encoder("phantom-reports").load(Weights())
        written = list(texts)
        parts = [
            encoder.text_backbone([texts[study] for study in written[at : at + 512]])
            for at in range(0, len(written), 512)
        ]
        rows = {study: row for row, study in enumerate(written)}
        np.save(file, np.concatenate(parts)[[rows[study] for study in studies]])
    return replace(home, text=np.load(file))


def work(home: Path, away: Path, folder: Path, only: str | None, job: int) -> None:
    os.environ["OMP_NUM_THREADS"] = "1"
    import leadapron as la
    from leadapron.federated import Group, Machine, Plan, federate, hospitals_beside
    from leadapron.federated.gathered import from_release

    gathered = from_release(la.read_release(home, verify=False))
    half = weak(gathered, folder)
    for part, setting, name, seed, given in cells():
        if only is not None and part != only:
            continue
        target = folder / f"{name_of(part, setting, name, seed)}.json"
        lock = target.with_suffix(".lock")
        if target.exists():
            continue
        try:
            lock.touch(exist_ok=False)
        except FileExistsError:
            continue
        where: dict[str, Any] = {"clients": setting}
        if part == "sites":
            apart = Group(holds="image", hospitals=8, patients=900, release=str(away))
            where = {"groups": (apart, Group(holds="both", hospitals=2, patients=1116))}
        plan = Plan(**{**FIXED, **where, **given, "seed": seed})
        out = folder / f"run-{job}"
        for old in (out, hospitals_beside(out)):
            shutil.rmtree(old, ignore_errors=True)
        begun = time.process_time()
        run = federate(half if part == "weak text" else gathered, out, plan, machine=Machine(keep_updates=False))
        spent = time.process_time() - begun
        content = json.loads(run.model_dump_json()) | {"processor_seconds": spent}
        if (out / "model.npz").exists():  # hospitals on their own have no model in common
            classifier = np.abs(np.load(out / "model.npz")["classifier.weight"])
            image = classifier[:, : classifier.shape[1] // 2].sum()
            content["image_share_of_classifier"] = float(image / classifier.sum())
        target.write_text(json.dumps(content))
        lock.unlink()
        print(target.stem, [round(one.value, 4) for one in run.test], flush=True)


def found_in(folder: Path) -> dict[tuple[str, str, str, int], dict[str, Any]]:
    """The cells that are there."""
    files = {cell[:4]: folder / f"{name_of(*cell[:4])}.json" for cell in cells()}
    return {cell: json.loads(file.read_text()) for cell, file in files.items() if file.exists()}


def area(run: dict[str, Any], view: str = "both", finding: str | None = None) -> float:
    """AUROC on the test patients, in percent."""
    one = next(one for one in run["test"] if one["view"] == view)
    return 100 * float(one["value"] if finding is None else one["findings"][finding])


def paired(runs: list[dict[str, Any]], others: list[dict[str, Any]]) -> str:
    """The mean difference over seeds, and its 95 % interval by Student's t."""
    apart = [area(one) - area(other) for one, other in zip(runs, others, strict=True)]
    if len(apart) < 2:
        return f"{apart[0]:+.2f} (one seed)"
    half = stats.t.ppf(0.975, len(apart) - 1) * np.std(apart, ddof=1) / np.sqrt(len(apart))
    return f"{np.mean(apart):+.2f} ({np.mean(apart) - half:+.2f} to {np.mean(apart) + half:+.2f}, {len(apart)} seeds)"


def table(head: list[str], rows: list[list[str]]) -> None:
    for row in (head, ["---"] * len(head), *rows):
        print("| " + " | ".join(row) + " |")
    print()


def tables(folder: Path) -> None:
    """All tables of the study as Markdown, from whatever cells are there."""
    found = found_in(folder)

    def seeds(part: str, setting: str, name: str) -> dict[int, dict[str, Any]]:
        return {cell[3]: run for cell, run in found.items() if cell[:3] == (part, setting, name)}

    def mean(part: str, setting: str, name: str, view: str = "both", finding: str | None = None) -> str:
        runs = seeds(part, setting, name)
        return f"{np.mean([area(run, view, finding) for run in runs.values()]):.1f}" if runs else "–"

    print("## Settings\n")
    columns = [("main", setting) for setting in HOMOGENEOUS] + [("sites", "8:0:2"), ("weak text", "8:0:2")]
    names = [f"{setting} {'' if part == 'main' else part}".strip() for part, setting in columns]
    table(["method", *names], [[name, *(mean(*where, name) for where in columns)] for name in METHODS])
    print("## Differences\n")
    rows = []
    for part, setting in [("main", setting) for setting in REPEATED] + [("weak text", "8:0:2")]:
        for name, other in (
            ("car-mfl", "mfedavg-public"),
            ("car-mfl softmax", "mfedavg-public"),
            ("car-mfl", "creamfl"),
        ):
            both = seeds(part, setting, name), seeds(part, setting, other)
            common = sorted(both[0].keys() & both[1].keys())
            if common:
                difference = paired([both[0][seed] for seed in common], [both[1][seed] for seed in common])
                rows.append([f"{setting} {part}", f"{name} minus {other}", difference])
    table(["setting", "what", "points of AUROC"], rows)
    print("## 8:0:2: with one half missing at the test, references, modality bias\n")
    rows = []
    for part, names_of in (("main", METHODS), ("references", REFERENCES), ("ablations", ABLATIONS)):
        for name in names_of:
            runs = seeds(part, "8:0:2", name)
            if runs:
                shares = [100 * run.get("image_share_of_classifier", np.nan) for run in runs.values()]
                views = [mean(part, "8:0:2", name, view) for view in ("both", "image", "text")]
                rows.append([name, *views, f"{np.mean(shares):.0f}", str(len(runs))])
    table(["method", "both", "image only", "text only", "image's share of the classifier, %", "seeds"], rows)
    print("## Public set\n")
    shown = ("public-only", "mfedavg-public", "car-mfl softmax", "car-mfl")
    whole = [mean("references" if name in REFERENCES else "main", "8:0:2", name) for name in shown]
    rows = [[str(size), *(mean(f"public {size}", "8:0:2", name) for name in shown)] for size in PUBLIC]
    table(["public patients", *shown], [*rows, ["1000", *whole]])
    print("## Rare findings\n")
    rare = ("fracture", "lung_lesion")
    rows = [
        [setting, *(mean("main", setting, name, "both", one) for one in rare for name in ("mfedavg-public", "car-mfl"))]
        for setting in ("0:0:10", "4:0:6", "6:0:4", "8:0:2", "10:0:0")
    ]
    table(["setting", *(f"{one}, {name}" for one in rare for name in ("mfedavg-public", "car-mfl"))], rows)
    print("## Cost\n")
    rows = []
    for name in METHODS:
        runs = list(seeds("main", "8:0:2", name).values())
        if runs:
            last = runs[0]["rounds"][-1]
            sizes = [f"{last[key] / 1e6:.2f}" for key in ("bytes_sent", "bytes_received")]
            rows.append([name, str(last["messages"]), *sizes, f"{runs[0]['processor_seconds']:.0f}"])
    table(["method", "messages per round", "MB sent", "MB received", "processor seconds, whole run"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("home", "away", "folder"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only")
    parser.add_argument("--tables", action="store_true")
    given = parser.parse_args()
    if given.tables:
        tables(given.folder)
        return
    given.folder.mkdir(parents=True, exist_ok=True)
    for lock in given.folder.glob("*.lock"):
        lock.unlink()
    context = multiprocessing.get_context("spawn")
    jobs = [
        context.Process(target=work, args=(given.home, given.away, given.folder, given.only, job))
        for job in range(given.jobs)
    ]
    for job in jobs:
        job.start()
        job.join(30 if job is jobs[0] and not (given.folder / "weak-text.npy").exists() else 0)
    for job in jobs:
        job.join()


if __name__ == "__main__":
    main()

"""The federated study on a phantom clinic, cell by cell: a few hours on two cores, and it can be stopped at any time.

    python bench/federated_study.py HOME AWAY FOLDER [--jobs 2] [--only 'main 0:8:2 *' --only '* creamfl 0']

HOME and AWAY are releases with features of two phantom clinics of different case mix, scanner and writing (those that
bench/frontier.py makes). Ten hospitals of 810 patients, 1,000 public patients, 30 rounds of 3 local epochs. A cell is
a part of the study, a setting, a method and a seed; those that fit the first ``--only`` are run first. What is in the
folder is not run again; bench/federated_tables.py makes the tables of what is there.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import re
import shutil
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np
from federated_cells import FIXED, chosen, file_of

if TYPE_CHECKING:
    from leadapron.federated import Plan
    from leadapron.federated.gathered import Gathered

SENTENCE = re.compile(r"(?<=[.!?])\s+")


def half_of_the_sentences(report: str, seed: int) -> str:
    """Findings alone, and every second sentence of them, by lot."""
    findings = report.split("IMPRESSION:")[0].removeprefix("FINDINGS:").strip()
    sentences = SENTENCE.split(findings)
    kept = np.random.default_rng(seed).random(len(sentences)) < 0.5
    return " ".join(one for one, stays in zip(sentences, kept, strict=True) if stays) or sentences[0]


def weak(home: Gathered, folder: Path) -> Gathered:
    """The home release with text features of reports that lost half of their sentences."""
    from leadapron.encoders import Weights, find_encoder
    from leadapron.phantoms import Dials, build_clinic

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


@contextmanager
def noted_partners() -> Iterator[dict[str, list[Any]]]:
    """The public rows that each hospital borrows from, round by round: they are chosen in training and kept nowhere."""
    from leadapron.federated.methods import car_mfl

    noted: dict[str, list[Any]] = defaultdict(list)
    choose = car_mfl.partners_of

    def choose_and_note(model: Any, station: Any, public: Any, plan: Plan, number: int) -> Any:  # noqa: ANN401
        found = choose(model, station, public, plan, number)
        lent = np.asarray(public.text if station.holds == "image" else public.image)
        if not noted[station.name]:
            noted[station.name].append(np.unique(lent, axis=0, return_inverse=True)[1].ravel())
        noted[station.name].append(found)
        return found

    with patch.object(car_mfl, "partners_of", choose_and_note):
        yield noted


def different_partners(noted: dict[str, list[Any]]) -> dict[str, dict[str, float]]:
    """Per hospital that borrows: of how many public records, and of how many different halves, a record is lent one."""
    from leadapron.attacks.federation.partner_claim import different

    return {
        name: {"records": float(different(rows).mean()), "halves": float(different(same[rows]).mean())}
        for name, (same, *rounds) in noted.items()
        for rows in (np.stack(rounds),)
    }


def run_cell(source: Gathered, out: Path, plan: Plan) -> dict[str, Any]:
    """The card of the run, what it cost, the image's share of the classifier's weights, and the partners."""
    from leadapron.federated import Machine, federate, hospitals_beside

    for old in (out, hospitals_beside(out)):
        shutil.rmtree(old, ignore_errors=True)
    begun = time.process_time()
    with noted_partners() as noted:
        run = federate(source, out, plan, machine=Machine(keep_updates=False))
    content = json.loads(run.model_dump_json()) | {"processor_seconds": time.process_time() - begun}
    if (out / "model.npz").exists():  # hospitals on their own have no model in common
        classifier = np.abs(np.load(out / "model.npz")["classifier.weight"])
        image = classifier[:, : classifier.shape[1] // 2].sum()
        content["image_share_of_classifier"] = float(image / classifier.sum())
    return content | {"different_partners": different_partners(noted)}


def work(home: Path, away: Path, folder: Path, only: list[str], job: int) -> None:
    os.environ["OMP_NUM_THREADS"] = "1"
    import leadapron as la
    from leadapron.federated import Group, Plan
    from leadapron.federated.gathered import from_release

    gathered = from_release(la.read_release(home, verify=False))
    half = weak(gathered, folder)
    for part, setting, name, seed, given in chosen(only):
        target = file_of(folder, part, setting, name, seed)
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
        content = run_cell(half if part == "weak text" else gathered, folder / f"run-{job}", plan)
        target.write_text(json.dumps(content))
        lock.unlink()
        print(target.stem, [round(one["value"], 4) for one in content["test"]], flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("home", "away", "folder"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", action="append", default=[], help="a pattern; may be given several times")
    given = parser.parse_args()
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

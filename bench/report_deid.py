"""How many reports a second `defend reports` reads, by rules and with the tagger: real, plain and hard phantom ones.

python bench/report_deid.py
"""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from functools import partial
from pathlib import Path

from report_labels import openi_studies

from leadapron.defences import defend
from leadapron.defences.reports.key_file import new_key
from leadapron.engine import worker_count
from leadapron.phantoms import Dials, build_clinic
from leadapron.reports.identifiers.finder import Finder

WANTED = 3_000


TIMES = 3


def finding(texts: list[str], *, tagger: bool) -> float:
    """Reports a second and core, by processor time; every word was met before, as in the middle of a long run. The best
    of some times: other work on the machine only slows it."""
    finder = Finder(context=tagger)
    finder.find(texts)
    spent = []
    for _ in range(TIMES):
        begun = time.process_time()
        finder.find(texts)
        spent.append(time.process_time() - begun)
    return len(texts) / min(spent)


def on_all_cores(texts: list[str], *, tagger: bool) -> float:
    """The same of all cores at once, each with all reports: what they share slows them."""
    with multiprocessing.get_context("spawn").Pool(worker_count()) as pool:
        return sum(pool.map(partial(finding, tagger=tagger), [texts] * worker_count(), chunksize=1))


def rows() -> list[tuple[str, str]]:
    clinics = {name: build_clinic(Dials(patients=300, identifiers=name)).cohort for name in ("plain", "hard")}
    texts = {f"{name} phantom reports": one.records["report"].unique().to_list() for name, one in clinics.items()}
    real = openi_studies()
    if real is not None:
        texts = {"Open-I reports": real["report"].drop_nulls().to_list(), **texts}
    found = []
    for name, reports in texts.items():
        words = sum(len(text.split()) for text in reports) / len(reports)
        for how, tagger in (("by rules", False), ("with the tagger", True)):
            rate, all_rate = finding(reports, tagger=tagger), on_all_cores(reports, tagger=tagger)
            wanted = f" ({WANTED:,} wanted)" * (not tagger)
            told = f"{rate:,.0f} a second on one core, {all_rate:,.0f} on {worker_count()} at once{wanted}"
            found.append((f"identifiers found {how} in {name}, {words:.0f} words", told))
    with tempfile.TemporaryDirectory() as folder:
        new_key(Path(folder) / "key")
        begun = time.process_time()
        defend(clinics["hard"], "reports", key=Path(folder) / "key")
        spent = time.process_time() - begun
    return [
        *found,
        ("the same, found and replaced by stand-ins", f"{len(clinics['hard']) / spent:,.0f} a second on one core"),
    ]


if __name__ == "__main__":
    for what, measured in rows():
        print(f"{what}: {measured}")

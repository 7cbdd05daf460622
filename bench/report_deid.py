"""How many reports a second `defend reports` cleans by rules: real reports, plain and hard phantom ones.

python bench/report_deid.py
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from report_labels import openi_studies

from leadapron.defences import defend
from leadapron.defences.reports.key_file import new_key
from leadapron.engine import worker_count
from leadapron.phantoms import Dials, build_clinic
from leadapron.reports.identifiers.finder import Finder

WANTED = 3_000


def finding(texts: list[str]) -> float:
    """Reports a second and core, by processor time; every word was met before, as in the middle of a long run."""
    Finder().find(texts)
    begun = time.process_time()
    Finder().find(texts)
    return len(texts) / (time.process_time() - begun)


def rows() -> list[tuple[str, str]]:
    clinics = {name: build_clinic(Dials(patients=300, identifiers=name)).cohort for name in ("plain", "hard")}
    texts = {f"{name} phantom reports": one.records["report"].unique().to_list() for name, one in clinics.items()}
    real = openi_studies()
    if real is not None:
        texts = {"Open-I reports": real["report"].drop_nulls().to_list(), **texts}
    found = []
    for name, reports in texts.items():
        words = sum(len(text.split()) for text in reports) / len(reports)
        rate = finding(reports)
        cores = f"{worker_count() * rate:,.0f} on {worker_count()} ({WANTED:,} wanted)"
        found.append((f"identifiers found in {name}, {words:.0f} words", f"{rate:,.0f} a second on one core, {cores}"))
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

"""Measure what the foundation promises on this machine and write docs/benchmarks.md."""

from __future__ import annotations

import gzip
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path

import decoding
import federated_engine
import generation
import heads
import identity
import linkage
import membership
import numpy as np
import report_deid
import report_labels
import targets
import utility

from leadapron.cohort import FINDINGS, SOURCES, ReadOptions
from leadapron.encoders import Weights, find_encoder
from leadapron.encoders.phantom_training import EPOCHS, PATIENTS, TRAINING_SEED, train
from leadapron.engine import worker_count
from leadapron.phantoms import Dials, build_clinic

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
MIMIC_ROWS = 100_000


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def phantom_rows() -> list[tuple[str, str]]:
    clinic = build_clinic(Dials(patients=600))
    clinic.radiographs(64)  # the first image waits for the compiler
    count = len(clinic.cohort)
    rates = {size: count / seconds(lambda size=size: clinic.radiographs(size)) for size in (128, 256)}
    whole = seconds(lambda: build_clinic(Dials(patients=600)))
    return [
        ("phantom radiographs at 128 px", f"{rates[128]:,.0f} a second (at least 400 wanted)"),
        ("phantom radiographs at 256 px", f"{rates[256]:,.0f} a second"),
        (f"patients, courses and reports of {count:,} phantom images", f"{whole:.1f} s"),
    ]


def make_mimic(folder: Path) -> None:
    """A set in MIMIC-CXR's layout with the phantom clinic's reports: tables and the report archive, no images."""
    reports = build_clinic(Dials(patients=2000, repetition=0.2)).cohort.records["report"].to_list()
    rng = np.random.default_rng(0)
    studies = np.repeat(np.arange(MIMIC_ROWS), 1 + (rng.random(MIMIC_ROWS) < 0.3))[:MIMIC_ROWS]
    subjects = 10_000_000 + studies // 3
    views = rng.choice(["AP", "PA", "LATERAL", ""], p=[0.4, 0.35, 0.2, 0.05], size=MIMIC_ROWS)
    with gzip.open(folder / "mimic-cxr-2.0.0-metadata.csv.gz", "wt") as stream:
        stream.write("dicom_id,subject_id,study_id,ViewPosition,StudyDate\n")
        stream.writelines(
            f"{row:08x},{subjects[row]},{50_000_000 + studies[row]},{views[row]},21800506\n"
            for row in range(MIMIC_ROWS)
        )
    distinct = np.unique(studies)
    values = rng.choice(["1.0", "0.0", "-1.0", ""], p=[0.15, 0.15, 0.05, 0.65], size=(len(distinct), len(FINDINGS)))
    with gzip.open(folder / "mimic-cxr-2.0.0-chexpert.csv.gz", "wt") as stream:
        stream.write("subject_id,study_id," + ",".join(FINDINGS) + "\n")
        stream.writelines(
            f"{10_000_000 + study // 3},{50_000_000 + study},{','.join(row)}\n"
            for study, row in zip(distinct, values, strict=True)
        )
    with zipfile.ZipFile(folder / "mimic-cxr-reports.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for study in distinct:
            subject = 10_000_000 + study // 3
            text = f"                                 FINAL REPORT\n {reports[study % len(reports)]}\n"
            archive.writestr(f"files/p{str(subject)[:2]}/p{subject}/s{50_000_000 + study}.txt", text)


def cohort_rows(folder: Path) -> list[tuple[str, str]]:
    make_mimic(folder)
    took = seconds(lambda: SOURCES["mimic_cxr"](folder, ReadOptions()))
    return [(f"MIMIC-CXR layout, {MIMIC_ROWS:,} rows with their reports from the archive", f"{took:.1f} s")]


def encoder_rows() -> list[tuple[str, str]]:
    clinic = build_clinic(Dials(patients=PATIENTS, seed=TRAINING_SEED))
    pixels, texts = clinic.pixels().images, clinic.cohort.records["report"].to_list()
    took = seconds(lambda: train(pixels, texts))
    encoder = find_encoder("phantom-reports").load(Weights())
    rate = 2048 / seconds(lambda: [encoder.image_backbone(pixels[at : at + 64]) for at in range(0, 2048, 64)])
    words = 2048 / seconds(lambda: encoder.text_backbone(texts[:2048]))
    return [
        (f"training phantom-reports ({len(texts):,} pairs, {EPOCHS} epochs)", f"{took:.0f} s (at most 180 wanted)"),
        ("phantom-reports, images encoded without torch", f"{rate:,.0f} a second"),
        ("phantom-reports, reports encoded without torch", f"{words:,.0f} a second"),
    ]


def command_rows() -> list[tuple[str, str]]:
    command = [sys.executable, "-m", "leadapron", "--help"]
    times = [seconds(lambda: subprocess.run(command, capture_output=True, check=True)) for _ in range(5)]
    return [("`leadapron --help`, median of five", f"{sorted(times)[2]:.2f} s (at most 0.5 wanted)")]


def machine() -> str:
    model = next(
        (line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line),
        platform.processor(),
    )
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    return f"{model}, {worker_count()} cores, {memory:.0f} GiB, no GPU, Python {platform.python_version()}"


def table(rows: list[tuple[str, str]]) -> list[str]:
    return ["| what | measured |", "|---|---|", *(f"| {what} | {measured} |" for what, measured in rows), ""]


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = [*command_rows(), *phantom_rows(), *cohort_rows(folder), *encoder_rows()]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    sections = {
        "Decoding": decoding.rows,
        "The linkage audit": linkage.rows,
        "The identity audit": identity.rows,
        "The membership audit": membership.rows,
        "Training the models of a membership audit": targets.probes_rows,
        "Utility": utility.rows,
        "Report labels": report_labels.rows,
        "Reports without identifiers": report_deid.rows,
        "Private heads": heads.rows,
        "Federated training": federated_engine.rows,
        "Counterparts of radiographs": generation.rows,
    }
    lines = [
        "# Benchmarks",
        "",
        "Written by `make bench`. Every section is one run, in a process of its own, on one machine; yours differ.",
        "",
        f"Machine: {machine()}. Day: {datetime.now(UTC):%Y-%m-%d}. Peak memory of the first table: {peak:.1f} GiB.",
        "",
        *table(rows),
    ]
    print("\n".join(lines), flush=True)
    for title, measure in sections.items():
        # In a process of its own: memory that others have left behind would be counted as this one's.
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh:
            section = [f"## {title}", "", *table(fresh.submit(measure).result())]
        print("\n".join(section), flush=True)  # at once: what was measured is not lost with what comes after it
        lines += section
    PAGE.write_text("\n".join(lines))


if __name__ == "__main__":
    main()

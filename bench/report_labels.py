"""The rule labeller against the phantom's truth and the Open-I indexers' terms, and its speed.

    python bench/report_labels.py

Parts that the rules were mended on are left out: the phantom's seeds below 100, and every Open-I report whose id has an
even checksum. No text of a report is shown.
"""

from __future__ import annotations

import importlib.util
import time
import zlib
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from leadapron.cohort import FINDINGS, LABEL_COLUMNS, SOURCES, ReadOptions
from leadapron.phantoms import Dials, build_clinic
from leadapron.reports import label_report
from leadapron.reports.assertions import read_sentence

SEEDS = range(100, 105)
PATIENTS = 400


def phantom_studies(site: str, seeds: Sequence[int] = SEEDS, **dials: float) -> pl.DataFrame:
    """Reports and true labels of several clinics, one row per study."""
    clinics = (build_clinic(Dials(patients=PATIENTS, seed=seed, site=site, **dials)) for seed in seeds)  # type: ignore[arg-type]
    return pl.concat([clinic.cohort.records.unique("study_id", maintain_order=True) for clinic in clinics]).select(
        "study_id", "report", *LABEL_COLUMNS
    )


def openi_studies(*, held_out: bool = True) -> pl.DataFrame | None:
    """The indexed Open-I reports in torchxrayvision's package, or None if it is not installed."""
    package = importlib.util.find_spec("torchxrayvision")
    if package is None or not package.submodule_search_locations:
        return None
    archive = Path(package.submodule_search_locations[0]) / "data" / "NLMCXR_reports.tgz"
    records = SOURCES["openi"](archive, ReadOptions(views=())).records.unique("study_id", maintain_order=True)
    odd = [zlib.crc32(study.encode()) % 2 == 1 for study in records["study_id"]]
    indexed = pl.col("label_edema").is_not_null()
    return records.filter(pl.Series(odd) == held_out, indexed).select("study_id", "report", *LABEL_COLUMNS)


def score(studies: pl.DataFrame) -> pl.DataFrame:
    """Per finding: how many there are, precision, recall and F1 of the positives, and F1 if a doubt counts as one."""
    given = [label_report(report) for report in studies["report"]]
    rows = []
    for finding, column in zip(FINDINGS, LABEL_COLUMNS, strict=True):
        truth = (studies[column] == 1).to_list()
        positive = [labels[finding] == "positive" for labels in given]
        doubted = [labels[finding] in ("positive", "uncertain") for labels in given]
        rows.append((finding, sum(truth), sum(positive), *_agreement(truth, positive), _agreement(truth, doubted)[2]))
    columns = ("finding", "there", "said positive", "precision", "recall", "F1", "F1 with uncertain")
    return pl.DataFrame(rows, schema=columns, orient="row")


def _agreement(truth: list[bool], said: list[bool]) -> tuple[float, float, float]:
    """Precision, recall and F1."""
    right, there, found = sum(one and other for one, other in zip(truth, said, strict=True)), sum(truth), sum(said)
    return right / max(1, found), right / max(1, there), 2 * right / max(1, there + found)


def table(scores: pl.DataFrame) -> str:
    lines = ["| " + " | ".join(scores.columns) + " |", "|---" * len(scores.columns) + "|"]
    cells = ([f"{cell:.3f}" if isinstance(cell, float) else f"{cell}" for cell in row] for row in scores.rows())
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in cells)])


def speed(reports: list[str]) -> tuple[float, float]:
    """Reports per second of one core: none of their sentences seen before, and all of them."""
    rates = []
    read_sentence.cache_clear()
    for _ in range(2):
        start = time.process_time()
        for report in reports:
            label_report(report)
        rates.append(len(reports) / (time.process_time() - start))
    return rates[0], rates[1]


def rows() -> list[tuple[str, str]]:
    """For `make bench`."""
    new, again = speed(phantom_studies("A", SEEDS[:2])["report"].to_list())
    return [
        ("reports labelled by one core", f"{new:,.0f} a second (at least 1,500 wanted)"),
        ("the same once their sentences were seen", f"{again:,.0f} a second"),
    ]


def main() -> None:
    for site in ("A", "B"):
        studies = phantom_studies(site)
        scores = score(studies)
        print(
            f"\nPhantom, site {site}, {len(studies):,} reports: macro F1 {scores['F1'].mean():.3f}\n\n{table(scores)}"
        )
        print("\nreports per second and core: {:,.0f}, seen before {:,.0f}".format(*speed(studies["report"].to_list())))
    real = openi_studies()
    if real is not None:
        scores = score(real)
        print(f"\nOpen-I, {len(real):,} reports: macro F1 {scores['F1'].mean():.3f}\n\n{table(scores)}")
        print("\nreports per second and core: {:,.0f}, seen before {:,.0f}".format(*speed(real["report"].to_list())))


if __name__ == "__main__":
    main()

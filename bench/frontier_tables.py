"""The tables of docs/compare.md from what bench/frontier.py made, as Markdown.

python bench/frontier_tables.py FOLDER/comparison
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import polars as pl

import leadapron as la
from leadapron.results import read_results

PAIRS = ("private-1", "private-1/noise_only", "replication", "entropy-5-epochs", "entropy", "prototype-heads",
         "prototype-heads-private-1", "prototypes-20", "subspace-14")  # fmt: skip
"""Beside the undefended release, whose training pairs are set against held-out ones."""
PUBLISHED = ("private-1", "replication", "entropy-5-epochs", "entropy")
"""Beside the undefended release, the variants of the study's table 3."""
METRICS = ("recall@1", "recall@5", "recall@10", "mrr")
SETTINGS = {"random": "random", "hard": "matched"}
USE = {"auroc": "macro AUROC", "accuracy": "macro accuracy", "sensitivity": "macro sensitivity",
       "specificity": "macro specificity", "zero-shot auroc": "zero-shot AUROC",
       "label-retrieval precision@10": "label retrieval, precision@10"}  # fmt: skip
Rows = list[list[str]]


def percent(entry: dict[str, Any], digits: int = 2) -> str:
    low, high = entry["low"], entry["high"]
    return f"{100 * entry['value']:.{digits}f} ({100 * low:.{digits}f}–{100 * high:.{digits}f})"


def share(entry: dict[str, Any] | None) -> str:
    return (
        "–" if entry is None else f"{100 * entry['value']:.1f} ({100 * entry['low']:.1f} to {100 * entry['high']:.1f})"
    )


def points(difference: float, low: float, high: float) -> str:
    return f"{100 * difference:+.2f} ({100 * low:+.2f} to {100 * high:+.2f})"


def promise(guarantee: dict[str, Any]) -> str:
    if guarantee.get("kind") == "differential privacy":
        return f"DP, {guarantee['unit']}, ε {guarantee['epsilon']:.3g}"
    details = guarantee.get("details") or {}
    return (
        f"k = {details['k']}"
        if guarantee.get("kind") == "k-anonymity" and "k" in details
        else str(guarantee.get("kind", "none"))
    )


def table(title: str, head: list[str], rows: Rows) -> None:
    print(f"## {title}\n")
    lines = ["| " + " | ".join(row).replace(" -", " −").replace("(-", "(−") + " |" for row in (head, *rows)]
    print("\n".join([lines[0], "|---" * len(head) + "|", *lines[1:]]), end="\n\n")


def named(point: dict[str, Any]) -> str:
    return "undefended" if point["role"] == "before" else f"`{point['name']}`"


def overview(releases: list[dict[str, Any]]) -> Rows:
    rows: Rows = []
    for point in releases:
        found = point["answers"]
        linkage, words, use = found["linkage"], found.get("linkage-by-words"), found["utility"]
        cells = [percent(linkage["headline"]), linkage["headline"]["attacker"], share(linkage["cut"])]
        cells += [share(words["cut"]) if words else "–", percent(use["headline"]), share(use["kept"])]
        rows.append([named(point) + " *" * point["on_front"], *cells, promise(point["guarantee"])])
    return rows


def training_pairs(releases: list[dict[str, Any]]) -> Rows:
    rows: Rows = []
    for point in releases:
        if (gap := point["gap"]) is not None and (point["role"] == "before" or point["name"] in PAIRS):
            apart = points(gap["difference"], gap["low"], gap["high"])
            bound = "none" if gap["bound"] is None else f"{100 * gap['bound']:.2f}"
            rows.append([named(point), percent(gap["train"]), percent(gap["test"]), apart, bound])
    return rows


def identity(releases: list[dict[str, Any]], folder: Path) -> Rows:
    """Each AUC is that of the attacker who is strongest by it."""
    rows: Rows = []
    for point in (point for point in releases if point["of"] is None):
        found = read_results(folder / point["name"] / "identity").table()
        areas = []
        for protocol in ("all-pairs", "matched"):
            of_it = found.filter(
                pl.col("metric") == "auc", pl.col("protocol") == protocol, pl.col("group").is_null()
            ).sort("value", descending=True)
            areas.append(
                "–" if of_it.is_empty() else "{value:.3f} ({low:.3f}–{high:.3f})".format(**of_it.row(0, named=True))
            )
        answer = point["answers"]["identity"]
        top = answer["headline"]
        rows.append([named(point), percent(top, 1), top["attacker"], share(answer["cut"]), *areas])
    return rows


def published_linkage(releases: list[dict[str, Any]], folder: Path) -> Rows:
    rows: Rows = []
    for point in (point for point in releases if point["role"] == "before" or point["name"] in PUBLISHED):
        found = (
            read_results(folder / point["name"] / "linkage")
            .table()
            .filter(pl.col("attacker") == "cosine", pl.col("direction") == "image-to-report", pl.col("group").is_null())
            .filter(pl.col("metric").is_in(METRICS), pl.col("protocol").is_in(list(SETTINGS)))
        )
        for protocol, pool in found.select("protocol", "pool").unique(maintain_order=True).iter_rows():
            of_it = found.filter(pl.col("protocol") == protocol, pl.col("pool") == pool)
            cells = [percent(of_it.row(by_predicate=pl.col("metric") == metric, named=True), 3) for metric in METRICS]
            rows.append([named(point), SETTINGS[protocol], f"{pool:,}", *cells])
    return rows


def published_use(before: Path, after: Path) -> Rows:
    """The means over findings."""
    rows: Rows = []
    for change in la.compare(before, after).changes:
        name = USE.get(change.before.metric)
        if name and getattr(change.before, "label", None) is None and (apart := change.paired) is not None:
            values = [f"{100 * value:.2f}" for value in (apart.before, apart.after)]
            p = f"{apart.p:.{2 if apart.p > 0.01 else 3}f}"
            rows.append([name, *values, points(apart.difference, apart.low, apart.high), p])
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    releases = json.loads((folder / "frontier.json").read_text())["points"]
    head = ["release", "linked, %", "attacker", "excess cut, %", "cut, words known, %", "macro AUROC, %"]
    table("Overview", [*head, "AUROC kept, %", "guarantee"], overview(releases))
    head = ["release", "training pairs", "held-out pairs", "difference", "bound for training pairs"]
    table("Training pairs", head, training_pairs(releases))
    head = ["release", "recognised among 1,000, %", "attacker", "excess cut, %"]
    table("Identity", [*head, "AUC, all pairs", "AUC, matched strangers"], identity(releases, folder))
    head = ["variant", "setting", "pool", "Recall@1", "Recall@5", "Recall@10", "MRR"]
    table("Table 3", head, published_linkage(releases, folder))
    rows = published_use(folder / releases[0]["name"] / "utility", folder / "private-1" / "utility")
    table("Table 4", ["metric", "undefended", "`private-1`", "difference, points", "p"], rows)


if __name__ == "__main__":
    main()

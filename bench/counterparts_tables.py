"""Tables of docs/image-counterparts.md from the aggregates of counterparts_study.py.

    python bench/counterparts_tables.py FOLDER/results.json

Of several seeds the mean stands first, the range of the seeds after it; of one seed its 95 % interval by patient.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

Found = list[dict[str, Any]]

ATTACKS: dict[str, dict[str, Any]] = {
    "right patient first among 50, another study held, **adaptive**, %": {
        "audit": "image-identity", "metric": "precision@1", "attacker": "adaptive", "holds": "another study", "pool": 50
    },
    "the same, static, %": {
        "audit": "image-identity", "metric": "precision@1", "attacker": "static", "holds": "another study", "pool": 50
    },
    "the same, the published kind of classifier, %": {
        "audit": "image-identity", "metric": "precision@1", "attacker": "classifier", "holds": "another study",
        "pool": 50
    },
    "source image held, adaptive, %": {
        "audit": "image-identity", "metric": "precision@1", "attacker": "adaptive", "holds": "the source image",
        "pool": 50
    },
    "source image held, classifier, %": {
        "audit": "image-identity", "metric": "precision@1", "attacker": "classifier", "holds": "the source image",
        "pool": 50
    },
    "another counterpart of the patient first among 1,000, %": {
        "audit": "image-linkage", "metric": "precision@1", "attacker": "adaptive", "sought": "counterpart", "pool": 1000
    },
    "report of the source first among 1,000, %": {
        "audit": "image-linkage", "metric": "precision@1", "attacker": "adaptive", "sought": "report", "pool": 1000
    },
    "copies, whole images, % (1 expected)": {
        "audit": "image-copies", "metric": "flagged@real=0.01", "attacker": "whole", "records": "training records"
    },
    "copies, patches, % (1 expected)": {
        "audit": "image-copies", "metric": "flagged@real=0.01", "attacker": "patches", "records": "training records"
    },
    "flagged by the rule of Dar et al., %": {
        "audit": "image-copies", "metric": "flagged", "attacker": "dar", "records": "training records"
    },
    "flagged by the rule of CheXGenBench, %": {
        "audit": "image-copies", "metric": "flagged", "attacker": "chexgenbench", "records": "training records"
    },
    "member of the generator's training, by others' counterparts, AUC, %": {
        "audit": "image-membership", "metric": "auc", "attacker": "others"
    },
    "the same by their own, AUC, %": {"audit": "image-membership", "metric": "auc", "attacker": "own"},
    "AUROC on real images, linear probe, %": {
        "audit": "image-utility", "metric": "auroc", "attacker": "released", "findings": "all findings"
    },
    "kept of real, large findings, %": {"audit": "image-utility", "metric": "kept", "findings": "large findings"},
    "kept of real, small findings, %": {"audit": "image-utility", "metric": "kept", "findings": "small findings"},
}  # fmt: skip


def cells(file: Path) -> Found:
    """Every audit once: one that was run again, with others beside it, counts the last time."""
    last = {}
    for found in json.loads(file.read_text()).values():
        for one in found:
            last[one["seed"], one["release"], one["audit"], one["networks"]] = one
    return list(last.values())


def rows(found: Found, release: str, *, networks: bool, **wanted: Any) -> list[dict[str, Any]]:  # noqa: ANN401
    """The number of this place, one a seed."""
    audit = wanted.pop("audit")
    own = [one for one in found if (one["release"], one["audit"], one["networks"]) == (release, audit, networks)]
    return [row for one in own for row in one["rows"] if all(row.get(key) == value for key, value in wanted.items())]


def written(same: list[dict[str, Any]]) -> str:
    if not same:
        return "–"
    values = [100 * row["value"] for row in same]
    if len(values) == 1:
        return f"{values[0]:.1f} ({100 * same[0]['low']:.1f}–{100 * same[0]['high']:.1f})"
    return f"{np.mean(values):.1f} [{min(values):.1f}–{max(values):.1f}]"


def table(head: list[str], lines: list[list[str]]) -> str:
    marked = ["| " + " | ".join(line) + " |" for line in (head, ["---"] * len(head), *lines)]
    return "\n".join(marked)


def main() -> None:
    found = cells(Path(sys.argv[1]))
    releases = list(dict.fromkeys(one["release"] for one in found))
    for networks in (False, True):
        asked = {one["release"] for one in found if one["networks"] == networks}
        there = [name for name in releases if name in asked]
        if not there:
            continue
        lines = [
            [title, *(written(rows(found, name, networks=networks, **wanted)) for name in there)]
            for title, wanted in ATTACKS.items()
        ]
        print(f"\n{'With' if networks else 'Without'} networks\n")
        print(table(["", *there], [line for line in lines if set(line[1:]) != {"–"}]))
        print()
        print(by_finding(found, there, networks=networks))
    for one in found:
        if one["audit"] == "image-utility":
            left = {name: round(area, 3) for name, area in one["details"]["left_out"].items()}
            print(f"\nnot measurable, {one['seed']} {one['release']} networks {one['networks']}: {left}")
        if one["audit"] == "image-copies":
            print(f"\npublished rules on strangers, {one['seed']} {one['release']}: {one['details']['published']}")
        for check, outcome, reason in one["outcomes"]:
            if outcome == "error":
                print(f"\nERROR {one['seed']} {one['release']} {one['audit']}: {check}: {reason}")


def by_finding(found: Found, releases: list[str], *, networks: bool) -> str:
    """What a probe learns of each finding, and what is kept of what real images teach."""
    names = dict.fromkeys(
        row["findings"]
        for one in found
        if one["audit"] == "image-utility" and one["networks"] == networks
        for row in one["rows"]
    )
    others = [name for name in releases if name != "real"]
    wanted = {"audit": "image-utility"}
    lines = [
        [
            str(name),
            written(
                rows(found, others[0], networks=networks, **wanted, metric="auroc", attacker="real", findings=name)
            ),
            *(
                written(rows(found, release, networks=networks, **wanted, **more, findings=name))
                for release in others
                for more in ({"metric": "auroc", "attacker": "released"}, {"metric": "kept"})
            ),
        ]
        for name in names
    ]
    return table(["finding", "real", *(f"{name}{what}" for name in others for what in (", learnt", ", kept"))], lines)


if __name__ == "__main__":
    main()

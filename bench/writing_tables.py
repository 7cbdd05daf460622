"""Tables of docs/report-writing.md, from the cells of bench/writing_study.py that are done.

python bench/writing_tables.py --work WORK
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from writing_study import SCORES, TUNED

from leadapron.writing.scores import redrawn_values

OUT = Path(__file__).with_name("writing_study.json")


def collected(work: Path) -> dict[str, object]:
    """Means over seeds, what each seed gave, and paired differences with their standard errors over patients."""
    found: dict[str, dict[int, Path]] = {}
    for file in sorted((work / "cells").glob("*.npz")):
        writer, seed, *rest = file.stem.split("-")
        found.setdefault("-".join([writer, *rest]), {})[int(seed)] = file
    rows = {name: row_of(files) for name, files in found.items()}
    pairs = [(name, other) for name in found for other in baselines(name) if other in found]
    return {"rows": rows, "differences": {f"{a} minus {b}": apart(found[a], found[b]) for a, b in pairs}}


def baselines(name: str) -> list[str]:
    """What a row is compared with."""
    writer = name.partition("-")[0]
    if writer == "control":
        return []
    real = f"{writer}-A-real-cleaned-alone"
    local = f"{writer}-A-none-none-local"
    mixed = name.replace("-mixed", "-alone")
    raw = name.replace("-cleaned-", "-raw-")
    controls = ["control-same", "control-frequent", f"{writer}-A-real-cleaned-shuffled"]
    text = name.replace("-updp-", "-text-")
    before = ["decoder-B-real-cleaned-alone"] if writer == TUNED else []
    wanted = [real, local, mixed, raw, text, *before, *(controls if name == real else [])]
    return [other for other in dict.fromkeys(wanted) if other != name]


def row_of(files: dict[int, Path]) -> dict[str, object]:
    loaded = {seed: np.load(file) for seed, file in files.items()}
    values = {
        score: {str(seed): round(float(how.value(one[score].sum(axis=0))), 5) for seed, one in loaded.items()}
        for score, how in SCORES.items()
    }
    told = {str(seed): json.loads(str(one["told"])) for seed, one in loaded.items()}
    return {"values": values, "told": told}


def apart(files: dict[int, Path], others: dict[int, Path]) -> dict[str, dict[str, float]]:
    """The mean difference over the seeds of both. Its error has both parts: other patients, and other training runs
    and clinics, as far as so few seeds show them."""
    seeds = sorted(set(files) & set(others))
    result = {}
    for score, how in SCORES.items():
        means, errors = [], []
        for seed in seeds:
            one, two = (np.load(where[seed]) for where in (files, others))
            means.append(float(how.value(one[score].sum(axis=0)) - how.value(two[score].sum(axis=0))))
            redrawn = [redrawn_values(how, part[score], part["patients"], seed=1) for part in (one, two)]
            errors.append(float((redrawn[0] - redrawn[1]).std(ddof=1)))
        within = float(np.sqrt(np.mean(np.square(errors)) / len(seeds)))
        between = float(np.std(means, ddof=1) / np.sqrt(len(seeds))) if len(seeds) > 1 else 0.0
        result[score] = {
            "difference": round(float(np.mean(means)), 5),
            "error": round(max(within, between), 5),
            "seeds": len(seeds),
        }
    return result


def tables(content: dict[str, object]) -> None:
    rows, differences = content["rows"], content["differences"]
    assert isinstance(rows, dict)
    assert isinstance(differences, dict)
    print("| | " + " | ".join(SCORES) + " | seeds | different | CPU s |\n" + "|---" * (len(SCORES) + 4) + "|")
    for name, row in rows.items():
        cellsof = [
            f"{100 * np.mean(list(by.values())):.1f} ({100 * min(by.values()):.1f}–{100 * max(by.values()):.1f})"
            for by in row["values"].values()
        ]
        told = row["told"].values()
        spent, different = (np.mean([one.get(key, 0) for one in told]) for key in ("seconds", "distinct"))
        print(f"| {name} | {' | '.join(cellsof)} | {len(told)} | {different:.0f} | {spent:.0f} |")
    print("\n| | " + " | ".join(SCORES) + " | seeds |\n" + "|---" * (len(SCORES) + 2) + "|")
    for name, row in differences.items():
        told = [f"{100 * one['difference']:+.1f} ± {100 * one['error']:.1f}" for one in row.values()]
        print(f"| {name} | {' | '.join(told)} | {next(iter(row.values()))['seeds']} |")


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--work", type=Path, required=True)
    content = collected(asked.parse_args().work)
    OUT.write_text(json.dumps(content, indent=1) + "\n")
    tables(content)


if __name__ == "__main__":
    main()

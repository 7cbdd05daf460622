"""The tables of docs/federated.md from bench/federated_study.json, as Markdown.

python bench/federated_tables.py
"""

from __future__ import annotations

from itertools import product

from federated_cells import ABLATIONS, HOMOGENEOUS, METHODS, PUBLIC, REFERENCES, REPEATED
from federated_results import FINDINGS, Found, Mean, read

VIEWS = {"both": "both halves", "image": "image alone", "text": "report alone"}
NAMES = {"car-mfl softmax": "`car-mfl --normalise softmax`"}
PLACES = {"sites": "another clinic", "weak text": "weaker reports"}
SHARES = ("0:0:10", "4:0:6", "6:0:4", "8:0:2", "10:0:0")
"""Fewer and fewer hospitals with both halves."""
PAIRS = (
    ("mfedavg-public", "mfedavg"),
    ("mfedavg-public", "creamfl"),
    ("car-mfl", "mfedavg-public"),
    ("car-mfl softmax", "mfedavg-public"),
    ("car-mfl", "car-mfl softmax"),
)


def table(title: str, head: list[str], rows: list[list[str]]) -> None:
    print(f"## {title}\n")
    for row in (head, ["---"] * len(head), *rows):
        print("| " + " | ".join(row) + " |")
    print()


def short(mean: Mean | None, *, sd: bool = False) -> str:
    if mean is None:
        return "–"
    return f"{mean.value:.1f}" + (f" ± {mean.sd:.1f}" if sd and mean.sd is not None else "")


def signed(mean: Mean | None, *, interval: bool = True) -> str:
    """A difference with its interval, where there is one."""
    if mean is None:
        return "–"
    told = f"{mean.value:+.2f}"
    if interval and mean.interval is not None:
        seeds = "" if mean.seeds == 5 else f", {mean.seeds} seeds"
        told += " ({:+.2f} to {:+.2f}".format(*mean.interval) + f"{seeds})"
    return told.replace("-", "−")


def named(method: str) -> str:
    return NAMES.get(method, f"`{method}`")


def settings(found: Found) -> None:
    columns = [("main", setting) for setting in HOMOGENEOUS] + [
        ("main", "10:0:0"),
        ("sites", "8:0:2"),
        ("weak text", "8:0:2"),
    ]
    head = [setting if part == "main" else f"{setting}, {PLACES[part]}" for part, setting in columns]
    rows = [[named(name), *(short(found.mean(*where, name)) for where in columns)] for name in METHODS]
    for one, other in PAIRS:
        means = [found.apart(*where, one, other) for where in columns]
        rows.append([f"{named(one)} less {named(other)}", *(signed(mean, interval=False) for mean in means)])
    counts = [{mean.seeds for name in METHODS if (mean := found.mean(*where, name))} for where in columns]
    rows.append(["seeds", *(" or ".join(map(str, sorted(count))) or "–" for count in counts)])
    table("Settings", ["method", *head], rows)


def repeated(found: Found) -> None:
    """The settings with several seeds: what each method reaches, and the differences."""
    for setting in REPEATED:
        rows = []
        parts = [("main", METHODS), ("references", REFERENCES), ("ablations", ABLATIONS)]
        for part, name in [(part, name) for part, names in parts for name in names]:
            means = [found.mean(part, setting, name, view) for view in VIEWS]
            if means[0] is not None:
                share = found.mean(part, setting, name, "image_share")
                told = f"{share.value:.0f}" if share else "–"
                rows.append([named(name), *(short(mean, sd=True) for mean in means), told, str(means[0].seeds)])
        table(setting, ["method", *VIEWS.values(), "image's share of the classifier's weights, %", "seeds"], rows)
    for what in (*VIEWS, *FINDINGS):
        rows = [
            [
                f"{named(one)} less {named(other)}",
                *(signed(found.apart("main", at, one, other, what)) for at in REPEATED),
            ]
            for one, other in PAIRS
        ]
        table(f"Paired, {VIEWS.get(what, what)}", ["difference", *REPEATED], rows)


def public_size(found: Found) -> None:
    shown = ("public-only", "mfedavg-public", "car-mfl softmax", "car-mfl")
    rows = [[str(size), *(short(found.mean(f"public {size}", "8:0:2", name)) for name in shown)] for size in PUBLIC]
    whole = []
    for name in shown:  # the same seed as in the other rows
        first = found.seeds("references" if name in REFERENCES else "main", "8:0:2", name).get(0)
        whole.append(f"{first['both']:.1f}" if first else "–")
    table("Public set", ["patients", *shown], [*rows, ["1000", *whole]])


def rare(found: Found) -> None:
    shown = [(finding, name) for finding in FINDINGS for name in ("mfedavg-public", "car-mfl")]
    rows = [[at, *(short(found.mean("main", at, name, finding)) for finding, name in shown)] for at in SHARES]
    table("Rare findings", ["setting", *(f"{finding}, {name}" for finding, name in shown)], rows)


def partners(found: Found) -> None:
    """How many public records, and how many different halves, a record borrows from over all rounds."""
    rows = []
    for setting, name, half in product(("8:0:2", "4:4:2", "0:8:2"), ("car-mfl softmax", "car-mfl"), ("image", "text")):
        runs = found.seeds("main", setting, name).values()
        counts = [row[f"partners_of_{half}"] for row in runs if f"partners_of_{half}" in row]
        if counts:
            means = [sum(one[of] for one in counts) / len(counts) for of in ("records", "halves")]
            rows.append([setting, named(name), half, *(f"{mean:.1f}" for mean in means), str(len(counts))])
    table("Partners", ["setting", "method", "records with", "public records", "different halves", "seeds"], rows)


def cost(found: Found) -> None:
    rows = []
    for name in METHODS:
        row = found.seeds("main", "8:0:2", name).get(0)
        if row is not None:
            sizes = [f"{row[key] / 1e6:.2f}" for key in ("bytes_sent", "bytes_received")]
            rows.append([name, str(row["messages"]), *sizes, f"{row['seconds']:.0f}"])
    table("Cost", ["method", "messages per round", "MB sent", "MB received", "processor seconds, whole run"], rows)


if __name__ == "__main__":
    there = read()
    for show in (settings, repeated, public_size, rare, partners, cost):
        show(there)

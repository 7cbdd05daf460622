"""The membership audit against the same formulas as one writes them down, record by record, in one run."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
from linkage import peak_memory, seconds
from scipy import stats

from leadapron.attacks.membership import Signals, audit_membership, build_signals, lira, read_signals, rmia
from leadapron.attacks.membership.records import record_risks
from leadapron.attacks.membership.references import gather

MODELS, TARGETS = 200, 10
STUDY, LARGE = 50_000, 400_000
REFERENCES = np.arange(MODELS - TARGETS)
ATTACKED = np.arange(MODELS - TARGETS, MODELS)


def drawn(records: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, pl.DataFrame]:
    """Signals of patients with three records each, every patient in half of the models."""
    rng = np.random.default_rng(seed)
    who = np.arange(records) // 3
    order = np.argsort(rng.random((MODELS, who[-1] + 1), dtype=np.float32), axis=0)
    members = (order < MODELS // 2)[:, who]
    values = rng.standard_normal((MODELS, records), dtype=np.float32)
    values += 2 + 0.3 * members.astype(np.float32)
    return values, members, pl.DataFrame({"record_id": np.arange(records), "patient_id": who})


def loop_lira(values: np.ndarray, members: np.ndarray, records: int) -> None:
    """One target: fit two Gaussians to a record's signals, compare the target's."""
    for record in range(records):
        mask, own = members[REFERENCES, record], values[REFERENCES, record]
        into, out = own[mask], own[~mask]
        stats.norm.logpdf(values[-1, record], into.mean(), into.std() + 1e-30)
        stats.norm.logpdf(values[-1, record], out.mean(), out.std() + 1e-30)


def loop_rmia(values: np.ndarray, members: np.ndarray, records: int, population: int = 500) -> None:
    """One target: the share of 500 records, drawn for each record anew, that it beats."""
    rng = np.random.default_rng(0)
    ratio = np.empty(values.shape[1])
    for record in range(records):
        mask, p = members[REFERENCES, record], 1 / (1 + np.exp(-values[:, record].astype(np.float64)))
        ratio[record] = p[-1] / ((p[REFERENCES][mask].mean() + p[REFERENCES][~mask].mean()) / 2)
    for record in range(records):
        others = rng.choice(len(ratio), population, replace=False)
        (ratio[record] / ratio[others] >= 1).mean()


def sacroml_lira(values: np.ndarray, members: np.ndarray, records: int) -> Callable[[], object] | None:
    """The scoring of the package sacroml, unchanged, where it is installed: one target."""
    try:
        from sacroml.attacks.likelihood_attack import LIRAAttack
    except ImportError:
        return None
    attack = LIRAAttack(n_shadow_models=len(REFERENCES), mode="online-carlini", output_dir=tempfile.mkdtemp())
    own, signal = members[REFERENCES], values[REFERENCES].astype(np.float64)
    into, out = ({at: signal[own[:, at] == side, at].tolist() for at in range(records)} for side in (True, False))
    p = 1 / (1 + np.exp(-values[-1, :records].astype(np.float64)))
    labels = np.ones(records, dtype=np.int64)
    return lambda: attack._compute_scores(labels, np.stack([1 - p, p], axis=1), out, into)  # noqa: SLF001


def attacks(signals: Signals, targets: np.ndarray) -> dict[str, float]:
    """Seconds from signals to scores; what both need is counted for both."""
    shared = min(seconds(lambda: gather(signals, REFERENCES, targets)) for _ in range(3))
    gathered = gather(signals, REFERENCES, targets)
    work = {"LiRA": lira.online, "LiRA offline": lira.offline, "RMIA": rmia.online}
    return {
        name: shared + min(seconds(lambda score=score: score(gathered)) for _ in range(3))
        for name, score in work.items()
    }


def rows() -> list[tuple[str, str]]:
    values, members, table = drawn(STUDY)
    signals = build_signals(values, members, table)
    gather(signals, REFERENCES, ATTACKED)  # compile
    ours, against_one = attacks(signals, ATTACKED), attacks(signals, ATTACKED[-1:])
    some = 1000
    loops = {"LiRA": loop_lira, "RMIA": loop_rmia}
    slow = {name: seconds(lambda loop=loop: loop(values, members, some)) * STUDY / some for name, loop in loops.items()}
    found = [
        (f"{name}, {TARGETS} targets, {len(REFERENCES)} references, {STUDY:,} records", f"{took:.2f} s (0.5 wanted)")
        for name, took in ours.items()
    ]
    found += [
        (
            f"{name} record by record in Python, one target, extrapolated from {some:,} records",
            f"{took:.1f} s, {took / against_one[name]:,.0f} times ours against one target",
        )
        for name, took in slow.items()
    ]
    theirs = sacroml_lira(values, members, 500)
    if theirs is not None:
        took = seconds(theirs) * STUDY / 500
        ratio = took / against_one["LiRA"]
        found.append(
            (
                "LiRA of sacroml, one target, extrapolated from 500 records",
                f"{took:.1f} s, {ratio:,.0f} times ours against one target",
            )
        )
    record_risks(signals)  # compile
    whole = seconds(lambda: audit_membership(signals))
    found.append((f"the whole audit, {MODELS} models x {STUDY:,} records", f"{whole:.0f} s"))
    return [*found, from_disk()]


def from_disk() -> tuple[str, str]:
    """The AUC of every record by both estimators with intervals, of signals that stay in their files."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        values, members, table = drawn(LARGE)
        np.save(folder / "signals.npy", values)
        np.save(folder / "members.npy", members)
        table.write_parquet(folder / "records.parquet")
        del values, members, table
        signals = read_signals(folder)
        took = [0.0]

        def work() -> None:
            took[0] = seconds(lambda: record_risks(signals))

        memory = peak_memory(work)
    return (
        f"AUCs of {LARGE:,} records with intervals, {MODELS} models, signals on disk",
        f"{took[0]:.1f} s (5 wanted), {memory:.2f} GiB held at most (2 wanted)",
    )


if __name__ == "__main__":
    for what, measured in rows():
        print(f"{what}: {measured}")

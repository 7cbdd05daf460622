"""How often intervals hold: audits are drawn whose truth is known, and the intervals that cover it are counted.

``python bench/intervals.py`` prints the tables of docs/intervals.md (a few minutes on one core). Every cell is 1,000
audits; the error of a coverage near 95 % is then 0.7 points.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from identity_data import release_of
from leadapron.attacks.identity import IdentityConfig
from leadapron.attacks.identity.audit import run_attacks
from leadapron.stats import (
    Estimate,
    bootstrap_means,
    share_differences,
    shares,
    smallest_seen,
)

Method = Callable[[np.ndarray, np.ndarray], list[Estimate]]

RUNS, TOGETHER = 1000, 50
PATIENTS = (40, 150, 400, 1000, 5000)
SHARES = (0.001, 0.01, 0.05, 0.2, 0.5)


def sizes_of(rng: np.random.Generator, patients: int) -> np.ndarray:
    """One to ten radiographs, skewed, two and a half on average."""
    return np.minimum(rng.geometric(0.4, patients), 10)


def drawn(rng: np.random.Generator, who: np.ndarray, share: float, alike: float, kind: str) -> np.ndarray:
    """Values of ``TOGETHER`` audits: a record copies its patient's draw with the root of ``alike`` as probability."""
    patients = int(who[-1]) + 1

    def draw(count: int) -> np.ndarray:
        if kind == "0/1":
            return (rng.random((count, TOGETHER)) < share).astype(float)
        return rng.beta(3 * share, 3 * (1 - share), (count, TOGETHER))

    copied = rng.random((len(who), TOGETHER)) < alike**0.5
    return np.where(copied, draw(patients)[who], draw(len(who)))


def coverage(patients: int, share: float, alike: float, kind: str, method: Method = shares) -> dict[str, float]:
    rng = np.random.default_rng([patients, round(1e4 * share), round(10 * alike), len(kind)])
    rows = []
    for _ in range(RUNS // TOGETHER):
        who = np.repeat(np.arange(patients), sizes_of(rng, patients))
        rows += method(drawn(rng, who, share, alike, kind), who)
    low, high, value = (np.array([getattr(row, name) for row in rows]) for name in ("low", "high", "value"))
    return {
        "covers": float(((low <= share) & (share <= high)).mean()),
        "above": float((low > share).mean()),
        "empty": float((high == 0).mean()),
        "width": float((high - low).mean() / (2 * 1.96 * value.std())),
    }


def table_of_shares() -> None:
    print("\nCoverage in percent (least and most over 0/1 and Beta values, records alike by 0, 0.5 and 1), width")
    print("by that of a normal interval that knew the true spread\n")
    print("| share | " + " | ".join(f"{patients:,} patients" for patients in PATIENTS) + " |")
    print("|---|" + "---|" * len(PATIENTS))
    for share in SHARES:
        cells = []
        for patients in PATIENTS:
            found = [coverage(patients, share, alike, kind) for alike in (0.0, 0.5, 1.0) for kind in ("0/1", "beta")]
            covers, widths = ([one[name] for one in found] for name in ("covers", "width"))
            assert not any(one["empty"] for one in found)
            cells.append(f"{100 * min(covers):.1f}–{100 * max(covers):.1f}, ×{min(widths):.1f}–{max(widths):.1f}")
        print(f"| {share:.1%} | " + " | ".join(cells) + " |", flush=True)
    print("\nThe percentile bootstrap beside it (0/1, alike 0.5)\n")
    for patients, share in ((150, 0.01), (400, 0.01), (1000, 0.001)):
        found = coverage(patients, share, 0.5, "0/1", lambda values, who: bootstrap_means(values, who, redraws=400))
        print(f"- {patients} patients, {share:.1%}: covers {found['covers']:.1%}, [0, 0] in {found['empty']:.1%}")


def table_of_null_audits() -> None:
    print("\nNull audits that lie above chance, recall@1 = 1 / pool (nominal 2.5 %)\n")
    for patients in (40, 150, 1000):
        for pool in (10, 100, 1000):
            found = coverage(patients, 1 / pool, 0.5, "0/1")
            print(f"- {patients} patients, pool {pool:,}: {found['above']:.1%}")


def table_of_power() -> None:
    print("\nThe smallest leak that could have been seen, and how often it was (wanted: at least 80 %)\n")
    rng = np.random.default_rng(7)
    for patients, chance, alike in ((150, 0.01, 0.3), (400, 0.001, 0.3), (400, 0.01, 1.0), (1000, 0.001, 0.0)):
        seen, told = 0, []
        for _ in range(RUNS // TOGETHER):
            who = np.repeat(np.arange(patients), sizes_of(rng, patients))
            sizes = np.bincount(who)
            leak = smallest_seen(chance, sizes.sum() ** 2 / (sizes @ sizes))
            told.append(leak)
            seen += sum(row.low > chance for row in shares(drawn(rng, who, leak, alike, "0/1"), who))
        print(
            f"- {patients} patients, chance {chance:.1%}, alike {alike}: {np.mean(told):.2%}, seen in {seen / RUNS:.1%}"
        )


def table_of_differences() -> None:
    print("\nPaired differences: half of the hits are taken away (nominal 95 %)\n")
    for patients, share in ((60, 0.05), (150, 0.02), (400, 0.01), (400, 0.2)):
        rng, covered, runs = np.random.default_rng(patients), 0, 0
        while runs < RUNS:
            who = np.repeat(np.arange(patients), sizes_of(rng, patients))
            before = drawn(rng, who, share, 0.5, "0/1")
            after = before * (rng.random(before.shape) < 0.5)
            found = share_differences(before, after, who)
            covered += sum(one.low <= -share / 2 <= one.high for one in found)
            runs += TOGETHER
        print(f"- {patients} patients, {share:.0%} before: covers {covered / runs:.1%}")


def table_of_identity(runs: int = 200) -> None:
    """AUC, EER and TPR of a simulated clinic; the truth is that of a large one."""
    print(f"\nIdentity, cosine, {runs} audits: coverage of the figures of a clinic of 1,500 patients (nominal 95 %)\n")
    truth = _figures(1500, 999)
    for patients in (60, 150):
        found = [_figures(patients, seed) for seed in range(runs)]
        said = []
        for name, (value, _, _) in truth.items():
            there = [one[name] for one in found if name in one]
            if len(there) == runs:
                said.append(f"{name} {np.mean([low <= value <= high for _, low, high in there]):.1%}")
        print(f"- {patients} patients: " + ", ".join(said), flush=True)


def _figures(patients: int, seed: int) -> dict[str, tuple[float, float, float]]:
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(patients), 1 + np.minimum(rng.geometric(0.5, patients), 5))
    image = rng.normal(size=(patients, 12))[who] + 1.3 * rng.normal(size=(len(who), 12))
    risk = run_attacks(release_of(image, who), IdentityConfig(attackers=("cosine",), redraws=400))
    names = ("auc", "eer", "tpr@fpr=0.01", "tpr@fpr=0.001")
    return {row.metric: (row.value, row.low, row.high) for row in risk.estimates if row.metric in names}


if __name__ == "__main__":
    table_of_shares()
    table_of_null_audits()
    table_of_power()
    table_of_differences()
    table_of_identity()

"""How often intervals hold: audits are drawn whose truth is known, and the intervals that cover it are counted.

``python bench/intervals.py`` prints the tables of docs/intervals.md (ten minutes on one core). Where nothing else is
said a cell is 1,000 audits; the error of a coverage near 95 % is then 0.7 points.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "helpers"))

from identity_data import release_of
from leadapron.attacks.identity import IdentityConfig
from leadapron.attacks.identity.identity_audit import run_attacks
from leadapron.attacks.linkage.selective import Selective, patients_linked
from leadapron.attacks.membership.membership_roc import measure
from leadapron.stats import (
    Estimate,
    bootstrap_means,
    share_differences,
    shares,
    smallest_seen,
)
from leadapron.trials.excess_cut import excess_cut

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


def table_of_differences(guess: float = 0.001) -> None:
    print("\nPaired differences, and what is cut of the excess over guessing (0.1 %), nominal 95 %\n")
    cells = [(60, 0.05, 0.5), (150, 0.02, 0.5), (400, 0.01, 0.5), (400, 0.2, 0.5), (150, 0.2, 0.005)]
    cells += [(150, 0.5, 0.99), (400, 0.3, 0.97), (1000, 0.5, 0.998)]
    for patients, share, kept in cells:
        rng, covered, cut = np.random.default_rng(patients), 0, []
        for _ in range(RUNS // TOGETHER):
            who = np.repeat(np.arange(patients), sizes_of(rng, patients))
            before = drawn(rng, who, share, 0.5, "0/1")
            whole = rng.random((patients, TOGETHER)) < kept
            after = before * (whole[who] if kept > 0.9 else rng.random(before.shape) < kept)
            found = share_differences(before, after, who)
            covered += sum(one.low <= (kept - 1) * share <= one.high for one in found)
            truth = 1 - (kept * share - guess) / (share - guess)
            for at in range(TOGETHER):
                one = excess_cut(before[:, at], after[:, at], who, guess)
                cut += [] if one is None else [one.low <= truth <= one.high]
        lost = f"{1 - kept:.1%} of the {'patients lose theirs' if kept > 0.9 else 'hits lost'}"
        said = f"difference {covered / RUNS:.1%}, cut {np.mean(cut):.1%} of the {len(cut)} told"
        print(f"- {patients} patients, {share:.0%} before, {lost}: {said}", flush=True)


def table_of_selective(runs: int = 300) -> None:
    print(f"\nPatients linked at 90 % precision, the threshold set on the same answers, {runs} audits (nominal 95 %)\n")
    curves: dict[str, Callable[[np.ndarray], np.ndarray]] = {
        "precision falls slowly": lambda margin: 1 / (1 + np.exp(5 - 2.2 * margin)),
        "precision stays at 90.5 % and then drops": lambda margin: np.where(margin > 2, 0.905, 0.02),
        "hardly anybody is linked": lambda margin: 1 / (1 + np.exp(9 - 2 * margin)),
    }
    for name, right in curves.items():
        rng = np.random.default_rng(3)

        def audit(patients: int, rng: np.random.Generator = rng, right: Callable[..., np.ndarray] = right) -> Selective:
            who = np.repeat(np.arange(patients), sizes_of(rng, patients))
            margin = 0.6 * rng.exponential(size=patients)[who] + 0.6 * rng.exponential(size=len(who))
            return patients_linked((rng.random(len(who)) < right(margin)).astype(float), margin, who)

        truth = audit(200_000).share
        covers = []
        for patients in (40, 150, 600):
            found = [audit(patients) for _ in range(runs)]
            covers.append(f"{patients} patients {np.mean([one.low <= truth <= one.high for one in found]):.1%}")
        print(f"- {name} ({truth:.2%} linked): " + ", ".join(covers), flush=True)


def table_of_identity(runs: int = 200) -> None:
    """AUC, EER and TPR of a simulated clinic; the truth is that of a large one."""
    print(f"\nIdentity, cosine, {runs} audits: coverage of the figures of clinics of 1,500 patients (nominal 95 %)\n")
    for noise in (30.0, 1.3, 0.5, 0.3):
        large = [_figures(1500, noise, 10**6 + seed) for seed in range(6)]
        for patients in (40, 150):
            found = [_figures(patients, noise, seed) for seed in range(runs)]
            said = []
            for name in large[0]:
                value = np.mean([one[name][0] for one in large])
                there = [one[name] for one in found if name in one]
                if len(there) == runs:
                    covers = np.mean([low <= value <= high for _, low, high in there])
                    said.append(f"{name} {value:.3f} {covers:.1%}")
            print(f"- {patients} patients: " + ", ".join(said), flush=True)


def _figures(patients: int, noise: float, seed: int) -> dict[str, tuple[float, float, float]]:
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(patients), 1 + np.minimum(rng.geometric(0.5, patients), 5))
    image = rng.normal(size=(patients, 12))[who] + noise * rng.normal(size=(len(who), 12))
    risk = run_attacks(release_of(image, who), IdentityConfig(attackers=("cosine",)))
    names = ("auc", "eer", "tpr@fpr=0.01", "tpr@fpr=0.001")
    return {row.metric: (row.value, row.low, row.high) for row in risk.estimates if row.metric in names}


def table_of_membership(runs: int = 300) -> None:
    """Signals of members are higher by ``shift``; a patient's records go together."""
    print(f"\nMembership, {runs} audits: coverage of the figures of 20,000 patients (nominal 95 %)\n")
    for shift in (0.0, 1.0, 2.5, 4.0):
        rng = np.random.default_rng(5)
        truth = {figure.metric: figure.estimate.value for figure in measure(*_signals(rng, 20_000, 8, shift))[0]}
        for patients, models in ((40, 1), (150, 1), (600, 1), (40, 8), (150, 8)):
            found = [measure(*_signals(rng, patients, models, shift))[0] for _ in range(runs)]
            covers: dict[str, list[bool]] = {}
            for figure in (figure for one in found for figure in one):
                held = figure.estimate.low <= truth[figure.metric] <= figure.estimate.high
                covers.setdefault(figure.metric, []).append(held)
            said = ", ".join(f"{name} {truth[name]:.3f} {np.mean(held):.1%}" for name, held in covers.items())
            print(f"- {patients} patients, {models} model{'s' * (models > 1)}: {said}", flush=True)


def _signals(
    rng: np.random.Generator, patients: int, models: int, shift: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    who = np.repeat(np.arange(patients), sizes_of(rng, patients))
    truth = (rng.permuted(np.tile(np.arange(patients) % 2 == 0, (models, 1)), axis=1)).T[who]
    noise = rng.normal(size=(patients, models))[who] + rng.normal(size=truth.shape)
    return 0.7 * noise + shift * truth, truth, who


if __name__ == "__main__":
    table_of_shares()
    table_of_null_audits()
    table_of_power()
    table_of_differences()
    table_of_selective()
    table_of_identity()
    table_of_membership()

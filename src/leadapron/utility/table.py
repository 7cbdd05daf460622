"""The numbers for people: a short table, in which small cells are withheld."""

from __future__ import annotations

from collections.abc import Sequence

from leadapron.utility.comparison import UtilityChange
from leadapron.utility.judge import PROBE_METRICS, RETRIEVED, ZERO_SHOT
from leadapron.utility.utility import Utility, UtilityEstimate

SMALLEST_CELL = 10
"""Figures of fewer patients with a finding, or without it, are not shown."""


def withheld_labels(estimates: Sequence[UtilityEstimate | UtilityChange]) -> set[str]:
    """The labels with a small cell. Where there is but one, the next smallest goes with it.

    Otherwise the mean over all labels, less those that are shown, would give the one away.
    """
    sizes = {
        one.label: one.smallest_class for one in estimates if one.label is not None and one.smallest_class is not None
    }
    small = {label for label, size in sizes.items() if size < SMALLEST_CELL}
    if len(small) == 1:
        others = sorted((size, label) for label, size in sizes.items() if label not in small)
        small |= {label for _, label in others[:1]}
    return small


def as_table(utility: Utility) -> str:
    """The means with their intervals, the area of every label, and how the checks ended. In percent."""
    estimates = utility.estimates
    means = [one for one in estimates if one.label is None]
    lines = [f"{'on the test split, in percent':<32}{'value':>8}   {'95 % interval':<16}{'chance':>8}"]
    lines += [f"{_mean_name(one.metric):<32}{_figures(one)}" for one in means]
    hidden = withheld_labels(estimates)
    areas = {one.label: one for one in estimates if one.metric == "auroc" and one.label}
    words = {one.label: one for one in estimates if one.metric == ZERO_SHOT and one.label}
    lines += ["", f"{'AUROC by label':<32}{'probe':>8}   {'95 % interval':<16}{'zero-shot':>10}"]
    for label in dict.fromkeys([*areas, *words]):
        name = label.replace("_", " ")
        if label in hidden:
            lines.append(f"{name:<32}{'withheld':>8}")
            continue
        probe = f"{100 * areas[label].value:>8.2f}   {_interval(areas[label]):<16}" if label in areas else " " * 27
        asked = f"{100 * words[label].value:>10.2f}" if label in words else ""
        lines.append(f"{name:<32}{probe}{asked}".rstrip())
    lines += ["", _basis(utility), ""]
    lines += [f"{outcome.outcome:>8}  {outcome.check}: {outcome.reason}" for outcome in utility.outcomes]
    if hidden:
        lines.append(f"Withheld: fewer than {SMALLEST_CELL} patients with it or without it, or it would give one away.")
    return "\n".join(lines)


def _basis(utility: Utility) -> str:
    counts = utility.facts["counts"]
    assert isinstance(counts, dict)
    records, patients = (
        f"fewer than {SMALLEST_CELL}" if counts[name] < SMALLEST_CELL else f"{counts[name]:,}"
        for name in ("test_records", "test_patients")
    )
    whose = f" of {patients} patients" if utility.facts.get("patients_named", True) else ""
    return f"This rests on {records} records{whose} (split test)."


def _mean_name(metric: str) -> str:
    averaged = metric in (*PROBE_METRICS, ZERO_SHOT)
    return f"mean {metric}" if averaged else metric.replace(RETRIEVED, "label retrieval:")


def _figures(one: UtilityEstimate) -> str:
    return f"{100 * one.value:>8.2f}   {_interval(one):<16}{100 * one.chance:>8.2f}"


def _interval(one: UtilityEstimate) -> str:
    return f"{100 * one.low:.2f} – {100 * one.high:.2f}"

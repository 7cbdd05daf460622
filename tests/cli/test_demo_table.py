"""What the demo prints: one attacker in every cell, each number with its interval, noise marked as noise."""

from __future__ import annotations

from leadapron.cli.demo_command import overview
from leadapron.pages.terminal_text import in_columns
from leadapron.results import Findings, Measured, Spot


def row(attacker, value, low, high):
    where = {"direction": "image-to-report", "protocol": "random", "pool": 100}
    numbers = {"value": value, "low": low, "high": high, "sd": 0.0, "chance": 0.01, "n": 100}
    return Measured(metric="recall@1", attacker=attacker, **where, **numbers)


def found(*rows):
    first = rows[0]
    spot = Spot(metric=first.metric, attacker=first.attacker, **first.at)
    return Findings(audit="linkage", headline=spot, estimates=rows)


def test_the_best_of_several_attackers_is_not_picked_and_noise_is_marked():
    noise = found(row("cosine", 0.011, 0.005, 0.02), row("csls", 0.019, 0.01, 0.03))
    leak = found(row("csls", 0.4, 0.3, 0.5), row("cosine", 0.3, 0.25, 0.35))
    _, silent, loud, guessing = in_columns(overview({"silent": noise, "loud": leak})).splitlines()
    assert silent.split(maxsplit=1) == ["silent", "~1.10% (0.50–2.00)"]
    assert loud.split(maxsplit=1) == ["loud", "30.00% (25.00–35.00)"]
    assert guessing.split() == ["guessing", "1.00%"]

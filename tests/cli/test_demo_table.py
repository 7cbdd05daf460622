"""What the demo prints: one attacker in every cell, each number with its interval, noise marked as noise."""

from __future__ import annotations

from pathlib import Path

from leadapron.cli.demo_command import table
from leadapron.report import Results


def row(attacker, value, low, high, protocol="random"):
    return {"attacker": attacker, "metric": "recall@1", "direction": "image-to-report", "group": None, "pool": 100,
            "protocol": protocol, "value": value, "low": low, "high": high, "chance": 0.01}  # fmt: skip


def test_the_best_of_several_attackers_is_not_picked_and_noise_is_marked():
    noise = Results({"estimates": [row("cosine", 0.011, 0.005, 0.02), row("csls", 0.019, 0.01, 0.03)]}, Path())
    leak = Results({"estimates": [row("csls", 0.4, 0.3, 0.5), row("cosine", 0.3, 0.25, 0.35)]}, Path())
    _, silent, loud, guessing, _ = table({"silent": noise, "loud": leak}).splitlines()
    assert silent.split(maxsplit=1) == ["silent", "~1.10% (0.50–2.00)"]
    assert loud.split(maxsplit=1) == ["loud", "30.00% (25.00–35.00)"]
    assert guessing.split() == ["guessing", "1.00%"]

"""What people read for a direction, a measure and a pool."""

from __future__ import annotations

from leadapron.compare.changes import Change
from leadapron.compare.comparison import PairedChange
from leadapron.report.identity.words import GALLERIES, PAIRS
from leadapron.report.identity.words import metric_name as identity_metric
from leadapron.report.linkage.words import METRIC_NAMES, NOUNS
from leadapron.report.membership.names import PROTOCOLS
from leadapron.report.membership.names import metric_name as membership_metric
from leadapron.report.words import ARROWS

RANDOM, MATCHED = "at random", "with matching findings"


def direction_name(direction: str) -> str:
    return ARROWS[direction]


def place_name(change: Change | PairedChange) -> str:
    return f"{measure_name(change)}, {pool_name(change)}"


def measure_name(change: Change | PairedChange) -> str:
    """Right report first, right report among the first 5."""
    if change.direction in NOUNS:
        sought = f"Right {NOUNS[change.direction][1].removesuffix('s')}"
        if change.metric == "recall@1":
            return f"{sought} first"
        if change.metric.startswith("recall@"):
            return f"{sought} among the first {change.metric.partition('@')[2]}"
        return METRIC_NAMES[change.metric]
    named = membership_metric if change.protocol in PROTOCOLS else identity_metric
    return named(change.metric)


def pool_name(change: Change | PairedChange) -> str:
    """Among 388 at random, among 50 with matching findings."""
    if change.protocol in PROTOCOLS:
        return f"{PROTOCOLS[change.protocol]}, {change.pool:,} models"
    if change.direction in NOUNS:
        return f"among {change.pool:,} {MATCHED if change.protocol == 'hard' else RANDOM}"
    return f"among {change.pool:,} images, {({**PAIRS, **GALLERIES}).get(change.protocol, change.protocol)}"

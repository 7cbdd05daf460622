"""Which groups a page shows: by their numbers, none that is small, and none that gives a small one away."""

from __future__ import annotations

import pytest

from leadapron.results.selection import groups
from sample_results import GROUPS, estimate, sample_risk

SPOT = {"direction": "image-to-report", "attacker": "csls", "pool": 1000}


def found(**sizes):
    """An audit of a hundred, and so many of each group."""
    rows = [estimate(0.03, 0.001, 100, **SPOT)]
    rows += [estimate(0.03, 0.001, n, **SPOT, group=name) for name, n in sizes.items()]
    return sample_risk().updated(estimates=tuple(rows))


def test_levels_stand_in_the_order_of_their_numbers():
    shown = groups(found(**{"age=100-109": 20, "age=20-29": 20, "age=3-9": 20}))
    assert [group.level for group in shown] == ["3-9", "20-29", "100-109"]


def test_results_that_tell_of_small_groups_are_shown_without_them_and_those_that_would_give_them_away():
    shown = {f"{group.attribute}={group.level}" for group in groups(sample_risk())}
    # race: 6 others could be had by subtraction from the whole, so the next smallest group goes, too
    assert set(GROUPS) - shown == {"race=Other", "race=Asian", "label_fracture=1"}


@pytest.mark.parametrize(
    ("sizes", "withheld"),
    [((50, 50), set()), ((95, 5), {0, 1}), ((9, 91), {0, 1}), ((10, 90), set()), ((50, 42, 8), {1, 2}),
     ((93,), {0}), ((90,), set()), ((60, 30, 5, 5), {2, 3})],
)  # fmt: skip
def test_what_is_shown_leaves_no_small_rest(sizes, withheld):
    shown = groups(found(**{f"a={at}": n for at, n in enumerate(sizes)}))
    assert set(range(len(sizes))) - {int(group.level) for group in shown} == withheld

"""From what is said to numbers: odds for what is not said, and throws that follow them."""

from __future__ import annotations

import numpy as np

from leadapron.generation.conditions import PLACED, ZONES, design, expected, learn_odds, owners, thrown
from leadapron.reports.prompt_reading import Reading, Said, read_prompt
from tiny_generators import tiny_prompts

EFFUSION = PLACED.index("Pleural Effusion")


def readings():
    return [read_prompt(prompt) for prompt in tiny_prompts()]


def test_throws_are_on_average_what_is_expected():
    odds = learn_odds(readings())
    one = Reading(present={"Pleural Effusion": Said(), "Support Devices": Said()})
    mean = expected([one], odds)
    throws = thrown([one] * 4000, odds, np.random.default_rng(0))
    for name in ("right", "left", "zone", "grade"):
        of_all = getattr(throws, name)[:, EFFUSION].mean(axis=0)
        assert np.allclose(of_all, getattr(mean, name)[0, EFFUSION], atol=0.04), name
    assert abs(throws.ap.mean() - mean.ap[0]) < 0.04


def test_what_is_said_is_never_thrown():
    odds = learn_odds(readings())
    said = Reading(present={"Pleural Effusion": Said("left", "upper", 3)}, view="PA")
    throws = thrown([said] * 50, odds, np.random.default_rng(0))
    assert (throws.left[:, EFFUSION] == 1).all()
    assert (throws.right[:, EFFUSION] == 0).all()
    assert (throws.zone[:, EFFUSION, ZONES.index("upper")] == 1).all()
    assert (throws.grade[:, EFFUSION] == 1).all()
    assert (throws.ap == 0).all()


def test_a_row_does_not_change_what_is_thrown_for_another():
    odds, some = learn_odds(readings()), readings()[:20]
    all_of_them = thrown(some, odds, np.random.default_rng(3))
    others = thrown([*some[:10], Reading(), *some[11:]], odds, np.random.default_rng(3))
    keep = [row for row in range(20) if row != 10]
    assert np.array_equal(design(all_of_them)[keep], design(others)[keep])


def test_every_column_of_the_design_has_an_owner():
    conditions = expected(readings(), learn_odds(readings()))
    columns = design(conditions)
    assert columns.shape[1] == len(owners())
    one = design(expected([Reading(present={"Pneumothorax": Said("left", "mid", 3)})], learn_odds(readings())))
    none = design(expected([Reading(absent=frozenset({"Pneumothorax"}))], learn_odds(readings())))
    changed = {owners()[column] for column in np.flatnonzero(one != none)[0:] % columns.shape[1]}
    assert changed == {("Pneumothorax", "left")}


def test_without_anything_said_all_sides_are_as_likely():
    odds = learn_odds([Reading(present={"Edema": Said()})] * 30)
    assert np.allclose(odds.side, 1 / 3)
    assert np.allclose(odds.zone, 1 / 3)

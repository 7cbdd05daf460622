"""What is sought is found where it is, and what is not there is not; every fast path beside a slow one."""

from __future__ import annotations

import numpy as np
import pytest

from attribute_data import attribute_release
from leadapron.attacks.attributes.attribute_attack import Said, by_patient
from leadapron.attacks.attributes.attribute_columns import Attribute
from leadapron.attacks.attributes.attribute_probes import (
    BASELINE,
    CHOSEN,
    CURVED,
    LINEAR,
    Sides,
    chances_of_kinds,
    evened,
    make_sides,
    what_they_see,
)
from leadapron.attacks.attributes.attribute_task import build_task
from leadapron.attacks.attributes.attributes_controls import deal_anew
from leadapron.release import Release

BANDS = (40, 60, 80)


def share(said: Said) -> float:
    rows = said.sides.attacked
    return float(np.average(said.told_right(rows), weights=said.sides.weights(rows, said.attribute)))


def attack(release, *names):
    task = build_task(release, names, BANDS, 0)
    found = task.attack()
    return {key: share(said) for key, said in found.said.items()}, found


def test_what_stands_in_the_vectors_is_told_and_what_does_not_is_not():
    told, _ = attack(attribute_release(leak=4.0), "sex", "race")
    assert told["sex", CHOSEN] > 0.95
    assert told["sex", BASELINE] == pytest.approx(0.5, abs=0.08)
    assert told["race", CHOSEN] == pytest.approx(0.5, abs=0.08)


def test_a_rule_that_is_not_straight_is_found_by_the_curved_attacker_alone():
    release = attribute_release(patients=600, width=2, leak=0.0)
    far = np.square(release.image).sum(axis=1) > 1.4
    records = release.records.with_columns(sex=np.where(far, "F", "M"))
    told, found = attack(Release(records, release.arrays), "sex")
    assert told["sex", LINEAR] < 0.6
    assert told["sex", CURVED] > 0.85
    assert found.choice["sex"] == CURVED


def test_what_a_finding_tells_is_no_gain():
    release = attribute_release(leak=0.0)
    records = release.records.with_columns(label_edema=(release.records["sex"] == "F").cast(int))
    told, _ = attack(Release(records, release.arrays), "sex")
    assert told["sex", BASELINE] == told["sex", CHOSEN] == 1.0


def test_the_view_is_not_told_by_the_view():
    told, _ = attack(attribute_release(), "view", "sex")
    assert told["view", BASELINE] < 0.65


def test_a_release_without_findings_and_view_is_guessed_blindly():
    release = attribute_release(leak=4.0)
    bare = Release(release.records.drop("label_edema", "view"), release.arrays)
    told, _ = attack(bare, "sex", "age")
    assert told["sex", BASELINE] == pytest.approx(0.5)
    assert told["age", BASELINE] == pytest.approx(0.25)
    assert told["sex", CHOSEN] > 0.95


def test_logistic_regression_is_that_of_plain_gradients():
    """The whole fast path, folds and strengths and all, beside gradient descent on each of them."""
    release = attribute_release(patients=80, width=3, leak=1.0)
    task = build_task(release, ("sex",), BANDS, 0)
    sides, sex = task.sides, task.attributes[0]
    seen = what_they_see(task.vectors, task.findings, sides, 0)[LINEAR]
    fast = chances_of_kinds(seen, [sex], sides, 0)["sex"]

    def fitted(rows, strength):
        mean, sd = seen[rows].mean(axis=0), seen[rows].std(axis=0)
        scale = np.where(sd > 1e-9, 1 / np.where(sd > 1e-9, sd, 1), 0)
        inputs, truth = (seen - mean) * scale, sex.kind == 1
        weights, intercept = np.zeros(inputs.shape[1]), 0.0
        for _ in range(4_000):
            wrong = 1 / (1 + np.exp(-inputs[rows] @ weights - intercept)) - truth[rows]
            weights = weights - 0.4 * (inputs[rows].T @ wrong / len(rows) + strength * weights)
            intercept -= 0.4 * wrong.mean()
        return 1 / (1 + np.exp(-inputs @ weights - intercept))

    slow = [fitted(sides.others, strength) for strength in (1e-2, 1e-1, 1.0)]
    apart = [np.abs(one - fast[:, 1])[sides.attacked].max() for one in slow]
    assert min(apart) < 1e-4


def test_groups_and_patients_count_alike():
    kind = np.array([0, 0, 0, 0, 0, 1, 1, -1])
    patient = np.array([0, 0, 0, 1, 2, 3, 3, 4])
    sides = Sides(patient, np.arange(8), np.arange(8))
    weights = sides.weights(np.arange(8), Attribute("sex", ("F", "M"), kind))
    np.testing.assert_allclose(weights, [2 / 9, 2 / 9, 2 / 9, 2 / 3, 2 / 3, 1, 1, 0])
    natural = by_patient(np.arange(8), Attribute("sex", ("F", "M"), kind), sides)
    np.testing.assert_allclose(natural, [1 / 3, 1 / 3, 1 / 3, 1, 1, 1 / 2, 1 / 2, 0])


def test_a_group_of_any_size_is_named_where_it_is_likelier_than_it_is_common():
    kind = np.array([0] * 9 + [1])
    sides = Sides(np.arange(10), np.arange(10), np.arange(10))
    even = evened(np.array([[0.85, 0.15]]), Attribute("sex", ("F", "M"), kind), sides)
    np.testing.assert_allclose(even, np.array([[0.85 / 0.9, 0.15 / 0.1]]) / (0.85 / 0.9 + 0.15 / 0.1))


@pytest.mark.parametrize("seed", range(4))
def test_the_threshold_of_certainty_beside_a_slow_search(seed):
    rng = np.random.default_rng(seed)
    patients, images = 300, 2
    patient = np.repeat(np.arange(patients), images)
    kind = np.repeat(rng.integers(0, 2, patients), images)
    chances = rng.uniform(0.5, 1, len(kind)).round(2)  # with ties
    right = rng.random(len(kind)) < np.where(chances > 0.7, 1 - (seed == 3) / 50, 0.7)
    answer = np.where(right, kind, 1 - kind)
    table = np.stack([np.where(answer == 0, chances, 1 - chances), np.where(answer == 1, chances, 1 - chances)], axis=1)
    others = np.flatnonzero(patient >= 60)
    sides = Sides(patient, np.flatnonzero(patient < 60), others)
    said = Said(Attribute("sex", ("F", "M"), kind), sides, table)
    best = np.inf
    for least in sorted(set(table.max(axis=1)[others]), reverse=True):
        given = [row for row in others if table[row].max() >= least]
        wrong = sum(1 / images for row in given if table[row].argmax() != kind[row])
        if (wrong + 1) / (len(given) / images + 1) <= 0.01 + 1e-9:
            best = least
    np.testing.assert_array_equal(said.surely(0.99), table.max(axis=1)[sides.attacked] >= best)
    assert said.surely(0.99).any() == (seed != 3)


def test_attributes_that_are_dealt_anew_stay_as_common_and_whole():
    release = attribute_release()
    task = build_task(release, ("sex",), BANDS, 0)
    dealt = deal_anew(task.attributes[0], task.sides, 0)
    for rows in (task.sides.attacked, task.sides.others):
        np.testing.assert_array_equal(np.bincount(dealt.kind[rows]), np.bincount(task.attributes[0].kind[rows]))
    assert not np.array_equal(dealt.kind, task.attributes[0].kind)
    for one in np.unique(task.sides.patient):
        assert len(set(dealt.kind[task.sides.patient == one])) == 1


def test_of_very_many_others_whole_patients_are_learnt_from(monkeypatch):
    from leadapron.attacks.attributes import attribute_probes

    monkeypatch.setattr(attribute_probes, "MOST_LEARNT", 100)
    patient = np.repeat(np.arange(200), 2)
    sides = make_sides(patient, patient < 20, 0)
    assert len(sides.others) == 100
    assert len(np.unique(patient[sides.others])) == 50
    assert not set(patient[sides.others]) & set(range(20))

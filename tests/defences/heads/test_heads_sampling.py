"""Who is drawn: whole patients by independent coins, one of their records each, nobody outside of split 'train'."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from leadapron.defences.heads.plan import count_patients, units_of
from leadapron.errors import DataError
from leadapron.privacy.poisson_sampling import Units, poisson, shuffled_batches
from leadapron.privacy.secret_noise import SecureNoise, SeededNoise
from leadapron.release import Release
from tiny_heads import tiny_release

UNITS = Units("patient", np.arange(100, 160), np.array([0, 1, 3, 10, 30, 60]))  # 1, 2, 7, 20 and 30 records


def owners(units, rows):
    return np.searchsorted(units.starts, np.searchsorted(units.rows, rows), side="right") - 1


def test_units_are_the_training_patients_with_all_their_records():
    release = tiny_release()
    units = units_of(release, "patient")
    train = release.records.with_row_index("row").filter(release.records["split"] == "train")
    expected = {frozenset(rows["row"]) for _, rows in train.group_by("patient_id")}
    found = {frozenset(units.rows[a:b]) for a, b in zip(units.starts[:-1], units.starts[1:], strict=True)}
    assert found == expected
    assert len(units) == train["patient_id"].n_unique() == count_patients(release, units.rows)
    records = units_of(release, "record")
    assert (len(records), records.name) == (len(train), "record")
    assert set(records.rows) == set(train["row"])


@pytest.mark.parametrize("noise", [SeededNoise(1), SecureNoise(bytes(32))], ids=["seeded", "secure"])
def test_every_patient_is_drawn_at_the_rate_and_every_record_of_theirs_alike(noise):
    draws = [poisson(UNITS, 0.3, 1, noise) for _ in range(4000)]
    for drawn in draws[:200]:
        who = owners(UNITS, drawn.rows)
        assert len(set(who)) == len(who)  # one record a patient
        assert drawn.weights is None
    counts = np.bincount(np.concatenate([drawn.rows for drawn in draws]) - 100, minlength=60)
    for start, end in zip(UNITS.starts[:-1], UNITS.starts[1:], strict=True):
        taken = counts[start:end].sum()
        assert stats.binomtest(int(taken), 4000, 0.3).pvalue > 1e-4
        if end - start > 1:
            assert stats.chisquare(counts[start:end]).pvalue > 1e-4
    sizes = np.bincount([len(drawn.rows) for drawn in draws], minlength=6)
    assert stats.chisquare(sizes, 4000 * stats.binom(5, 0.3).pmf(np.arange(6))).pvalue > 1e-4  # coins of their own


def test_several_records_of_a_patient_are_a_draw_without_repeats():
    noise = SeededNoise(2)
    seen = np.zeros(60)
    for _ in range(2000):
        drawn = poisson(UNITS, 0.5, 3, noise)
        rows, weights = drawn.rows.reshape(-1, 3), drawn.weights.reshape(-1, 3)
        for mine, share in zip(rows, weights, strict=True):
            real = mine[share > 0]
            unit = owners(UNITS, mine)
            assert len(set(unit)) == 1  # those that fill up are of the same patient, too
            size = UNITS.starts[unit[0] + 1] - UNITS.starts[unit[0]]
            assert len(set(real)) == len(real) == min(3, size)
            assert share.sum() == pytest.approx(1)
            seen[real - 100] += 1
    assert stats.chisquare(seen[10:30]).pvalue > 1e-4
    assert seen[0] == pytest.approx(1000, abs=120)


def test_nobody_drawn_is_a_draw():
    drawn = poisson(UNITS, 0.0, 1, SeededNoise(0))
    assert len(drawn.rows) == 0
    assert len(poisson(UNITS, 0.0, 4, SeededNoise(0)).rows) == 0
    assert set(owners(UNITS, poisson(UNITS, 1.0, 1, SeededNoise(0)).rows)) == set(range(5))


def test_ordinary_epochs_meet_everybody_once():
    units = Units("record", np.arange(50, 73), np.arange(24))
    noise = SeededNoise(0)
    epochs = [np.concatenate([drawn.rows for drawn in shuffled_batches(units, 5, noise)]) for _ in range(2)]
    for epoch in epochs:
        assert len(epoch) == 20
        assert len(set(epoch)) == 20
        assert set(epoch) <= set(range(50, 73))
    assert (epochs[0] != epochs[1]).any()


@pytest.mark.parametrize(
    ("drop", "level", "words"),
    [("split", "patient", "column 'split'"), ("patient_id", "patient", "--level record")],
)
def test_a_release_that_does_not_say_whose_records_they_are(drop, level, words):
    release = tiny_release()
    poorer = Release(release.records.drop(drop), release.arrays)
    with pytest.raises(DataError, match=words):
        units_of(poorer, level)


def test_a_release_without_training_records_is_refused():
    with pytest.raises(DataError, match="no record has split 'train'"):
        units_of(tiny_release().of_split("test"), "patient")

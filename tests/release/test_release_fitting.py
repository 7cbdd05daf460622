"""What of a release was fitted on whom: written down, kept in the house, and read back."""

from __future__ import annotations

import json
import stat
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from command_line import everything_in
from leadapron.errors import DataError
from leadapron.release import Release, read_folder, write_release
from leadapron.release.beside import patients_beside
from leadapron.release.fitting import (
    ELSEWHERE,
    HERE,
    OTHER,
    Fitting,
    fitted_splits,
    fitted_to,
    grouped,
    unseen_splits,
    why_not_private,
)
from leadapron.release.patient_sets import patient_set, read_sets

RECORDS = pl.DataFrame(
    {
        "record_id": [f"r{row}" for row in range(8)],
        "patient_id": [f"secret-{row // 2}" for row in range(8)],
        "split": ["train"] * 4 + ["validate"] * 2 + ["test"] * 2,
    }
)
TRAIN = RECORDS.filter(pl.col("split") == "train")


def release(*fittings, records=RECORDS, card=None):
    image = np.random.default_rng(0).standard_normal((len(records), 3)).astype(np.float32)
    return Release(records, {"image": image}, card or {}, fitted=fittings)


def test_whom_it_was_fitted_on_lies_beside_the_release_and_tells_nobody(tmp_path):
    out = tmp_path / "out"
    whole = release(Fitting("encoder", "public", ELSEWHERE), fitted_to("alignment", "by hand", TRAIN, RECORDS))
    write_release(whole, out)
    file = patients_beside(out)
    written = {"out/.leadapron", "out/image.npy", "out/records.parquet", "out/release.json"}
    assert everything_in(tmp_path) == {"out", file.name, *written}
    assert file.name == "out.patients-not-for-release.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    card = (out / "release.json").read_text()
    assert "secret" not in file.read_text() + card
    (one,) = json.loads(file.read_text())["sets"].values()
    assert not any(code in card for code in (one["key"], *one["hashes"]))
    again = read_folder(out, verify=True)
    assert again.fitted == whole.fitted
    assert "fitted_on" not in again.card  # it is said in one place
    assert again.fitted[1].patients.among(["secret-0", "secret-3", "nobody"]) == ["secret-0"]


def test_two_sets_of_the_same_patients_cannot_be_told_to_be():
    one, other = (patient_set(["a", "b"]) for _ in range(2))
    assert one.id != other.id
    assert not one.hashes & other.hashes


def test_a_set_that_was_changed_is_refused_and_a_missing_one_is_missed(tmp_path):
    write_release(release(grouped("groups", RECORDS)), tmp_path / "out")
    file = patients_beside(tmp_path / "out")
    content = json.loads(file.read_text())
    next(iter(content["sets"].values()))["hashes"].pop()
    file.write_text(json.dumps(content))
    with pytest.raises(DataError, match="not the one that was written"):
        read_folder(tmp_path / "out")
    file.write_text("[]")
    with pytest.raises(DataError, match="not the patient sets"):
        read_folder(tmp_path / "out")
    file.unlink()
    found = read_folder(tmp_path / "out").fitted
    assert found[0].patients.hashes is None
    assert "bring the file that ends in .patients-not-for-release.json" in why_not_private(found, RECORDS)


def test_the_file_follows_what_is_written(tmp_path):
    out = tmp_path / "out"
    first, second = (release(fitted_to("alignment", name, TRAIN, RECORDS)) for name in ("a", "b"))
    write_release(first, out)
    write_release(second, out, overwrite=True)
    assert set(read_sets(out)) == {second.fitted[0].patients.id}
    out.rename(tmp_path / "moved")  # without its file, which a new release of the old name must not take away
    write_release(first, out)
    assert set(read_sets(out)) == {first.fitted[0].patients.id, second.fitted[0].patients.id}
    write_release(release(), out, overwrite=True)
    assert not patients_beside(out).exists()


def test_splits_are_those_of_the_patients_and_not_of_the_rows():
    """A patient of two splits was seen in both, and one of another release may be met in any."""
    torn = RECORDS.with_columns(pl.Series("patient_id", ["a", "a", "b", "b", "b", "c", "d", "d"]))
    seen = torn.filter(pl.col("split") == "train")
    assert fitted_to("alignment", "x", seen, torn).splits == ("train", "validate")
    test = RECORDS.filter(pl.col("split") == "test").with_columns(split=pl.lit("train"))
    assert fitted_to("defence", "x", test, RECORDS, on=OTHER).splits == ("test",)
    nameless = RECORDS.drop("patient_id")
    assert fitted_to("alignment", "x", TRAIN.drop("patient_id"), nameless).splits == ("train",)
    assert fitted_to("alignment", "x", TRAIN, nameless, on=OTHER).splits == ()
    brought = fitted_to("defence", "x", TRAIN, RECORDS).for_release(RECORDS.with_columns(split=pl.lit("test")))
    assert (brought.on, brought.splits) == (OTHER, ("test",))
    assert Fitting("encoder", "x", ELSEWHERE).for_release(RECORDS).on == ELSEWHERE


def test_what_nobody_saw_is_what_is_left():
    whole = release(fitted_to("alignment", "x", TRAIN, RECORDS), grouped("groups", RECORDS))
    assert (fitted_splits(whole), unseen_splits(whole)) == (("train",), ("test", "validate"))
    unseen = whole.of_splits(unseen_splits(whole))
    assert unseen.records["split"].to_list() == ["validate"] * 2 + ["test"] * 2
    np.testing.assert_array_equal(unseen.image, whole.image[4:])
    assert unseen_splits(release()) == ("test", "train", "validate")
    assert unseen_splits(release(records=RECORDS.drop("split"))) == ()
    with pytest.raises(DataError, match="no record is of this split; got 'other'"):
        whole.of_splits(["test", "other"])


def test_a_promise_needs_patients_whom_nothing_was_fitted_on():
    test = RECORDS.filter(pl.col("split") == "test")
    on_train = fitted_to("alignment", "x", TRAIN, RECORDS)
    assert why_not_private([Fitting("encoder", "public", ELSEWHERE), on_train], test) is None
    assert "the alignment (x) was fitted on these very patients" in why_not_private([on_train], RECORDS)
    assert why_not_private([on_train], test.drop("patient_id")) is not None
    assert why_not_private([replace(on_train, patients=None)], test) is not None
    assert (
        why_not_private([grouped("groups", RECORDS)], test) is not None
    )  # grouped with these, though not learned from


OLDER = {
    "nothing": ({"alignment": "the encoder's own heads"}, []),
    "aligned": (
        {"alignment": "canonical correlation fitted on 9 pairs of 4 training patients"},
        [("alignment", HERE, ("train",))],
    ),
    "network": (
        {"cohort": "a", "encoder": {"name": "identity network", "trained_on": {"cohort": "a"}}},
        [("encoder", HERE, ("train",))],
    ),
    "network of another": (
        {"cohort": "b", "encoder": {"name": "identity network", "trained_on": {"cohort": "a"}}},
        [("encoder", OTHER, ())],
    ),
    "heads": ({"defence": {"method": "private", "trained": {"steps": 3}}}, [("defence", HERE, ("train",))]),
    "noise": ({"defence": {"method": "noise_only", "trained": {"steps": 3}}}, []),
    "brought": (
        {"defence": {"method": "private", "trained": {"steps": 3}, "fitted_on": "another release"}},
        [("defence", OTHER, ())],
    ),
    "one after the other": (
        {
            "defence": {
                "method": "microaggregate",
                "before": {"method": "quantise", "fitted_on": "the training patients of this release"},
            }
        },
        [("defence", HERE, ()), ("defence", HERE, ("train",))],
    ),
}


@pytest.mark.parametrize("name", OLDER)
def test_cards_of_older_versions_are_read_as_far_as_they_tell(name, tmp_path):
    card, expected = OLDER[name]
    write_release(release(card=card), tmp_path / "out")
    file = tmp_path / "out" / "release.json"
    content = json.loads(file.read_text())
    del content["fitted_on"]
    file.write_text(json.dumps(content))
    found = read_folder(tmp_path / "out").fitted
    assert [(one.part, one.on, one.splits) for one in found] == expected
    assert (why_not_private(found, RECORDS) is None) == (not expected)


def test_a_card_that_cannot_be_read_is_refused(tmp_path):
    write_release(release(), tmp_path / "out")
    file = tmp_path / "out" / "release.json"
    file.write_text(file.read_text().replace('"fitted_on": []', '"fitted_on": [{"part": "encoder"}]'))
    with pytest.raises(DataError, match="'fitted_on' cannot be read"):
        read_folder(tmp_path / "out")

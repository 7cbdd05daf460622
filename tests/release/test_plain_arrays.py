"""A folder of plain arrays is a release: image.npy, text.npy or both, with or without a table of the records."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from leadapron.errors import DataError
from leadapron.release import Release, read_release, write_release
from leadapron.release.provenance import inputs_of

ROWS = 5


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    for name in ("image", "text"):
        np.save(tmp_path / f"{name}.npy", rng.normal(size=(ROWS, 3)).astype(np.float32))
    return tmp_path


def test_arrays_alone_are_a_release_whose_ids_are_row_numbers(folder):
    release = read_release(folder)
    assert release.records.to_dict(as_series=False) == {"record_id": ["0", "1", "2", "3", "4"]}
    np.testing.assert_array_equal(release.image, np.load(folder / "image.npy"))
    np.testing.assert_array_equal(release.text, np.load(folder / "text.npy"))
    assert release.verified is None


@pytest.mark.parametrize("kept", ["image", "text"])
def test_one_array_is_enough(folder, kept):
    (folder / f"{'text' if kept == 'image' else 'image'}.npy").unlink()
    assert list(read_release(folder).arrays) == [kept]


@pytest.mark.parametrize("dtype", [np.float16, np.float64, ">f4"])
def test_other_precisions_become_single(folder, dtype):
    np.save(folder / "image.npy", np.ones((ROWS, 3), dtype))
    assert read_release(folder).image.dtype == np.float32


def test_a_table_of_either_form_says_the_same(folder):
    table = pl.DataFrame(
        {"record_id": list("abcde"), "patient_id": ["007", "7", "8", "8", "9"], "label_edema": [1, 0, None, 0, 1]}
    )
    table.write_parquet(folder / "records.parquet")
    as_parquet = read_release(folder).records
    (folder / "records.parquet").unlink()
    table.write_csv(folder / "records.csv")
    assert read_release(folder).records.equals(as_parquet)
    assert as_parquet["patient_id"].to_list() == ["007", "7", "8", "8", "9"]


def test_the_table_is_read_by_the_rule_of_all_layouts(folder):
    pl.DataFrame({"patient_id": range(ROWS), "name": ["Jane Doe"] * ROWS}).write_csv(folder / "records.csv")
    release = read_release(folder)
    assert release.records.columns == ["record_id", "patient_id"]
    assert release.card["columns_left_out"] == ["name"]


def test_a_table_of_columns_that_are_all_left_out_leaves_row_numbers(folder):
    pl.DataFrame({"name": ["Jane Doe"] * ROWS}).write_parquet(folder / "records.parquet")
    assert read_release(folder).records["record_id"].to_list() == ["0", "1", "2", "3", "4"]


@pytest.mark.parametrize("table", ["records.parquet", "records.csv"])
def test_row_counts_that_differ_are_told_by_file(folder, table):
    frame = pl.DataFrame({"patient_id": ["a", "b"]})
    frame.write_csv(folder / table) if table.endswith("csv") else frame.write_parquet(folder / table)
    with pytest.raises(DataError, match=rf"the row counts differ; got 'image\.npy 5, text\.npy 5, {table} 2'; allowed"):
        read_release(folder)
    (folder / table).unlink()
    np.save(folder / "text.npy", np.ones((6, 3)))
    with pytest.raises(DataError, match=r"the row counts differ; got 'image\.npy 5, text\.npy 6'"):
        read_release(folder)


def test_what_cannot_be_read_is_named(folder):
    np.save(folder / "text.npy", np.ones((ROWS, 3), np.int64))
    with pytest.raises(DataError, match=r"text\.npy: embeddings must be floating-point numbers; got 'int64'"):
        read_release(folder)
    np.save(folder / "text.npy", np.ones(ROWS))
    with pytest.raises(DataError, match=r"text\.npy: embeddings must be rows x dimensions; got \(5,\)"):
        read_release(folder)
    np.save(folder / "text.npy", np.full((ROWS, 3), np.nan))
    with pytest.raises(DataError, match="text: row 0 holds a value that is not finite"):
        read_release(folder)
    (folder / "text.npy").write_text("no array")
    with pytest.raises(DataError, match=r"text\.npy: the array cannot be read"):
        read_release(folder)
    (folder / "text.npy").unlink()
    (folder / "records.csv").write_text('a,b\n"1')
    with pytest.raises(DataError, match=r"records\.csv: the file cannot be read as csv"):
        read_release(folder)
    (folder / "records.parquet").write_text("no table")
    with pytest.raises(DataError, match=r"two tables of the records; got 'records\.parquet, records\.csv'"):
        read_release(folder)


def test_a_release_of_ours_that_lost_its_card_is_not_taken_for_plain_arrays(folder, tmp_path):
    """The card says what was fitted on whom: without it an audit would attack the patients that were trained on."""
    write_release(read_release(folder), tmp_path / "ours")
    (tmp_path / "ours" / "release.json").unlink()
    with pytest.raises(DataError, match=r"release\.json is missing.*copy them into another folder"):
        read_release(tmp_path / "ours")


def test_a_defended_copy_is_written_and_read_like_any_release(folder, tmp_path):
    write_release(read_release(folder), tmp_path / "ours")
    assert isinstance(read_release(tmp_path / "ours"), Release)


def test_the_hash_of_a_csv_table_is_part_of_what_was_audited(folder):
    pl.DataFrame({"patient_id": list("aabbc")}).write_csv(folder / "records.csv")
    before = inputs_of(folder, read_release(folder))
    assert set(before["sha256"]) == {"image.npy", "text.npy", "records.csv"}
    pl.DataFrame({"patient_id": list("abbcc")}).write_csv(folder / "records.csv")
    assert inputs_of(folder, read_release(folder))["subject"]["id"] != before["subject"]["id"]

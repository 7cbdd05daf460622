"""The release: every layout is read back as it was written, and whatever does not fit is named."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

from leadapron.engine import sha256
from leadapron.errors import ConfigError, DataError
from leadapron.release import Release, read_folder, read_release, write_release
from release_in_parts import clip_retrieval

ROWS, WIDTH = 7, 3
IDS = [f"r{row}" for row in range(ROWS)]


@pytest.fixture
def arrays():
    rng = np.random.default_rng(0)
    return {name: rng.normal(size=(ROWS, WIDTH)).astype(np.float32) for name in ("image", "text")}


@pytest.fixture
def release(arrays):
    records = pl.DataFrame({"record_id": IDS, "patient_id": ["a", "b"] * 3 + ["c"]})
    return Release(records, arrays, {"encoder": "a test's"})


@pytest.fixture
def folder(release, tmp_path):
    write_release(release, tmp_path / "release")
    return tmp_path / "release"


def assert_same(release, arrays, ids=IDS):
    assert release.records["record_id"].to_list() == ids
    assert sorted(release.arrays) == sorted(arrays)
    for name, array in arrays.items():
        assert release.arrays[name].dtype == np.float32
        np.testing.assert_array_equal(release.arrays[name], array.astype(np.float32))


# Our own folder


def test_our_own_folder_comes_back_as_it_was(folder, release, arrays):
    for again in (read_release(folder), read_folder(folder)):
        assert_same(again, arrays)
        assert again.records.equals(release.records)
        assert again.card["encoder"] == "a test's"
        np.testing.assert_array_equal(again.image, arrays["image"])
        np.testing.assert_array_equal(again.text, arrays["text"])


def test_our_own_folder_is_memory_mapped(folder):
    assert all(isinstance(array, np.memmap) for array in read_release(folder).arrays.values())


def test_the_card_holds_the_hash_of_every_file(folder):
    card = json.loads((folder / "release.json").read_text())
    assert card["sha256"] == {
        name: sha256(folder / name) for name in ("image.npy", "records.parquet", "text.npy")
    }  # fmt: skip
    assert card["rows"] == ROWS


def test_the_card_of_a_release_made_from_another_counts_its_own_rows(folder, tmp_path):
    whole = read_release(folder)
    half = Release(whole.records[:3], {name: array[:3] for name, array in whole.arrays.items()}, whole.card)
    write_release(half, tmp_path / "half")
    card = read_folder(tmp_path / "half").card
    assert (card["rows"], card["encoder"]) == (3, "a test's")


@pytest.mark.parametrize("name", ["image.npy", "records.parquet", "text.npy"])
def test_a_flipped_byte_is_noticed(folder, name):
    content = bytearray((folder / name).read_bytes())
    content[-6] ^= 1
    (folder / name).write_bytes(content)
    with pytest.raises(DataError, match=f"{name}: the file is not the one that was written"):
        read_folder(folder)


def test_a_file_that_was_added_or_removed_is_noticed(folder, arrays):
    np.save(folder / "image_features.npy", arrays["image"])
    with pytest.raises(DataError, match=r"image_features\.npy: the file is not the one that was written"):
        read_folder(folder)
    (folder / "image_features.npy").unlink()
    (folder / "records.parquet").unlink()
    with pytest.raises(DataError, match=r"records\.parquet: the file is missing"):
        read_folder(folder)


@pytest.mark.parametrize("name", ["image.npy", "records.parquet", "text.npy"])
def test_a_file_that_was_deleted_is_noticed(folder, name):
    (folder / name).unlink()
    with pytest.raises(DataError, match=f"{name}: the file is missing"):
        read_folder(folder)


def test_a_card_without_hashes_verifies_nothing(folder):
    (folder / "release.json").write_text('{"format": 1}')
    with pytest.raises(DataError, match=r"release\.json: the hashes of the files are missing"):
        read_folder(folder)


def test_an_existing_folder_is_kept_unless_told_otherwise(folder, release, arrays):
    other = Release(release.records, {"image": arrays["text"]})
    with pytest.raises(ConfigError, match="the output exists already"):
        write_release(other, folder)
    assert_same(read_release(folder), arrays)
    write_release(other, folder, overwrite=True)
    assert_same(read_release(folder), {"image": arrays["text"]})


@pytest.mark.parametrize(
    ("card", "message"),
    [
        ("{", r"release\.json: the file is not valid JSON"),
        ("[]", r"release\.json: unknown release format; allowed: 1"),
        ('{"format": 99}', r"release\.json: unknown release format; got 99; allowed: 1"),
    ],
)
def test_a_card_that_is_none_is_named(folder, card, message):
    (folder / "release.json").write_text(card)
    with pytest.raises(DataError, match=message):
        read_release(folder)


@pytest.mark.parametrize("content", [None, b"", b"PAR1 and no more"])
def test_a_table_that_cannot_be_read_is_named(folder, content):
    (folder / "records.parquet").unlink()
    if content is not None:
        (folder / "records.parquet").write_bytes(content)
    with pytest.raises(DataError, match=r"records\.parquet: the file cannot be read as parquet"):
        read_release(folder, verify=False)


# clip-retrieval


def test_parts_are_read_in_the_order_of_their_numbers(tmp_path, arrays):
    folder = clip_retrieval(tmp_path / "clip", arrays, {0: 3, 2: 2, 10: 2})
    assert_same(read_release(folder), arrays)


def test_a_single_part_is_memory_mapped(tmp_path, arrays):
    release = read_release(clip_retrieval(tmp_path / "clip", arrays, {0: ROWS}))
    assert_same(release, arrays)
    assert all(isinstance(array, np.memmap) for array in release.arrays.values())


def test_padded_numbers_and_half_precision_as_clip_retrieval_writes_them(tmp_path, arrays):
    halves = {name: array.astype(np.float16) for name, array in arrays.items()}
    assert_same(read_release(clip_retrieval(tmp_path / "clip", halves, {"00": 4, "01": 3})), halves)


def test_captions_and_paths_are_not_taken_over(tmp_path, arrays):
    columns = {"image_path": [f"/x/{row}.png" for row in IDS], "caption": ["No effusion."] * ROWS, "age": [60] * ROWS}
    release = read_release(clip_retrieval(tmp_path / "clip", arrays, {0: ROWS}, columns))
    assert release.records.columns == ["record_id", "age"]
    assert release.records["record_id"].to_list() == [str(row) for row in range(ROWS)]


def test_images_alone_are_a_release(tmp_path, arrays):
    folder = clip_retrieval(tmp_path / "clip", arrays, {0: 4, 1: 3})
    for part in (folder / "text_emb").iterdir():
        part.unlink()
    (folder / "text_emb").rmdir()
    assert_same(read_release(folder), {"image": arrays["image"]})


def test_a_missing_part_is_named(tmp_path, arrays):
    folder = clip_retrieval(tmp_path / "clip", arrays, {0: 3, 1: 2, 2: 2})
    (folder / "text_emb" / "text_emb_1.npy").unlink()
    with pytest.raises(DataError, match=r"a part is missing; got 'metadata_1.parquet, and no text of that number'"):
        read_release(folder)


def test_parts_that_fit_only_in_sum_are_refused(tmp_path, arrays):
    folder = clip_retrieval(tmp_path / "clip", arrays, {0: 4, 1: 3})
    np.save(folder / "img_emb" / "img_emb_0.npy", arrays["image"][:3])
    np.save(folder / "img_emb" / "img_emb_1.npy", arrays["image"][3:])
    with pytest.raises(DataError, match=r"img_emb_0\.npy: the row counts differ; got \(3, 3\); allowed: 4 rows"):
        read_release(folder)


def test_parts_of_different_dimension_or_columns_are_named(tmp_path, arrays):
    folder = clip_retrieval(tmp_path / "clip", arrays, {0: 4, 1: 3})
    pl.DataFrame({"other": IDS[4:]}).write_parquet(folder / "metadata" / "metadata_1.parquet")
    with pytest.raises(DataError, match="metadata: the parts have different columns"):
        read_release(folder)
    np.save(folder / "img_emb" / "img_emb_1.npy", arrays["image"][4:, :2])
    with pytest.raises(DataError, match=r"img_emb_1\.npy: the parts differ in dimension; got 2; allowed: 3"):
        read_release(folder)


def test_a_metadata_folder_without_parts_is_named(tmp_path):
    (tmp_path / "metadata").mkdir()
    with pytest.raises(DataError, match=r"metadata: there is no metadata_<number>\.parquet in it"):
        read_release(tmp_path)


# npz


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_an_npz_of_any_precision(tmp_path, arrays, dtype):
    converted = {name: array.astype(dtype) for name, array in arrays.items()}
    np.savez(tmp_path / "r.npz", **converted, record_id=np.array(IDS), age=np.arange(ROWS))
    release = read_release(tmp_path / "r.npz")
    assert_same(release, converted)
    assert release.records["age"].to_list() == list(range(ROWS))


def test_rows_without_ids_are_known_by_their_number(tmp_path, arrays):
    np.savez(tmp_path / "r.npz", **arrays)
    assert_same(read_release(tmp_path / "r.npz"), arrays, ids=[str(row) for row in range(ROWS)])


class Bomb:
    """Unpickled, it would raise the alarm."""

    def __reduce__(self):
        return (pytest.fail, ("a pickle was opened",))


def test_pickles_are_refused_unopened(tmp_path, arrays, folder):
    objects = np.array([Bomb()] * ROWS, dtype=object)
    np.savez(tmp_path / "r.npz", **arrays, record_id=objects)
    with pytest.raises(DataError, match=r"r\.npz: the archive cannot be read .*not Python objects"):
        read_release(tmp_path / "r.npz")
    np.save(folder / "image.npy", objects)
    with pytest.raises(DataError, match=r"image\.npy: the array cannot be read"):
        read_release(folder, verify=False)
    clip = clip_retrieval(tmp_path / "clip", arrays, {0: ROWS})
    np.save(clip / "text_emb" / "text_emb_0.npy", objects)
    with pytest.raises(DataError, match=r"text_emb_0\.npy: the array cannot be read"):
        read_release(clip)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 and no more", b"text"])
def test_an_npz_that_is_none_is_named(tmp_path, content):
    (tmp_path / "r.npz").write_bytes(content)
    with pytest.raises(DataError, match=r"r\.npz: the archive cannot be read"):
        read_release(tmp_path / "r.npz")


def test_an_array_under_the_name_of_an_archive_is_named(tmp_path, arrays):
    with (tmp_path / "r.npz").open("wb") as stream:
        np.save(stream, arrays["image"])
    with pytest.raises(DataError, match=r"r\.npz: the archive cannot be read"):
        read_release(tmp_path / "r.npz")


def test_a_truncated_array_is_named(folder):
    content = (folder / "image.npy").read_bytes()
    (folder / "image.npy").write_bytes(content[:-8])
    with pytest.raises(DataError, match=r"image\.npy: the array cannot be read"):
        read_release(folder, verify=False)


def test_an_npz_with_a_scalar_for_an_embedding_is_named(tmp_path):
    np.savez(tmp_path / "r.npz", image=np.float32(3))
    with pytest.raises(DataError, match=r"r\.npz: image: embeddings must be rows x dimensions; got \(\)"):
        read_release(tmp_path / "r.npz")


# Parquet


def test_a_parquet_with_list_and_array_columns(tmp_path, arrays):
    pl.DataFrame(
        {
            "record_id": IDS,
            "report": ["No effusion."] * ROWS,
            "image": pl.Series(arrays["image"].astype(np.float64).tolist(), dtype=pl.List(pl.Float64)),
            "text": pl.Series(arrays["text"].tolist(), dtype=pl.Array(pl.Float32, WIDTH)),
        }
    ).write_parquet(tmp_path / "r.parquet")
    release = read_release(tmp_path / "r.parquet")
    assert_same(release, arrays)
    assert release.records.columns == ["record_id"]


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (pl.Series([1.0, 2.0]), r"column 'image' is not a list column; got 'Float64'"),
        (pl.Series([[1.0, 2.0], [1.0]]), r"column 'image' must hold lists of one length; got \[1, 2\]"),
        (pl.Series([[1.0, 2.0], None]), r"column 'image' must hold lists of one length; got \[None, 2\]"),
        (pl.Series([[], []], dtype=pl.List(pl.Float32)), r"lists of one length; got \[0\]; allowed: .*1 or more"),
        (pl.Series([[1.0, 2.0], [None, 1.0]]), r"image: row 1 holds a value that is not finite .*got nan"),
        (pl.Series([[1, 2], [3, 4]]), r"image: embeddings must be floating-point numbers; got 'int64'"),
    ],
)
def test_columns_that_are_no_embeddings_are_named(tmp_path, column, message):
    pl.DataFrame({"image": column}).write_parquet(tmp_path / "r.parquet")
    with pytest.raises(DataError, match=message):
        read_release(tmp_path / "r.parquet")


def test_a_parquet_that_is_none_is_named(tmp_path):
    (tmp_path / "r.parquet").write_bytes(b"text")
    with pytest.raises(DataError, match=r"r\.parquet: the file cannot be read as parquet"):
        read_release(tmp_path / "r.parquet")


# What no layout may hold


def in_every_layout(tmp_path, arrays, ids=IDS):
    """The same rows in each layout that others write, without any check."""
    clip_retrieval(tmp_path / "clip", arrays, {0: 4, 1: 3}, {"record_id": ids})
    np.savez(tmp_path / "r.npz", **arrays, record_id=np.array(ids))
    table = pl.DataFrame({"record_id": ids, **{name: array.tolist() for name, array in arrays.items()}})
    table.write_parquet(tmp_path / "r.parquet")
    own = tmp_path / "own"
    own.mkdir()
    for name, array in arrays.items():
        np.save(own / f"{name}.npy", array)
    pl.DataFrame({"record_id": ids}).write_parquet(own / "records.parquet")
    (own / "release.json").write_text('{"format": 1}')
    return [tmp_path / "clip", tmp_path / "r.npz", tmp_path / "r.parquet", own]


def test_the_layouts_agree(tmp_path, arrays):
    for path in in_every_layout(tmp_path, arrays):
        assert_same(read_release(path, verify=False), arrays)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_value_that_is_not_finite_is_named_by_its_row(tmp_path, arrays, value):
    arrays["text"][5, 1] = value
    for path in in_every_layout(tmp_path, arrays):
        with pytest.raises(DataError, match=f"{path}: text: row 5 holds .* not finite .*got {value}; allowed: finite"):
            read_release(path, verify=False)


def test_the_row_is_right_beyond_the_first_chunk(monkeypatch, arrays):
    monkeypatch.setattr("leadapron.release.release.ROWS_CHECKED_AT_ONCE", 2)
    arrays["image"][5, 2] = np.nan
    with pytest.raises(DataError, match="row 5 holds"):
        Release(pl.DataFrame({"record_id": IDS}), arrays)


def test_a_number_too_large_for_single_precision_is_not_finite(tmp_path):
    np.savez(tmp_path / "r.npz", image=np.full((2, 2), [[1, 2], [3, 1e300]]))
    with pytest.raises(DataError, match="image: row 1 holds a value that is not finite"):
        read_release(tmp_path / "r.npz")


def test_an_id_that_stands_twice_is_named(tmp_path, arrays):
    for path in in_every_layout(tmp_path, arrays, ids=[*IDS[:-1], "r2"]):
        with pytest.raises(
            DataError, match=rf"{path}: column 'record_id' .* more than once \(2 rows\); got 'rows 2 and 6'"
        ):
            read_release(path, verify=False)


def test_row_counts_that_differ_are_named(tmp_path, arrays, folder):
    np.save(folder / "text.npy", arrays["text"][:5])
    with pytest.raises(DataError, match="text: the row counts differ; got '5 rows'; allowed: 7, as in the records"):
        read_release(folder, verify=False)
    np.savez(tmp_path / "ids.npz", **arrays, record_id=np.array(IDS[:4]))
    with pytest.raises(DataError, match=r"ids\.npz: record_id: the row counts differ; got \(4,\); allowed: \(7,\)"):
        read_release(tmp_path / "ids.npz")
    np.savez(tmp_path / "text.npz", image=arrays["image"], text=arrays["text"][:5])
    with pytest.raises(DataError, match=r"text\.npz: text: the row counts differ; got '5 rows'; allowed: 7"):
        read_release(tmp_path / "text.npz")


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros((ROWS, 2)), "embeddings must be float32; got 'float64'"),
        (np.zeros((ROWS, 2), np.int32), "embeddings must be float32; got 'int32'"),
        (np.zeros((ROWS, 0), np.float32), r"embeddings must be rows x dimensions; got \(7, 0\)"),
        (np.zeros(ROWS, np.float32), r"embeddings must be rows x dimensions; got \(7,\)"),
        (np.zeros((ROWS, 2, 2), np.float32), r"embeddings must be rows x dimensions; got \(7, 2, 2\)"),
    ],
)
def test_arrays_of_another_kind_are_named(folder, array, message):
    with pytest.raises(DataError, match=message):
        Release(pl.DataFrame({"record_id": IDS}), {"image": array})
    np.save(folder / "image.npy", array)
    with pytest.raises(DataError, match=f"image: {message}"):
        read_release(folder, verify=False)


def test_whole_numbers_are_no_embeddings_in_other_layouts(tmp_path):
    np.savez(tmp_path / "r.npz", image=np.zeros((2, 2), np.int64))
    with pytest.raises(DataError, match=r"r\.npz: image: embeddings must be floating-point numbers; got 'int64'"):
        read_release(tmp_path / "r.npz")


def test_a_release_needs_known_arrays_and_ids(tmp_path, arrays):
    records = pl.DataFrame({"record_id": IDS})
    with pytest.raises(DataError, match="there is no array in it; allowed: image, text"):
        Release(records, {})
    with pytest.raises(DataError, match="unknown array; got 'images'; allowed: image, text"):
        Release(records, {"images": arrays["image"]})
    with pytest.raises(DataError, match="column 'record_id' is missing; got 'id'"):
        Release(records.rename({"record_id": "id"}), arrays)
    np.savez(tmp_path / "r.npz", images=arrays["image"], record_id=np.array(IDS))
    with pytest.raises(
        DataError, match=r"r\.npz: there is no embedding in it; got 'images, record_id'; allowed: image"
    ):
        read_release(tmp_path / "r.npz")


def test_a_place_without_a_release_is_told_what_could_be_there(tmp_path):
    (tmp_path / "notes.txt").write_text("")
    for path in (tmp_path, tmp_path / "notes.txt"):
        with pytest.raises(DataError, match=r"there is no release here; allowed: .*release\.json.*\.npz.*\.parquet"):
            read_release(path)
    with pytest.raises(DataError, match=r"nowhere: there is no such file or folder"):
        read_release(tmp_path / "nowhere")


# Names and text


PRIVATE = {"patient_name": "Jane Doe", "notes": "Call the daughter.", "mrn": "007", "filename": "doe.png"}


def test_only_columns_that_may_be_released_are_taken_over(tmp_path, arrays):
    """In every layout of others, whatever a column of names is called there."""
    columns = {
        "record_id": IDS,
        "patient_id": list(range(ROWS)),
        "label_edema": [1] * ROWS,
        "label_text": ["edema of Jane Doe"] * ROWS,
        "age": [60] * ROWS,
        **{name: [value] * ROWS for name, value in PRIVATE.items()},
    }
    clip_retrieval(tmp_path / "clip", arrays, {0: 4, 1: 3}, columns)
    np.savez(tmp_path / "r.npz", **arrays, **{name: np.array(values) for name, values in columns.items()})
    table = pl.DataFrame({**columns, **{name: array.tolist() for name, array in arrays.items()}})
    table.write_parquet(tmp_path / "r.parquet")
    for path in (tmp_path / "clip", tmp_path / "r.npz", tmp_path / "r.parquet"):
        release = read_release(path)
        assert release.records.columns == ["record_id", "patient_id", "label_edema", "age"]
        assert release.records["patient_id"].to_list() == [str(row) for row in range(ROWS)]
        assert release.card["columns_left_out"] == ["label_text", *PRIVATE]


@pytest.mark.parametrize("column", ["report", "findings", "impression", "caption", "image_path"])
def test_text_and_paths_are_refused(arrays, column):
    records = pl.DataFrame({"record_id": IDS, column: ["No effusion."] * ROWS})
    with pytest.raises(DataError, match=f"a release must not hold the column '{column}'; got 'record_id, {column}'"):
        Release(records, arrays)


# Ids, and that nothing in it changes


@pytest.mark.parametrize("column", ["record_id", "patient_id", "study_id", "report_id"])
@pytest.mark.parametrize("empty", [None, ""])
def test_an_empty_id_is_named_by_its_row(arrays, column, empty):
    records = pl.DataFrame({"record_id": IDS, column: [*IDS[:2], empty, *IDS[3:]]})
    with pytest.raises(DataError, match=f"column '{column}' is empty in row 2; allowed: an id"):
        Release(records, arrays)


@pytest.mark.parametrize("column", ["record_id", "patient_id", "study_id", "report_id"])
def test_ids_that_are_not_text_are_named(arrays, column):
    """An id 7 here and an id "7" in another release would be two patients."""
    records = pl.DataFrame({"record_id": IDS, column: list(range(ROWS))})
    with pytest.raises(DataError, match=f"column '{column}' is not text; got 'Int64'; allowed: String"):
        Release(records, arrays)


def test_a_release_without_a_row_is_refused():
    with pytest.raises(DataError, match="there is no record in it; got 0; allowed: 1 row or more"):
        Release(
            pl.DataFrame({"record_id": []}, schema={"record_id": pl.String}), {"image": np.zeros((0, 3), np.float32)}
        )


def test_the_arrays_cannot_be_written_to_and_the_callers_own_can(arrays):
    release = Release(pl.DataFrame({"record_id": IDS}), arrays)
    for array in release.arrays.values():
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 1
    before = release.image.copy()
    del arrays["text"]
    assert sorted(release.arrays) == ["image", "text"]
    np.testing.assert_array_equal(release.image, before)
    arrays["image"][0, 0] = 1  # writable, as it was

"""Releases in parts: read as the whole would be, audited without being joined, and no part may be missing."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadapron.attacks.identity import IdentityConfig, audit_identity
from leadapron.attacks.linkage import LinkageConfig, audit_linkage
from leadapron.errors import DataError
from leadapron.release import Release, read_release, write_release
from leadapron.release.stacked_rows import StackedRows


def stacked(sizes, dtype=np.float32):
    rng = np.random.default_rng(0)
    parts = tuple(rng.normal(size=(size, 3)).astype(dtype) for size in sizes)
    return StackedRows(parts), np.concatenate(parts).astype(np.float32)


def in_parts(folder, release, ends):
    folder.mkdir()
    for number, (start, end) in enumerate(zip((0, *ends), (*ends, len(release)), strict=True)):
        release.records[start:end].write_parquet(folder / f"records-{number:05d}.parquet")
        for name, array in release.arrays.items():
            np.save(folder / f"{name}-{number:05d}.npy", array[start:end])
    return folder


@pytest.fixture
def release():
    rng = np.random.default_rng(3)
    text = rng.normal(size=(600, 16)).astype(np.float32)
    image = (text + 0.8 * rng.normal(size=text.shape)).astype(np.float32)
    patient = np.arange(600) // 3
    return Release.of(image=image, text=text, patient=patient, label_edema=patient % 2)


@given(st.lists(st.integers(1, 5), min_size=1, max_size=4), st.data())
def test_parts_are_indexed_as_the_whole_is(sizes, data):
    rows, whole = stacked(sizes, data.draw(st.sampled_from([np.float16, np.float32, np.float64])))
    count = len(whole)
    indices = [
        data.draw(st.integers(-count, count - 1)),
        data.draw(st.slices(count)),
        np.array(data.draw(st.lists(st.integers(-count, count - 1), max_size=9)), dtype=np.int64),
        data.draw(st.lists(st.integers(0, count - 1), max_size=4)),
        np.array(data.draw(st.lists(st.booleans(), min_size=count, max_size=count))),
        (slice(None, 2), slice(1)),
    ]
    for index in indices:
        np.testing.assert_array_equal(rows[index], whole[index], strict=True)
    np.testing.assert_array_equal(np.asarray(rows), whole, strict=True)
    assert (len(rows), rows.shape, rows.ndim, rows.dtype) == (count, whole.shape, 2, whole.dtype)


@pytest.mark.parametrize("index", [99, -99, np.array([0, 99]), np.ones(3, dtype=bool)])
def test_rows_that_are_not_there_are_refused_as_numpy_does(index):
    rows, whole = stacked([2, 3])
    for array in (rows, whole):
        with pytest.raises(IndexError):
            array[index]


@pytest.mark.parametrize("ends", [(), (1,), (200, 201, 450)])
def test_an_audit_of_parts_is_the_audit_of_the_whole(tmp_path, release, ends, monkeypatch):
    write_release(release, tmp_path / "whole")
    there = read_release(in_parts(tmp_path / "parts", release, ends))
    whole = read_release(tmp_path / "whole")
    assert there.records.equals(whole.records)
    asked = LinkageConfig(attackers=("cosine",), pools=(100,))
    found = [audit_linkage(one, asked).model_dump(exclude={"timings"}) for one in (there, whole)]
    assert found[0] == found[1]
    wanted = IdentityConfig(attackers=("cosine",))
    assert [audit_identity(one, wanted).model_dump(exclude={"timings"}) for one in (there,)] == [
        audit_identity(whole, wanted).model_dump(exclude={"timings"})
    ]
    monkeypatch.setattr(StackedRows, "__array__", lambda *_, **__: pytest.fail("the parts were joined"))
    audit_linkage(there, asked)


def test_images_alone_may_lie_in_parts(tmp_path, release):
    folder = in_parts(tmp_path / "parts", Release(release.records, {"image": release.image}), (100,))
    assert list(read_release(folder).arrays) == ["image"]


def test_a_part_that_is_missing_or_of_another_width_is_named(tmp_path, release):
    folder = in_parts(tmp_path / "parts", release, (200, 400))
    kept = (folder / "image-00001.npy").read_bytes()
    np.save(folder / "image-00001.npy", release.image[200:400, :5])
    with pytest.raises(DataError, match=r"image-00001\.npy: the parts differ in dimension; got 5; allowed: 16"):
        read_release(folder)
    (folder / "image-00001.npy").unlink()
    with pytest.raises(
        DataError, match=r"a part is missing; got 'records-00001\.parquet, and no image of that number'"
    ):
        read_release(folder)
    (folder / "image-00001.npy").write_bytes(kept)
    np.save(folder / "text-00003.npy", release.text[:5])
    with pytest.raises(DataError, match=r"a part is missing; got 'text-00003\.npy, and no table of that number'"):
        read_release(folder)
    (folder / "text-00003.npy").unlink()
    for name in ("image-00001.npy", "text-00001.npy", "records-00001.parquet"):
        (folder / name).unlink()
    with pytest.raises(DataError, match=r"a part is missing; got 'no records-1\.parquet'"):
        read_release(folder)


def test_a_part_with_a_number_that_is_none_is_named_by_its_row(tmp_path, release):
    image = release.image.copy()
    image[450, 2] = np.nan
    folder = in_parts(tmp_path / "parts", Release(release.records, {"image": release.image}), (200, 400))
    np.save(folder / "image-00002.npy", image[400:])
    with pytest.raises(DataError, match="row 450 holds a value that is not finite"):
        read_release(folder)


def test_whole_numbers_are_no_embeddings_in_a_part_either(tmp_path, release):
    folder = in_parts(tmp_path / "parts", release, (200,))
    np.save(folder / "text-00001.npy", np.ones((400, 16), dtype=np.int64))
    with pytest.raises(DataError, match=r"text-00001\.npy: embeddings must be floating-point numbers"):
        read_release(folder)


def test_a_table_in_parts_needs_the_same_columns(tmp_path, release):
    folder = in_parts(tmp_path / "parts", release, (200,))
    pl.DataFrame({"other": ["x"] * 400}).write_parquet(folder / "records-00001.parquet")
    with pytest.raises(DataError, match="the parts have different columns"):
        read_release(folder)

"""Decoding a cohort: the same as a plain loop, whatever is broken, interrupted or changed on the way."""

from __future__ import annotations

import importlib
import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from PIL import Image

from leadapron.cohort import Cohort, Funnel, Step, decode, prepare, read_image
from leadapron.cohort.cohort import build_cohort
from leadapron.cohort.image_file import read_prepared
from leadapron.errors import DataError

SIZE = 8
MESSAGE_LENGTH = 300
module = importlib.import_module("leadapron.cohort.decode")  # the package's name of it is the function


def write_image(file: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = (int(rng.integers(5, 30)), int(rng.integers(5, 30)))
    dtype = np.uint16 if seed % 2 else np.uint8
    Image.fromarray(rng.integers(0, np.iinfo(dtype).max, shape, dtype=dtype)).save(file)


def cohort_of(files: list[Path | None]) -> Cohort:
    ids = [f"r{number}" for number in range(len(files))]
    paths = pl.Series([None if file is None else str(file) for file in files], dtype=pl.String)
    table = pl.DataFrame({"record_id": ids, "patient_id": ids, "study_id": ids, "image_path": paths})
    return build_cohort("ours", table, Funnel.start("rows", len(ids)))


@pytest.fixture
def files(tmp_path, monkeypatch) -> list[Path]:
    """Ten images, in blocks of three."""
    monkeypatch.setattr(module, "BLOCK", 3)
    paths = [tmp_path / f"{number}.png" for number in range(10)]
    for number, file in enumerate(paths):
        write_image(file, number)
    return paths


def watch(monkeypatch, fail_at: Path | None = None) -> list[Path]:
    """The files that are read from now on; at one of them the run may end."""
    read: list[Path] = []

    def reading(path: Path, size: int):
        if path == fail_at:
            raise KeyboardInterrupt
        read.append(path)
        return read_prepared(path, size)

    monkeypatch.setattr(module, "read_prepared", reading)
    return read


def plain_loop(files: list[Path]):
    return np.stack([prepare(read_image(file), SIZE) for file in files])


def test_the_result_is_that_of_a_plain_loop_and_mapped_from_disk(files, tmp_path):
    cohort = cohort_of(files)
    pixels = decode(cohort, SIZE, tmp_path / "cache")
    np.testing.assert_array_equal(pixels.images, plain_loop(files))
    assert pixels.images.dtype == np.uint8
    assert isinstance(pixels.images, np.memmap)
    assert pixels.cohort is cohort
    assert pixels.unreadable == ()


@pytest.mark.parametrize("threads", ["1", "4"])
def test_the_number_of_threads_does_not_matter(files, tmp_path, monkeypatch, threads):
    monkeypatch.setenv("LEADAPRON_THREADS", threads)
    np.testing.assert_array_equal(decode(cohort_of(files), SIZE, tmp_path / "cache").images, plain_loop(files))


def test_broken_files_are_dropped_named_and_counted_and_the_run_goes_on(files, tmp_path):
    files[1].write_bytes(files[1].read_bytes()[:60])
    files[4].write_bytes(b"")
    files[9].unlink()
    pixels = decode(cohort_of(files), SIZE, tmp_path / "cache")
    whole = [file for number, file in enumerate(files) if number not in (1, 4, 9)]
    np.testing.assert_array_equal(pixels.images, plain_loop(whole))
    assert isinstance(pixels.images, np.memmap)
    assert pixels.cohort.records["image_path"].to_list() == [str(file) for file in whole]
    assert pixels.cohort.funnel.steps == (
        Step("rows", 10, 0),
        Step("readable image", 7, 3, "3 files cannot be decoded"),
    )
    assert len(pixels.unreadable) == 3
    for file, why, message in zip(
        (files[1], files[4], files[9]), ("cannot be decoded", "empty", "not exist"), pixels.unreadable, strict=True
    ):
        assert message.startswith(f"{file}: ")
        assert why in message


def test_paths_that_no_file_could_have_are_named_too(files, tmp_path):
    odd = [tmp_path / ("x" * 300), tmp_path / "a\0b", tmp_path]
    pixels = decode(cohort_of([files[0], *odd]), SIZE, tmp_path / "cache")
    assert len(pixels.cohort) == len(pixels.images) == 1
    assert len(pixels.unreadable) == len(odd)
    for path, message in zip(odd, pixels.unreadable, strict=True):
        assert message.startswith(f"{path}: the image"[:MESSAGE_LENGTH])
    assert pixels.unreadable[-1] == f"{tmp_path}: the image file is a folder."


def test_where_no_image_can_be_read_the_first_reason_is_given(tmp_path):
    missing = [tmp_path / "a.png", tmp_path / "b.png"]
    with pytest.raises(DataError) as caught:
        decode(cohort_of(missing), SIZE, tmp_path / "cache")
    assert str(caught.value) == (
        f"ours: none of the 2 images can be read; the first: {missing[0]}: the image file does not exist."
    )


def test_a_record_without_an_image_is_named(files, tmp_path):
    with pytest.raises(DataError, match=r"^ours: there is no image_path in row 2 \(1 rows\)\.$"):
        decode(cohort_of([files[0], None]), SIZE, tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("broken", [(), (2, 3)])
def test_the_second_time_nothing_is_read(files, tmp_path, monkeypatch, broken):
    for number in broken:
        files[number].write_bytes(b"no image")
    first = decode(cohort_of(files), SIZE, tmp_path / "cache")
    read = watch(monkeypatch)
    second = decode(cohort_of(files), SIZE, tmp_path / "cache")
    assert read == []
    np.testing.assert_array_equal(second.images, first.images)
    assert second.unreadable == first.unreadable
    assert second.cohort.funnel == first.cohort.funnel


def test_another_size_or_order_is_not_taken_from_the_cache(files, tmp_path):
    decode(cohort_of(files), SIZE, tmp_path / "cache")
    assert decode(cohort_of(files), SIZE + 1, tmp_path / "cache").images.shape == (10, SIZE + 1, SIZE + 1)
    turned = decode(cohort_of(files[::-1]), SIZE, tmp_path / "cache")
    np.testing.assert_array_equal(turned.images, plain_loop(files[::-1]))


def test_a_changed_file_is_decoded_again(files, tmp_path):
    before = decode(cohort_of(files), SIZE, tmp_path / "cache").images
    length = files[5].stat().st_size
    content = files[5].read_bytes()
    write_image(files[5], 55)
    after = decode(cohort_of(files), SIZE, tmp_path / "cache").images
    np.testing.assert_array_equal(after, plain_loop(files))
    assert (after[5] != before[5]).any()

    files[5].write_bytes(content[:-20] + bytes(20))  # as long as it was, and changed all the same
    os.utime(files[5], ns=(1, 1))
    assert files[5].stat().st_size == length
    assert decode(cohort_of(files), SIZE, tmp_path / "cache").unreadable != ()


def test_a_file_that_was_mended_comes_back(files, tmp_path):
    content = files[3].read_bytes()
    files[3].write_bytes(content[:50])
    assert len(decode(cohort_of(files), SIZE, tmp_path / "cache").cohort) == 9
    files[3].write_bytes(content)
    mended = decode(cohort_of(files), SIZE, tmp_path / "cache")
    np.testing.assert_array_equal(mended.images, plain_loop(files))
    assert mended.unreadable == ()


def test_an_interrupted_run_goes_on_where_it_ended(files, tmp_path, monkeypatch):
    watch(monkeypatch, fail_at=files[7])  # the third block
    with pytest.raises(KeyboardInterrupt):
        decode(cohort_of(files), SIZE, tmp_path / "cache")
    read = watch(monkeypatch)
    pixels = decode(cohort_of(files), SIZE, tmp_path / "cache")
    assert sorted(read) == files[6:]
    np.testing.assert_array_equal(pixels.images, plain_loop(files))


def test_progress_counts_up_to_the_whole(files, tmp_path):
    seen = []
    decode(cohort_of(files), SIZE, tmp_path / "cache", progress=lambda *step: seen.append(step))
    assert seen == [("decoding images", done, 10) for done in (0, 3, 6, 9, 10)]

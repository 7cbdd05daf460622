"""The study's pixel pipeline against slow oracles, and the pictures it is fed from."""

from __future__ import annotations

import struct
import zlib
from contextlib import suppress
from fractions import Fraction
from math import floor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from PIL import Image

from leadapron.cohort import prepare, read_image
from leadapron.cohort.pixels import equalise, to_8_bit
from leadapron.errors import DataError

SHAPES = hnp.array_shapes(min_dims=2, max_dims=2, max_side=9)
SHORT = hnp.arrays(st.sampled_from([np.bool_, np.uint8, np.int8, np.uint16, np.int16, np.dtype(">u2")]), SHAPES)
LONG = hnp.arrays(np.int32, SHAPES) | hnp.arrays(np.float64, SHAPES, elements=st.floats(-1e300, 1e300))
LEVELS = hnp.arrays(np.uint8, SHAPES) | hnp.arrays(np.uint8, SHAPES, elements=st.integers(250, 253))
QUICK = settings(max_examples=60, deadline=None)


def slow_8_bit(image) -> list[list[int]]:
    """In exact fractions: shift by the minimum, divide by the maximum, scale to 0..255, cut the rest off."""
    exact = [[Fraction(value) for value in row] for row in image.tolist()]
    least = min(min(row) for row in exact)
    most = max(max(row) for row in exact) - least
    return [[floor(255 * (value - least) / most) if most else 0 for value in row] for row in exact]


def slow_equalise(levels) -> list[list[int]]:
    """OpenCV's equalizeHist as its source has it, in its single precision, a pixel at a time."""
    flat = levels.ravel().tolist()
    darkest = min(flat)
    if flat.count(darkest) == len(flat):
        return levels.tolist()
    scale = np.float32(255.0) / np.float32(len(flat) - flat.count(darkest))
    lut = {
        level: int(np.rint(np.float32(sum(darkest < value <= level for value in flat)) * scale)) for level in set(flat)
    }
    return [[lut[value] for value in row] for row in levels.tolist()]


def slow_resize_rows(image, size: int):
    """Each output row is a mean of input rows, weighted by a triangle that is as wide as the scale."""
    scale = len(image) / size
    width = max(scale, 1.0)
    out = []
    for place in range(size):
        centre = (place + 0.5) * scale
        weights = [max(0.0, 1 - abs(row + 0.5 - centre) / width) for row in range(len(image))]
        out.append(sum(weight * row for weight, row in zip(weights, image.astype(float), strict=True)) / sum(weights))
    return np.array(out)


@QUICK
@given(SHORT)
def test_8_bit_of_images_up_to_16_bit_is_exact(image):
    result = to_8_bit(image)
    assert result.dtype == np.uint8
    assert result.tolist() == slow_8_bit(image)


@QUICK
@given(LONG)
def test_8_bit_of_deeper_images_is_right_to_a_level(image):
    assert np.abs(to_8_bit(image).astype(int) - np.array(slow_8_bit(image))).max() <= 1


def test_a_small_range_on_a_large_offset_is_not_lost():
    assert to_8_bit(np.array([[1e9, 1e9 + 1, 1e9 + 2]])).tolist() == [[0, 127, 255]]


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.float64])
def test_a_constant_image_is_black(dtype):
    assert to_8_bit(np.full((2, 3), 77, dtype)).tolist() == [[0] * 3] * 2
    assert prepare(np.full((2, 3), 77, dtype), 4).tolist() == [[0] * 4] * 4


@pytest.mark.parametrize("values", [[0.0, np.nan], [0.0, np.inf], [-np.inf, np.inf], [-1.7e308, 1.7e308]])
def test_values_that_are_not_finite_are_refused(values):
    with pytest.raises(DataError, match="not finite"):
        to_8_bit(np.array([values]))


@QUICK
@given(LEVELS)
def test_equalisation_is_opencvs(levels):
    assert equalise(levels).tolist() == slow_equalise(levels)


def test_equalisation_rounds_halves_where_opencv_rounds_them():
    """cv2.equalizeHist gave these numbers; in double precision 7 of 14 would become 128."""
    levels = np.repeat(np.arange(4, dtype=np.uint8), [1, 5, 2, 7]).reshape(3, 5)
    assert equalise(levels).tolist() == np.repeat([0, 91, 127, 255], [1, 5, 2, 7]).reshape(3, 5).tolist()


@QUICK
@given(LEVELS)
def test_equalisation_keeps_the_order_and_uses_the_whole_range(levels):
    before, after = levels.ravel().astype(int), equalise(levels).ravel().astype(int)
    order = np.argsort(before, kind="stable")
    assert (np.diff(after[order]) >= 0).all()
    if before.min() < before.max():
        assert (after.min(), after.max()) == (0, 255)


@QUICK
@given(SHORT, st.integers(1, 12))
def test_the_whole_pipeline_agrees_with_the_oracle(image, size):
    levels = np.array(slow_equalise(np.array(slow_8_bit(image), dtype=np.uint8)), dtype=np.uint8)
    expected = slow_resize_rows(slow_resize_rows(levels, size).T, size).T
    result = prepare(image, size)
    assert (result.dtype, result.shape) == (np.uint8, (size, size))
    assert np.abs(result - expected).max() <= 1.01  # Pillow rounds after each direction


def test_inverting_exposure_and_offset_do_not_change_the_result():
    image = np.random.default_rng(0).integers(0, 4096, (20, 30))
    assert (prepare(image, 16) == prepare(image * 7 - 1000, 16)).all()
    assert not (prepare(image, 16) == prepare(-image, 16)).all()


DEEP = np.array([[0, 1, 255], [256, 40_000, 65_535]], dtype=np.uint16)
GREY = np.array([[0, 100, 255], [7, 8, 9]], dtype=np.uint8)
RED = np.stack([GREY, np.zeros_like(GREY), np.zeros_like(GREY)], axis=-1)


def save(file, image, **options):
    image.save(file, **options)
    return file


@pytest.mark.parametrize("name", ["x.png", "x.tif"])
def test_16_bit_files_keep_their_depth(tmp_path, name):
    image = read_image(save(tmp_path / name, Image.fromarray(DEEP)))
    assert image.dtype == np.uint16
    assert (image == DEEP).all()
    assert to_8_bit(image).tolist() == [[0, 0, 0], [0, 155, 255]]


def test_32_bit_and_float_files_keep_their_depth(tmp_path):
    deep = DEEP.astype(np.int32) * 1000
    assert (read_image(save(tmp_path / "x.tif", Image.fromarray(deep))) == deep).all()
    fractions = DEEP.astype(np.float32) / 7
    assert (read_image(save(tmp_path / "y.tif", Image.fromarray(fractions))) == fractions).all()


@pytest.mark.parametrize("name", ["x.png", "x.tif", "x.bmp"])
def test_8_bit_grey_files_are_read_as_they_are(tmp_path, name):
    assert (read_image(save(tmp_path / name, Image.fromarray(GREY))) == GREY).all()


def test_grey_jpeg_is_read_to_its_loss(tmp_path):
    smooth = np.add.outer(np.arange(32), np.arange(40)).astype(np.uint8)
    image = read_image(save(tmp_path / "x.jpg", Image.fromarray(smooth), quality=95))
    assert image.shape == (32, 40)
    assert np.abs(image.astype(int) - smooth).max() <= 4


def test_colour_becomes_grey_by_the_weights_of_the_eye(tmp_path):
    expected = np.rint(GREY * 0.299)  # only red is there
    for number, picture in enumerate(
        [
            Image.fromarray(RED),
            Image.fromarray(np.concatenate([RED, GREY[..., None]], axis=-1)),  # alpha does not count
            Image.fromarray(RED).quantize(16),
        ]
    ):
        image = read_image(save(tmp_path / f"{number}.png", picture))
        assert image.shape == GREY.shape
        assert np.abs(image - expected).max() <= 1, picture.mode


def test_grey_with_alpha_and_one_bit_become_8_bit(tmp_path):
    alpha = Image.merge("LA", [Image.fromarray(GREY), Image.new("L", (3, 2), 5)])
    assert (read_image(save(tmp_path / "la.png", alpha)) == GREY).all()
    bits = Image.fromarray(GREY > 50)
    assert bits.mode == "1"
    assert read_image(save(tmp_path / "bits.png", bits)).tolist() == [[0, 255, 255], [0, 0, 0]]


def test_a_palette_with_transparency_is_read_without_a_warning(tmp_path):
    palette = Image.fromarray(np.array([[0, 1, 2]], dtype=np.uint8), mode=None).convert("P")
    palette.putpalette([10, 10, 10, 200, 200, 200, 30, 30, 30])
    file = save(tmp_path / "x.png", palette, transparency=bytes([0, 128, 255]))
    assert read_image(file).tolist() == [[10, 200, 30]]


def refuse(file, reason: str = "image") -> None:
    with pytest.raises(DataError, match=reason) as caught:
        read_image(file)
    assert str(caught.value).startswith(f"{file}: ")


def test_files_that_are_not_images_are_named(tmp_path):
    refuse(tmp_path / "missing.png", "does not exist")
    refuse(tmp_path, "is a folder")
    refuse(tmp_path / ("x" * 300), "cannot be decoded .*name too long")
    for name in ("empty.png", "empty.dcm"):
        (tmp_path / name).write_bytes(b"")
        refuse(tmp_path / name, "is empty")
    (tmp_path / "text.jpg").write_text("This is no picture.")
    refuse(tmp_path / "text.jpg", "cannot be decoded")
    (tmp_path / "text.dcm").write_text("This is no picture.")
    refuse(tmp_path / "text.dcm")


def test_an_image_with_a_hole_is_named(tmp_path):
    refuse(save(tmp_path / "x.tif", Image.fromarray(np.array([[0, np.nan]], dtype=np.float32))), "not finite")


def whole_files(folder):
    noise = np.random.default_rng(0).integers(0, 4096, (40, 50), dtype=np.uint16)
    yield save(folder / "x.jpg", Image.fromarray((noise >> 4).astype(np.uint8)))
    yield save(folder / "x.png", Image.fromarray(noise))
    yield save(folder / "x.tif", Image.fromarray(noise), compression="tiff_lzw")


@pytest.mark.parametrize("share", [0.02, 0.3, 0.6, 0.95])
def test_truncated_files_are_named(tmp_path, share):
    for file in whole_files(tmp_path):
        whole = file.read_bytes()
        read_image(file)
        file.write_bytes(whole[: int(len(whole) * share)])
        refuse(file)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.data())
def test_a_damaged_file_is_read_or_refused_but_nothing_else_happens(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("damaged")
    for file in whole_files(folder):
        content = bytearray(file.read_bytes())
        for place in data.draw(st.lists(st.integers(0, min(len(content), 900) - 1), min_size=1, max_size=4)):
            content[place] = data.draw(st.integers(0, 255))
        file.write_bytes(content)
        with suppress(DataError):
            assert prepare(read_image(file), 8).shape == (8, 8)


def test_a_picture_of_absurd_size_is_refused_before_it_fills_the_memory(tmp_path):
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 60_000, 60_000, 8, 0, 0, 0, 0))
    bomb = tmp_path / "bomb.png"
    bomb.write_bytes(b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b""))
    refuse(bomb, "cannot be decoded .DecompressionBombError")

"""Large JPEG files are prepared from the means of their blocks: held against the whole way, and against a decoder."""

from __future__ import annotations

import math
from contextlib import suppress
from io import BytesIO

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from leadapron.cohort import prepare, read_image
from leadapron.cohort.image_file import read_prepared
from leadapron.cohort.jpeg_blocks import FINE, read_blocks
from leadapron.cohort.jpeg_header import Header, read_header
from leadapron.cohort.pixels import equalise, resized, to_8_bit
from leadapron.cohort.reduced_jpeg import LARGER, _cells, _learnt_from, reduced
from leadapron.errors import DataError
from leadapron.phantoms import Dials, build_clinic

SIZES = (128, 224, 448)
BOUND = 1.0
"""Of 255, on average over an image: what the pixels may differ from those of the whole way."""
ANGLE = {0x0112: 6}
"""EXIF's word for a camera that was held upright."""


@pytest.fixture(scope="module")
def film():
    """A radiograph that is large enough for every size, and no multiple of 8 wide or high."""
    image = build_clinic(Dials(patients=1, seed=3)).radiographs(2560)[0]
    return image[3:, 30:2545]


def jpeg(image, **options) -> bytes:
    stream = BytesIO()
    Image.fromarray(image).save(stream, "JPEG", **{"quality": 95, **options})
    return stream.getvalue()


def whole_way(data: bytes, size: int):
    return prepare(np.asarray(Image.open(BytesIO(data)).convert("L")), size)


def differ(one, other) -> float:
    return float(np.abs(one.astype(int) - other.astype(int)).mean())


def noisy(image, spread: float):
    noise = np.random.default_rng(0).normal(0, spread, image.shape)
    return np.clip(np.rint(image + noise), 0, 255).astype(np.uint8)


KINDS = {
    "as it is": lambda film: jpeg(film),
    "coarse": lambda film: jpeg(film, quality=60),
    "grainy": lambda film: jpeg(noisy(film, 5)),
    "with codes of its own": lambda film: jpeg(film, optimize=True),
    "dark": lambda film: jpeg(film // 4),
    "margins": lambda film: jpeg(np.where(np.arange(film.shape[1]) < 500, 0, film // 2 + 100).astype(np.uint8)),
    "inverted": lambda film: jpeg(255 - film),
    "said to be turned": lambda film: jpeg(film, exif=turned()),
}


def turned() -> Image.Exif:
    exif = Image.Exif()
    exif.update(ANGLE)
    return exif


@pytest.mark.parametrize("kind", KINDS)
def test_pixels_differ_by_less_than_a_level_on_average(film, kind):
    data = KINDS[kind](film)
    for size in SIZES:
        small = reduced(data, size)
        assert small is not None
        assert (small.dtype, small.shape) == (np.uint8, (size, size))
        assert differ(small, whole_way(data, size)) <= BOUND


def test_means_are_those_of_a_decoder(film):
    """An eighth of the size is what libjpeg makes of a block's mean alone; a quarter are the means of 4 x 4 pixels."""
    data = jpeg(film)
    header = read_header(data)
    with Image.open(BytesIO(data)) as picture:
        picture.draft("L", (header.width // 8, header.height // 8))
        eighth = np.asarray(picture)
    means = read_blocks(data, header, 1).means
    assert ((means + FINE // 2) // FINE == eighth).all()

    high, wide = header.height // 8 * 8, header.width // 8 * 8
    pixels = np.asarray(Image.open(BytesIO(data)))[:high, :wide].astype(float)
    quarter = pixels.reshape(high // 4, 4, wide // 4, 4).mean(axis=(1, 3))
    means = read_blocks(data, header, 2).means[: high // 4, : wide // 4] / FINE
    assert np.abs(means - quarter).mean() < 1


def test_whole_blocks_are_those_of_a_decoder(film):
    data = jpeg(film)
    header, pixels = read_header(data), np.asarray(Image.open(BytesIO(data))).astype(int)
    blocks = read_blocks(data, header, 1)
    _, learnt = _learnt_from(blocks, header, 1)
    row, column = np.divmod(blocks.places, blocks.means.shape[1])
    inside = (8 * row + 8 <= header.height) & (8 * column + 8 <= header.width)
    places = list(zip(8 * row[inside], 8 * column[inside], strict=True))
    expected = np.stack([pixels[top : top + 8, left : left + 8].ravel() for top, left in places])
    assert np.abs(learnt - expected).max() <= 1, "a decoder calculates in whole numbers"


def header_of(height: int, width: int) -> Header:
    nothing = np.zeros(0)
    return Header(height, width, nothing, nothing, nothing, 0)


def test_no_image_is_made_larger():
    """Just large enough, and one pixel less."""
    for size, cells in ((128, 1), (224, 2)):
        side = math.ceil(8 * LARGER * size / cells)
        assert _cells(header_of(1500, side), size) == cells
        assert _cells(header_of(side, 1500), size) == cells
        assert _cells(header_of(1500, side - 1), size) == (cells + 1) % 3
    assert _cells(header_of(1024, 1024), 80) == 1
    assert _cells(header_of(1023, 1024), 80) == 0, "too few blocks to learn from"


OTHERS = {
    "small": lambda film: jpeg(film[:600, :700]),
    "tiny": lambda film: jpeg(film[:3, :5]),
    "one pixel high": lambda film: jpeg(film[:1, :2000]),
    "progressive": lambda film: jpeg(film[:1300, :1400], progressive=True),
    "with restarts": lambda film: jpeg(film[:1300, :1400], restart_marker_rows=1),
    "colour": lambda film: jpeg(np.stack([film[:1300, :1400]] * 3, axis=-1)),
    "two levels": lambda film: jpeg((film[:1300, :1400] > 128).astype(np.uint8) * 200),
    "all equal": lambda film: jpeg(np.full_like(film, 90)),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_everything_else_is_decoded_whole(film, kind, tmp_path):
    data, file = OTHERS[kind](film), tmp_path / "x.jpg"
    file.write_bytes(data)
    for size in (16, 128):
        assert reduced(data, size) is None
        np.testing.assert_array_equal(read_prepared(file, size), prepare(read_image(file), size))


@pytest.mark.parametrize("mode", ["CMYK", "YCbCr", "RGB"])
def test_colour_is_as_it_was(film, mode, tmp_path):
    Image.fromarray(film[:1300, :1400]).convert("RGB").convert(mode).save(tmp_path / "x.jpg")
    np.testing.assert_array_equal(read_prepared(tmp_path / "x.jpg", 64), prepare(read_image(tmp_path / "x.jpg"), 64))


@pytest.mark.parametrize("name", ["x.png", "x.tif"])
def test_16_bit_files_are_as_they_were(film, name, tmp_path):
    Image.fromarray(film.astype(np.uint16) * 200 + 7).save(tmp_path / name)
    image = read_image(tmp_path / name)
    expected = resized(equalise(to_8_bit(image)), 224)
    np.testing.assert_array_equal(read_prepared(tmp_path / name, 224), expected)


def test_one_dark_pixel_that_may_be_missed_is_not(film):
    """Without it the margin is the darkest and becomes black; with it the margin is as bright as it is wide."""
    image = np.maximum(film, 60)
    image[:, :800] = 20
    assert reduced(jpeg(image), 128) is None
    image[:, :800] = 0  # nothing can be darker
    assert differ(reduced(jpeg(image), 128), whole_way(jpeg(image), 128)) <= BOUND


def test_an_image_that_is_dark_but_for_one_place(film):
    image = np.zeros_like(film)
    image[700:740, 800:830] = 255
    data = jpeg(image)
    assert differ(reduced(data, 128), whole_way(data, 128)) <= BOUND


@pytest.mark.parametrize("share", [0.0, 0.001, 0.3, 0.95, 0.999])
def test_a_file_that_was_cut_short_is_named(film, share, tmp_path):
    data, file = jpeg(film[:1300, :1400]), tmp_path / "x.jpg"
    file.write_bytes(data[: max(3, int(len(data) * share))])
    assert reduced(file.read_bytes(), 64) is None
    with pytest.raises(DataError) as caught:
        read_prepared(file, 64)
    assert str(caught.value).startswith(f"{file}: ")


@settings(max_examples=40, deadline=None, derandomize=True)
@given(data=st.data())
def test_a_damaged_file_is_read_as_a_decoder_reads_it_or_not_at_all(film, data):
    whole = jpeg(film[:1040, :1040], quality=30)
    content = bytearray(whole)
    places = st.integers(2, 700) | st.integers(2, len(whole) - 1)
    for place in data.draw(st.lists(places, min_size=1, max_size=3)):
        content[place] = data.draw(st.integers(0, 255))
    small = None
    with suppress(DataError):
        small = reduced(bytes(content), 64)
    if small is not None:
        assert differ(small, whole_way(bytes(content), 64)) <= 2 * BOUND

"""DICOM as a viewer shows it: rescale, table or window, inversion; against hand calculations and pydicom's samples."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from io import BytesIO
from pathlib import Path

import numpy as np
import pydicom
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from pydicom.data import get_testdata_file
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.encaps import encapsulate
from pydicom.uid import DigitalXRayImageStorageForPresentation, ExplicitVRLittleEndian, JPEGBaseline8Bit

from leadapron.cohort import prepare, read_image
from leadapron.cohort.image_file import read_prepared
from leadapron.cohort.pixels import equalise, resized, to_8_bit
from leadapron.cohort.reduced_jpeg import reduced
from leadapron.errors import DataError


def dicom(file, stored, *, without=(), syntax=ExplicitVRLittleEndian, **tags):
    """A DICOM file of these stored values, with 16 bits allocated and 12 used unless a tag says otherwise."""
    meta = FileMetaDataset()
    meta.TransferSyntaxUID = syntax
    meta.MediaStorageSOPClassUID = DigitalXRayImageStorageForPresentation
    meta.MediaStorageSOPInstanceUID = "1.2.9"
    dataset = FileDataset(file, {}, file_meta=meta, preamble=b"\0" * 128)
    plain = {
        "SOPClassUID": DigitalXRayImageStorageForPresentation,
        "SOPInstanceUID": "1.2.9",
        "Rows": stored.shape[0],
        "Columns": stored.shape[1],
        "SamplesPerPixel": 1,
        "PhotometricInterpretation": "MONOCHROME2",
        "BitsAllocated": 16,
        "BitsStored": 12,
        "HighBit": 11,
        "PixelRepresentation": 0,
        "PixelData": stored.tobytes(),
    }
    for name, value in (plain | tags).items():
        if name not in without:
            setattr(dataset, name, value)
    pydicom.dcmwrite(file, dataset)
    return file


STORED = np.array([[0, 1, 1000], [2047, 2048, 4095]], dtype="<u2")


@pytest.mark.parametrize("name", ["x.dcm", "x.DCM", "x.dicom", "IM0001", "x.bin"])
def test_dicom_is_known_by_suffix_or_preamble(tmp_path, name):
    image = read_image(dicom(tmp_path / name, STORED))
    assert (image == STORED).all()


def test_dicom_rescale_is_applied(tmp_path):
    file = dicom(tmp_path / "x.dcm", STORED, RescaleSlope="0.5", RescaleIntercept="-1024")
    assert read_image(file).tolist() == [[0.5 * value - 1024 for value in row] for row in STORED.tolist()]


def test_dicom_signed_values_stay_signed(tmp_path):
    signed = np.array([[-32768, -1, 0], [1, 500, 32767]], dtype="<i2")
    file = dicom(tmp_path / "x.dcm", signed, BitsStored=16, HighBit=15, PixelRepresentation=1)
    assert (read_image(file) == signed).all()


def linear_window(value: float, centre: float, width: float, lowest: float, highest: float) -> float:
    """DICOM PS3.3 C.11.2.1.2.1, for one value."""
    if value <= centre - 0.5 - (width - 1) / 2:
        return lowest
    if value > centre - 0.5 + (width - 1) / 2:
        return highest
    return ((value - (centre - 0.5)) / (width - 1) + 0.5) * (highest - lowest) + lowest


def test_dicom_window_follows_the_standard(tmp_path):
    file = dicom(tmp_path / "x.dcm", STORED, WindowCenter="1500", WindowWidth="2001")
    expected = [[linear_window(value, 1500, 2001, 0, 4095) for value in row] for row in STORED.tolist()]
    assert len({value for row in expected for value in row}) == 5  # it clips at both ends and ramps between
    np.testing.assert_allclose(read_image(file), expected)


def test_dicom_window_is_applied_after_the_rescale_and_the_first_of_several_counts(tmp_path):
    rescale = {"RescaleSlope": "2", "RescaleIntercept": "-1000"}
    window = {"WindowCenter": ["2000", "9"], "WindowWidth": ["3000", "9"]}
    file = dicom(tmp_path / "x.dcm", STORED, **rescale, **window)
    highest = 2 * 4095 - 1000
    expected = [
        [linear_window(2 * value - 1000, 2000, 3000, -1000, highest) for value in row] for row in STORED.tolist()
    ]
    np.testing.assert_allclose(read_image(file), expected)


def lookup_table(entries, first: int, bits: int, vr: str = "OW"):
    table = pydicom.Dataset()
    table.add_new("LUTDescriptor", "SS" if first < 0 else "US", [len(entries), first, bits])
    if vr == "OW":
        table.add_new("LUTData", vr, np.array(entries, "<u2").tobytes())
    else:
        table.add_new("LUTData", vr, entries)
    return [table]


@pytest.mark.parametrize("bits", [8, 12, 16])
@pytest.mark.parametrize("vr", ["OW", "US"])
@pytest.mark.parametrize("rescale", [{}, {"RescaleSlope": "1", "RescaleIntercept": "0"}])
def test_dicom_lookup_table_is_applied_whatever_its_depth(tmp_path, bits, vr, rescale):
    """Before a window, if there are both; values outside the table take its ends."""
    first = 900
    entries = [index // 8 for index in range(2000)]  # 0..249: fits every depth
    tables = {"VOILUTSequence": lookup_table(entries, first, bits, vr), "WindowCenter": "5", "WindowWidth": "9"}
    file = dicom(tmp_path / "x.dcm", STORED, **tables, **rescale)
    expected = [[entries[min(max(value - first, 0), 1999)] for value in row] for row in STORED.tolist()]
    assert read_image(file).tolist() == expected


def test_dicom_lookup_table_for_rescaled_negative_values(tmp_path):
    entries = list(range(5000, 3000, -1))
    rescale = {"RescaleSlope": "1", "RescaleIntercept": "-2048"}
    signed = {"PixelRepresentation": 1, "VOILUTSequence": lookup_table(entries, -1500, 16)}
    stored = np.array([[-2000, -1, 0], [547, 548, 2047]], dtype="<i2")
    expected = [[entries[min(max(value - 2048 + 1500, 0), 1999)] for value in row] for row in stored.tolist()]
    assert read_image(dicom(tmp_path / "x.dcm", stored, **rescale, **signed)).tolist() == expected


def test_monochrome1_is_turned_round(tmp_path):
    bright = read_image(dicom(tmp_path / "2.dcm", STORED))
    dark = read_image(dicom(tmp_path / "1.dcm", STORED, PhotometricInterpretation="MONOCHROME1"))
    assert (to_8_bit(dark) == to_8_bit(4095 - STORED.astype(int))).all()
    assert np.unravel_index(dark.argmax(), dark.shape) == np.unravel_index(bright.argmin(), bright.shape)


SHOWN = {
    "as stored": {},
    "window": {"WindowCenter": "1500", "WindowWidth": "2001"},
    "rescaled": {"RescaleSlope": "-0.5", "RescaleIntercept": "-1024"},
    "dark is bright": {"PhotometricInterpretation": "MONOCHROME1", "WindowCenter": "1500", "WindowWidth": "900"},
    "signed": {"PixelRepresentation": 1, "BitsStored": 16, "HighBit": 15},
}


def as_before(file, size):
    """Each pixel by itself, and no table of numbers."""
    return resized(equalise(to_8_bit(read_image(file))), size)


@pytest.mark.parametrize("kind", [*SHOWN, "table"])
def test_a_table_of_stored_numbers_gives_the_same_pixels(tmp_path, kind):
    tables = {"VOILUTSequence": lookup_table([index // 8 for index in range(2000)], 900, 16)}
    stored = np.random.default_rng(0).integers(-32768 if kind == "signed" else 0, 4096, (40, 50)).astype("<i2")
    file = dicom(tmp_path / "x.dcm", stored, **SHOWN.get(kind, tables))
    np.testing.assert_array_equal(read_prepared(file, 16), as_before(file, 16))


@pytest.mark.parametrize("kind", ["as stored", "rescaled", "dark is bright", "table"])
def test_jpeg_inside_of_dicom_is_made_smaller_and_shown_as_a_viewer_does(tmp_path, kind):
    down, across = np.mgrid[:1301, :1203]
    noise = np.random.default_rng(0).normal(0, 3, down.shape)
    pixels = np.clip(128 + 90 * np.sin(down / 200) * np.cos(across / 150) + noise, 0, 255).astype(np.uint8)
    stream = BytesIO()
    Image.fromarray(pixels).save(stream, "JPEG", quality=90)
    eight = {"BitsAllocated": 8, "BitsStored": 8, "HighBit": 7, "PixelData": encapsulate([stream.getvalue()])}
    table = {"VOILUTSequence": lookup_table([index**2 // 200 for index in range(256)], 0, 16)}
    shown = SHOWN.get(kind, table) | ({"WindowCenter": "110", "WindowWidth": "150"} if kind == "dark is bright" else {})
    file = dicom(tmp_path / "x.dcm", pixels, syntax=JPEGBaseline8Bit, **(shown | eight))
    assert reduced(stream.getvalue(), 100) is not None
    before, now = as_before(file, 100).astype(int), read_prepared(file, 100)
    assert 0 < np.abs(before - now).mean() <= 1


def test_numbers_that_are_not_finite_once_rescaled_are_refused(tmp_path):
    file = dicom(tmp_path / "x.dcm", STORED, RescaleSlope="1e308", RescaleIntercept="0")
    for read in (read_image, partial(read_prepared, size=4)):
        with pytest.warns(RuntimeWarning, match="overflow"), pytest.raises(DataError, match="not finite") as caught:
            read(file)
        assert str(caught.value).startswith(f"{file}: ")


def test_dicom_in_colour_with_frames_or_without_pixels_is_refused(tmp_path):
    rgb = {"SamplesPerPixel": 3, "PhotometricInterpretation": "RGB", "PlanarConfiguration": 0}
    eight = {"BitsAllocated": 8, "BitsStored": 8, "HighBit": 7, "PixelData": bytes(18)}
    refused = {
        "is not grey; got 'RGB'; allowed: MONOCHROME1 or MONOCHROME2": dicom(tmp_path / "a", STORED, **rgb, **eight),
        "is not grey; got 'PALETTE COLOR'": dicom(tmp_path / "b", STORED, PhotometricInterpretation="PALETTE COLOR"),
        "is not grey; got 'MONOCHROME2'": dicom(tmp_path / "c", STORED, SamplesPerPixel=3, PlanarConfiguration=0),
        "holds several frames; allowed: one frame": dicom(tmp_path / "d", STORED, Rows=1, NumberOfFrames=2),
        "holds no image": dicom(tmp_path / "e", STORED, without=["PixelData"]),
    }
    for reason, file in refused.items():
        with pytest.raises(DataError, match=reason) as caught:
            read_image(file)
        assert str(caught.value).startswith(f"{file}: the DICOM ")


def test_one_frame_that_is_counted_is_one_frame(tmp_path):
    assert (read_image(dicom(tmp_path / "x", STORED, NumberOfFrames=1)) == STORED).all()


def sample(name: str):
    """A file that comes inside the pydicom wheel; nothing is fetched."""
    return Path(get_testdata_file(name, download=False))


def test_pydicoms_own_samples_are_read():
    file = sample("CT_small.dcm")
    tags = pydicom.dcmread(file)
    raw = np.frombuffer(tags.PixelData, "<i2").reshape(tags.Rows, tags.Columns)
    assert (read_image(file) == raw * float(tags.RescaleSlope) + float(tags.RescaleIntercept)).all()
    file = sample("MR_small.dcm")
    tags = pydicom.dcmread(file)
    raw = np.frombuffer(tags.PixelData, "<i2").reshape(tags.Rows, tags.Columns)
    centre, width = float(tags.WindowCenter), float(tags.WindowWidth)
    expected = [[linear_window(value, centre, width, -32768, 32767) for value in row] for row in raw.tolist()]
    np.testing.assert_allclose(read_image(file), expected)


@pytest.mark.parametrize("name", ["implicit", "expb", "bigendian", "RLE"])
def test_every_encoding_of_a_sample_is_the_same_image(name):
    assert (read_image(sample(f"MR_small_{name}.dcm")) == read_image(sample("MR_small.dcm"))).all()


@pytest.mark.parametrize("name", ["image_dfl", "rtdose_1frame", "liver_1frame", "examples_overlay"])
def test_other_grey_samples_are_read(name):
    file = sample(f"{name}.dcm")
    tags = pydicom.dcmread(file)
    image = read_image(file)
    assert image.shape == (tags.Rows, tags.Columns)
    assert equalise(to_8_bit(image)).max() == 255


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("examples_palette.dcm", "not grey"),
        ("examples_rgb_color.dcm", "not grey"),
        ("rtdose.dcm", "several frames"),
        ("rtplan.dcm", "no image"),
        ("MR_truncated.dcm", "less than expected"),
        ("MR_small_jpeg_ls_lossless.dcm", "JPEG-LS"),
    ],
)
def test_samples_that_cannot_be_used_are_refused(name, reason):
    with pytest.raises(DataError, match=reason) as caught:
        read_image(sample(name))
    assert str(caught.value).startswith(f"{sample(name)}: ")
    assert "\n" not in str(caught.value)


def test_a_warning_from_pydicom_is_no_reason_to_drop_a_file():
    padded = sample("MR_small_padded.dcm")
    with pytest.warns(UserWarning, match="excess padding"):
        image = read_image(padded)
    assert (image == read_image(sample("MR_small.dcm"))).all()
    with pytest.raises(DataError, match="excess padding") as caught:  # where warnings are errors, it is still ours
        read_image(padded)
    assert str(caught.value).startswith(f"{padded}: ")


@pytest.mark.parametrize("share", [0.02, 0.3, 0.6, 0.95])
def test_a_truncated_file_is_named(tmp_path, share):
    file = dicom(tmp_path / "x.dcm", np.arange(2000, dtype="<u2").reshape(40, 50))
    whole = file.read_bytes()
    file.write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(DataError) as caught:
        read_image(file)
    assert str(caught.value).startswith(f"{file}: ")


def test_an_absurd_size_is_refused_before_it_fills_the_memory(tmp_path):
    file = dicom(tmp_path / "bomb.dcm", STORED, Rows=65_535, Columns=65_535)
    with pytest.raises(DataError, match="less than expected"):
        read_image(file)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.integers(0, 700), st.integers(0, 255)), min_size=1, max_size=4))
def test_a_damaged_file_is_read_or_refused_but_nothing_else_happens(tmp_path_factory, damage):
    file = dicom(tmp_path_factory.mktemp("damaged") / "x.dcm", STORED, RescaleSlope="2", RescaleIntercept="1")
    content = bytearray(file.read_bytes())
    for place, value in damage:
        content[place % len(content)] = value
    file.write_bytes(content)
    with suppress(DataError):
        assert prepare(read_image(file), 8).shape == (8, 8)

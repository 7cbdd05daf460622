"""Pixels as the linkage study prepared them, from JPEG, PNG (8 or 16 bit) and DICOM files.

Shift by the minimum, divide by the maximum, clip, convert to 8 bit, equalise the histogram, resize.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from leadapron.engine.compiled import kernel
from leadapron.errors import DataError

if TYPE_CHECKING:
    from pydicom import Dataset

LEVELS = 256
NOT_FINITE = "the image holds values that are not finite"


def read_image(path: Path) -> NDArray[Any]:
    """One grey image as it lies in the file: rows x columns, in the file's own number type."""
    try:
        if path.is_dir():
            raise DataError("the image file is a folder", where=path)
        if not path.is_file():
            raise DataError("the image file does not exist", where=path)
        if path.stat().st_size == 0:
            raise DataError("the image file is empty", where=path)
        image = _read_dicom(path) if _is_dicom(path) else _read_picture(path)
    except DataError:
        raise
    except Exception as error:  # decoders raise whatever they like on a broken file
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise DataError(f"the image cannot be decoded ({reason})", where=path) from error
    if image.dtype.kind == "f" and not np.isfinite(image).all():
        raise DataError(NOT_FINITE, where=path)
    return image


def _is_dicom(path: Path) -> bool:
    if path.suffix.lower() in (".dcm", ".dicom"):
        return True
    with path.open("rb") as stream:
        return stream.read(132)[128:] == b"DICM"


def _read_picture(path: Path) -> NDArray[Any]:
    with Image.open(path) as picture:
        # Palette, colour and alpha images become grey; 16-bit and float images keep their depth.
        if picture.mode in ("L", "F") or picture.mode.startswith("I"):
            return np.asarray(picture)
        # By way of RGBA, because Pillow warns of a palette whose transparency would be lost.
        return np.asarray((picture.convert("RGBA") if picture.mode == "P" else picture).convert("L"))


def _read_dicom(path: Path) -> NDArray[Any]:
    """The image as a viewer shows it: rescale, then VOI LUT or window, then MONOCHROME1 turned bright-on-dark."""
    import pydicom
    from pydicom.pixels import apply_modality_lut

    dataset = pydicom.dcmread(path, force=True)
    if "PixelData" not in dataset:
        raise DataError("the DICOM file holds no image", where=path)
    colours = str(dataset.get("PhotometricInterpretation"))
    if colours not in ("MONOCHROME1", "MONOCHROME2") or int(dataset.get("SamplesPerPixel", 1)) != 1:
        raise DataError("the DICOM image is not grey", where=path, got=colours, allowed="MONOCHROME1 or MONOCHROME2")
    if int(dataset.get("NumberOfFrames", None) or 1) != 1:
        raise DataError("the DICOM file holds several frames", where=path, allowed="one frame")
    values = _apply_voi(apply_modality_lut(dataset.pixel_array, dataset), dataset)
    return -values if colours == "MONOCHROME1" else values


def _apply_voi(values: NDArray[Any], dataset: Dataset) -> NDArray[np.float64]:
    """Through the values-of-interest table if there is one, else through the window if there is one."""
    from pydicom.pixels import apply_voi_lut

    tables = dataset.get("VOILUTSequence")
    if tables and tables[0].get("LUTDescriptor"):
        # pydicom wants whole numbers here, and counts them in the type of the table's entries: 8 bit are too few
        # to look up a deeper image. As 16-bit entries the same table is read right.
        entries, first, _ = tables[0].LUTDescriptor
        tables[0].LUTDescriptor = [entries, first, 16]
        values = np.clip(np.rint(values).astype(np.int64), first, first + (entries or 2**16) - 1)
    return np.asarray(apply_voi_lut(values, dataset), dtype=np.float64)


def prepare(image: NDArray[Any], size: int) -> NDArray[np.uint8]:
    """The study's pipeline: an image of any depth and shape as ``size`` x ``size`` of 8 bit."""
    levels = equalise(to_8_bit(image))
    return np.asarray(Image.fromarray(levels).resize((size, size), Image.Resampling.BILINEAR))


def to_8_bit(image: NDArray[Any]) -> NDArray[np.uint8]:
    """Shifted by the minimum, divided by the maximum, clipped to [0, 1], scaled to 0..255."""
    values: NDArray[np.floating[Any]] = image.astype(np.float32 if image.dtype.itemsize <= 2 else np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        values -= values.min()
    if not np.isfinite(values).all():
        raise DataError(NOT_FINITE)
    largest = values.max()
    if largest > 0:
        values /= largest
    return np.asarray(np.clip(values, 0, 1) * (LEVELS - 1)).astype(np.uint8)


@kernel
def equalise(levels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Histogram equalisation, as OpenCV defines it: the darkest level present maps to 0, the brightest to 255.

    In single precision, as OpenCV computes it: halves then round to the same side.
    """
    counts = np.zeros(LEVELS, dtype=np.int64)
    for value in levels.flat:
        counts[value] += 1
    darkest = 0
    while counts[darkest] == 0:
        darkest += 1
    others = levels.size - counts[darkest]
    mapping = np.zeros(LEVELS, dtype=np.uint8)
    if others == 0:  # a constant image has nothing to equalise
        mapping[:] = darkest
    else:
        scale = np.float32(LEVELS - 1) / np.float32(others)
        below = 0
        for level in range(darkest + 1, LEVELS):
            below += counts[level]
            mapping[level] = np.uint8(np.rint(np.float32(below) * scale))
    out = np.empty_like(levels)
    for row in range(levels.shape[0]):
        for column in range(levels.shape[1]):
            out[row, column] = mapping[levels[row, column]]
    return out

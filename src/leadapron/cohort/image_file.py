"""Grey images from JPEG, PNG (8 or 16 bit) and DICOM files: as they lie there, or prepared at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from leadapron.cohort.pixels import NOT_FINITE, Shown, prepare, same
from leadapron.cohort.reduced_jpeg import reduced
from leadapron.errors import DataError

if TYPE_CHECKING:
    from pydicom import Dataset

JPEG = b"\xff\xd8\xff"
DICOM_JPEG = "1.2.840.10008.1.2.4.50"


def read_image(path: Path) -> NDArray[Any]:
    """One grey image as it lies in the file: rows x columns, in the file's own number type."""
    with _reading(path):
        if _is_dicom(path):
            dataset = _dataset(path)
            return _finite(partial(_as_viewed, dataset), path)(_stored(dataset, path))
        return _finite(same, path)(_decoded(path.read_bytes()))


def read_prepared(path: Path, size: int) -> NDArray[np.uint8]:
    """``prepare(read_image(path), size)``; a large JPEG file is made smaller while it is decoded, see ``reduced``."""
    with _reading(path):
        if _is_dicom(path):
            return _prepared_dicom(path, size)
        data = path.read_bytes()
        small = reduced(data, size) if data.startswith(JPEG) else None
        return prepare(_decoded(data), size, _finite(same, path)) if small is None else small


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Whatever fails becomes an error that names the file."""
    try:
        if path.is_dir():
            raise DataError("the image file is a folder", where=path)
        if not path.is_file():
            raise DataError("the image file does not exist", where=path)
        if path.stat().st_size == 0:
            raise DataError("the image file is empty", where=path)
        yield
    except DataError:
        raise
    except Exception as error:  # decoders raise whatever they like on a broken file
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise DataError(f"the image cannot be decoded ({reason})", where=path) from error


def _finite(shown: Shown, path: Path) -> Shown:
    def values(stored: NDArray[Any]) -> NDArray[Any]:
        image = shown(stored)
        if image.dtype.kind == "f" and not np.isfinite(image).all():
            raise DataError(NOT_FINITE, where=path)
        return image

    return values


def _is_dicom(path: Path) -> bool:
    if path.suffix.lower() in (".dcm", ".dicom"):
        return True
    with path.open("rb") as stream:
        return stream.read(132)[128:] == b"DICM"


def _decoded(data: bytes) -> NDArray[Any]:
    with Image.open(BytesIO(data)) as picture:
        # Palette, colour and alpha images become grey; 16-bit and float images keep their depth.
        if picture.mode in ("L", "F") or picture.mode.startswith("I"):
            return np.asarray(picture)
        # By way of RGBA, because Pillow warns of a palette whose transparency would be lost.
        return np.asarray((picture.convert("RGBA") if picture.mode == "P" else picture).convert("L"))


def _prepared_dicom(path: Path, size: int) -> NDArray[np.uint8]:
    from pydicom.encaps import get_frame

    dataset = _dataset(path)
    shown = _finite(partial(_as_viewed, dataset), path)
    if dataset.file_meta.get("TransferSyntaxUID") == DICOM_JPEG and not dataset.get("PixelRepresentation"):
        small = reduced(get_frame(dataset.PixelData, 0, number_of_frames=1), size, shown)
        if small is not None:
            return small
    return prepare(_stored(dataset, path), size, shown)


def _dataset(path: Path) -> Dataset:
    """The file, if it holds one grey image."""
    import pydicom

    dataset = pydicom.dcmread(path, force=True)
    if "PixelData" not in dataset:
        raise DataError("the DICOM file holds no image", where=path)
    colours = str(dataset.get("PhotometricInterpretation"))
    if colours not in ("MONOCHROME1", "MONOCHROME2") or int(dataset.get("SamplesPerPixel", 1)) != 1:
        raise DataError("the DICOM image is not grey", where=path, got=colours, allowed="MONOCHROME1 or MONOCHROME2")
    if int(dataset.get("NumberOfFrames", None) or 1) != 1:
        raise DataError("the DICOM file holds several frames", where=path, allowed="one frame")
    return dataset


def _stored(dataset: Dataset, path: Path) -> NDArray[Any]:
    from pydicom.pixels import get_decoder

    syntax = dataset.file_meta.get("TransferSyntaxUID")
    if syntax is not None and syntax.is_compressed and not get_decoder(syntax).is_available and not find_spec("gdcm"):
        what = f"no decoder of {syntax.name} is installed"
        raise DataError(what, where=path, fix="Install one with: pip install 'leadapron[dicom]'")
    return cast(NDArray[Any], dataset.pixel_array)


def _as_viewed(dataset: Dataset, stored: NDArray[Any]) -> NDArray[Any]:
    """As a viewer shows it: rescale, then VOI LUT or window, then MONOCHROME1 turned bright-on-dark.

    Each stored number by itself: what it becomes does not depend on the others.
    """
    from pydicom.pixels import apply_modality_lut

    values = _apply_voi(apply_modality_lut(stored, dataset), dataset)
    return -values if dataset.PhotometricInterpretation == "MONOCHROME1" else values


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

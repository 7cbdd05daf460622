"""Full-size radiographs decoded and prepared: the plain way beside ours, in one run."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numba
import numpy as np
import pydicom
from PIL import Image
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.encaps import encapsulate
from pydicom.pixels import apply_modality_lut, apply_voi_lut
from pydicom.uid import DigitalXRayImageStorageForPresentation, ExplicitVRLittleEndian, JPEGBaseline8Bit

from leadapron.cohort.image_file import read_prepared
from leadapron.cohort.pixels import to_8_bit
from leadapron.engine import parallel_map, worker_count
from leadapron.phantoms import Dials, build_clinic

HEIGHT, WIDTH = 3056, 2544
PATIENTS = 1
ROUNDS = 3
SIZES = (128, 224, 448)


@numba.njit(nogil=True)
def equalised(levels: np.ndarray) -> np.ndarray:
    """Compiled, too: what is compared is what has to be done, not in which language."""
    counts = np.zeros(256, dtype=np.int64)
    for value in levels.flat:
        counts[value] += 1
    darkest = 0
    while counts[darkest] == 0:
        darkest += 1
    scale = np.float32(255) / np.float32(max(levels.size - counts[darkest], 1))
    mapping, below = np.zeros(256, dtype=np.uint8), 0
    for level in range(darkest + 1, 256):
        below += counts[level]
        mapping[level] = np.uint8(np.rint(np.float32(below) * scale))
    out = np.empty_like(levels)
    for row in range(levels.shape[0]):
        for column in range(levels.shape[1]):
            out[row, column] = mapping[levels[row, column]]
    return out


def plain_way(file: Path, size: int) -> np.ndarray:
    """Every pixel decoded, brought to its level by itself, and only then resized."""
    if file.suffix == ".dcm":
        dataset = pydicom.dcmread(file)
        image = apply_voi_lut(apply_modality_lut(dataset.pixel_array, dataset), dataset)
    else:
        image = np.asarray(Image.open(file))
    return np.asarray(Image.fromarray(equalised(to_8_bit(image))).resize((size, size), Image.Resampling.BILINEAR))


def films(folder: Path) -> dict[str, list[Path]]:
    """Radiographs drawn at full size, grain included, of the bytes that files of this size have in hospitals."""
    images = build_clinic(Dials(patients=PATIENTS)).radiographs(HEIGHT)[:, :, (HEIGHT - WIDTH) // 2 :][:, :, :WIDTH]
    files: dict[str, list[Path]] = {"JPEG": [], "DICOM, 16 bit, not compressed": [], "DICOM, baseline JPEG": []}
    for number, image in enumerate(images):
        jpeg = folder / f"{number}.jpg"
        Image.fromarray(image).save(jpeg, quality=95)
        files["JPEG"].append(jpeg)
        deep = (image.astype("<u2") * 13 + 300).tobytes()
        files["DICOM, 16 bit, not compressed"].append(dicom(folder / f"{number}-16.dcm", deep, 12))
        files["DICOM, baseline JPEG"].append(dicom(folder / f"{number}-8.dcm", encapsulate([jpeg.read_bytes()]), 8))
    return files


def dicom(file: Path, pixels: bytes, bits: int) -> Path:
    meta = FileMetaDataset()
    meta.TransferSyntaxUID = JPEGBaseline8Bit if bits == 8 else ExplicitVRLittleEndian
    meta.MediaStorageSOPClassUID, meta.MediaStorageSOPInstanceUID = DigitalXRayImageStorageForPresentation, "1.2.9"
    dataset = FileDataset(file, {}, file_meta=meta, preamble=bytes(128))
    tags = {
        "SOPClassUID": DigitalXRayImageStorageForPresentation, "SOPInstanceUID": "1.2.9", "Rows": HEIGHT,
        "Columns": WIDTH, "SamplesPerPixel": 1, "PhotometricInterpretation": "MONOCHROME2", "BitsStored": bits,
        "BitsAllocated": 8 if bits == 8 else 16, "HighBit": bits - 1, "PixelRepresentation": 0, "PixelData": pixels,
        "WindowCenter": str(2 ** (bits - 1)), "WindowWidth": str(2**bits),
    }  # fmt: skip
    for name, value in tags.items():
        setattr(dataset, name, value)
    pydicom.dcmwrite(file, dataset)
    return file


def spent(way: Callable[[Path, int], np.ndarray], files: list[Path], size: int) -> float:
    """Seconds of one core a file."""
    start = time.process_time()
    parallel_map(lambda file: way(file, size), files)
    return (time.process_time() - start) / len(files)


def rows() -> list[tuple[str, str]]:
    """Processor time, by turns, on all cores at once: other work on the machine then counts for neither."""
    found = []
    with TemporaryDirectory() as name:
        for kind, files in films(Path(name)).items():
            for size in SIZES:
                pairs = [(read_prepared(file, size), plain_way(file, size)) for file in files]
                differ = max(np.abs(ours.astype(int) - plain).mean() for ours, plain in pairs)
                times = [[spent(way, files, size) for way in (read_prepared, plain_way)] for _ in range(ROUNDS)]
                ours, plain = np.median(times, axis=0)
                ratio = np.median([before / now for now, before in times])
                found.append(
                    (
                        f"{kind}, {WIDTH} x {HEIGHT} to {size} px",
                        f"{1000 * ours:.0f} ms of one core, {worker_count() / ours:.0f} a second on {worker_count()};"
                        f" {ratio:.1f} times as fast as the plain way ({1000 * plain:.0f} ms);"
                        f" pixels differ by {differ:.2f} of 255 on average at most (1 allowed)",
                    )
                )
    return found


if __name__ == "__main__":
    for what, measured in rows():
        print(what, "|", measured, flush=True)

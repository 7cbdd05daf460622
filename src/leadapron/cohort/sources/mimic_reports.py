"""The report files of MIMIC-CXR: in their archive, or unpacked."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path

import polars as pl

from leadapron.errors import DataError


def read_reports(path: Path, studies: pl.DataFrame) -> pl.Series | None:
    """The text of each study's report, row by row (null: no such file); None where there are no reports.

    Looked for in this order: ``mimic-cxr-reports.zip``, the folder ``mimic-cxr-reports``, and the folder
    ``files`` that the images lie in too. The archive is read in place.
    """
    archive, unpacked = path / "mimic-cxr-reports.zip", path / "mimic-cxr-reports"
    if archive.is_file():
        return _from_archive(archive, studies)
    if unpacked.is_dir():
        return _from_folder(unpacked / "files", studies)
    beside_images = _from_folder(path / "files", studies)
    return None if beside_images.null_count() == len(beside_images) else beside_images


def _from_archive(archive: Path, studies: pl.DataFrame) -> pl.Series:
    try:
        with zipfile.ZipFile(archive) as members:
            # A study's number is unique, so the folders above its file need not be as published.
            names = {info.filename.rpartition("/")[2]: info for info in members.infolist()}
            texts = [
                members.read(names[file]).decode(errors="replace") if file in names else None
                for file in (f"s{study}.txt" for study in studies["study_id"])
            ]
    except (zipfile.BadZipFile, zlib.error) as error:
        raise DataError(f"the archive is broken ({error})", where=archive, fix="Download it again.") from error
    return pl.Series("text", texts, dtype=pl.String)


def _from_folder(root: Path, studies: pl.DataFrame) -> pl.Series:
    """Files as ``p10/p10000032/s50414267.txt`` below the root."""

    def text(patient: str, study: str) -> str | None:
        try:
            return Path(f"{root}/p{patient[:2]}/p{patient}/s{study}.txt").read_bytes().decode(errors="replace")
        except (FileNotFoundError, NotADirectoryError):
            return None

    rows = studies.select("patient_id", "study_id").iter_rows()
    return pl.Series("text", [text(patient, study) for patient, study in rows], dtype=pl.String)

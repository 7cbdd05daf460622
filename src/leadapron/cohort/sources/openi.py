"""Open-I: the Indiana University chest radiographs, one XML file a report."""

from __future__ import annotations

import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import polars as pl

from leadapron.cohort.cohort import Cohort
from leadapron.cohort.labels import label_column
from leadapron.cohort.sections import clean_text, join_sections
from leadapron.cohort.sources.draft import Draft, keep_images
from leadapron.cohort.sources.source_options import ReadOptions
from leadapron.cohort.sources.tables import join_one, mentions, read_csv
from leadapron.errors import DataError

NAME = "openi"
LAYOUT = (
    "NLMCXR_reports.tgz, or a folder with it or with its XML files, and beside them images and "
    "indiana_projections.csv if there are any"
)
IMAGE_FOLDERS = ("images", "NLMCXR_png", "images/images_normalized")
UNINDEXED = "No Indexing"
MESH = {
    "Atelectasis": ("Pulmonary Atelectasis",),
    "Cardiomegaly": ("Cardiomegaly", "Cardiac Shadow/enlarged"),
    "Consolidation": ("Consolidation",),
    "Edema": ("Pulmonary Edema", "Pulmonary Congestion"),
    "Enlarged Cardiomediastinum": ("Mediastinum/prominent",),
    "Fracture": ("Fractures, Bone",),
    "Lung Lesion": ("Nodule", "Mass"),
    "Lung Opacity": ("Opacity", "Airspace Disease", "Infiltrate"),
    "No Finding": ("normal",),
    "Pleural Effusion": ("Pleural Effusion", "Hydropneumothorax"),
    "Pleural Other": ("Thickening/pleura",),
    "Pneumonia": ("Pneumonia",),
    "Pneumothorax": ("Pneumothorax", "Hydropneumothorax", "Hemopneumothorax"),
    "Support Devices": (
        "Catheters, Indwelling",
        "Implanted Medical Device",
        "Medical Device",
        "Tube, Inserted",
    ),
}


def read(path: Path, options: ReadOptions) -> Cohort:
    """One record an image that a report names, with the report's findings and impression.

    Open-I has no patient ids: ``patient_id`` is the report's own id, so the set serves to link images with
    reports but not to find a patient again. Nor does it tell AP from PA: ``view`` is null, and lateral images
    can be left out only if ``indiana_projections.csv`` lies beside the reports. Labels are the indexers' MeSH
    terms: a term that is not given is a true negative, except in a report that was not indexed.
    """
    draft = _rows(path).keep(pl.col("image").is_not_null(), "image named", "the report names no image")
    draft = _keep_frontal(draft, path, options)
    draft = draft.keep(
        pl.col("report").is_not_null(), "findings or impression", "the report has neither of the two sections"
    )
    draft = _with_images(draft, path)
    return draft.with_table(draft.table.drop("image")).cohort(NAME, options)


def _rows(path: Path) -> Draft:
    schema = dict.fromkeys(("patient_id", "findings", "impression", "mesh", "images"), pl.String)
    reports = pl.DataFrame([_report(name, xml) for name, xml in _files(path)], schema=schema, orient="row")
    mesh = pl.when(pl.col("mesh") != UNINDEXED).then(pl.col("mesh"))
    table = (
        reports.with_columns(clean_text(pl.col("findings", "impression")), image=pl.col("images").str.split("|"))
        .explode("image")
        .with_columns(pl.when(pl.col("image") != "").then(pl.col("image")).alias("image"))
        .with_columns(
            record_id=pl.coalesce("image", "patient_id"),
            study_id="patient_id",
            report=join_sections(pl.col("findings"), pl.col("impression")),
            **{label_column(finding): mentions(mesh, terms) for finding, terms in MESH.items()},
        )
        .drop("images")
    )
    draft = Draft.start(f"images of {len(reports):,} reports", table)
    return draft.note("patient is report", "Open-I has no patient ids: each report counts as a patient of its own")


def _files(path: Path) -> Iterator[tuple[str, bytes]]:
    """The XML files: in a folder and those below it, or in the archive, read in place."""
    if path.is_dir():
        if files := sorted(path.rglob("*.xml")):
            yield from ((str(file), file.read_bytes()) for file in files)
            return
        archive = path / "NLMCXR_reports.tgz"
    else:
        archive = path
    if not archive.is_file():
        raise DataError("no XML files and no archive of them", where=path, fix=f"Expected: {LAYOUT}.")
    try:
        with tarfile.open(archive) as members:
            for member in members:
                stream = members.extractfile(member) if member.name.endswith(".xml") else None
                if stream is not None:
                    yield f"{archive}/{member.name}", stream.read()
    except (tarfile.TarError, EOFError, OSError, zlib.error) as error:
        raise DataError(f"the archive cannot be read ({error})", where=archive, fix="Download it again.") from error


def _report(name: str, xml: bytes) -> tuple[str, str | None, str | None, str, str]:
    try:
        tree = ET.fromstring(xml)
    except ET.ParseError as error:
        raise DataError(f"the file is not well-formed XML ({error})", where=name) from error
    uid = tree.find("uId")
    if uid is None or not uid.get("id"):
        raise DataError("the report has no uId", where=name)
    sections = {text.get("Label"): text.text for text in tree.iter("AbstractText")}
    mesh = "|".join((term.text or "").strip() for term in tree.iter("major"))
    images = "|".join(image.get("id", "") for image in tree.iter("parentImage"))
    return uid.get("id", ""), sections.get("FINDINGS"), sections.get("IMPRESSION"), mesh or UNINDEXED, images


def _image_key(name: pl.Expr) -> pl.Expr:
    """``1_IM-0001-3001`` from ``CXR1_1_IM-0001-3001`` (Open-I) or ``1_IM-0001-3001.dcm.png`` (re-release)."""
    return name.str.extract(r"([^/]*)$").str.replace(r"^CXR\d+_", "").str.replace(r"\..*$", "")


def _keep_frontal(draft: Draft, path: Path, options: ReadOptions) -> Draft:
    file = _folder(path) / "indiana_projections.csv"
    if not options.views:
        return draft
    if not file.is_file():
        return draft.note("view", "unknown without indiana_projections.csv: lateral images are still among them")
    projections = read_csv(file, ("filename", "projection"), filled=("filename",))
    projections = projections.select(key=_image_key(pl.col("filename")), projection="projection")
    table = join_one(draft.table.with_columns(key=_image_key(pl.col("image"))), projections, "key", where=file)
    return draft.with_table(table.drop("key")).keep(
        pl.col("projection") == "Frontal", "frontal", "lateral, or not in indiana_projections.csv"
    )


def _with_images(draft: Draft, path: Path) -> Draft:
    folders = [str(_folder(path) / name) for name in IMAGE_FOLDERS]
    table = draft.table.with_columns(image_path=pl.lit(None, dtype=pl.String))
    return keep_images(
        draft.with_table(table),
        folders,
        row_key=_image_key(pl.col("image")),
        file_key=_image_key(pl.col("image_path")),
    )


def _folder(path: Path) -> Path:
    return path.absolute() if path.is_dir() else path.absolute().parent

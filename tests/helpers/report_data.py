"""Reports of invented people with known identifiers, and a toy de-identifier that overlooks some of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl

from leadapron.reports.report_set import ReportSet, write_reports

GIVEN = ("Alma", "Boris", "Celia", "Dario", "Edith", "Felix", "Greta", "Hugo", "Irma", "Jonas", "Klara", "Lukas")
FAMILY = ("Abbott", "Barlow", "Corwin", "Dunmore", "Elling", "Farrow", "Garrick", "Holt", "Iverson", "Jessup")
BODY = (
    "The lungs are clear.",
    "There is a small left pleural effusion.",
    "Mild cardiomegaly is unchanged.",
    "No pneumothorax is seen.",
    "The heart is normal in size.",
    "There is right basilar atelectasis.",
)
TERMS = ("pleural effusion", "cardiomegaly", "pneumothorax", "atelectasis")
STAND_INS = ("Nora Quill", "Otto Rusk", "Pia Stell", "Quinn Tarn", "Rhea Umber", "Sven Vole", "Tess Wray", "Uri Yarrow")
SPANS = {"record_id": pl.String, "start": pl.Int64, "end": pl.Int64, "category": pl.String}


@dataclass(frozen=True)
class Made:
    """The source, its true spans (terms among them, as category "term"), and what a patient table knows."""

    source: ReportSet
    truth: pl.DataFrame
    table: pl.DataFrame


def made(patients: int = 40, reports: int = 2, seed: int = 0) -> Made:
    rng = np.random.default_rng(seed)
    rows, spans, known = [], [], []
    for number in range(patients):
        name = f"{rng.choice(GIVEN)} {rng.choice(FAMILY)}"
        mrn, born = (
            f"{rng.integers(10**6, 10**7)}",
            f"19{rng.integers(30, 99)}-0{rng.integers(1, 9)}-1{rng.integers(0, 9)}",
        )
        known.append((f"p{number}", name, born, mrn))
        for visit in range(reports):
            record = f"r{number}-{visit}"
            parts: list[tuple[str, str]] = [
                ("PATIENT: ", ""), (name, "name"), ("  MRN ", ""), (mrn, "mrn"), ("\nEXAM DATE: ", ""),
                (f"0{rng.integers(1, 9)}/1{rng.integers(0, 9)}/2021", "date"), ("\nFINDINGS: ", ""),
            ]  # fmt: skip
            parts += [(f"{sentence} ", "") for sentence in rng.permutation(BODY)[:4]]
            parts += [
                ("\nRead by Dr. ", ""),
                (str(rng.choice(FAMILY)), "staff"),
                (" at ", ""),
                ("09:15", "time"),
                (".", ""),
            ]
            text = ""
            for part, category in parts:
                if category:
                    spans.append((record, len(text), len(text) + len(part), category))
                text += part
            told = [(text.find(term), term) for term in TERMS if term in text]
            spans += [(record, at, at + len(term), "term") for at, term in told]
            rows.append((record, f"p{number}", text))
    source = ReportSet(pl.DataFrame(rows, schema=["record_id", "patient_id", "report"], orient="row"), "ours")
    truth = pl.DataFrame(spans, schema=SPANS, orient="row")
    return Made(source, truth, pl.DataFrame(known, schema=["patient_id", "name", "birth_date", "mrn"], orient="row"))


def identifiers(of: Made) -> pl.DataFrame:
    return of.truth.filter(pl.col("category") != "term")


def released(of: Made, found: pl.DataFrame, *, how: str = "tag", seed: int = 0) -> ReportSet:
    """The source with these spans replaced: by tags, by nothing, or by stand-ins."""
    rng = np.random.default_rng(seed)
    texts: list[str | None] = []
    for record, _, text in of.source.records.iter_rows():
        for _, start, end, category, *_ in found.filter(record_id=record).sort("start", descending=True).iter_rows():
            text = text[:start] + stand_in(rng, text[start:end], category, how) + text[end:]
        texts.append(text)
    spans = found.with_columns(recogniser=pl.lit("toy"))
    made_ = of.source.with_reports(texts, spans)
    return replace(made_, card={"defence": {"settings": {"replace": {"stand-in": "surrogate"}.get(how, how)}}})


def stand_in(rng: np.random.Generator, text: str, category: str, how: str) -> str:
    if how == "tag":
        return f"[{category.upper()}]"
    if how == "remove":
        return ""
    if category == "name":
        return str(rng.choice(STAND_INS))
    if category == "staff":
        return str(rng.choice(STAND_INS)).split()[1]
    return "".join(str(rng.integers(10)) if one.isdigit() else one for one in text)


def all_but(of: Made, missed: float, seed: int = 0) -> pl.DataFrame:
    """What a finder finds that overlooks this share of all identifiers, at random."""
    own = identifiers(of)
    return own.filter(np.random.default_rng(seed).random(len(own)) >= missed)


def written(of: Made, folder: Path, found: pl.DataFrame, **how: object) -> dict[str, Path]:
    """The files of a user: source, truth, patient table and the released folder."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = {name: folder / name for name in ("source.csv", "truth.csv", "table.csv", "released")}
    of.source.records.write_csv(paths["source.csv"])
    of.truth.write_csv(paths["truth.csv"])
    of.table.write_csv(paths["table.csv"])
    write_reports(released(of, found, **how), paths["released"])  # type: ignore[arg-type]
    return paths

"""Findings and impression out of a free-text radiology report.

A section starts where a heading starts a line or follows the end of a sentence, and ends at the next one
that is understood. A part of the body ("LUNGS:") or of the study ("LEFT RIBS:") stays in the findings or the impression
that it stands in, and opens the findings anywhere else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import polars as pl

from leadapron.cohort.headings import KNOWN, Kind, kind_of

_NAMES = sorted(KNOWN, key=len, reverse=True)
_IN_CAPITALS, _CAPITALISED = (
    "|".join(re.escape(spell(name)) for name in _NAMES) for spell in (str.upper, str.capitalize)
)
_REST = r"(?:[A-Za-z0-9 \t()/,&'_#+-]|(?<=M)\.|\.(?!\s)){0,70}"  # a full stop only in "A.M. ON ___:"
_HEADING = re.compile(
    rf"^[ \t]*(?P<name>[A-Z]{_REST}(?::\d\d{_REST})?):(?!\d\d)"  # a time has a colon of its own: "AP CHEST, 5:32 A.M.:"
    rf"|^[ \t]*(?P<alone>{_IN_CAPITALS})[ \t]*$"
    rf"|(?<=[.!?:)_])[ \t]+(?P<inside>{_IN_CAPITALS}|{_CAPITALISED})[ \t]*:",
    flags=re.MULTILINE,
)
TITLES = ("", "FINAL REPORT")
"""Headings that have no text of their own."""
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_TWO_SENTENCES = re.compile(r"[.!?]\s+\w")


class Section(NamedTuple):
    """A stretch of a report under one heading; what stands above the first heading has none."""

    kind: Kind
    heading: str
    body: str
    unknown: list[str]
    """Headings in it that were not understood."""


def split_sections(text: str) -> Iterator[Section]:
    """The sections of a report, in order."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    kind: Kind = "before"
    heading, start = "", 0
    unknown: list[str] = []
    for match in _HEADING.finditer(text):
        name = (match["name"] or match["alone"] or match["inside"]).strip()
        opened = kind_of(name)
        if opened is None and name == name.upper():
            unknown.append(name)
        if opened is None or (opened == "part" and kind in ("findings", "impression")):
            continue
        yield Section(kind, heading, text[start : match.start()], unknown)
        kind = "findings" if opened == "part" else opened
        heading, start, unknown = name, match.end(), []
    yield Section(kind, heading, text[start:], unknown)


def clean_text(text: pl.Expr) -> pl.Expr:
    """One line without indentation and wrapping, or null where nothing is left. ``___`` stays."""
    line = text.str.replace_all(r"\s+", " ").str.strip_chars(" ")
    return pl.when(line != "").then(line)


def join_sections(findings: pl.Expr, impression: pl.Expr) -> pl.Expr:
    """The report: findings, a blank line, impression, or the one there is; null where there is neither."""
    joined = pl.concat_str(findings, impression, separator="\n\n", ignore_nulls=True)
    return pl.when(findings.is_not_null() | impression.is_not_null()).then(joined)


def parse_sections(texts: pl.Series) -> pl.DataFrame:
    """``findings``, ``impression`` and ``report`` of each text; null where a section is absent or empty.

    Where a section comes twice (a wet read or an addendum above the final report) the last with text in it
    counts. A joint "findings and impression" goes to ``findings``, so that the report holds it once. ``unknown``
    are the headings that were not understood; what stands below them counts to the section they stand in.
    """
    rows = [_parse(text) if text else (None, None, []) for text in texts]
    schema = {"findings": pl.String(), "impression": pl.String(), "unknown": pl.List(pl.String)}
    return (
        pl.DataFrame(rows, schema=schema, orient="row")
        .with_columns(clean_text(pl.col("findings", "impression")))
        .with_columns(report=join_sections(pl.col("findings"), pl.col("impression")))
    )


def _parse(text: str) -> tuple[str | None, str | None, list[str]]:
    sections = list(split_sections(text))
    unknown = [name for section in sections for name in section.unknown]
    last = {section.kind: section.body for section in sections if section.body.strip()}
    if "findings" in last or "impression" in last:
        return last.get("findings"), last.get("impression"), unknown
    return unheaded_reading(sections), None, unknown


def unheaded_reading(sections: list[Section]) -> str | None:
    """What was read, in a report that gives it no heading: what stands a blank line below the last section before it.

    If that is nothing, some write the whole report where the comparison belongs; one sentence there is a comparison.
    """
    before = [section for section in reversed(sections) if section.kind == "before"]
    for section in before:
        body = section.body if section.heading in TITLES else section.body.strip()
        _, *paragraphs = _BLANK_LINE.split(body, maxsplit=1)
        if paragraphs and paragraphs[0].strip():
            return paragraphs[0]
    compared = (section.body for section in before if section.heading.lower().startswith("compari"))
    return next((body for body in compared if _TWO_SENTENCES.search(body)), None)

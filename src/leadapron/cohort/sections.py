"""Findings and impression out of a free-text radiology report.

A section starts where a known heading starts a line and ends at the next known heading. Only known headings
count: a structured report writes ``LUNGS:`` or ``HEART:`` inside its findings, which must not cut them off.
"""

from __future__ import annotations

import polars as pl

FINDINGS_HEADINGS = (
    "findings",
    "finding",
    "findings and impression",
    "findings/impression",
    "findings / impression",
    "findings & impression",
)
IMPRESSION_HEADINGS = (
    "impression",
    "impressions",
    "impression and recommendation",
    "impression and recommendations",
    "conclusion",
    "conclusions",
    "summary",
)
OTHER_HEADINGS = (
    "addendum",
    "clinical history",
    "clinical indication",
    "clinical information",
    "comparison",
    "comparisons",
    "end of impression",
    "exam",
    "examination",
    "final addendum",
    "final report",
    "history",
    "indication",
    "indications",
    "notification",
    "notifications",
    "preliminary report",
    "procedure",
    "procedure comments",
    "provisional findings impression (pfi)",
    "reason for exam",
    "reason for examination",
    "reason for this examination",
    "recommendation",
    "recommendation(s)",
    "recommendations",
    "technique",
    "wet read",
)
START, END = "\x1e", "\x1f"  # control characters that no report means anything by


def _alternatives(names: tuple[str, ...], *, mixed_case: bool) -> str:
    """The names as a pattern. Never all lower case: "… with the following\\nfindings: …" is a sentence."""
    spellings = {name.upper() for name in names}
    if mixed_case:
        spellings |= {name.capitalize() for name in names} | {name.title() for name in names}
    ordered = sorted(spellings, key=lambda spelling: (-len(spelling), spelling))
    return "|".join(spelling.replace("(", r"\(").replace(")", r"\)") for spelling in ordered)


_ALL = FINDINGS_HEADINGS + IMPRESSION_HEADINGS + OTHER_HEADINGS
# With a colon anywhere at a line's start; without one only in capitals and alone on its line.
_HEADING = (
    rf"(?m)^[ \t]*(?:({_alternatives(_ALL, mixed_case=True)})[ \t]*:"
    rf"|({_alternatives(_ALL, mixed_case=False)})[ \t]*$)"
)


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
    counts. A joint "findings and impression" goes to ``findings``, so that the report holds it once.
    """
    pieces = (
        pl.col("text")
        .str.replace_all(f"[{START}{END}]", " ")
        .str.replace_all("\r\n?", "\n")
        .str.replace_all(_HEADING, f"{START}${{1}}${{2}}{END}")
        .str.split(START)
    )
    return (
        texts.to_frame("text")
        .lazy()
        .select(pieces=pieces)
        .select(findings=_last(FINDINGS_HEADINGS), impression=_last(IMPRESSION_HEADINGS))
        .with_columns(report=join_sections(pl.col("findings"), pl.col("impression")))
        .collect()
    )


def _last(headings: tuple[str, ...]) -> pl.Expr:
    """The text of the last piece that stands under one of the headings and is not empty."""
    pattern = rf"(?s)^(?:{_alternatives(headings, mixed_case=True)}){END}(.*)$"
    bodies = pl.col("pieces").list.eval(clean_text(pl.element().str.extract(pattern)))
    return bodies.list.drop_nulls().list.get(-1, null_on_oob=True)

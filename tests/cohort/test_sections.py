"""The sections of a report, against a slow parser that goes line by line."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadapron.cohort.sections import (
    FINDINGS_HEADINGS,
    IMPRESSION_HEADINGS,
    OTHER_HEADINGS,
    parse_sections,
)


def parse(text: str | None) -> tuple[str | None, str | None, str | None]:
    return parse_sections(pl.Series([text], dtype=pl.String)).row(0)


@pytest.mark.parametrize(
    ("text", "findings", "impression"),
    [
        ("FINDINGS: clear.\nIMPRESSION: well.", "clear.", "well."),
        (
            " FINDINGS:\n \n Clear on\n the left.\n \n IMPRESSION:\n 1. Well.\n",
            "Clear on the left.",
            "1. Well.",
        ),
        ("FINDINGS: a\r\nb\r\nIMPRESSION: c\r\n", "a b", "c"),
        ("FINDINGS AND IMPRESSION: both", "both", None),
        ("FINDINGS/IMPRESSION: both", "both", None),
        ("CONCLUSION: so it is", None, "so it is"),
        ("Findings: mixed\nImpression: case", "mixed", "case"),
        ("IMPRESSION\n\nno colon", None, "no colon"),
        ("FINDINGS: a\nTECHNIQUE: b\nIMPRESSION: c\nRECOMMENDATION(S): d", "a", "c"),
        ("FINDINGS: LUNGS: clear\nHEART: small\nIMPRESSION: c", "LUNGS: clear HEART: small", "c"),
        ("FINDINGS: with the following\nfindings: two", "with the following findings: two", None),
        ("FINDINGS: the first impression: none", "the first impression: none", None),
        ("IMPRESSION: wet\nFINAL REPORT\nIMPRESSION: dry", None, "dry"),
        ("IMPRESSION: kept\nADDENDUM\nIMPRESSION:   \n", None, "kept"),
        ("IMPRESSION: Seen by ___ on ___.", None, "Seen by ___ on ___."),
        ("IMPRESSION: odd\x1eIMPRESSION\x1fbytes", None, "odd IMPRESSION bytes"),
        ("PORTABLE CHEST: nothing here", None, None),
        ("FINDINGS:\n\nIMPRESSION:\n", None, None),
        ("", None, None),
        (None, None, None),
    ],
)
def test_sections_of_a_report(text, findings, impression):
    report = "\n\n".join(part for part in (findings, impression) if part) or None
    assert parse(text) == (findings, impression, report)


def slow_parse(text: str) -> tuple[str | None, str | None]:
    """Line by line: a heading opens a section, any other line joins the section that is open."""
    kinds = dict.fromkeys(OTHER_HEADINGS, "other")
    kinds |= dict.fromkeys(FINDINGS_HEADINGS, "findings") | dict.fromkeys(IMPRESSION_HEADINGS, "impression")
    sections: list[tuple[str, list[str]]] = [("other", [])]
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        name, colon, rest = line.partition(":")
        name = name.strip(" \t")
        spelled = {name.upper()} if not colon else {name.upper(), name.capitalize(), name.title()}
        if name.lower() in kinds and name in spelled:
            sections.append((kinds[name.lower()], [rest]))
        else:
            sections[-1][1].append(line)
    last: dict[str, str] = {}
    for kind, lines in sections:
        words = " ".join(" ".join(lines).split())
        if words:
            last[kind] = words
    return last.get("findings"), last.get("impression")


headings = st.sampled_from(FINDINGS_HEADINGS + IMPRESSION_HEADINGS + OTHER_HEADINGS + ("lungs", "note"))
spellings = st.sampled_from([str.upper, str.title, str.capitalize, str.lower])
bodies = st.text(alphabet="ab:. _\t", max_size=12)
heading_lines = st.builds(
    lambda indent, spell, heading, colon, body: indent + spell(heading) + colon + body,
    st.sampled_from(["", " ", "\t  "]),
    spellings,
    headings,
    st.sampled_from([":", " :", "", " "]),
    bodies,
)
lines = st.lists(st.one_of(heading_lines, bodies), max_size=12)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.builds(lambda end, parts: end.join(parts), st.sampled_from(["\n", "\r\n", "\r"]), lines)))
def test_fast_and_slow_parser_agree(texts):
    parsed = parse_sections(pl.Series(texts, dtype=pl.String))
    assert parsed.select("findings", "impression").rows() == [slow_parse(text) for text in texts]


@settings(max_examples=60, deadline=None)
@given(st.text())
def test_any_text_is_parsed_into_pieces_of_itself(text):
    findings, impression, report = parse(text)
    for part in (findings, impression):
        assert part is None or (part == part.strip(" ") and "\n" not in part and part != "")
    assert (report is None) == (findings is None and impression is None)

"""The sections of a report: reports that are hard to cut, and a slow parser that goes line by line."""

from __future__ import annotations

import re

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadapron.cohort.headings import KNOWN, kind_of
from leadapron.cohort.sections import parse_sections, split_sections


def parse(text: str | None) -> tuple[str | None, str | None, str | None]:
    return parse_sections(pl.Series([text], dtype=pl.String)).select("findings", "impression", "report").row(0)


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
        ("FINDINGS:\n\nIMPRESSION:\n", None, None),
        ("", None, None),
        (None, None, None),
    ],
)
def test_sections_of_a_report(text, findings, impression):
    report = "\n\n".join(part for part in (findings, impression) if part) or None
    assert parse(text) == (findings, impression, report)


TITLE = "                                 FINAL REPORT\n"
HARD = {
    "views as heading": (
        TITLE + " CHEST, TWO VIEWS:  The lungs are clear.\n \n IMPRESSION:  Normal.\n",
        "The lungs are clear.",
        "Normal.",
    ),
    "portable ap": (TITLE + " PORTABLE AP CHEST:\n \n Tubes are unchanged.\n", "Tubes are unchanged.", None),
    "left ribs": (
        TITLE + " LEFT RIBS:  No displaced fracture.\n \n IMPRESSION:  No fracture.\n",
        "No displaced fracture.",
        "No fracture.",
    ),
    "pa and lateral": (
        TITLE
        + " INDICATION:  Cough.\n \n PA AND LATERAL CHEST:  Lungs clear.\n Heart normal.\n \n IMPRESSION:  Well.\n",
        "Lungs clear. Heart normal.",
        "Well.",
    ),
    "title empty": (
        TITLE + " CHEST, PA LATERAL:\n \n INDICATION:  Cough.\n \n FINDINGS:  Clear.\n \n IMPRESSION:  Well.\n",
        "Clear.",
        "Well.",
    ),
    "title then impression": (
        TITLE + " CHEST, TWO VIEWS:\n \n HISTORY:  Cough.\n \n IMPRESSION:  Well.\n",
        None,
        "Well.",
    ),
    "imprression": (TITLE + " FINDINGS:  Clear.\n \n IMPRRESSION:  Well.\n", "Clear.", "Well."),
    "impressoin": (TITLE + " FINDINGS:  Clear.\n \n IMPRESSOIN:  Well.\n", "Clear.", "Well."),
    "finidngs": (TITLE + " FINIDNGS:  Clear.\n \n IMPRESSION:  Well.\n", "Clear.", "Well."),
    "findigns unlisted": (TITLE + " FINDIGNS:  Clear.\n \n IMPRESION:  Well.\n", "Clear.", "Well."),
    "comparision ends": (TITLE + " FINDINGS:  Clear.\n \n COMPARISION:  None.\n", "Clear.", None),
    "inidcation ends": (TITLE + " FINDINGS:  Clear.\n \n INIDCATION:  Cough.\n", "Clear.", None),
    "comment ends": (TITLE + " IMPRESSION:  Well.\n \n COMMENT:  Telephoned.\n", None, "Well."),
    "reference exam ends": (
        TITLE + " FINDINGS:  Clear.\n \n REFERENCE EXAM:  Film of ___.\n \n IMPRESSION:  Well.\n",
        "Clear.",
        "Well.",
    ),
    "dlp ends": (TITLE + " FINDINGS:  Clear.\n \n DLP:  12 mGy-cm.\n \n IMPRESSION:  Well.\n", "Clear.", "Well."),
    "dictation ends": (TITLE + " IMPRESSION:  Well.\n \n DATE OF DICTATION:  ___.\n", None, "Well."),
    "last paragraph after history": (
        TITLE + " HISTORY:  Cough.\n \n The lungs are clear.  Heart normal.\n",
        "The lungs are clear. Heart normal.",
        None,
    ),
    "last paragraph after title": (
        TITLE + " AP CHEST, 5:32 A.M. ON ___\n \n The lungs are clear.\n",
        "The lungs are clear.",
        None,
    ),
    "several last paragraphs": (
        TITLE + " INDICATION:  Cough.\n \n Lungs clear.\n \n Heart normal.\n",
        "Lungs clear. Heart normal.",
        None,
    ),
    "last paragraph above dictation": (
        TITLE + " HISTORY:  Cough.\n \n Lungs clear.\n \n DATE OF DICTATION:  ___.\n",
        "Lungs clear.",
        None,
    ),
    "last paragraph above comparison": (
        TITLE + " HISTORY:  Cough.\n \n Lungs clear.\n \n COMPARISON:  None.\n",
        "Lungs clear.",
        None,
    ),
    "report in comparison": (
        TITLE + " INDICATION:  Cough.\n \n COMPARISON:  ___.  The lungs are clear.  Heart normal.\n",
        "___. The lungs are clear. Heart normal.",
        None,
    ),
    "comparison only": (TITLE + " INDICATION:  Cough.\n \n COMPARISON:  None.\n", None, None),
    "structured findings": (
        TITLE + " FINDINGS:\n LUNGS:  Clear.\n HEART:  Normal.\n CHEST WALL:  Intact.\n \n IMPRESSION:  Well.\n",
        "LUNGS: Clear. HEART: Normal. CHEST WALL: Intact.",
        "Well.",
    ),
    "structured without findings": (
        TITLE + " INDICATION:  Cough.\n \n LUNGS:  Clear.\n HEART:  Normal.\n \n IMPRESSION:  Well.\n",
        "Clear. HEART: Normal.",
        "Well.",
    ),
    "two studies": (
        TITLE + " CHEST, TWO VIEWS:  Lungs clear.\n \n LEFT RIBS:  Fracture of rib 7.\n \n IMPRESSION:  Rib.\n",
        "Lungs clear. LEFT RIBS: Fracture of rib 7.",
        "Rib.",
    ),
    "mixed case": (TITLE + " Findings:  Clear.\n \n Impression:  Well.\n", "Clear.", "Well."),
    "no colon": (TITLE + " FINDINGS\n Clear.\n \n IMPRESSION\n Well.\n", "Clear.", "Well."),
    "one line": ("FINDINGS: Clear. IMPRESSION: Well.", "Clear.", "Well."),
    "starts without blank": ("FINDINGS: Clear.\nIMPRESSION: Well.\n", "Clear.", "Well."),
    "crlf": (
        "                                 FINAL REPORT\r\n FINDINGS:  Clear.\r\n \r\n IMPRESSION:  Well.\r\n",
        "Clear.",
        "Well.",
    ),
    "end of impression": (TITLE + " IMPRESSION:  Well.\n END OF IMPRESSION:\n ___ signed.\n", None, "Well."),
    "wet read": (
        " WET READ: ___ ___ 10:30 PM\n Perhaps a nodule.\n" + TITLE + " FINDINGS:  Clear.\n \n IMPRESSION:  Well.\n",
        "Clear.",
        "Well.",
    ),
    "addendum above": (
        " ADDENDUM:  The side was wrong.\n" + TITLE + " FINDINGS:  Clear.\n \n IMPRESSION:  Well.\n",
        "Clear.",
        "Well.",
    ),
    "impression twice, last empty": (TITLE + " IMPRESSION:  Well.\n \n IMPRESSION:\n", None, "Well."),
    "additional findings": (
        TITLE + " FINDINGS:  Clear.\n \n OTHER FINDINGS:  Old fracture.\n \n IMPRESSION:  Well.\n",
        "Clear. OTHER FINDINGS: Old fracture.",
        "Well.",
    ),
    "findings/impression": (TITLE + " FINDINGS/ IMPRESSION:  Clear.\n", "Clear.", None),
    "final impression": (TITLE + " FINDINGS:  Clear.\n \n FINAL IMPRESSION:  Well.\n", "Clear.", "Well."),
    "patient history": (TITLE + " PATIENT HISTORY:  Nodule.\n \n FINDINGS:  Clear.\n", "Clear.", None),
    "type of examination": (
        TITLE + " TYPE OF EXAMINATION:  CHEST.\n \n INDICATION:  Cough.\n \n Lungs clear.\n",
        "Lungs clear.",
        None,
    ),
    "recommendations end": (TITLE + " IMPRESSION:  Nodule.\n \n RECOMMENDATION(S):  CT.\n", None, "Nodule."),
    "semi upright": (TITLE + " FRONTAL SEMI-UPRIGHT PORTABLE CHEST:  Clear.\n", "Clear.", None),
    "2 views digits": (TITLE + " CHEST, 2 VIEWS:  Clear.\n \n IMPRESSION:  Well.\n", "Clear.", "Well."),
    "time in heading": (TITLE + " AP CHEST, 5:32 A.M. ON ___:\n \n Clear.\n", "Clear.", None),
    "unknown inside findings": (
        TITLE + " FINDINGS:  Clear.\n QUALITY:  Good.\n \n IMPRESSION:  Well.\n",
        "Clear. QUALITY: Good.",
        "Well.",
    ),
    "sentence": (
        TITLE + " FINDINGS:  Seen with the following\n findings: two.\n",
        "Seen with the following findings: two.",
        None,
    ),
    "impression with parts": (
        TITLE + " FINDINGS:  Clear.\n \n IMPRESSION:\n CHEST:  Clear.\n RIBS:  Intact.\n",
        "Clear.",
        "CHEST: Clear. RIBS: Intact.",
    ),
    "final report alone": (TITLE + " \n Lungs clear.\n", "Lungs clear.", None),
}


@pytest.mark.parametrize("case", HARD)
def test_a_hard_report_is_cut_where_a_reader_would_cut_it(case):
    text, findings, impression = HARD[case]
    assert parse(text)[:2] == (findings, impression)


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("FINDINGS", "findings"),
        ("Findings and Impression", "findings"),
        ("findings", None),
        ("FINDNIGS", "findings"),
        ("IMPRESSSION", "impression"),
        ("MPRESSION", "impression"),
        ("COMPRESSION", None),
        ("COMPARISON CHEST RADIOGRAPH", "before"),
        ("INDICATION FOR PORTABLE CHEST", "before"),
        ("PA AND LATERAL VIEWS OF THE CHEST", "part"),
        ("RIGHT SHOULDER, THREE VIEWS", "part"),
        ("Portable chest", None),
        ("TOTAL DLP", "after"),
        ("DICTATED BY", "after"),
        ("SOMETHING ELSE", None),
    ],
)
def test_what_a_heading_opens(heading, kind):
    assert kind_of(heading) == kind


def test_headings_that_are_not_understood_are_kept_for_the_funnel():
    text = "FINDINGS: clear.\nQUALITY: good.\nIMPRESSION: well.\nMOOD: fair.\nthis: not"
    assert parse_sections(pl.Series([text, None]))["unknown"].to_list() == [["QUALITY", "MOOD"], []]


def slow_parse(text: str) -> tuple[str | None, str | None]:
    """Line by line: a heading opens a section, any other line joins the section that is open."""
    sections: list[tuple[str, list[str]]] = [("before", [])]
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        name, colon, rest = line.partition(":")
        if re.search(r"(?<!M)\.\s", name):  # a sentence ended before the colon, so this is no heading
            colon = ""
        name = name.strip(" \t")
        kind = kind_of(name) if colon and name else KNOWN.get(name.lower()) if name == name.upper() else None
        inside = kind == "part" and sections[-1][0] in ("findings", "impression")
        if kind is None or inside:
            sections[-1][1].append(line)
        else:
            sections.append(("findings" if kind == "part" else kind, [rest]))
    last: dict[str, str] = {}
    for kind, lines in sections:
        words = " ".join(" ".join(lines).split())
        if words:
            last[kind] = words
    return last.get("findings"), last.get("impression")


headings = st.sampled_from([*KNOWN, "lungs", "chest, two views", "quality"])
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
    parsed = parse_sections(pl.Series(texts, dtype=pl.String)).select("findings", "impression").rows()
    for text, sections in zip(texts, parsed, strict=True):
        if slow_parse(text) != (None, None):  # else what stands below a blank line is read
            assert sections == slow_parse(text)


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="FINDGS:abc. \n", max_size=60))
def test_no_character_of_a_report_is_lost_or_said_twice(text):
    assert sum(len(section.heading) + len(section.body) for section in split_sections(text)) <= len(text)
    assert "".join(section.heading + section.body for section in split_sections(text)).count("a") == text.count("a")


@settings(max_examples=60, deadline=None)
@given(st.text())
def test_any_text_is_parsed_into_pieces_of_itself(text):
    findings, impression, report = parse(text)
    for part in (findings, impression):
        assert part is None or (part == part.strip(" ") and "\n" not in part and part != "")
    assert (report is None) == (findings is None and impression is None)

"""Marked reports that the tagger learns from: our sentences, the phantom, and the tuning half of Open-I."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from report_labels import openi_studies
from tagger_fillers import FILLERS, PLAIN, common_word, eponyms, heads, words

from leadapron.phantoms import Dials, build_clinic
from leadapron.phantoms.planted_reports import plant_reports
from leadapron.reports.identifiers.lexicon import lexicon

SENTENCES = Path(__file__).with_name("tagger_sentences.txt")
GAP = re.compile(r"\{([a-z#.]+(?:=[^}]*)?)\}")
CHOICE = re.compile(r"<([^<>]*)>")
MISREAD = (
    *(("l", "1"), ("o", "0"), ("m", "rn"), ("i", "l"), ("S", "5"), ("B", "8"), ("O", "0"), ("e", "c")),
    *(("1", "l"), ("0", "O"), ("5", "S"), ("8", "B"), ("rn", "m"), (",", "."), ("1", "I"), ("h", "b"), ("u", "v")),
)


@dataclass(frozen=True)
class Marked:
    """A text, and what in it identifies someone: category, first character, end."""

    text: str
    spans: tuple[tuple[str, int, int], ...]


LEADING = re.compile("with|from|per|and|the|for|about|told|called|seen|paged|informed|notified|nurse|patient|aware")
"""Words that say what follows; they are not replaced."""
Pieces = list[tuple[str, str | None]]
"""Stretches of text, each with its category or none."""


@cache
def sentences() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    section = ""
    for line in SENTENCES.read_text("utf-8").splitlines():
        if line.startswith("## "):
            section = line[3:]
        elif line and not line.startswith("#"):
            found.setdefault(section, []).append(line.replace("\\n", "\n"))
    return found


@cache
def clinical_words() -> list[str]:
    return sorted(one for one in lexicon().clinical if one.isalpha() and len(one) > 3)


@cache
def diagnoses() -> list[str]:
    """Descriptions of ICD-10-CM: clinical phrases with their eponyms."""
    import html
    from importlib.util import find_spec

    package = find_spec("simple_icd_10_cm")
    assert package is not None
    assert package.origin is not None
    files = sorted(Path(package.origin).parent.glob("data/*.xml"))
    told = {
        html.unescape(one) for file in files for one in re.findall(r"<(?:desc|note)>([^<]+)</", file.read_text("utf-8"))
    }
    return sorted(one for one in told if len(one) < 60 and not re.search(r"[\d\[\]]", one))


def filled(template: str, rng: Random) -> Pieces:
    if "$E" in template:  # the same name in a term and of a person
        template = template.replace("$E", rng.choice(eponyms()).capitalize()).replace("$H", rng.choice(heads()))
    while found := CHOICE.search(template):
        listed = words(found[1][1:]) if found[1].startswith("@") else found[1].split("|")
        template = template[: found.start()] + rng.choice(listed) + template[found.end() :]
    pieces: Pieces = []
    for at, part in enumerate(GAP.split(template)):
        if at % 2 == 0:
            pieces.append((part, None))
        elif part == "x":
            said = rng.choice(diagnoses())
            pieces.append(
                (said if rng.random() < 0.3 else said[0].lower() + said[1:] if said[1:2].islower() else said, None)
            )
        elif part in PLAIN:
            pieces.append((PLAIN[part](rng), None))
        else:
            gap, _, given = part.partition("=")
            category, filler = FILLERS[gap]
            pieces.append((given or filler(rng), category))
    return [piece for piece in pieces if piece[0]]


def reworded(text: str, rng: Random) -> str:
    """Other words in some places, and some left out: the tagger must not take every new word for a name."""
    many = rng.choice((0.06, 0.12, 0.25))

    def other(found: re.Match[str]) -> str:
        word, drawn = found[0], rng.random()
        if drawn < 0.02 and len(word) < 5:
            return ""
        if drawn > 1 - many and not LEADING.fullmatch(word):
            new = rng.choice(clinical_words()) if rng.random() < 0.4 else common_word(rng)
            return new.capitalize() if word[0].isupper() else new
        return word

    return re.sub(r"[^\W\d_]{3,}", other, text)


def noisy(pieces: Pieces, rng: Random) -> Pieces:
    """Letter case, scanning errors, slips, other words."""
    if rng.random() < 0.7:
        pieces = [(text if kind else reworded(text, rng), kind) for text, kind in pieces]
    drawn = rng.random()
    if drawn < 0.1:
        pieces = [(text.upper(), kind) for text, kind in pieces]
    elif drawn < 0.22:
        pieces = [(text.lower(), kind) for text, kind in pieces]
    elif drawn < 0.32:
        pieces = [(text.lower() if kind and rng.random() < 0.5 else text, kind) for text, kind in pieces]
    elif drawn < 0.38:
        pieces = [(text.upper() if kind in ("name", "staff", "hospital") else text, kind) for text, kind in pieces]
    if rng.random() < 0.12:
        pieces = [(_misread(text, rng) if rng.random() < 0.35 else text, kind) for text, kind in pieces]
    if rng.random() < 0.1:
        pieces = [(text.replace(" ", "\n", 1) if kind and rng.random() < 0.3 else text, kind) for text, kind in pieces]
    return pieces


def _misread(text: str, rng: Random) -> str:
    if rng.random() < 0.25 and len(text) > 3:
        at = rng.randint(1, len(text) - 1)
        return text[:at] + " " + text[at:]
    wrong = [(one, other) for one, other in MISREAD if one in text]
    if not wrong:
        return text
    one, other = rng.choice(wrong)
    at = rng.choice([found.start() for found in re.finditer(re.escape(one), text)])
    return text[:at] + other + text[at + len(one) :]


def joined(parts: Sequence[Pieces], gaps: Sequence[str]) -> Marked:
    text, spans = "", []
    for pieces, gap in zip(parts, gaps, strict=True):
        for said, kind in pieces:
            if kind:
                spans.append((kind, len(text), len(text) + len(said)))
            text += said
        text += gap
    return Marked(text, tuple(spans))


def composed(rng: Random, real: Sequence[str]) -> Marked:
    """A report of our sentences among clinical ones; half of these are sentences of real reports."""
    stock = sentences()
    plan = (
        ["header"] * rng.choice((0, 0, 1, 1, 2, 3))
        + ["history"] * rng.choice((0, 1, 1, 2))
        + ["comparison"] * rng.choice((0, 0, 1))
    )
    middle = (
        ["findings"] * rng.choice((0, 0, 1, 1))
        + ["clinical"] * rng.choice((1, 2, 3, 4, 6, 8))
        + ["impression"] * rng.choice((0, 0, 1))
    )
    rng.shuffle(middle)
    plan += middle + ["communication"] * rng.choice((0, 0, 1, 1, 2)) + ["footer"] * rng.choice((0, 0, 1))
    parts, gaps = [], []
    for section in plan:
        if section != "clinical":
            pieces = filled(rng.choice(stock[section]), rng)
        elif real and rng.random() < 0.5:
            pieces = [(rng.choice(real), None)]
        else:
            pieces = filled(rng.choice(stock["decoy"]), rng)
        parts.append(pieces)
        gaps.append("\n" if section in ("header", "footer") or rng.random() < 0.35 else " ")
    flat = noisy([piece for pieces, gap in zip(parts, gaps, strict=True) for piece in [*pieces, (gap, None)]], rng)
    return joined([flat], [""])


def real_sentences() -> list[str]:
    """Of the tuning half of Open-I, without the blanks that stand there for names."""
    studies = openi_studies(held_out=False)
    if studies is None:
        return []
    told = " ".join(studies["report"].drop_nulls().to_list())
    return sorted(
        {one.strip() for one in re.split(r"(?<=[.:])\s+", told) if 8 < len(one) < 160 and "XXX" not in one.upper()}
    )


def phantom(seeds: Sequence[int], part: str, patients: int = 300) -> Iterator[Marked]:
    """Hard reports of a part."""
    for seed in seeds:
        clinic = build_clinic(Dials(patients=patients, seed=seed, identifiers="hard", identifiers_part=part))
        studies = clinic.cohort.records.unique("study_id", maintain_order=True)
        yield from _marked(studies["study_id"].to_list(), studies["report"].to_list(), clinic.identifiers.rows())


def planted(seed: int, part: str) -> Iterator[Marked]:
    studies = openi_studies(held_out=False)
    if studies is None:
        return
    names, texts = studies["study_id"].to_list(), studies["report"].to_list()
    done = plant_reports(texts, names, seed, part, record_ids=names)
    yield from _marked(names, done.texts, done.identifiers.rows())


def _marked(names: Sequence[str], texts: Sequence[str], rows: Sequence[tuple[str, str, int, int]]) -> Iterator[Marked]:
    spans: dict[str, list[tuple[str, int, int]]] = {}
    for name, category, start, end in rows:
        spans.setdefault(name, []).append((category, start, end))
    for name, text in zip(names, texts, strict=True):
        yield Marked(text, tuple(sorted(spans.get(name, ()), key=lambda one: one[1])))

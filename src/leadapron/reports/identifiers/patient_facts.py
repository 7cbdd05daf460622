"""What a patient table knows already: this patient's own name, numbers and address, found in any form."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from leadapron.errors import DataError
from leadapron.reports.identifiers.categories import Span
from leadapron.reports.identifiers.field_labels import labels, squeezed
from leadapron.reports.identifiers.lexicon import FUNCTION, lexicon, plain
from leadapron.reports.identifiers.tokens import Tokens, sentence_start
from leadapron.reports.identifiers.typos import one_edit_apart

NAMED = ("name", "staff", "place", "hospital")
SHORTEST = 3
"""Letters or digits of a fact; shorter ones are in every report."""
LONG = 5
"""Letters from which on a name is known in spite of a slip, and digits from which on a number may stand in groups."""
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
INITIALS = re.compile(r"(?<!\w)(?:[^\W\d_a-z][.\s]{0,2}){1,3}[^\W\d_a-z](?!\w)")
"""With dots, with spaces, or with nothing between them."""
TABLE = "patient table"


@dataclass(frozen=True)
class Facts:
    """Words of names by their category, numbers as patterns with a category, and the initials of the names."""

    words: Mapping[str, str]
    numbers: tuple[tuple[re.Pattern[str], str], ...] = ()
    initials: frozenset[str] = frozenset()

    def find(self, tokens: Tokens) -> Iterator[Span]:
        for at, word in enumerate(tokens.words):
            if len(word) > 1 and word[0].isalpha():
                category = self._category(tokens, at)
                if category is not None:
                    first, last = _with_initials(tokens, at) if category == "name" else (at, at)
                    yield Span(tokens.starts[first], tokens.end(last), category, TABLE)
        for found in INITIALS.finditer(tokens.text):
            if re.sub(r"[\W_]", "", plain(found.group())) in self.initials:
                yield Span(*found.span(), "name", "initials")
        for pattern, category in self.numbers:
            yield from (Span(*found.span(), category, TABLE) for found in pattern.finditer(tokens.text))

    def _category(self, tokens: Tokens, at: int) -> str | None:
        word, bare = tokens.words[at], plain(tokens.words[at])
        ordinary = bare in FUNCTION or lexicon().is_clinical(bare) or lexicon().is_english(bare)
        category = self.words.get(bare)
        if category is None:
            return None if ordinary else self._misspelt(bare)
        if not ordinary or self._joined(tokens, at):
            return category
        if bare in FUNCTION or not word[0].isupper():
            return None
        # "Main" may be a street, and begins many a sentence on bronchi; a name is taken wherever it has its capital
        return None if category != "name" and sentence_start(tokens.row, at) else category

    def _joined(self, tokens: Tokens, at: int) -> bool:
        """Whether a hyphen joins the word to another one of the name: the second one of Jae-won."""
        sides = ((at - 1, at - 2), (at + 1, at + 2))
        beside = [word for sign, word in sides if 0 <= word < len(tokens.words) and tokens.row[sign] == "-"]
        return any(self.words.get(plain(tokens.words[one])) == "name" for one in beside)

    def _misspelt(self, bare: str) -> str | None:
        if len(bare) < LONG:
            return None
        return next((self.words[one] for one in self.words if len(one) >= LONG and one_edit_apart(bare, one)), None)


def _with_initials(tokens: Tokens, at: int) -> tuple[int, int]:
    """The word with a single letter before or behind it: J. Okafor; Okafor, J."""
    row, first, last = tokens.row, at, at
    if at > 1 and row[at - 2 : at] == "I.":
        first = at - 2
    behind = at + 2 if row[at + 1 : at + 2] == "," else at + 1
    if row[behind : behind + 1] == "I" and row[behind + 1 : behind + 2] in ("", ".", ",", "|", ")"):
        last = behind
    return first, last


def facts_of(cells: Mapping[str, object]) -> Facts:
    """From the cells of a patient's row, by the names of their columns."""
    words: dict[str, str] = {}
    numbers: list[tuple[re.Pattern[str], str]] = []
    initials: set[str] = set()
    for column, value in cells.items():
        text, category = _text(value), category_of(column)
        if category == "date" or sum(map(str.isalnum, text)) < SHORTEST:
            continue  # dates are found in every form anyway
        if category in NAMED:
            parts = [plain(part) for part in WORD.findall(text) if len(part) > 1]
            for part in parts:
                if category == "name" or (len(part) > SHORTEST and part not in FUNCTION):
                    words.setdefault(part, category)
            initials |= _initials(text) if category == "name" else set()
        if any(one.isdigit() for one in text):
            numbers.append((_loosely(text), category))
        if category == "place":
            numbers += [(_loosely(code), category) for code in re.findall(r"\d{5,}", text)]
    return Facts(words, tuple(numbers), frozenset(initials))


def category_of(column: str) -> str:
    """What a column of the patient table holds, by its name: PatientName, mrn, birth_date, home_phone."""
    bare = squeezed(column)
    known = labels()
    for said in (bare, bare.removeprefix("patient"), bare.removesuffix("number"), bare.removesuffix("id")):
        if said in known:
            return known[said]
    return next((known[one] for one in sorted(known, key=len, reverse=True) if len(one) > 3 and one in bare), "id")


def read_facts(file: Path) -> dict[str, Facts]:
    """By patient, from a CSV or Parquet table with a column patient_id; a patient may have several rows."""
    try:
        table = pl.read_csv(file, infer_schema=False) if file.suffix == ".csv" else pl.read_parquet(file)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise DataError(f"the patient table cannot be read ({type(error).__name__})", where=file) from error
    if not all(name.isprintable() and "\ufffd" not in name for name in table.columns):
        raise DataError("the patient table is not text in UTF-8", where=file, fix="Save it as CSV in UTF-8.")
    if "patient_id" not in table.columns:
        raise DataError("column 'patient_id' is missing", where=file, got=", ".join(table.columns))
    found: dict[str, Facts] = {}
    for row in table.iter_rows(named=True):
        patient = _text(row.pop("patient_id"))
        new, old = facts_of(row), found.get(patient, Facts({}))
        both = {**old.words, **new.words}
        found[patient] = Facts(both, old.numbers + new.numbers, old.initials | new.initials)
    return found


def _text(value: object) -> str:
    """A cell as it is written; a number that a null beside it made a fraction is a whole one again."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return "" if value is None else str(value).replace("^", " ").strip()


def _initials(name: str) -> set[str]:
    """Of the whole name and of its first and last word, in both orders, where they are no abbreviation of medicine."""
    letters = "".join(part[0] for part in plain(name).split() if part[0].isalpha())
    ends = letters[:1] + letters[-1:]
    return {one for one in (letters, ends, ends[::-1]) if len(one) > 1 and not lexicon().is_clinical(one)}


def _loosely(text: str) -> re.Pattern[str]:
    """The letters and digits in this order, with signs or spaces between them, or none; noughts may stand before."""
    signs = [re.escape(one) for one in text if one.isalnum()]
    between = r"[\W_]{0,3}" if len(signs) >= LONG else r"[\W_]?"
    return re.compile(rf"(?i)(?<!\w)0*{between.join(signs)}(?!\w)")

"""How much of the identifiers in hand-written reports of many styles is found, by rules alone and with the tagger.

    python bench/report_strange.py

No sentence of them was learnt from; only sums are shown.
"""

from __future__ import annotations

import re
from pathlib import Path

from report_span_scores import Report, score

from leadapron.reports.identifiers.finder import Finder

FILE = Path(__file__).parents[1] / "tests" / "reports" / "identifiers" / "strange_reports.txt"
PART = re.compile(r"\{(\w+):([^}]*)\}|\[([^\]]*)\]|[^{\[]+")


def reports() -> list[Report]:
    lines = [line for line in FILE.read_text("utf-8").splitlines() if not line.startswith("#")]
    return [_read(str(at), marked) for at, marked in enumerate("\n".join(lines).split("\n%\n"))]


def _read(name: str, marked: str) -> Report:
    text, identifiers, terms = "", [], []
    for part in PART.finditer(marked.strip("\n%")):
        said = part[2] or part[3] or part[0]
        if part[1]:
            identifiers.append((part[1], len(text), len(text) + len(said)))
        elif part[3]:
            terms.append((len(text), len(text) + len(said)))
        text += said
    return Report(name, name, text, tuple(identifiers), tuple(terms))


def main() -> None:
    strange = reports()
    texts = [one.text for one in strange]
    for name, finder in (("rules alone", Finder(context=False)), ("with the tagger", Finder())):
        found = score(strange, [[(one.start, one.end) for one in spans] for spans in finder.find(texts)])
        print(
            f"{name}: {found.found:.1%} of the identifiers found, {found.covered:.1%} wholly; "
            f"{found.leaky_patients:.1%} of {len(strange)} reports with one untouched; "
            f"{found.precision:.1%} rightly found; {found.terms_kept:.1%} of the terms kept, "
            f"{1000 * found.other_words_lost:.1f} of 1,000 other words lost"
        )


if __name__ == "__main__":
    main()

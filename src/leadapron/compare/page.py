"""The page of a comparison: one file that asks for nothing from anywhere, readable in print and without colour."""

from __future__ import annotations

from importlib.resources import files

from leadapron import __version__
from leadapron.compare.changes import Change
from leadapron.compare.comparison import Comparison
from leadapron.compare.dumbbell import READING, dumbbells
from leadapron.compare.glossary import glossary
from leadapron.compare.names import direction_name
from leadapron.compare.words import (
    CAVEAT,
    COLUMNS,
    IN_BRACKETS,
    ONE_TEST,
    directions,
    others,
    shown,
    support,
    tables,
    verdict,
)
from leadapron.report.glossary import as_html
from leadapron.report.numerals import escape
from leadapron.report.tables import table

SECURITY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def as_page(comparison: Comparison) -> str:
    """The verdict first, then each direction with its figure and its tables. Names are escaped."""
    title = escape(f"{comparison.before} → {comparison.after}")
    rows, more = shown(comparison), others(comparison)
    style, sign_off = (
        files("leadapron.report").joinpath(name).read_text(encoding="utf-8") for name in ("style.css", "sign-off.html")
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{SECURITY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<header>
<p class="kicker">Two audits of the same records, before and after</p>
<h1>{title}</h1>
</header>
<main>
<section class="verdict" aria-labelledby="conclusion">
<h2 id="conclusion"><span class="tag">Measured</span> What changed</h2>
<p class="sentence">{escape(verdict(comparison))}</p>
{"".join(f"<p>{escape(sentence)}</p>" for sentence in support(comparison))}
<p class="note">{escape(CAVEAT)} {escape(ONE_TEST)}</p>
</section>
{"".join(_direction(name, rows, more) for name in directions(rows))}<section aria-labelledby="glossary">
<h2 id="glossary">Glossary</h2>
<dl class="glossary">
{as_html(glossary(comparison.attack))}
</dl>
</section>
{sign_off}</main>
<footer>
<p>Made by leadapron {escape(__version__)}, seed {comparison.seed}. This page holds no patient number, no image and no
text of a report.</p>
</footer>
</body>
</html>
"""


def _direction(direction: str, rows: list[Change], more: list[Change]) -> str:
    name = direction_name(direction)
    first, rest = ([change for change in part if change.direction == direction] for part in (rows, more))
    folded = f"<details><summary>Other measures</summary>\n{_tables(rest)}</details>\n" if rest else ""
    return f"""<section>
<h2>{escape(name[0].upper() + name[1:])}</h2>
<figure><div class="scroll">{dumbbells(first, key=direction)}</div>
<figcaption><strong>How to read:</strong> {READING}</figcaption></figure>
{_tables(first)}
<p class="note">{escape(IN_BRACKETS)}</p>
{folded}</section>
"""


def _tables(changes: list[Change]) -> str:
    return "\n".join(table(name, COLUMNS, rows, numbers=4) for name, rows in tables(changes).items())

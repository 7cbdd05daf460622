"""The page of a comparison: one file that asks for nothing from anywhere, readable in print and without colour."""

from __future__ import annotations

from importlib.resources import files

from leadapron.compare.comparison import Change, Comparison
from leadapron.compare.dumbbell import READING, dumbbells
from leadapron.compare.words import CAVEAT, cells, columns, conclusion, shown
from leadapron.report.numerals import escape
from leadapron.report.words import ARROWS

SECURITY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def as_page(comparison: Comparison) -> str:
    """The conclusion first, then each direction with its figure and its table. Names are escaped."""
    title = escape(f"{comparison.before} → {comparison.after}")
    found = "\n".join(f"<p>{escape(conclusion(change))}</p>" for change in comparison.paired)
    rows = shown(comparison)
    style = files("leadapron.report").joinpath("style.css").read_text(encoding="utf-8")
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
<h2 id="conclusion">What changed</h2>
{found}
<p class="note">{escape(CAVEAT)}</p>
</section>
{"".join(_direction(name, rows) for name in dict.fromkeys(change.direction for change in rows))}</main>
</body>
</html>
"""


def _direction(direction: str, rows: list[Change]) -> str:
    changes = [change for change in rows if change.direction == direction]
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in columns()[1:])
    body = "\n".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells(change)[1:])}</tr>" for change in changes
    )
    return f"""<section>
<h2>{escape(ARROWS[direction])}</h2>
<figure><div class="scroll">{dumbbells(changes, key=direction)}</div><figcaption>{READING}</figcaption></figure>
<div class="scroll"><table>
<thead><tr>{head}</tr></thead>
<tbody>
{body}
</tbody>
</table></div>
</section>
"""

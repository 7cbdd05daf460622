"""The page of a frontier, and its other forms: one result for people, for machines and for the terminal."""

from __future__ import annotations

import json
from dataclasses import asdict
from importlib.resources import files

from leadapron.compare.exposure import MODELS
from leadapron.compare.frontier import Frontier
from leadapron.compare.frontier_figure import READING, frontier_figure
from leadapron.compare.frontier_words import (
    ADAPTIVE,
    APART_COLUMNS,
    COLUMNS,
    CONTROL_READING,
    EXPOSURE_COLUMNS,
    NO_BOUND,
    RECOGNITION_COLUMNS,
    WORDS,
    apart_cells,
    cells,
    conclusions,
    exposure_cells,
    gap_cells,
    recognition_cells,
    use_cells,
    use_columns,
)
from leadapron.compare.page import SECURITY
from leadapron.report.numerals import NBSP, escape

GAP_COLUMNS = ("release", "training pairs", "held-out pairs", "difference, points", "bound", "bound, held-out")


def as_json(frontier: Frontier) -> str:
    return json.dumps({"format": 1, **asdict(frontier)}, indent=1, allow_nan=False) + "\n"


def as_table(frontier: Frontier) -> str:
    """For the terminal; * marks the front."""
    rows = [list(COLUMNS), *(cells(point, number) for number, point in enumerate(frontier.points, 1))]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([*conclusions(frontier), "", *lines, "", ADAPTIVE, WORDS, NO_BOUND]).replace(NBSP, " ")


def as_page(frontier: Frontier) -> str:
    style = files("leadapron.report").joinpath("style.css").read_text(encoding="utf-8")
    before = escape(frontier.points[0].name)
    first, *said = (escape(sentence) for sentence in conclusions(frontier))
    controls = {point.name.rpartition("/")[2] for point in frontier.points if point.role == "control"}
    explained = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(words)}</dd>"
        for name, words in CONTROL_READING.items()
        if name in controls
    )
    uses = use_columns(frontier)
    promises = "".join(
        f"<dt>{escape(point.name)}</dt><dd>{escape(point.guarantee.get('statement', ''))}</dd>"
        for point in frontier.points
        if point.role == "defence" and point.guarantee
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{SECURITY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Defences of {before}</title>
<style>
{style}</style>
</head>
<body>
<header>
<p class="kicker">Attacked, defended, attacked again</p>
<h1>Defences of {before}</h1>
</header>
<main>
<section class="verdict" aria-labelledby="conclusion">
<h2 id="conclusion">What was found</h2>
<p class="sentence">{first}</p>
{"".join(f"<p>{sentence}</p>" for sentence in said)}
<p class="note">{escape(ADAPTIVE)} {escape(WORDS)}</p>
</section>
<section>
<h2>Linkage against use</h2>
<figure><div class="scroll">{frontier_figure(frontier)}</div><figcaption>{escape(READING)}</figcaption></figure>
{_table(COLUMNS, [cells(point, number) for number, point in enumerate(frontier.points, 1)])}
<p class="note">In brackets the 95{NBSP}% interval. * no other release beats it in both. Excess cut: the share of
linkage over guessing that the defence takes. Patients are the units of intervals; those of the two ratios compare the
same ones before and after, and are the ones to judge a defence by.</p>
{f"<h3>Controls</h3><dl>{explained}</dl>" if explained else ""}
</section>
<section>
<h2>Are patients recognised by their images?</h2>
{_table(RECOGNITION_COLUMNS, [recognition_cells(point) for point in frontier.points])}
<p class="note">Recognised: a patient's own other image comes first in a gallery of strangers', by the strongest
attacker, who knows training patients as they were released. Pairs told apart: how often a pair of one patient scores
higher than a pair of strangers (AUC, 50{NBSP}% is guessing); matched pairs: strangers of the same sex, age, view and
findings.</p>
</section>
<section>
<h2>Does a model that learns from it give away whom it learnt from?</h2>
{_table(EXPOSURE_COLUMNS, [exposure_cells(point) for point in frontier.points])}
<p class="note">Measured: small networks learn the findings from the released images of the training patients,
{MODELS} of them, each from its own half of the patients. AUC: how often a model with a record, or with a patient's
records, is told from one without; 0.5 is guessing. Patients above 0.9 are told nearly every time; scatter of the
estimates is taken out. ° marks a change that the choice of patients may explain. Declared, and not tested: the attacker
holds the record itself and knows how such models are trained.</p>
{_table(APART_COLUMNS, [apart_cells(point) for point in frontier.points])}
<p class="note">Three kinds of risk, kept apart. Measured: of the members' records, how many the strongest attack
recognises when false alarms are rare. Declared, by whoever signs: how many of those that the attacker asks about are
members. Combined: of those whom the attack calls members, how many are. The page of each membership audit has more.</p>
</section>
<section>
<h2>What is promised</h2>
{f"<dl>{promises}</dl>" if promises else "<p>No defence here carries a guarantee.</p>"}
<p>{escape(NO_BOUND)}</p>
{_table(GAP_COLUMNS, [gap_cells(point) for point in frontier.points])}
<p class="note">Right report first by the published attacker, for patients whose pairs the defence was fitted on and
for others. The bound is that of the privacy profile at the linkage of held-out pairs, which stand in for what the same
pairs would give, had they been left out.</p>
</section>
<section>
<h2>What it is still good for</h2>
{_table(uses, [use_cells(point, uses) for point in frontier.points])}
<p class="note">In brackets the change in percentage points; ° marks one that the choice of patients may explain
(p above 0.05). AUROC, accuracy, sensitivity and specificity are a linear probe's on the images, means over findings.
Zero-shot: the findings asked in words. Label retrieval: do an image's nearest reports of other patients have its
findings?</p>
</section>
</main>
</body>
</html>
"""


def _table(columns: tuple[str, ...], rows: list[list[str]]) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in columns)
    body = "\n".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>'

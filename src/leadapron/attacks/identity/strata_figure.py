"""What changes between two images of a patient, and what more known images bring: shares on a linear axis."""

from __future__ import annotations

from leadapron.attacks.identity.identity_words import of_attacker
from leadapron.pages.figures import Figure
from leadapron.pages.figures.row_chart import Dot, Guide, Layout, Row, draw_rows
from leadapron.pages.figures.subgroups import left_out
from leadapron.pages.numerals import NBSP, fitted, interval, percent, round_percent
from leadapron.results import Measured, Results
from leadapron.results.selection import SMALLEST_CELL, Group, attribute_name, by_attribute

CRITERIA = {"years": "Years between", "view": "View", "devices": "Support devices"}
LEVELS = ("same", "changed", "in neither", "in one", "in both")
NEW = "new_"
KNOWN = "known_images="


def strata(results: Results) -> list[Group]:
    """Pairs of one patient by what changed between them: years, view, devices, new findings."""
    spot = results.spot.attacker
    members = [row for row in results.estimates if row.group and row.metric == "tpr" and row.attacker == spot]
    found = by_attribute(members, results.counts.get("same_patient_pairs") or 0)
    return sorted(found, key=lambda group: (_place(group.attribute, tuple(CRITERIA)), _place(group.level, LEVELS)))


def _place(name: str, known: tuple[str, ...]) -> int:
    return known.index(name) if name in known else len(known)


def stratum_names(group: Group) -> tuple[str, str]:
    if group.attribute.startswith(NEW):
        return "New finding", attribute_name(group.attribute.removeprefix(NEW))
    if group.attribute == "years":
        return CRITERIA["years"], "less than 1" if group.level == "0" else group.level
    return CRITERIA.get(group.attribute, attribute_name(group.attribute)), group.level


def what_changed(results: Results) -> Figure:
    title = "Recognised by what changed between two images"
    reading = (
        f"Each mark is the share of a patient's pairs that are recognised although this changed, the bar its 95{NBSP}% "
        "interval. The solid line is all pairs of one patient, the dotted one the share of strangers' pairs that are "
        "taken for one patient at the same threshold. A mark far left tells what makes recognition hard."
    )
    found = strata(results)
    if not found:
        missing = "The release does not tell what changed between images, or too few patients share a change."
        return Figure("strata", title, reading, missing=missing)
    rows: list[Row] = []
    before = ""
    for group in found:
        criterion, level = stratum_names(group)
        first = criterion != before
        before = criterion
        names = (criterion if first else "", fitted(level, 20))
        rule = first and bool(rows)
        dot = _dot(group.estimate, f"{criterion}, {level}")
        rows.append(Row((*names, *_numbers(group.estimate)), (dot,), rule=rule))
    guides = [Guide(found[0].estimate.chance, 0, len(rows), "strangers", "chance")]
    everybody = _everybody(results)
    if everybody is not None:
        guides.append(Guide(everybody, 0, len(rows), "all pairs", "everybody"))
    columns = (
        (0.0, "What changed"),
        (116.0, ""),
        (-158.0, "Recognised"),
        (-52.0, f"95{NBSP}% interval"),
        (-1.0, "Pairs"),
    )
    layout = Layout(columns, 262.0, 532.0, row_height=21.0, begin=0.0)
    described = "; ".join(" ".join(row.cells).strip() for row in rows if row.dots)
    svg = draw_rows("strata", title, described, layout, rows, guides, "Pairs of one patient recognised")
    note = f"Threshold set on {results.details.get('threshold', 'an unknown set of pairs')}. {left_out(results)}"
    return Figure("strata", title, reading, svg=svg, note=note)


def _everybody(results: Results) -> float | None:
    """The share of all pairs recognised at the same threshold: set on other patients, or at equal error on these."""
    if (tuned := of_attacker(results, "all-pairs", "recall")) is not None:
        return float(tuned.value)
    error = of_attacker(results, "all-pairs", "eer")
    return None if error is None else 1 - float(error.value)


def known_rows(results: Results) -> list[Measured]:
    """Several known images, by their number."""
    found = [row for row in results.estimates if row.protocol == "fused" and (row.group or "").startswith(KNOWN)]
    return sorted(found, key=_known)


def _known(row: Measured) -> int:
    return int((row.group or "").removeprefix(KNOWN))


def several_known(results: Results) -> Figure:
    title = "Several known images of one patient"
    reading = (
        "The attacker holds so many images of a patient and looks for one more among strangers'. Each mark is how "
        f"often it comes first, the bar its 95{NBSP}% interval; the dotted line is guessing. Every row is of the same "
        "images sought, so that the rows can be compared."
    )
    found = known_rows(results)
    told = [row for row in found if row.n >= SMALLEST_CELL]
    if not told:
        missing = "Too few patients have enough images, or the attacker's scores cannot be added up."
        return Figure("fused", title, reading, missing=missing)
    rows = []
    for row in found:
        name = f"{_known(row)} known image{'s' if _known(row) > 1 else ''}"
        if row in told:
            rows.append(Row((name, *_numbers(row)), (_dot(row, name),)))
        else:
            rows.append(Row((name, "withheld", "", "")))
    pool = told[0].pool
    guides = [Guide(told[0].chance, 0, len(rows), "guessing", "chance")]
    columns = ((8.0, "Attacker holds"), (-158.0, "Right first"), (-52.0, f"95{NBSP}% interval"), (-1.0, "Images"))
    layout = Layout(columns, 150.0, 532.0, row_height=30.0, begin=0.0)
    described = "; ".join(" ".join(row.cells) for row in rows if row.dots)
    svg = draw_rows("fused", title, described, layout, rows, guides, f"Right image first among {pool:,}")
    note = (
        f"Images of patients with more than {_known(found[-1])} images; the gallery holds the one image sought and "
        f"strangers', so that guessing is right in {round_percent(told[0].chance)} of the cases, and the first row "
        "is below the verdict's number, where any image of the patient counts."
    )
    return Figure("fused", title, reading, svg=svg, note=note)


def _numbers(row: Measured) -> tuple[str, str, str]:
    return percent(row.value), interval(row.low, row.high), f"{row.n:,}"


def _dot(row: Measured, name: str) -> Dot:
    value, range_, count = _numbers(row)
    return Dot(row.value, row.low, row.high, "square", "ink", f"{name}: {value} ({range_}), n = {count}")

"""What training promised by differential privacy, held against what was measured."""

from __future__ import annotations

from leadapron.report.figures import Figure
from leadapron.report.figures.rows import Dot, Guide, Layout, Row, draw_rows
from leadapron.report.membership.attackers import HALF
from leadapron.report.membership.numbers import TOP, attacks, auc, auc_range, first
from leadapron.report.membership.words import few
from leadapron.report.numerals import NBSP
from leadapron.report.results import Results


def promised(results: Results) -> Figure:
    title = "What was promised, and what was measured"
    reading = (
        "The dashed line is the most that any attack can reach if training kept its promise to whom it names. Each "
        f"mark is an AUC that was measured, the bar its 95{NBSP}% interval. A bar that lies wholly right of its line "
        "breaks the promise; left of it the promise may hold or not. Where single records were protected, a patient "
        "with several is less so: the solid line is theirs."
    )
    promise = results.content.get("promise")
    if promise is None:
        missing = "No promise of differential privacy was given; --epsilon with --delta, --mu or --profile give one."
        return Figure("promise", title, reading, missing=missing)
    strongest = next(iter(attacks(results)), "")
    measured = {
        f"All records ({strongest})": first(results, protocol="aggregate", attacker=strongest, metric="auc"),
        "One patient in a hundred": first(results, protocol="patient", attacker="joint", metric=f"{TOP}0.01"),
        "One patient in a thousand": first(results, protocol="patient", attacker="joint", metric=f"{TOP}0.001"),
    }
    rows = [
        Row(
            (name, auc(row["value"]), auc_range(row["low"], row["high"])),
            (Dot(row["value"], row["low"], row["high"], "circle", "s0", f"{name}: {auc(row['value'])}"),),
        )
        for name, row in measured.items()
        if row is not None
    ]
    if not rows:
        return Figure("promise", title, reading, missing="The results hold no AUC to hold against the promise.")
    one = promise["auc_bound_record"]
    unit = promise["unit"]
    guides = [Guide(one, 0, len(rows), f"one {unit}", "threshold")]
    several = min((int(size) for size in promise["auc_bound_patient"] if int(size) > 1), default=0)
    if several and unit == "record":
        bound = promise["auc_bound_patient"][str(several)]
        guides.append(Guide(bound, 0, len(rows), f"{several} records", "everybody"))
    columns = ((8.0, "Measured"), (-128.0, "AUC"), (-4.0, f"95{NBSP}% interval"))
    begin = min(HALF, *(dot.low for row in rows for dot in row.dots if dot.low is not None))
    layout = Layout(columns, 200.0, 560.0, row_height=32.0, begin=begin, words=lambda tick: f"{tick:g}")
    described = f"The bound for one {unit} is {auc(one)}; " + "; ".join(" ".join(row.cells) for row in rows)
    svg = draw_rows("promise", title, described, layout, rows, guides, "AUC")
    return Figure("promise", title, reading, svg=svg, note=_note(results))


def _note(results: Results) -> str:
    promise = results.content["promise"]
    records, patients = promise["records"], promise["patients"]
    return (
        f"One by one, {few(records['above'])} records and {few(patients['above'])} patients are above their own bound, "
        f"{few(records['surely_above'])} and {few(patients['surely_above'])} surely so after all comparisons. "
        "Estimates scatter: some are above without the promise being broken."
    )

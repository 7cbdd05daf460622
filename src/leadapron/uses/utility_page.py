"""The page of a utility, beyond the standard one: the means, and every finding by itself."""

from __future__ import annotations

import math
from functools import partial

from leadapron.audits.audit_registry import find_audit
from leadapron.audits.page_parts import PageParts
from leadapron.audits.standard_tables import INTERVAL, all_estimates, numbers, with_interval
from leadapron.audits.wording import sentence, title_of, written, written_range
from leadapron.pages.figures import Figure
from leadapron.pages.figures.row_chart import Dot, Guide, Layout, Row, draw_rows
from leadapron.pages.numerals import fitted
from leadapron.pages.page import Block, Table, kept, table
from leadapron.results import Measured, Results
from leadapron.results.selection import attribute_name, first, select
from leadapron.results.withheld import FEWEST_PATIENTS
from leadapron.uses.finding_scores import RETRIEVED, ZERO_SHOT_METRIC

AREAS = ("auroc", ZERO_SHOT_METRIC)
AT_THRESHOLD = ("accuracy", "sensitivity", "specificity")
SIDES = {"train": "training", "validate": "validation", "test": "test"}
COUNT_NAMES = {
    **{f"{side}_records": f"{name} radiographs" for side, name in SIDES.items()},
    **{f"{side}_patients": f"{name} patients" for side, name in SIDES.items()},
    "reports": "reports to search",
}
GLOSSARY = {
    "AUROC": "Area under the ROC curve: how often a radiograph with the finding scores higher than one without it. 0.5 "
    "is guessing, 1 is always.",
    "Chance, guessing": "What one gets without looking at the image: 0.5 for an AUROC; at a threshold, the answer that "
    "is more frequent among the training patients; in retrieval, reports drawn blindly.",
    "Null control": "The same measurement with shuffled labels. It must sit at chance, or the measurement is wrong.",
    "Precision@10, jaccard@10, agreement@10": "Of the ten nearest reports of other patients: the share with the very "
    "same findings, the shared part of the findings of either, and the share of labels that agree.",
    "Sensitivity, specificity": "The share of present findings that are called present, and of absent ones that are "
    "called absent.",
    "Zero-shot": "Findings are asked for in words; nothing is learnt from these patients.",
}
AXIS_BEGINS = 0.4
"""At the latest, so that chance stands on it."""


def support(results: Results) -> list[str]:
    """What the mean is over, and what else the release is good for."""
    said = [mean_over(results.details["macro_over"]["probe"])]
    others = [first(results, metric=metric) for metric in (ZERO_SHOT_METRIC, f"{RETRIEVED} jaccard@10")]
    said += [f"{sentence(find_audit('utility'), row)}." for row in others if row is not None]
    return [*said, withheld(results)] if results.details["withheld"] else said


def mean_over(findings: list[str]) -> str:
    """How many findings a mean is over, or that it is of one."""
    if len(findings) == 1:
        return f"This is of one finding alone: {attribute_name(findings[0]).lower()}."
    return f"This is the mean over {len(findings)} findings."


def withheld(results: Results) -> str:
    names = ", ".join(label.replace("_", " ") for label in results.details["withheld"])
    return (
        f"Numbers are withheld of findings that fewer than {FEWEST_PATIENTS} patients have or do not have, and of one "
        f"more if the mean would give the only one away: {names}."
    )


def facts(results: Results) -> dict[str, str]:
    details = results.details
    how = "chosen on the validation patients" if details["validated_by"] else "as asked"
    redrawn = details["redrawn"]
    return {
        "Strength of the probe": f"{details['strength']:g}, {how}",
        "Intervals": f"{redrawn['redraws']:,} redraws of {redrawn['resample']}s",
    }


def means(results: Results) -> Table:
    """The means over findings, and what is measured without them."""
    audit = find_audit("utility")
    rows = []
    for row in select(results, label=None):
        value, range_, chance, _, count = numbers(audit, row)
        rows.append((_mean_name(row), value, range_, chance, count))
    columns = ("Measure", "Measured", INTERVAL, "Guessing", "n")
    return table("On the test patients", columns, rows, numbers=4)


def by_finding(results: Results, metrics: tuple[str, ...]) -> Table:
    audit, positives = find_audit("utility"), results.details["positives"]
    measured = [metric for metric in metrics if first(results, metric=metric)]
    rows = []
    for label in _labels(results):
        own = [with_interval(audit, first(results, metric=metric, label=label)) for metric in measured]
        told = (f"{positives[label]:,}", *own) if label in positives else ("withheld", *["–"] * len(own))
        rows.append((attribute_name(label), *told))
    columns = ("Finding", "Radiographs with it", *(audit.measure_of(metric).title for metric in measured))
    return table(f"By finding: measured ({INTERVAL})", columns, rows, numbers=len(columns) - 1)


def summary(results: Results) -> Table:
    """The means with their intervals and the area of every finding, on the terminal."""
    audit = find_audit("utility")
    rows = [(_mean_name(row), *numbers(audit, row)[:3], "") for row in select(results, label=None)]
    for label in _labels(results):
        probed, asked = (first(results, metric=metric, label=label) for metric in AREAS)
        own = numbers(audit, probed)[:3] if probed else ("", "", "")
        words = numbers(audit, asked)[0] if asked else ""
        told = ("withheld", "", "", "") if label in results.details["withheld"] else (*own, words)
        rows.append((f"AUROC, {label.replace('_', ' ')}", *told))
    return table("", ("on the test patients", "measured", "95 % interval", "guessing", "zero-shot"), rows, numbers=4)


def probe_by_finding(results: Results) -> Figure:
    reading = "Each mark is how often a linear probe scores a radiograph with the finding above one without it"
    return _areas(results, "auroc", "probe", reading)


def zero_shot_by_finding(results: Results) -> Figure:
    reading = "Each mark is how often a radiograph with the finding lies nearer to its sentence than one without it"
    return _areas(results, ZERO_SHOT_METRIC, "zero-shot", reading)


def _areas(results: Results, metric: str, key: str, reading: str) -> Figure:
    """The mean first, then findings from the best to the worst."""
    audit = find_audit("utility")
    title = f"{audit.measure_of(metric).title} by finding"
    reading = f"{reading}, the bar its {INTERVAL}. The dotted line is guessing."
    found = sorted(select(results, metric=metric), key=lambda row: ("label" in row.at, -row.value))
    if not found:
        return Figure(key, title, reading, missing="The release holds no sentences in the space of its images.")
    rows = []
    for at, row in enumerate(found):
        name = attribute_name(row.label) if "label" in row.at else "Mean"
        value, range_ = written("auc", row.value), written_range("auc", row.low, row.high)
        dot = Dot(row.value, row.low, row.high, "circle" if at else "diamond", "s0", f"{name}: {value} ({range_})")
        rows.append(Row((fitted(name, 30), value, range_), (dot,), rule=at == 1))
    begin = min(AXIS_BEGINS, math.floor(10 * min(row.low for row in found)) / 10)
    columns = ((0.0, "Finding"), (-120.0, "AUROC"), (-4.0, INTERVAL))
    layout = Layout(columns, 200.0, 560.0, row_height=22.0, begin=begin, words=partial(written, "auc"))
    described = "; ".join(f"{row.cells[0]} {row.cells[1]}" for row in rows)
    guides = [Guide(found[0].chance, 0, len(rows), "guessing", "chance")]
    svg = draw_rows(key, title, described, layout, rows, guides, title_of(audit, found[0]))
    return Figure(key, title, reading, svg, note=withheld(results) if results.details["withheld"] else "")


def _labels(results: Results) -> list[str]:
    """Every finding that has a part in a mean."""
    return list(dict.fromkeys(label for own in results.details["macro_over"].values() for label in own))


def _mean_name(row: Measured) -> str:
    title = title_of(find_audit("utility"), row)
    return f"{title}, mean over findings" if row.metric in (*AREAS, *AT_THRESHOLD) else title


def shown(results: Results) -> tuple[Block, ...]:
    return kept(means(results), by_finding(results, AREAS))


def folded(results: Results) -> dict[str, tuple[Block, ...]]:
    return {
        "At the threshold of 0.5, by finding": kept(by_finding(results, AT_THRESHOLD)),
        "All estimates": kept(all_estimates(results)),
    }


PAGE = PageParts(
    support=support,
    facts=facts,
    count_names=COUNT_NAMES,
    figures=(probe_by_finding, zero_shot_by_finding),
    tables=shown,
    folded=folded,
    glossary=GLOSSARY,
    card=means,
    summary=summary,
)

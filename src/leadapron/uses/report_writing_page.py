"""The page of a report-writing audit, beyond the standard one."""

from __future__ import annotations

from leadapron.audits.audit_registry import find_audit
from leadapron.audits.page_parts import PageParts
from leadapron.audits.standard_tables import INTERVAL, with_interval
from leadapron.audits.wording import sentence, written_difference
from leadapron.pages.numerals import NBSP
from leadapron.pages.page import Block, Table, Text, kept, table
from leadapron.results import Measured, Results
from leadapron.results.selection import first, select
from leadapron.uses.report_writing_measures import FINDINGS, GAIN, SIDES, TITLES
from leadapron.uses.report_writing_trial import MARK, TOLD, heads, in_trial
from leadapron.uses.writing_task import CONTROLS, SAME_LABELS

COUNT_NAMES = {
    "train_records": "training radiographs",
    "train_patients": "training patients",
    "test_records": "test radiographs",
    "test_patients": "test patients",
    "without_report": "records without a report, left out",
}
GLOSSARY = {
    "BLEU": "How many runs of words of the written reports stand in the true ones.",
    "Chance, guessing": "What the same written reports get when they are dealt to other patients' images.",
    "F1": "The harmonic mean of how much of what is written is true, and how much of what is true is written.",
    "METEOR": "How many words match the true report's, and in how few runs.",
    "Most frequent": "A control that always writes the most frequent training report.",
    "Null control": "A writer that learnt from shuffled pairs. It must say no more of its own image than of another's.",
    "ROUGE-L": "The longest row of words that both reports have in the same order.",
    "Same labels": "A control that is told the findings of the true report and takes a random training report with "
    "these. What it does not reach is what only the image tells.",
    "Shuffled pairs": "A control that learnt from the same images with other patients' reports.",
}


def support(results: Results) -> list[str]:
    audit, details = find_audit(results.audit), results.details
    side = first(results, metric=SIDES, attacker=results.spot.attacker)
    said = [f"{sentence(audit, side)}."] if side is not None else []
    if reached := details["reached"]:
        titles = ", ".join(TITLES[name][0] for name in reached)
        said.append(f"Uninformative here, because a control that sees no image comes near: {titles}.")
    return [*said, *(note for notes in list(details["notes"].values())[:1] for note in notes)]


def facts(results: Results) -> dict[str, str]:
    details = results.details
    regimes = ", ".join(f"{name} ({count:,})" for name, count in details["regimes"].items())
    return {
        "Writer": str(details["writer"]),
        "Learnt from (pairs)": regimes,
        "Intervals": f"{details['redraws']:,} redraws of patients",
    }


def by_method(results: Results, metrics: tuple[str, ...] | None = None) -> Table:
    """Regimes and then controls in rows, scores in columns; a mark where a control comes near."""
    audit = find_audit(results.audit)
    rows = [row for row in select(results) if not row.at]
    names = [name for name in dict.fromkeys(row.metric for row in rows) if metrics is None or name in metrics]
    methods = sorted(dict.fromkeys(row.attacker for row in rows), key=lambda name: name in CONTROLS)
    cells = {(row.attacker, row.metric): row for row in rows}
    distinct = results.details["distinct"]
    content = [
        (
            f"control: {method}" if method in CONTROLS else method,
            *(with_interval(audit, cells.get((method, name))) for name in names),
            f"{distinct[method]:,}",
        )
        for method in methods
    ]
    columns = ("Writer", *heads(names, results), "Different reports")
    return table(f"Scores ({INTERVAL})", columns, content, numbers=len(names) + 1)


def gains(results: Results) -> Table:
    audit = find_audit(results.audit)
    rows = [row for row in select(results) if row.metric.endswith(GAIN)]
    names = list(dict.fromkeys(row.metric for row in rows))
    pairs = list(dict.fromkeys((row.attacker, str(row.at["over"])) for row in rows))
    cells = {(row.attacker, row.at["over"], row.metric): row for row in rows}

    def cell(row: Measured | None) -> str:
        if row is None:
            return "–"
        measure = audit.measure_of(row.metric.removesuffix(GAIN))
        value, low, high = (written_difference(measure, end) for end in (row.value, row.low, row.high))
        return f"{value} ({low}{NBSP}to{NBSP}{high})"

    content = [(f"{one} − {other}", *(cell(cells.get((one, other, name))) for name in names)) for one, other in pairs]
    titles = [TITLES[name.removesuffix(GAIN)][0] for name in names]
    caption = f"Paired differences, percentage points ({INTERVAL})"
    return table(caption, ("Difference", *titles), content, numbers=len(names))


def by_finding(results: Results) -> Table:
    audit = find_audit(results.audit)
    rows = [row for row in select(results, metric=FINDINGS) if "finding" in row.at]
    content = [(str(row.at["finding"]), f"{row.n:,}", with_interval(audit, row)) for row in rows]
    return table(f"By finding, {results.spot.attacker}", ("Finding", "True reports with it", "F1"), content, numbers=2)


def computed(results: Results) -> Table:
    """How each score is computed; and of those that were not, why."""
    details = results.details
    rows = [(TITLES[name][0], how) for name, how in details["how"].items()]
    rows += [(TITLES[name][0], f"not-run: {why}") for name, why in details["not_run"].items()]
    return table("How scores are computed", ("Score", "How"), rows)


def shown(results: Results) -> tuple[Block, ...]:
    details = results.details
    note = (
        f"{MARK} A control that sees no image reaches 90{NBSP}% of it: uninformative here. The control {SAME_LABELS} "
        f"is told the findings ({100 * details['same_labels_exact']:.0f}{NBSP}% of its reports have the very same), so "
        "it is not held against the F1 of written findings."
    )
    return kept(by_method(results), Text(note, note=True), gains(results), by_finding(results))


def folded(results: Results) -> dict[str, tuple[Block, ...]]:
    return {"How scores are computed": kept(computed(results))}


def summary(results: Results) -> Table:
    return by_method(results, TOLD)


PAGE = PageParts(
    support=support,
    facts=facts,
    count_names=COUNT_NAMES,
    tables=shown,
    folded=folded,
    glossary=GLOSSARY,
    card=summary,
    summary=summary,
    in_trial=in_trial,
)

"""The tables of a trial: all releases at a glance, scenario by scenario, their use, and what is promised."""

from __future__ import annotations

import re

from leadapron.audits.audit import Audit
from leadapron.audits.measure import Scale
from leadapron.audits.wording import (
    difference_unit,
    lowered,
    title_of,
    titled,
    written,
    written_chance,
    written_change,
    written_difference,
    written_range,
)  # fmt: skip
from leadapron.comparisons.use_words import HOW_CLEAR, cost_table, ends, name_of
from leadapron.pages.numerals import NBSP, percent
from leadapron.pages.page import Block, Definitions, Table, Text, kept, table
from leadapron.results import Measured, Results
from leadapron.results.selection import attribute_name, select
from leadapron.stats import PairedDifference
from leadapron.trials.entrants import noun
from leadapron.trials.excess_cut import Share
from leadapron.trials.frontier import Frontier, Gap, Point
from leadapron.trials.risk_status import several_attackers
from leadapron.trials.scenario import Scenario
from leadapron.trials.scenario_answer import Answer
from leadapron.trials.trial_words import NO_BOUND, cut_share, guarantee, is_private, of_scenario

LEVEL = 0.05
WIDEST = 7
"""Columns of risks and uses that a page has room for; each risk has a table of its own as well."""
GAPS = (
    "Right report first by the published attacker, for patients whose pairs the defence was fitted on and for others. "
    "The bound is that of the privacy profile at the linkage of held-out pairs, which stand in for what the same pairs "
    "would give, had they been left out."
)


def overview(frontier: Frontier) -> Table:
    """One row per release: its worst risk, what the defence does to each, the uses with their worst clear loss."""
    risks = [one for one in frontier.scenarios if one.audit.about == "risk"]
    uses = [one for one in frontier.scenarios if one.audit.about == "use"]
    if len(risks) + len(uses) > WIDEST:
        risks = []
    rows = []
    for number, point in enumerate(frontier.points, 1):
        cells = [f"{_name(point.worst)}: {above(point.answers[point.worst])}"]
        cells += [_effect(point, point.answers.get(one.key)) for one in risks]
        cells += [_kept(point, point.answers.get(one.key)) for one in uses]
        rows.append([f"{number} {point.name}{' *' if point.on_front else ''}", *cells, guarantee(point)])
    columns = [noun(frontier.kind), "worst risk above guessing", *(_name(one.key) for one in risks)]
    for one in uses:
        use = frontier.points[0].answers[one.key]
        columns.append(lowered(title_of(use.audit, use.row)))
    return table("What each risk is, what is removed of it, and what it costs", [*columns, "guarantee"], rows)


def above(answer: Answer) -> str:
    """The risk between guessing, 0, and always, 1; where it has no such place, the number itself."""
    found = answer.above_guessing
    return _value(answer) if found is None else f"{found.value:.2f} ({found.low:.2f}{NBSP}to{NBSP}{found.high:.2f})"


def _kept(point: Point, use: Answer | None) -> str:
    """The use, how much of it is kept, and its worst clear loss by any measure."""
    if use is None:
        return "–"
    value = written(use.audit.measure_of(use.row.metric).scale, use.row.value)
    if point.role == "before":
        return value
    kept = "" if use.kept is None else f", {100 * use.kept.value:.1f}{NBSP}% kept"
    losses = [change for change in use.costs if change.status == "worse"]
    lost = f"; CLEAR LOSS: {lowered(name_of(losses[0]))} {' → '.join(ends(losses[0]))}" if losses else ""
    return f"{value}{kept}{lost}"


def _effect(point: Point, answer: Answer | None) -> str:
    """The risk as it is, and what the defence does to it."""
    if answer is None:
        return "not measured"
    scale = answer.audit.measure_of(answer.placed.metric).scale
    value = written(scale, answer.placed.value)
    if point.role == "before" or answer.change is None:
        return value
    if answer.status == "worse":
        return f"{value}, WORSE"
    if answer.status == "no clear change":
        return f"{value}, no clear change"
    return f"{value}, {_removed(answer.cut)}" if answer.cut else f"{value}, lower"


def _removed(cut: Share) -> str:
    return "all removed" if cut.value >= 1 else f"{100 * cut.value:.1f}{NBSP}% removed"


def _name(key: str) -> str:
    return key.replace("-", " ")


def _head(words: str) -> str:
    """Of a narrow column: without what stands in brackets, which is the technical name."""
    return lowered(re.sub(r" \(.*?\)", "", words))


def _cut(point: Point, answer: Answer | None) -> str:
    if answer is None or point.role == "before":
        return "–"
    if answer.status == "worse":
        return "WORSE"
    return cut_share(answer.cut) if answer.cut else "– (nothing above guessing)"


def _value(answer: Answer | None) -> str:
    return "–" if answer is None else _number(answer, answer.row)


def _number(answer: Answer, row: Measured | None) -> str:
    return "–" if row is None else _written(answer.audit.measure_of(row.metric).scale, row)


def _written(scale: Scale, row: Measured) -> str:
    """A line of a narrow column breaks before the bracket, and not within it."""
    low_to_high = written_range(scale, row.low, row.high).removesuffix(f"{NBSP}%").replace("–", f"{NBSP}to{NBSP}")
    return f"{written(scale, row.value)} ({low_to_high})"


def _changed(audit: Audit, metric: str, change: PairedDifference) -> str:
    """With a mark where the choice of patients may explain it."""
    return f"{written_difference(audit.measure_of(metric), change.difference)}{'°' if change.p > LEVEL else ''}"


def scenario_table(frontier: Frontier, scenario: Scenario) -> tuple[Block, ...]:
    """One row per release: the headline, what guessing gives, who did it, what changed, and what stands beside it."""
    found = frontier.answers(scenario.key)
    audit, answers = scenario.audit, [answer for _, answer in found]
    besides = [next((row for row in rows if row), None) for rows in zip(*(one.beside for one in answers), strict=True)]
    shown = [at for at, row in enumerate(besides) if row is not None]
    cut = any(answer.cut for answer in answers)
    guesses = [written_chance(audit.measure_of(one.row.metric).scale, one.row.chance) for one in answers]
    same = len(set(guesses)) == 1
    rows = [
        [
            point.name,
            _value(answer),
            *([] if same else [guess]),
            answer.row.attacker,
            *([_cut(point, answer)] if cut else []),
            _with_interval(answer),
            *(_number(answer, answer.beside[at]) for at in shown),
        ]
        for (point, answer), guess in zip(found, guesses, strict=True)
    ]
    first, tested = answers[0], answers[0].tested
    of = "" if tested.metric == first.row.metric else f" of {title_of(audit, tested)}"
    changed = f"change{of}{difference_unit(audit.measure_of(tested.metric)).replace(' ', ', ', 1)}"
    columns = [noun(frontier.kind), f"{_head(titled(audit, first.row))}{f' (guessing: {guesses[0]})' if same else ''}"]
    by = "strongest attacker" if any(map(several_attackers, answers)) else "attacker"
    columns += [*([] if same else ["guessing"]), by, *(["removed"] if cut else []), changed]
    columns += [_head(titled(audit, row)) for row in besides if row]
    said = None if scenario.key == frontier.risk else Text(of_scenario(frontier, scenario))
    return kept(said, table("", columns, rows), Text(scenario.note, note=True) if scenario.note else None)


def _with_interval(answer: Answer) -> str:
    if answer.change is None:
        return "–"
    metric, found = answer.tested.metric, answer.change
    value = _changed(answer.audit, metric, found)
    return written_change(answer.audit.measure_of(metric), found.low, found.high, told=value)


def use_table(frontier: Frontier, scenario: Scenario) -> tuple[Block, ...]:
    """Every measure of use that is of everything together, and what changed."""
    audit, found = scenario.audit, frontier.answers(scenario.key)
    before = found[0][1].results
    if audit.page.in_trial is not None:
        shown = audit.page.in_trial({point.name: answer.results for point, answer in found})
        return kept(*shown, Text(scenario.note, note=True) if scenario.note else None)
    wholes = _wholes(before)
    if not wholes:
        return _by_place(frontier, scenario)
    rows = [[point.name, *(_use(before, answer, row) for row in wholes)] for point, answer in found]
    note = (
        "In brackets the change, of percentages in percentage points; ° marks one that the choice of patients may "
        "explain (p above 0.05)."
    )
    columns = [noun(frontier.kind), *(_head(title_of(audit, row)) for row in wholes)]
    return kept(
        table("", columns, rows), Text(note, note=True), *_costs(frontier, scenario), *_notes(frontier, scenario)
    )


def _costs(frontier: Frontier, scenario: Scenario) -> list[Block]:
    """What each defence costs, the worst clear change first."""
    compared = [(point, list(answer.costs)) for point, answer in frontier.answers(scenario.key) if answer.costs]
    tables: list[Block] = [cost_table(f"What {point.name} costs, the worst first", costs) for point, costs in compared]
    return [*tables, Text(HOW_CLEAR, note=True)] if tables else []


def _wholes(results: Results) -> list[Measured]:
    """One number a measure, the first, which is the headline's where several methods have it."""
    wholes: dict[str, Measured] = {}
    for row in select(results):
        if not row.at:
            wholes.setdefault(row.metric, row)
    return list(wholes.values())


def _notes(frontier: Frontier, scenario: Scenario) -> list[Text]:
    """How it was measured, and what was warned of."""
    warned = [
        f"{point.name}, {one.check}: {one.reason}."
        for point, answer in frontier.answers(scenario.key)
        for one in answer.results.outcomes
        if one.outcome == "warn"
    ]
    return [Text(said, note=True) for said in (scenario.note, *warned) if said]


def _by_place(frontier: Frontier, scenario: Scenario) -> tuple[Block, ...]:
    """Where every number of a use has its place, such as a finding: a table a measure, places by releases."""
    found = frontier.answers(scenario.key)
    spot = found[0][1].results.spot
    tables = []
    for measure in scenario.audit.measures:
        own = [
            {tuple(row.at.values()): row for row in select(answer.results, metric=measure.name, attacker=spot.attacker)}
            for _, answer in found
        ]
        places = dict.fromkeys(place for rows in own for place in rows)
        rows = [
            [
                ", ".join(attribute_name(str(one)) for one in place),
                *(_written(measure.scale, mine[place]) if place in mine else "–" for mine in own),
            ]
            for place in places
        ]
        columns = ["", *(point.name for point, _ in found)]
        tables.append(table(measure.title, columns, rows))
    return kept(*tables, *_costs(frontier, scenario), *_notes(frontier, scenario))


def _use(before: Results, answer: Answer, row: Measured) -> str:
    """The number of this row after, and its change."""
    audit, measure = answer.audit, answer.audit.measure_of(row.metric)
    mine = select(answer.results, metric=row.metric, attacker=row.attacker)
    own = next((other for other in mine if other.at == row.at), None)
    if own is None:
        return "–"
    told = written(measure.scale, own.value)
    if answer.results is before or measure.paired is None:
        return told
    change = measure.paired(before, answer.results, own)
    return told if change is None else f"{told} ({_changed(audit, row.metric, change)})"


def promises(frontier: Frontier) -> tuple[Block, ...]:
    rows = [_gap_cells(point, point.gap) for point in frontier.points if point.gap is not None]
    said = {
        point.name: str(point.guarantee.get("statement", ""))
        for point in frontier.points
        if point.role == "defence" and point.guarantee
    }
    columns = ("release", "training pairs", "held-out pairs", "difference, points", "bound for training pairs")
    return kept(
        Definitions(said) if said else Text("No defence here carries a guarantee."),
        Text(NO_BOUND) if is_private(frontier) else None,
        table("", columns, rows),
        Text(GAPS, note=True) if rows else None,
    )


def _gap_cells(point: Point, gap: Gap) -> list[str]:
    train, test = (_written("share", row) for row in (gap.train, gap.test))
    difference, low, high = (f"{100 * end:+.2f}".replace("-", "−") for end in (gap.difference, gap.low, gap.high))
    bound = "none" if gap.bound is None else percent(gap.bound)
    return [point.name, train, test, f"{difference} ({low}{NBSP}to{NBSP}{high})", bound]

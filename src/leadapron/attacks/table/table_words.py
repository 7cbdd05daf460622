"""A table audit in sentences: how many patients stand alone, by which columns, and what would help."""

from __future__ import annotations

from typing import Any

from leadapron.attacks.table.table_measures import (
    ALL_VISITS,
    MAX,
    MEAN,
    ONE_VISIT,
    POPULATION,
    SMALL,
    UNIQUE,
    WITH_FINDINGS,
)
from leadapron.audits.audit_registry import find_audit
from leadapron.audits.basis import basis
from leadapron.audits.standard_words import in_words
from leadapron.audits.wording import size_of
from leadapron.pages.numerals import round_percent, so_many
from leadapron.results import Measured, Results
from leadapron.results.selection import first, headline

STORY = (
    "Who knows a patient knows some of these columns: a relative the age and the day of a visit, an insurer the sex "
    "and the date. If only one patient in the table fits, everything else in that patient's rows is theirs."
)
HOW = {
    ALL_VISITS: "no other {one} has the same {columns} in all visits",
    ONE_VISIT: "no other {one} has a visit with the same {columns}",
}
HIDDEN = {
    ALL_VISITS: "each shares {columns} in all visits with others",
    ONE_VISIT: "each shares {columns} of every visit with others",
}


def verdict(results: Results) -> str:
    row = headline(results)
    who = people(results)
    how = HOW if row.value else HIDDEN
    said = how[row.attacker].format(columns=listed(roles(results)["known"]), one=who.removesuffix("s"))
    size = size_of(row)
    alone = f"{so_many(row.value, size)} stand alone" if row.value else "none stands alone"
    return f"Of {size:,} {who}, {alone} in the table: {said}. {basis(results, row, who)}"


def certainty(results: Results) -> str:
    risk, mean = (_of(results, metric) for metric in (MAX, MEAN))
    said = "This is a count of the whole table and no estimate, so it has no interval."
    if risk is None or mean is None:
        return said
    return (
        f"{said} {_smallest(round(1 / risk.value))} Who picks somebody within the class at "
        f"random is right for {so_many(mean.value, size_of(mean))} of {size_of(mean):,} {people(results)} on average."
    )


def strongest(results: Results) -> str:
    audit, row = find_audit(results.audit), headline(results)
    said = f"The attacker is {in_words(audit, row.attacker)}."
    other = first(results, metric=UNIQUE, attacker=ONE_VISIT)
    if row.attacker == ALL_VISITS and other is not None:
        said += f" By one visit alone, {so_many(other.value, size_of(other))} of {size_of(other):,} stand alone."
    return said


def support(results: Results) -> list[str]:
    return [STORY, *_small(results), *_findings(results), *_population(results), *_direct(results), *_advice(results)]


def facts(results: Results) -> dict[str, str]:
    told = roles(results)
    names = {
        "Columns that others may know": "known",
        "Findings, counted beside": "findings",
        "The same in every row, or empty": "silent",
        "Texts and vectors, not counted": "apart",
    }
    ids = {"Ids in the table": ", ".join(results.details["ids"]) or "none"}
    return {title: ", ".join(told[key]) or "none" for title, key in names.items()} | ids


def people(results: Results) -> str:
    """Where the table does not say whose its rows are, rows are counted."""
    return "patients" if results.patients_named else "rows"


def roles(results: Results) -> dict[str, list[str]]:
    found: dict[str, list[str]] = results.details["roles"]
    return found


def listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def step_in_words(step: dict[str, Any]) -> str:
    return f"{step['column']} {step['form']}"


def _of(results: Results, metric: str) -> Measured | None:
    return first(results, metric=metric, attacker=results.spot.attacker)


def _smallest(size: int) -> str:
    """How many look the same tells nothing about them."""
    return f"The smallest class holds {size:,}." if size > 1 else "The smallest class holds one alone."


def _counted(results: Results, row: Measured, what: str) -> str:
    size = size_of(row)
    return f"Of {size:,} {people(results)}, {so_many(row.value, size)} {what}"


def _small(results: Results) -> list[str]:
    rows = [row for row in results.estimates if row.metric.startswith(SMALL) and row.attacker == results.spot.attacker]
    told = [f"of fewer than {row.metric.partition('=')[2]}: {so_many(row.value, size_of(row))}" for row in rows]
    return [f"Of {size_of(rows[0]):,} {people(results)}, so many are in classes {', '.join(told)}."] if rows else []


def _findings(results: Results) -> list[str]:
    row = _of(results, WITH_FINDINGS)
    return [] if row is None else [f"{_counted(results, row, 'stand alone for one who knows their findings, too')}."]


def _population(results: Results) -> list[str]:
    row = first(results, metric=f"{POPULATION}{UNIQUE}", attacker=ONE_VISIT)
    if row is None:
        return []
    return [f"{_counted(results, row, 'have a visit that fits no other person of the population')}."]


def _direct(results: Results) -> list[str]:
    names = results.details["ids"]
    return [f"Ids in the table ({', '.join(names)}) are not counted above: each is a name by itself."] if names else []


def _advice(results: Results) -> list[str]:
    advice = results.details["advice"]
    if not advice["steps"]:
        return [f"Nothing must be changed for classes of {advice['k']} patients."]
    steps = "; ".join(map(step_in_words, advice["steps"]))
    if not advice["reached"]:
        return [f"No coarsening of the columns makes classes of {advice['k']} patients: there are too few patients."]
    least = "The least change" if advice["exact"] else "A change that cannot spare a step"
    rest = (
        ""
        if not advice["left"]
        else f", with the values of at most {round_percent(advice['left'])} of the patients empty"
    )
    return [
        f"{least} that leaves every patient in a class of {advice['k']} or more{rest}: {steps}. "
        f"`leadapron defend table --k {advice['k']}{'' if results.details['linked'] else ' --one-visit'}` does it."
    ]

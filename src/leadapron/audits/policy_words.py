"""A policy in plain words: what each entry would judge, and where it comes from."""

from __future__ import annotations

from typing import Any

from leadapron.audits.audit import Audit
from leadapron.audits.audit_registry import find_audit
from leadapron.audits.matching import EVERYBODY
from leadapron.audits.measure import PERCENTAGES, Measure, family
from leadapron.audits.policy import Criterion, Requirement
from leadapron.audits.wording import written
from leadapron.pages.numerals import round_percent

MADE_FOR = {
    "table": "made for tables, not for attacks",
    "attack": "made for attacks like this one",
    "use": "made for uses like this one",
}


def in_words(entry: Requirement | Criterion) -> str:
    """What is judged, and by which limit."""
    if isinstance(entry, Criterion):
        named = ", ".join(entry.attacks)
        told = f"Those of the audits {named} that fit the subject must have been run. There is no limit."
        return f"{told} Where they measure {entry.metric}, it must be among their numbers." if entry.metric else told
    audit = find_audit(entry.attack)
    measure = audit.measure_of(str(entry.select["metric"]))
    places = [_place(key, value) for key, value in entry.select.items() if key not in ("attack", "metric")]
    told = ", ".join([_title(audit, measure, entry), *filter(None, places)])
    return f"The audit {entry.attack}. {told}: {_limits(measure, entry)}."


def origin_in_words(entry: Requirement | Criterion) -> str:
    """The source, what the limit was made for, and who has read the source."""
    read = {
        True: "The source was read first-hand",
        False: "The source was NOT read first-hand",
        None: "Whether the source was read first-hand is not said",
    }[entry.first_hand]
    where = f", but in: {entry.read_in.rstrip('.')}" if entry.first_hand is False else ""
    scope = f" The limit was {MADE_FOR[entry.scope]}." if isinstance(entry, Requirement) else ""
    return f"Source: {entry.source.rstrip('.')}. {read}{where}.{scope}"


def _title(audit: Audit, measure: Measure, entry: Requirement) -> str:
    metric = str(entry.select["metric"])
    words = _Words(family(metric)[1])
    for name, coordinate in audit.coordinates.items():
        if name in entry.select and coordinate.knows(entry.select[name]):
            words |= coordinate.words_of(entry.select[name]) if not callable(coordinate.words) else {}
    title = measure.title.format_map(words).replace(" ,", ",")
    return title if metric.lower() in title.lower() else f"{title} ({metric})"


class _Words(dict[str, Any]):
    def __missing__(self, key: str) -> str:
        """A title may name what the entry leaves open."""
        return "a small share" if key == "of_percent" else ""


def _place(key: str, value: str | int) -> str:
    match key, value:
        case "pool", int():
            return f"among {value:,} candidates or as many as there are"
        case "pool", _:
            return "in the largest pool that was audited"
        case "attacker", "strongest":
            return "by every attacker that was run"
        case "group", _:
            return "" if value == EVERYBODY else "in every group" if value == "any" else f"in the group {value}"
    return f"{key} {value}"


def _limits(measure: Measure, entry: Requirement) -> str:
    told = []
    for key, limit in entry.limits.items():
        number = round_percent(limit) if measure.scale in PERCENTAGES else written(measure.scale, limit)
        side = "at least" if key == "at_least" else "at most"
        if key == "at_most_enrichment":
            told.append(f"at most {limit:g} times what guessing gives")
        else:
            told.append(f"{side} {number}" if limit else "none at all")
    return " and ".join(told)

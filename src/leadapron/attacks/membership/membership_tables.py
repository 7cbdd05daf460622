"""The tables of the pages on membership."""

from __future__ import annotations

from leadapron.attacks.membership.beyond_promise import PromiseHeld
from leadapron.attacks.membership.declared import rate_of
from leadapron.attacks.membership.membership_measures import AGGREGATE, MARKED, PATIENT, SCORES
from leadapron.attacks.membership.membership_numbers import attacks, auc, few, promise_of, rates
from leadapron.attacks.membership.tail_groups_figure import tail_groups, times_share
from leadapron.audits.audit_registry import find_audit
from leadapron.audits.measure import family
from leadapron.audits.standard_tables import INTERVAL, group_tests, numbers, with_interval
from leadapron.audits.wording import title_of
from leadapron.pages.numerals import p_value, percent, round_percent
from leadapron.pages.page import Block, Table, Text, kept, table
from leadapron.results import Measured, Results
from leadapron.results.selection import SMALLEST_CELL, attribute_name, level_name, select

NUMBERS = ("Measured", INTERVAL, "By chance")
"""Chances of one in a million make no multiples that mean anything."""
IN_SUMMARY = (
    "auc",
    "tpr@fpr=0.001",
    "auc@top=0.01",
    "patients-above=0.9",
    "true-patients-above=0.9",
    "precision@fpr=0.01",
)


def shown(results: Results) -> tuple[Block, ...]:
    return kept(attackers(results), patients(results), groups(results), *promise(results))


def folded(results: Results) -> dict[str, tuple[Block, ...]]:
    return {"Tests of groups": kept(group_tests(results)), "All estimates": kept(all_estimates(results))}


def three(row: Measured, results: Results) -> tuple[str, ...]:
    """What stands below ``NUMBERS``."""
    return numbers(find_audit(results.audit), row)[:3]


def title(row: Measured, results: Results) -> str:
    return title_of(find_audit(results.audit), row)


def level(row: Measured, results: Results) -> str:
    return str(find_audit(results.audit).words_of(row)["level"])


def attackers(results: Results, head: str = "Attacks on models") -> Block:
    """The attacks on records: AUC, and what is recognised at given rates of false alarms."""
    audit, names = find_audit(results.audit), attacks(results)
    alarms = sorted({rate_of(row) for name in names for row in rates(results, name)}, reverse=True)
    metrics = ("auc", *(f"{MARKED}{fpr:g}" for fpr in alarms))
    rows = []
    for name in names:
        found = {row.metric: row for row in select(results, protocol=AGGREGATE, attacker=name)}
        rows.append((name, *(with_interval(audit, found.get(metric)) for metric in metrics)))
    if not rows:
        return Text("No model was attacked.")
    caption = f"{head}: AUC, and members recognised at a rate of false alarms ({INTERVAL})"
    heads = ("Attack", "AUC", *(f"at {round_percent(fpr)}" for fpr in alarms))
    return table(caption, heads, rows, numbers=len(heads) - 1)


def patients(results: Results) -> Table:
    """By every score: the AUC that few reach, how many are above a given one, or how many are recognised."""
    rows = [
        (name, title(row, results), *three(row, results))
        for name in SCORES
        for row in select(results, protocol=PATIENT, attacker=name)
    ]
    return table("Patients", ("Score", "Measure", *NUMBERS), rows, numbers=3)


def groups(results: Results) -> Table:
    """Groups in the tail, with residuals as published."""
    adjusted = {row.attribute: p_value(row.p_adjusted) for row in results.group_tests}
    residuals = _residuals(results)
    rows = [
        (attribute_name(group.attribute), level_name(group.attribute, group.level), f"{group.estimate.n:,}",
         percent(group.estimate.value), *times_share(group.estimate),
         residuals.get((group.attribute, group.level), "–"), adjusted.get(group.attribute, "–"))
        for group in tail_groups(results)
    ]  # fmt: skip
    heads = ("Attribute", "Group", "Records", "In the tail", "Times share", INTERVAL, "Adjusted residual", "adjusted p")
    return table("Groups among the most exposed records", heads, rows, numbers=6)


def _residuals(results: Results) -> dict[tuple[str, str], str]:
    found = results.evidence("groups")
    if found is None:
        return {}
    rows = found.select("attribute", "group", "adjusted_residual").iter_rows()
    return {(attribute, group): f"{residual:+.1f}".replace("-", "−") for attribute, group, residual in rows}


def promise(results: Results) -> tuple[Table, ...]:
    """Bounds beside what was measured, and how many are beyond."""
    held = promise_of(results)
    return () if held is None else (_bounds(results, held), _beyond(results, held))


def _bounds(results: Results, held: PromiseHeld) -> Table:
    audit, names = find_audit(results.audit), attacks(results)
    at_most = {"auc": auc(held.auc_bound_record)}
    at_most |= {f"{MARKED}{fpr}": percent(bound) for fpr, bound in held.tpr_bound_record.items()}
    rows = []
    for metric, bound in at_most.items():
        rivals = [row for row in select(results, protocol=AGGREGATE, metric=metric) if row.attacker in names]
        row = max(rivals, key=lambda row: row.value, default=None)
        name = audit.measure_of(metric).title.format_map(family(metric)[1])
        rows.append((name, bound, with_interval(audit, row), row.attacker if row else "–"))
    if "auc_by_pair" in held.compared and len(held.epsilons) > 1:
        pair = f"ε = {held.compared['epsilon']:.3g}, δ = {held.compared['delta']:.1g}"
        rows.append((f"AUC, by the pair {pair} alone", auc(held.compared["auc_by_pair"]), "–", "–"))
    if "auc_as_gaussian" in held.compared:
        as_if = auc(held.compared["auc_as_gaussian"])
        rows.append(("AUC, as if it were Gaussian privacy (no bound)", as_if, "–", "–"))
    heads = (f"One {held.unit}", "At most", f"Measured at most ({INTERVAL})", "By")
    return table("Promised and measured", heads, rows, numbers=3)


def _beyond(results: Results, held: PromiseHeld) -> Table:
    records, everybody = (f"{results.counts[name]:,}" for name in ("records", "patients"))
    if held.unit == "patient":
        kinds = [("Records", records, held.records), ("Patients", everybody, held.patients)]
    else:
        kinds = [
            ("Records, by the bound for one record", records, held.records),
            ("Patients, by the bound for their number of records", everybody, held.patients),
            (
                "Patients, by the bound for one record, which does not bind them",
                everybody,
                held.patients_by_record_bound,
            ),
        ]
    rows = [(words, of, few(beyond.above), few(beyond.surely_above)) for words, of, beyond in kinds]
    words = f"Patients whose maximum is above the bound for one {held.unit}, as published"
    rows.append((words, everybody, few(held.maxima_above_record_bound), "–"))
    return table("Beyond what was promised", ("Who", "Of", "Above", "Surely above"), rows, numbers=3)


def all_estimates(results: Results) -> Table:
    rows = [
        (level(row, results), row.attacker, title(row, results), *three(row, results), f"{row.n:,}")
        for row in select(results)
        if row.n >= SMALLEST_CELL
    ]
    return table("All estimates", ("Of", "Attack or score", "Measure", *NUMBERS, "n"), rows, numbers=4)


def card(results: Results) -> Table:
    """The joint attack on patients, and the one on records that recognises most at rare false alarms."""
    own = select(results, protocol=PATIENT, attacker="joint")
    own += select(results, protocol=AGGREGATE, attacker=next(iter(attacks(results)), ""))
    rows = [
        (f"{level(row, results)} ({row.attacker})", f"{row.pool:,}", title(row, results), *three(row, results))
        for row in own
    ]
    caption = "Patients by all of their records, and records one by one"
    return table(caption, ("Of", "Models", "Measure", *NUMBERS), rows, numbers=3)


def summary(results: Results) -> Table:
    """The figures of every attack, on the terminal."""
    rows = [
        (row.attacker, level(row, results), row.metric, *three(row, results))
        for row in select(results)
        if row.metric in IN_SUMMARY
    ]
    heads = ("attack", "level", "figure", "measured", "95 % interval", "by chance")
    return table("", heads, rows, numbers=3)

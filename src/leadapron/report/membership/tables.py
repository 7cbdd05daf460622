"""The tables of a membership audit."""

from __future__ import annotations

import polars as pl

from leadapron.report.membership.groups import over, tail_groups, times_range
from leadapron.report.membership.names import PROTOCOLS, metric_name
from leadapron.report.membership.numbers import MARKED, attacks, auc, auc_range, by_chance, first, fpr_of, is_auc, rates
from leadapron.report.membership.words import few
from leadapron.report.numerals import interval, p_value, percent, round_percent, times
from leadapron.report.results import Results
from leadapron.report.selection import SMALLEST_CELL, Estimate, attribute_name, level_name, select
from leadapron.report.tables import INTERVAL, group_tests, table

SCORES = ("joint", "calibrated", "maximum")
NUMBERS = ("Measured", INTERVAL, "By chance")
CARD_COLUMNS = ("Of", "Models", "Measure", *NUMBERS)


def shown(results: Results) -> list[str]:
    return [attackers(results), patients(results), groups(results), promise(results)]


def folded(results: Results) -> dict[str, str]:
    return {"Tests of groups": group_tests(results), "All estimates": all_estimates(results)}


def attackers(results: Results) -> str:
    """The attacks on several models: AUC, and what is recognised at given rates of false alarms."""
    names = attacks(results)
    alarms = sorted({fpr_of(row) for name in names for row in rates(results, name)}, reverse=True)
    rows = []
    for name in names:
        found = {row["metric"]: row for row in select(results, protocol="aggregate", attacker=name)}
        metrics = ("auc", *(f"{MARKED}{fpr:g}" for fpr in alarms))
        rows.append((name, *(_with_interval(found.get(metric)) for metric in metrics)))
    if not rows:
        return "<p>No model was attacked.</p>"
    caption = f"Attacks on models: AUC, and members recognised at a rate of false alarms ({INTERVAL})"
    heads = ("Attack", "AUC", *(f"at {round_percent(fpr)}" for fpr in alarms))
    return table(caption, heads, rows, numbers=len(heads) - 1)


def patients(results: Results) -> str:
    """By every score: the AUC that few reach, and how many are above a given one."""
    rows = [
        (name, metric_name(row["metric"]), *numbers(row))
        for name in SCORES
        for row in select(results, protocol="patient", attacker=name)
    ]
    return table("Patients", ("Score", "Measure", *NUMBERS), rows, numbers=3) if rows else ""


def groups(results: Results) -> str:
    """Groups in the tail, with residuals as published."""
    adjusted = {row["attribute"]: p_value(row["p_adjusted"]) for row in results.content["group_tests"]}
    residuals = _residuals(results)
    rows = []
    for group in tail_groups(results):
        names = attribute_name(group.attribute), level_name(group.attribute, group.level)
        row = group.estimate
        residual = residuals.get((group.attribute, group.level))
        rows.append(
            (*names, f"{row['n']:,}", percent(row["value"]), times(over(row)), times_range(row),
             "–" if residual is None else f"{residual:+.1f}".replace("-", "−"),
             adjusted.get(group.attribute, "–"))
        )  # fmt: skip
    heads = ("Attribute", "Group", "Records", "In the tail", "Times share", INTERVAL, "Adjusted residual", "adjusted p")
    return table("Groups among the most exposed records", heads, rows, numbers=6) if rows else ""


def _residuals(results: Results) -> dict[tuple[str, str], float]:
    found = results.evidence("groups")
    if found is None:
        return {}
    rows = found.select(pl.col("attribute"), pl.col("group"), pl.col("adjusted_residual")).iter_rows()
    return {(attribute, group): residual for attribute, group, residual in rows}


def promise(results: Results) -> str:
    """Bounds beside what was measured, and how many are beyond."""
    found = results.content.get("promise")
    if found is None:
        return ""
    strongest = next(iter(attacks(results)), "")
    measured = {"auc": first(results, protocol="aggregate", attacker=strongest, metric="auc")}
    measured |= {row["metric"]: row for row in rates(results, strongest)}
    bounds = {"auc": found["auc_bound_record"]}
    bounds |= {f"{MARKED}{fpr}": bound for fpr, bound in found["tpr_bound_record"].items()}
    rows = [
        (metric_name(metric), auc(bound) if is_auc(metric) else percent(bound), _with_interval(measured.get(metric)))
        for metric, bound in bounds.items()
    ]
    compared = found.get("compared") or {}
    if "auc_by_pair" in compared and len(results.content["config"]["promise"]["epsilons"]) > 1:
        pair = f"ε = {compared['epsilon']:.3g}, δ = {compared['delta']:.1g}"
        rows.append((f"AUC, by the pair {pair} alone", auc(compared["auc_by_pair"]), "–"))
    if "auc_as_gaussian" in compared:
        rows.append(("AUC, as if it were Gaussian privacy (no bound)", auc(compared["auc_as_gaussian"]), "–"))
    heads = (f"One {found['unit']}", "At most", f"Measured, {strongest} ({INTERVAL})")
    return table("Promised and measured", heads, rows, numbers=2) + _beyond(results)


def _beyond(results: Results) -> str:
    found, counts = results.content["promise"], results.content["counts"]
    if found["unit"] == "patient":
        kinds = {"Records": ("records", "records"), "Patients": ("patients", "patients")}
    else:
        kinds = {
            "Records, by the bound for one record": ("records", "records"),
            "Patients, by the bound for their number of records": ("patients", "patients"),
            "Patients, by the bound for one record, which does not bind them": ("patients_by_record_bound", "patients"),
        }
    rows = [
        (words, f"{counts[whole]:,}", few(found[key]["above"]), few(found[key]["surely_above"]))
        for words, (key, whole) in kinds.items()
    ]
    rows.append(
        (f"Patients whose maximum is above the bound for one {found['unit']}, as published", f"{counts['patients']:,}",
         few(found["maxima_above_record_bound"]), "–")
    )  # fmt: skip
    return table("Beyond what was promised", ("Who", "Of", "Above", "Surely above"), rows, numbers=3)


def all_estimates(results: Results) -> str:
    rows = [
        (PROTOCOLS.get(row["protocol"], row["protocol"]), row["attacker"], metric_name(row["metric"]), *numbers(row),
         f"{row['n']:,}")
        for row in select(results)
        if row["n"] >= SMALLEST_CELL
    ]  # fmt: skip
    return table("All estimates", ("Of", "Attack or score", "Measure", *NUMBERS, "n"), rows, numbers=4) if rows else ""


def card(results: Results) -> list[tuple[str, ...]]:
    """The joint attack on patients and the strongest on models, for a model card."""
    own = select(results, protocol="patient", attacker="joint")
    own += select(results, protocol="aggregate", attacker=next(iter(attacks(results)), ""))
    return [
        (f"{PROTOCOLS[row['protocol']]} ({row['attacker']})", f"{row['pool']:,}", metric_name(row["metric"]),
         *numbers(row))
        for row in own
    ]  # fmt: skip


def numbers(row: Estimate) -> tuple[str, str, str]:
    """What stands below ``NUMBERS``."""
    if row["n"] < SMALLEST_CELL:
        return ("withheld", "", "")
    if is_auc(row["metric"]):
        return auc(row["value"]), auc_range(row["low"], row["high"]), by_chance(row)
    return percent(row["value"]), interval(row["low"], row["high"]), by_chance(row)


def _with_interval(row: Estimate | None) -> str:
    if row is None:
        return "–"
    value, range_, _ = numbers(row)
    return f"{value} ({range_})" if range_ else value

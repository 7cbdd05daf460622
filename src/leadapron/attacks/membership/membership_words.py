"""Membership in sentences: how many patients are recognised, how sure that is, and which groups they are from."""

from __future__ import annotations

from leadapron.attacks.membership.beyond_promise import PromiseHeld
from leadapron.attacks.membership.declared import rate_of
from leadapron.attacks.membership.membership_measures import ABOVE, EXPOSED, PATIENT, TOP
from leadapron.attacks.membership.membership_numbers import (
    attacks,
    auc,
    counted,
    few,
    highest_auc,
    in_so_many,
    listed,
    people,
    promise_of,
    rates,
    strongest_rate,
)
from leadapron.audits.audit_registry import find_audit
from leadapron.audits.basis import is_verified, part_of, rests_on
from leadapron.audits.standard_words import certainty_of, in_words, smallest_leak
from leadapron.audits.wording import ALWAYS, sentence, written_chance, written_range
from leadapron.pages.numerals import HUNDRED, NBSP, out_of, p_value, percent, so_many
from leadapron.results import Measured, Results
from leadapron.results.selection import attribute_name, first

SURE = 0.05


def verdict(results: Results) -> str:
    row = exposed(results)
    if row is not None:
        size = people(row.value, row.high, row.n)
        said = (
            f"Of {size:,} patients, {counted(row, size)} are recognised as members of the training set in at least "
            "nine of ten comparisons; by chance, none"
        )
    elif (row := strongest_rate(results)) is not None:
        said = sentence(find_audit(results.audit), row)
    else:
        said = "How many patients are recognised as members of the training set was not measured"
    return f"{said}. {basis(results)}"


def exposed(results: Results) -> Measured | None:
    """The share of the patients whose true AUC is high, where the models were enough to tell it."""
    return first(results, protocol=PATIENT, metric=EXPOSED)


def basis(results: Results) -> str:
    """An estimate counts a record once per attacked model; what it rests on are the records and the models."""
    counts = results.counts
    part = f"{part_of(results)}; {counts['models']:,} models"
    records, patients = counts["records"] or 0, counts["patients"]
    return rests_on(records, patients, "records", part, verified=is_verified(results))


def certainty(results: Results) -> str:
    row = exposed(results)
    if row is None:
        rate = strongest_rate(results)
        return "" if rate is None else certainty_of(find_audit(results.audit), rate)
    of = f"The range in brackets is the 95{NBSP}% interval; the scatter of estimates by chance has been taken out."
    return of if row.low * row.n >= 1 else f"{of} It goes down to no patient at all."


def could_see(results: Results) -> str:
    """Of the verdict's number."""
    row = exposed(results) or strongest_rate(results)
    return "" if row is None or row.detectable is None else smallest_leak(find_audit(results.audit), row)


def strongest(results: Results) -> str:
    others = attacks(results)
    if exposed(results) is None:
        told = "; ".join(in_words(find_audit(results.audit), name) for name in others)
        tried = "One attacker was tried" if len(others) == 1 else "Attackers tried"
        return f"{tried}: {told}. A stronger one may exist." if others else ""
    return (
        "The attacker takes all records of a patient together (joint). Beside it "
        f"{'stands one attack' if len(others) == 1 else f'stand {len(others)} attacks'} on single records. A stronger "
        "one may exist."
    )


def support(results: Results) -> list[str]:
    """What belongs to the verdict: the most exposed, the average, rare false alarms, chance, groups, the promise."""
    return [
        *_most_exposed(results),
        *_average(results),
        *_rare_alarms(results),
        *_maximum(results),
        groups_differ(results),
        *_promise(results),
    ]


def _most_exposed(results: Results) -> list[str]:
    row = first(results, protocol=PATIENT, attacker="joint", metric=f"{TOP}0.01")
    if row is None or row.n < HUNDRED:  # one in a hundred of fewer is nobody
        return []
    reached = f"above {ALWAYS:.4f}" if ALWAYS < row.value < 1 else f"of {auc(row.value)} or more"
    return [
        f"One patient in a hundred has an AUC {reached} ({written_range('auc', row.low, row.high)}): that often, a "
        "model that was trained on the patient is told from one that was not. Guessing gives 0.5; with "
        f"{row.pool:,} models, chance alone reaches {auc(row.chance)}."
    ]


def _average(results: Results) -> list[str]:
    row = highest_auc(results)
    if row is None:
        return []
    by = in_words(find_audit(results.audit), row.attacker)
    highest = "the highest AUC of an attack on single records" if len(attacks(results)) > 1 else "the AUC of the attack"
    return [
        f"On average over all records, {highest} is {auc(row.value)} ({written_range('auc', row.low, row.high)}), by "
        f"{by}. An average hides the patients at risk."
    ]


def _rare_alarms(results: Results) -> list[str]:
    row = strongest_rate(results)
    if row is None or exposed(results) is None:
        return []
    size = out_of(rate_of(row), row.n)
    ahead = ", more than any other attack on single records" if len(attacks(results)) > 1 else ""
    return [
        f"At {in_so_many(rate_of(row))}, {row.attacker} recognises {counted(row, size)} of {size:,} records of "
        f"members{ahead}; guessing recognises {so_many(row.chance, size)}."
    ]


def _maximum(results: Results) -> list[str]:
    """How much of the published score is the number of a patient's records."""
    row = first(results, protocol=PATIENT, attacker="maximum", metric=f"patients-above={ABOVE:g}")
    if row is None:
        return []
    return [
        f"The published score, the highest AUC of a patient's records, is above {ABOVE:g} for {percent(row.value)} "
        f"of the patients; by chance, for {written_chance('share', row.chance)}."
    ]


def groups_differ(results: Results, exposed: str = "exposed") -> str:
    tests = results.group_tests
    if not tests:
        return f"Whether some groups are more {exposed} was not tested: the records have no attributes of patients."
    differing = [row for row in tests if row.p_adjusted < SURE]
    if not differing:
        return f"No group of patients has more of the most {exposed} records than chance would give it."
    names = listed([f"{attribute_name(row.attribute).lower()} (p {_compared(row.p_adjusted)})" for row in differing])
    return f"Groups are not equally {exposed}: beyond chance, the share of the most {exposed} differs by {names}."


def _compared(p: float) -> str:
    return p_value(p) if p < 0.001 else f"= {p_value(p)}"


def _promise(results: Results) -> list[str]:
    held = promise_of(results)
    if held is None:
        return []
    kept = f"Training promised that no attack on one {held.unit} reaches an AUC above {auc(held.auc_bound_record)}"
    records, patients = held.records.surely_above, held.patients.surely_above
    if records == patients == 0:
        return [f"{kept}. No record and no patient is surely beyond that, which does not prove that it was kept."]
    return [
        f"{kept}. Surely beyond their bound are {few(records)} records and {few(patients)} patients: the promise was "
        "not kept, or it was not made for these models."
    ]


def facts(results: Results) -> dict[str, str]:
    told = {"Attackers": listed([*attacks(results), *(["joint"] if exposed(results) else [])])}
    if exposed(results):
        told["Headline"] = (
            f"patients whose AUC by the joint attack is above {ABOVE:g}, without the scatter of estimates"
        )
    if rows := rates(results, next(iter(attacks(results)), "")):
        told["False alarms"] = f"measured down to {in_so_many(rate_of(rows[-1]))}"
    told["AUC of a record"] = f"{results.details['trusted']}, by the test of Gaussian signals"
    if held := promise_of(results):
        told["Promised"] = _promised(held)
    return told


def _promised(held: PromiseHeld) -> str:
    if held.mu is not None:
        return f"{held.mu:g}-Gaussian privacy for one {held.unit}"
    if len(held.epsilons) > 1:
        return f"a privacy profile of {len(held.epsilons)} pairs for one {held.unit}"
    return f"ε = {held.epsilons[0]:g}, δ = {held.deltas[0]:g} for one {held.unit}".replace("e-0", "e-")

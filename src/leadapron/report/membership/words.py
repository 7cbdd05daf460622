"""Membership in sentences: how many patients are recognised, how sure that is, and who they are as groups."""

from __future__ import annotations

from functools import partial

from leadapron.report.attackers import in_words
from leadapron.report.basis import is_verified, part_of, rests_on
from leadapron.report.membership.numbers import (
    ABOVE,
    EXPOSED,
    MARKED,
    SELDOM,
    TOP,
    at_least,
    attacks,
    auc,
    auc_range,
    by_chance,
    counted,
    first,
    fpr_of,
    in_so_many,
    people,
    rates,
)
from leadapron.report.numerals import NBSP, out_of, p_value, percent, so_many
from leadapron.report.results import Results
from leadapron.report.selection import Estimate, attribute_name
from leadapron.report.selection import few as few_or_none

SURE = 0.05
few = partial(few_or_none, none="no")


def verdict(results: Results) -> str:
    row = first(results, protocol="patient", metric=EXPOSED)
    if row is None:
        return _of_models(results)
    size = people(row["value"], row["high"], row["n"])
    return (
        f"Of {size:,} patients, {counted(row['value'], row['low'], row['high'], size)} are recognised as members of "
        f"the training set in nine comparisons of ten or more; by chance nobody is. {_basis(results)}"
    )


def _of_models(results: Results) -> str:
    """Where the patients' AUCs are not known, as with a model that was trained once: whom it recognises."""
    row = _of_headline(results) or _strongest(results)
    if row is None:
        return "How many patients are recognised as members of the training set was not measured."
    size = out_of(fpr_of(row), row["n"])
    whom = "patients" if row["protocol"] == "patient" else "records"
    return (
        f"Of {size:,} {whom} that the model was trained on, an attacker recognises "
        f"{counted(row['value'], row['low'], row['high'], size)} at {in_so_many(fpr_of(row))}; guessing would "
        f"recognise {so_many(row['chance'], size)}. {_basis(results)}"
    )


def _basis(results: Results) -> str:
    """An estimate counts a record once a model that is attacked; what it rests on are the records and the models."""
    counts = results.content["counts"]
    part = f"{part_of(results)}; {counts['models']:,} models"
    return rests_on(counts["records"], counts["patients"], "records", part, verified=is_verified(results))


def _of_headline(results: Results) -> Estimate | None:
    """The headline where it is a share recognised at a rate of false alarms."""
    spot = results.content["headline"]
    return first(results, **spot) if spot["metric"].startswith(MARKED) else None


def certainty(results: Results) -> str:
    row = first(results, protocol="patient", metric=EXPOSED)
    if row is None:
        return ""
    of = f"The range in brackets is the 95{NBSP}% interval; what estimates scatter by chance has been taken out."
    if row["low"] * row["n"] >= 1:
        return of
    return f"{of} It goes down to nobody."


def could_see(results: Results) -> str:
    """Of the verdict's number: the share of patients who are exposed, where the models were enough to tell it."""
    row = first(results, protocol="patient", metric=EXPOSED) or _of_headline(results)
    if row is None or row.get("detectable") is None:
        return ""
    return (
        f"A true share of {percent(row['detectable'])} or more would have been told from guessing in at least 8 of 10 "
        "audits of this size; a smaller leak may go unseen."
    )


def strongest(results: Results) -> str:
    others = attacks(results)
    if first(results, protocol="patient", metric=EXPOSED) is None:
        tried = "; ".join(in_words(results, name) for name in others)
        return f"Attackers tried: {tried}. A stronger one may exist." if others else ""
    return (
        "The attack is on all records of a patient together (joint); "
        f"{len(others)} attacks on single records stand beside it. A stronger one may exist."
    )


def support(results: Results) -> list[str]:
    """What belongs to the verdict: the most exposed, the average, rare false alarms, chance, groups, the promise."""
    return [
        *_most_exposed(results),
        *_average(results),
        *_rare_alarms(results),
        *_maximum(results),
        _groups(results),
        *_promise(results),
    ]


def _most_exposed(results: Results) -> list[str]:
    row = first(results, protocol="patient", attacker="joint", metric=f"{TOP}0.01")
    if row is None:
        return []
    chance = f"with {results.content['counts']['models']:,} models chance alone reaches {auc(row['chance'])}"
    return [
        f"One patient in a hundred has an AUC {at_least(row['value'])} ({auc_range(row['low'], row['high'])}): so "
        f"often is a model that was trained on the patient told from one that was not. Guessing is 0.5; {chance}."
    ]


def _average(results: Results) -> list[str]:
    for name in attacks(results)[:1]:
        row = first(results, protocol="aggregate", attacker=name, metric="auc")
        if row is not None:
            return [
                f"The strongest attacker on models is {in_words(results, name)}. On average over everybody the AUC is "
                f"{auc(row['value'])} ({auc_range(row['low'], row['high'])}). An average hides those who are at risk."
            ]
    return []


def _strongest(results: Results) -> Estimate | None:
    """The strongest attack at the rate of false alarms of the measured risk."""
    measured = results.content.get("risk", {}).get("measured", {})
    if "fpr" not in measured:
        return None
    metric = f"{MARKED}{measured['fpr']:g}"
    return first(results, protocol="aggregate", attacker=measured["attacker"], metric=metric)


def _rare_alarms(results: Results) -> list[str]:
    row = _strongest(results)
    if row is None or first(results, protocol="patient", metric=EXPOSED) is None:
        return []
    size = out_of(fpr_of(row), row["n"])
    return [
        f"At {in_so_many(fpr_of(row))} it recognises {counted(row['value'], row['low'], row['high'], size)} of "
        f"{size:,} records of members; guessing would recognise {so_many(row['chance'], size)}."
    ]


def _maximum(results: Results) -> list[str]:
    """How much of the published score is the number of a patient's records."""
    row = first(results, protocol="patient", attacker="maximum", metric=f"patients-above={ABOVE:g}")
    if row is None:
        return []
    return [
        f"The published score, the highest AUC of a patient's records, is above {ABOVE:g} for {percent(row['value'])} "
        f"of the patients; by chance it would be for {'next to nobody' if row['chance'] < SELDOM else by_chance(row)}."
    ]


def _groups(results: Results) -> str:
    tests = results.content["group_tests"]
    if not tests:
        return "Whether some groups of patients are more exposed was not asked: the records came without attributes."
    differing = [row for row in tests if row["p_adjusted"] < SURE]
    if not differing:
        return "No group of patients has more of the most exposed records than chance would give it."
    names = listed(
        [f"{attribute_name(row['attribute']).lower()} (p {_compared(row['p_adjusted'])})" for row in differing]
    )
    return f"Groups are not equally exposed: beyond chance, the share of the most exposed differs by {names}."


def _compared(p: float) -> str:
    return p_value(p) if p < 0.001 else f"= {p_value(p)}"


def _promise(results: Results) -> list[str]:
    promise = results.content.get("promise")
    if promise is None:
        return []
    bound = auc(promise["auc_bound_record"])
    kept = f"Training promised that no attack on one {promise['unit']} reaches an AUC above {bound}"
    records, patients = promise["records"]["surely_above"], promise["patients"]["surely_above"]
    if records == patients == 0:
        return [f"{kept}. Nobody is surely beyond what was promised, which does not prove that it was kept."]
    return [
        f"{kept}. Surely beyond their bound are {few(records)} records and {few(patients)} patients: the promise was "
        "not kept, or it was not made of these models."
    ]


def listed(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


def facts(results: Results) -> dict[str, str]:
    content = results.content
    told = {"Attackers": listed([*attacks(results), *_scores(results)])}
    if first(results, protocol="patient", metric=EXPOSED) is not None:
        told["Headline"] = (
            f"patients whose AUC by the joint attack is above {ABOVE:g}, without the scatter of estimates"
        )
    if rows := rates(results, next(iter(attacks(results)), "")):
        told["False alarms"] = f"measured down to {in_so_many(fpr_of(rows[-1]))}"
    if "trusted" in content:
        told["AUC of a record"] = f"{content['trusted']}, by the test of Gaussian signals"
    if promised := (content["config"].get("promise") or {}):
        told["Promised"] = _promised(promised)
    return told


def _scores(results: Results) -> list[str]:
    return ["joint"] if first(results, protocol="patient", metric=EXPOSED) is not None else []


def _promised(promise: Estimate) -> str:
    if promise.get("mu") is not None:
        return f"{promise['mu']:g}-Gaussian privacy for one {promise['unit']}"
    epsilons, deltas = promise["epsilons"], promise["deltas"]
    if len(epsilons) > 1:
        return f"a privacy profile of {len(epsilons)} pairs for one {promise['unit']}"
    return f"ε = {epsilons[0]:g}, δ = {deltas[0]:g} for one {promise['unit']}".replace("e-0", "e-")

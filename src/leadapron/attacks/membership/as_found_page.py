"""The page of an attack on one model as it is found, beyond the standard one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from leadapron.attacks.membership import membership_tables as tables
from leadapron.attacks.membership.auc_figures import INTERVAL, draw_blocks
from leadapron.attacks.membership.declared import rate_of
from leadapron.attacks.membership.false_alarms_figure import Curves, draw_curves
from leadapron.attacks.membership.membership_measures import AGGREGATE, PATIENT
from leadapron.attacks.membership.membership_numbers import attacks, auc, in_so_many, listed, rates
from leadapron.attacks.membership.membership_page import COUNT_NAMES, SHARED_TERMS, THINGS
from leadapron.attacks.membership.membership_sides import sides
from leadapron.attacks.membership.membership_words import basis, groups_differ
from leadapron.attacks.membership.slopes_figure import slopes
from leadapron.attacks.membership.tail_groups_figure import groups_in_tail
from leadapron.audits.audit import Audit
from leadapron.audits.audit_registry import find_audit
from leadapron.audits.page_parts import PageParts
from leadapron.audits.standard_words import in_words
from leadapron.audits.wording import sentence, written_range
from leadapron.pages.figures import Figure
from leadapron.pages.numerals import NBSP
from leadapron.pages.page import Block, Table, Text, kept, table
from leadapron.results import Measured, Results
from leadapron.results.selection import NOT_ATTACKERS, first, headline, only, select

UNKNOWN = "The members of the model are not known, so the success of the attack was not measured."


def verdict(results: Results) -> str:
    said = f"{sentence(find_audit(results.audit), headline(results))}." if results.estimates else UNKNOWN
    return f"{said} {basis(results)}"


def strongest(results: Results) -> str:
    """The checks of the attack are no attackers."""
    audit, names = find_audit(results.audit), everyone(results)
    if not names:
        return ""
    others = "; ".join(in_words(audit, name) for name in names[1:])
    return f"Shown is {in_words(audit, names[0])}. Others that were tried: {others}. A stronger one may exist."


def everyone(results: Results) -> list[str]:
    """The attackers of patients, that of the headline first, and those of single records."""
    of_patients = attacks(results, PATIENT)
    return [*sorted(of_patients, key=lambda name: name != results.spot.attacker), *attacks(results)]


def support(results: Results) -> list[str]:
    """What comparisons of two patients tell, how often a call is right, what the references tell alone, and groups."""
    if not results.estimates:
        return [groups_differ(results, "suspected")]
    audit, spot = find_audit(results.audit), {"protocol": PATIENT, "attacker": results.spot.attacker}
    told = [first(results, metric=metric, **spot) for metric in ("auc", "precision@fpr=0.01")]
    said = [
        f"{sentence(audit, row)}. The 95{NBSP}% interval is {_range(audit, row)}." for row in told if row is not None
    ]
    attack, alone, like = (
        only(results, protocol=AGGREGATE, attacker=name, metric="auc")
        for name in ("rmia-offline", "reference-alone", "rmia-matched")
    )
    said.append(
        f"On single records, the AUC of the attack is {_auc(attack)}. The references, which are taken to have seen no "
        f"member, tell members from others with an AUC of {_auc(alone)}: what they tell is not membership. Among "
        f"records of which they are equally sure, the AUC of the attack is {_auc(like)}."
    )
    return [*said, groups_differ(results)]


def _range(audit: Audit, row: Measured) -> str:
    return written_range(audit.measure_of(row.metric).scale, row.low, row.high)


def _auc(row: Measured) -> str:
    return f"{auc(row.value)} ({written_range('auc', row.low, row.high)})"


def facts(results: Results) -> dict[str, str]:
    told = {
        "Attackers": listed(everyone(results)) or results.spot.attacker,
        "Members": "known" if results.estimates else "not known",
        "Slope": f"{results.details['slope']:g}, a constant",
    }
    if rows := rates(results, results.spot.attacker, PATIENT):
        told["False alarms"] = f"measured down to {in_so_many(rate_of(rows[-1]))}"
    return told


def _where_known(draw: Callable[[Results], Figure]) -> Callable[[Results], Figure]:
    """A figure of success takes the truth."""

    def drawn(results: Results) -> Figure:
        figure = draw(results)
        return figure if results.estimates else replace(figure, svg="", missing=UNKNOWN, note="")

    return drawn


def patients_recognised(results: Results) -> Figure:
    curves = Curves(PATIENT, "roc_patients", _others(results, "patients", "patients_members"))
    return draw_curves(results, curves, "roc-patients", "Patients recognised against false alarms", "patients")


def records_recognised(results: Results) -> Figure:
    curves = Curves(AGGREGATE, "roc", _others(results, "records", "records_of_members"))
    return draw_curves(results, curves, "roc", "Records recognised against false alarms", "records")


def _others(results: Results, everybody: str, members: str) -> float:
    """How many are not members; where the members are too few to be told, as good as everybody."""
    return float((results.counts[everybody] or 0) - (results.counts.get(members) or 0))


def attacks_and_checks(results: Results) -> Figure:
    figure = Figure(
        "attackers",
        "Attacks, and checks of them",
        f"Each mark is an AUC: how often a member is told from somebody else. The bar is its {INTERVAL}, the dotted "
        "line guessing. The checks are no attacks: where “reference-alone” or “rmia-placebo” is off the dotted line, "
        "members and others differ in ways that are not membership; “rmia-matched” is the attack among records of "
        "which the references are equally sure.",
    )
    of_records = select(results, protocol=AGGREGATE, metric="auc")
    blocks = {
        "Attacks on patients": select(results, protocol=PATIENT, metric="auc"),
        "Attacks on records": [row for row in of_records if row.attacker not in NOT_ATTACKERS],
        "No attacks, but checks": [row for row in of_records if row.attacker in NOT_ATTACKERS],
    }
    return draw_blocks(figure, blocks, attacks(results))


def shown(results: Results) -> tuple[Block, ...]:
    if not results.estimates:
        return (Text(UNKNOWN),)
    of_records = tables.attackers(results, "Attacks on records")
    return kept(tables.patients(results), of_records, checked(results), tables.groups(results))


def checked(results: Results) -> Table:
    rows = [
        (row.attacker, *tables.three(row, results))
        for row in select(results, protocol=AGGREGATE, metric="auc")
        if row.attacker in NOT_ATTACKERS
    ]
    return table("Checks of the attack on records: AUC", ("Check", *tables.NUMBERS), rows, numbers=3)


GLOSSARY = {
    **SHARED_TERMS,
    "AUC": "How often a member is told from somebody else. A half is guessing, one is always.",
    "Chance, guessing": "What the same attack gives where nothing can be found.",
    "Null control": "The same attack, judged by members who were made up. It must find nothing, or it is wrong.",
    "Placebo (rmia-placebo)": "The same attack on a reference, which was not trained on the members.",
    "Reference": "A model beside the attacked one. It tells how hard a record is for every model.",
    "Slope": "How sure models are taken to be of their members: where others give p, slope × p + 1 − slope.",
    "Tail": "The hundredth of the members' records with the highest scores.",
}

PAGE = PageParts(
    verdict=verdict,
    strongest=strongest,
    support=support,
    facts=facts,
    count_names={
        **COUNT_NAMES,
        "records_of_members": "records of members",
        "patients_members": "patients who are members",
        "patients_accused": "patients called members",
        "patients_exposed": "of them rightly",
    },
    things=THINGS,
    figures=(
        *map(_where_known, (patients_recognised, records_recognised, attacks_and_checks, groups_in_tail)),
        slopes,
    ),
    tables=shown,
    folded=tables.folded,
    glossary=GLOSSARY,
    card=tables.card,
    sides=sides,
    summary=tables.summary,
)

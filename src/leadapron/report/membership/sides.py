"""Three columns of risk: measured on these models, declared by whoever signs, and calculated from both."""

from __future__ import annotations

from leadapron.report.apart import Entry, Side
from leadapron.report.membership.numbers import counted, in_so_many, people
from leadapron.report.numerals import out_of, round_percent
from leadapron.report.results import Results
from leadapron.report.selection import Estimate

HUNDRED = 100


def sides(results: Results) -> tuple[Side, ...]:
    risk = results.content.get("risk")
    if risk is None:
        return ()
    return (
        Side("Measured", "found by attacking these models", _measured(risk)),
        Side("Declared", "said by whoever signs, and not tested", _declared(risk["declared"])),
        Side("Combined", "calculated from both", _combined(risk)),
    )


def _measured(risk: Estimate) -> tuple[Entry, ...]:
    measured = risk["measured"]
    entries = []
    if "patients" in measured:
        words = f"patients have an AUC above {measured['exposed_above']:g}"
        entries.append(Entry(_of_patients(risk, measured["patients"]), words))
    if "tpr" in measured:
        fpr = measured["fpr"]
        size = out_of(fpr)
        words = f"of {size:,} records of members are recognised at {in_so_many(fpr)} ({measured['attacker']})"
        entries.append(Entry(_range(measured["tpr"], size), words))
    return tuple(entries) or (Entry("–", "nothing was measured that a risk could be calculated from"),)


def _declared(declared: Estimate) -> tuple[Entry, ...]:
    worst = " (the worst case)" if declared["access"] == 1 else ""
    return (
        Entry(round_percent(declared["access"]), f"is how likely an attacker holds a given patient's record{worst}"),
        Entry(round_percent(declared["prior"]), "of those whom the attacker asks about are members"),
    )


def _combined(risk: Estimate) -> tuple[Entry, ...]:
    combined, before = risk["combined"], risk["declared"]["prior"]
    entries = []
    if "patients_exposed" in combined:
        words = "patients are exposed to such an attacker"
        entries.append(Entry(_of_patients(risk, combined["patients_exposed"]), words))
    if "predictive_value" in combined:
        words = f"of {HUNDRED} whom the attack calls members are; of those asked about it was {round_percent(before)}"
        entries.append(Entry(_range(combined["predictive_value"], HUNDRED), words))
    return tuple(entries) or (Entry("–", "nothing was measured to combine"),)


def _of_patients(risk: Estimate, found: Estimate) -> str:
    """Measured and combined are of as many patients, so that a reader can compare them."""
    exposed = risk["combined"]["patients_exposed"]
    size = people(exposed["value"], exposed["high"])
    return f"{_range(found, size)} of {size:,}"


def _range(found: Estimate, size: int) -> str:
    return counted(found["value"], found["low"], found["high"], size)

"""Three columns of risk: measured on these models, declared by the person who signs, and calculated from both."""

from __future__ import annotations

from leadapron.attacks.membership.declared import CombinedRisk, Declared, RiskApart, Share
from leadapron.attacks.membership.membership_measures import ABOVE
from leadapron.attacks.membership.membership_numbers import counted, in_so_many, people, risk_of
from leadapron.pages.numerals import HUNDRED, out_of, round_percent
from leadapron.pages.page import Entry, Side
from leadapron.results import Results


def sides(results: Results) -> tuple[Side, ...]:
    risk = risk_of(results)
    return (
        Side("Measured", "found by attacking these models", _measured(risk)),
        Side("Declared", "said by the person who signs, and not tested", _declared(risk.declared)),
        Side("Combined", "calculated from both", _combined(risk)),
    )


def _measured(risk: RiskApart) -> tuple[Entry, ...]:
    entries = []
    if risk.measured.exposed:
        words = f"patients have an AUC above {ABOVE:g}"
        entries.append(Entry(_of_patients(risk.combined, risk.measured.exposed), words))
    if found := risk.measured.recognised:
        size = out_of(found.fpr)
        words = f"of {size:,} records of members are recognised at {in_so_many(found.fpr)} ({found.attacker})"
        entries.append(Entry(counted(found.tpr, size), words))
    return tuple(entries) or (Entry("–", "nothing was measured that a risk could be calculated from"),)


def _declared(declared: Declared) -> tuple[Entry, ...]:
    worst = " (the worst case)" if declared.access == 1 else ""
    return (
        Entry(round_percent(declared.access), f"is how likely an attacker holds a given patient's record{worst}"),
        Entry(round_percent(declared.prior), "of the people that the attacker asks about are members"),
    )


def _combined(risk: RiskApart) -> tuple[Entry, ...]:
    combined, before = risk.combined, round_percent(risk.declared.prior)
    entries = []
    if combined.exposed:
        words = "patients are exposed to such an attacker"
        entries.append(Entry(_of_patients(combined, combined.exposed), words))
    if combined.predictive_value:
        words = f"of {HUNDRED} people that the attack calls members are members; of all asked about, {before} are"
        entries.append(Entry(counted(combined.predictive_value, HUNDRED), words))
    return tuple(entries) or (Entry("–", "nothing was measured to combine"),)


def _of_patients(combined: CombinedRisk, share: Share) -> str:
    """Measured and combined are of as many patients, so that a reader can compare them."""
    assert combined.exposed is not None
    size = people(combined.exposed.value, combined.exposed.high)
    return f"{counted(share, size)} of {size:,}"

"""Controls of every audit of a federation: people who were at no hospital must give chance, planted ones be found.

Both run the whole attack again. For the first, test patients stand in the place of the hospitals' own. For the second,
the training goes on with a handful of test patients and so many passes that nobody could be overlooked.
"""

from __future__ import annotations

from leadapron.attacks.federation.asked_people import People, count_patients, some_patients
from leadapron.attacks.federation.federation_attack import OWN, attack, suspicion_table
from leadapron.attacks.federation.federation_attackers import RECORD_ALONE, RECORD_AND_FINDINGS
from leadapron.attacks.federation.federation_rows import add_membership, add_sources, figures
from leadapron.attacks.federation.partner_claim import Paired, add_partners, pair_all
from leadapron.attacks.federation.run_subject import FederatedRun
from leadapron.attacks.federation.small_federation import EPOCHS, trained_on
from leadapron.attacks.federation.witnessed import Witnessed
from leadapron.audits.audit import Audit
from leadapron.audits.gathering import Gathering
from leadapron.audits.vouching import null_outcome, off_chance, off_half, planted_outcome
from leadapron.federated.federation_plan import Pairing
from leadapron.federated.station import Station
from leadapron.stats import Outcome

NULL, FOUND = "null control (patients of no hospital)", "planted patients (a small federation)"
MADE_UP, PLANTED, OTHERS = 20, 5, 300
"""Made-up members and planted patients per hospital, and how many others are asked about beside them."""
BEYOND_DOUBT = 0.75
"""The AUC that planted patients have at least."""


def null_control(audit: Audit, subject: FederatedRun, seed: int) -> Outcome:
    """Test patients as made-up members, and partners that are drawn: whatever is found then is the audit's error."""
    seen, people = subject.seen, stand_ins(subject, list(subject.hospitals), MADE_UP, seed)
    found = Gathering(audit)
    attacked = attack(seen, people)
    table = suspicion_table(attacked)
    add_membership(found, table)
    add_sources(found, table, {holds: len(names) for holds, names in seen.kinds.items()})
    for holds, names in seen.kinds.items():
        if seen.lends and holds != "both":
            stations = {name: people.members[name].masked(holds) for name in names}
            add_partners(found, pair_all(seen, stations, "random"), len(seen.public), holds)
    judged = [row for row in found.estimates if row.metric in ("auc", "source", "partner")]
    off = [row for row in judged if (off_half(row) if row.metric == "auc" else off_chance(row))]
    return null_outcome(NULL, judged, off, "with patients of no hospital as members, and partners drawn")


def planted_patients(subject: FederatedRun, relied_on: str, seed: int) -> Outcome:
    """Two hospitals of each kind that remember their patients: an attack that does not see these sees nothing."""
    names = [name for hospitals in subject.seen.kinds.values() for name in hospitals[:2]]
    people = stand_ins(subject, names, PLANTED, seed)
    members = {name: station.masked(subject.seen.members[name].holds) for name, station in people.members.items()}
    seen = trained_on(subject.seen, members)
    table = suspicion_table(attack(seen, people)).filter(asked=OWN)
    found = {
        str(name): figures(rows)[0].estimate.value for (name,), rows in table.group_by("attacker", maintain_order=True)
    }
    if seen.pairs:
        found[RECORD_AND_FINDINGS] = float(_paired(seen, members, seen.plan.pairing).by_findings.mean())
        found[RECORD_ALONE] = float(_paired(seen, members, "nearest").by_nearness.mean())
    world = f"{len(names)} hospitals went over a handful of patients {EPOCHS} times per round"
    return planted_outcome(FOUND, found, relied_on, world, least=BEYOND_DOUBT)


def stand_ins(subject: FederatedRun, names: list[str], per_hospital: int, seed: int) -> People:
    """Test patients in the place of these hospitals' own, and others of them; fewer where there are few."""
    most = min(per_hospital, max(1, count_patients(subject.test) // (2 * len(names))))
    *made_up, others = some_patients(subject.test, *([most] * len(names)), OTHERS, seed=seed)
    (tuning,) = some_patients(subject.validate, OTHERS, seed=seed)
    return People(dict(zip(names, made_up, strict=True)), others, tuning)


def _paired(seen: Witnessed, members: dict[str, Station], pairing: Pairing) -> Paired:
    """Of all hospitals that lack a half."""
    return pair_all(seen, {name: one for name, one in members.items() if one.holds != "both"}, pairing)

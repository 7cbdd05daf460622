"""The claim that borrowed halves hide a record in a crowd: how many share a partner, and who can work it out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.federation.federation_attack import OfKind
from leadapron.attacks.federation.federation_attackers import RECORD_ALONE, RECORD_AND_FINDINGS
from leadapron.attacks.federation.run_subject import FederatedRun
from leadapron.attacks.federation.witnessed import Witnessed
from leadapron.attacks.membership.membership_rows import clustered_mean
from leadapron.audits.gathering import Gathering
from leadapron.engine import Progress, silent
from leadapron.federated.federation_plan import Holds, Pairing
from leadapron.federated.station import Station
from leadapron.stats import Estimate, shares

Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]

ROUNDS = 6
"""In so many rounds, evenly spread from the first to the last, all records of all hospitals are paired."""


@dataclass(frozen=True)
class Paired:
    """Records of hospitals of one kind in some rounds: with how many others they share a partner, and who finds it."""

    patient: Ints
    """Of every record and round."""
    group: Ints
    """How many records of the hospital have the same partner, the record itself among them."""
    by_findings: NDArray[np.bool_]
    by_nearness: NDArray[np.bool_]
    alone: float
    """The share of records that would be alone if partners were drawn at random."""
    sharing: float
    """How many would then share a partner."""


def pair_all(
    seen: Witnessed, hospitals: Mapping[str, Station], pairing: Pairing | None = None, progress: Progress = silent
) -> Paired:
    """Partners as the hospitals find them, and as somebody else does who has the records from elsewhere.

    In a control hospitals pair in another way than the attacker thinks: ``pairing``.
    """
    from leadapron.federated.fusion_model import load_weights
    from leadapron.federated.local_training import one_thread
    from leadapron.federated.methods.car_mfl import partners_of

    model, columns, chances = seen.new_model(), [], []
    truly, nearest = (
        seen.plan.model_copy(update={"pairing": how}) for how in (pairing or seen.plan.pairing, "nearest")
    )
    chosen = set(np.linspace(1, seen.plan.rounds, ROUNDS).round().astype(int).tolist())
    with one_thread():
        for one in seen.rounds():
            if one.number not in chosen:
                continue
            load_weights(model, one.sent)
            before = 0
            for station in hospitals.values():
                true = partners_of(model, station, seen.public, truly, one.number)
                backwards = replace(station.rows(np.arange(len(station))[::-1]), name="somebody else")
                guesses = [
                    partners_of(model, backwards, seen.public, plan, one.number)[::-1] for plan in (seen.plan, nearest)
                ]
                _, of, size = np.unique(true, return_inverse=True, return_counts=True)
                _, patient = np.unique(station.patients, return_inverse=True)
                columns.append(np.stack([patient + before, size[of], *(guess == true for guess in guesses)]))
                before += int(patient.max()) + 1
                chances.append(at_random(len(station), len(seen.public)))
            progress("partners", one.number, seen.plan.rounds)
    patient, group, by_findings, by_nearness = np.concatenate(columns, axis=1)
    alone, sharing = np.mean(chances, axis=0)
    return Paired(patient, group, by_findings.astype(bool), by_nearness.astype(bool), float(alone), float(sharing))


def at_random(records: int, public: int) -> tuple[float, float]:
    """The share of records alone on a partner, and the records per partner in use, if partners were drawn."""
    missed = 1 - 1 / public
    return missed ** (records - 1), records / (public * (1 - missed**records))


def add_claim(found: Gathering, subject: FederatedRun, holds: Holds, of_kind: OfKind, progress: Progress) -> None:
    """All that the claim is judged by, at the hospitals of one kind that lack a half."""
    seen = subject.seen
    paired = pair_all(seen, {name: subject.hospitals[name] for name in of_kind.hospitals}, progress=progress)
    public, rounds = len(seen.public), seen.plan.rounds
    who, at = RECORD_AND_FINDINGS, {"hospitals": holds}
    add_partners(found, paired, public, holds)
    columns = np.stack([paired.group == 1, 1 / paired.group], axis=1)
    alone, shared = shares(columns, paired.patient)
    found.add("alone", alone, attacker=who, chance=paired.alone, **at)
    found.add("sharing", _turned(shared), attacker=who, chance=paired.sharing, **at)
    assert of_kind.followed.partners is not None
    members = of_kind.asked.hospital[of_kind.asked.patient] >= 0
    counts = different(of_kind.followed.partners[:, members])
    drawn = public * (1 - (1 - 1 / public) ** rounds)
    estimate = clustered_mean(counts.astype(np.float64), of_kind.asked.patient[members])
    found.add("changing", estimate, attacker=who, chance=drawn, **at)


def add_partners(found: Gathering, paired: Paired, public: int, holds: Holds) -> None:
    """How often either attacker works out a partner."""
    for who, hits in ((RECORD_AND_FINDINGS, paired.by_findings), (RECORD_ALONE, paired.by_nearness)):
        estimate = shares(hits[:, None].astype(np.float64), paired.patient)[0]
        found.add("partner", estimate, attacker=who, chance=1 / public, hospitals=holds)


def different(partners: Ints) -> Ints:
    """How many different ones each column has."""
    ordered = np.sort(partners, axis=0)
    found: Ints = 1 + (ordered[1:] != ordered[:-1]).sum(axis=0)
    return found


def _turned(share: Estimate) -> Estimate:
    """One by a mean: the mean of one by the size of a record's group is partners by records."""
    value = 1 / share.value
    return Estimate(value, 1 / share.high, 1 / share.low, share.sd * value**2, share.n, share.patients)

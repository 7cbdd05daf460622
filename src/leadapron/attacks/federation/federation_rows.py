"""What the attackers found, as rows: every number with its interval over patients and what guessing gives."""

from __future__ import annotations

import numpy as np
import polars as pl

from leadapron.attacks.federation.federation_attack import OWN
from leadapron.attacks.federation.federation_measures import ALL, MARKED
from leadapron.attacks.membership.membership_roc import Figure, measure
from leadapron.audits.gathering import Gathering
from leadapron.stats import shares

RATES = ("auc", f"{MARKED}0.01", f"{MARKED}0.001")


def add_membership(found: Gathering, table: pl.DataFrame) -> None:
    """AUC and what is recognised at rare false alarms: at one's own hospital and anywhere, of all and of each kind."""
    kinds = table["hospitals"].unique(maintain_order=True).to_list()
    for (attacker, asked), rows in table.group_by("attacker", "asked", maintain_order=True):
        for kind in (ALL, *(kinds if len(kinds) > 1 else ())):
            some = rows if kind == ALL else rows.filter(hospitals=kind)
            for figure in figures(some):
                if figure.metric in RATES:
                    found.add(
                        figure.metric,
                        figure.estimate,
                        attacker=str(attacker),
                        chance=figure.chance,
                        hospitals=kind,
                        asked=str(asked),
                    )


def figures(rows: pl.DataFrame) -> list[Figure]:
    """Patients are the units, however many hospitals an outsider was asked about at."""
    patient = rows["patient_id"].rank("dense").to_numpy().astype(np.int64) - 1
    suspicion, member = (rows[name].to_numpy()[:, None] for name in ("suspicion", "member"))
    return measure(suspicion, member, patient)[0]


def add_sources(found: Gathering, table: pl.DataFrame, hospitals: dict[str, int]) -> None:
    """How often the right hospital of a kind is named, where there are several; by those who can tell them apart."""
    members = table.filter(pl.col("member"), asked=OWN)
    for (attacker, kind), rows in members.group_by("attacker", "hospitals", maintain_order=True):
        chance = 1 / hospitals[str(kind)]
        right = rows["right"].to_numpy()
        if chance < 1 and not np.allclose(right, chance):
            estimate = shares(right[:, None], rows["patient_id"].to_numpy())[0]
            found.add("source", estimate, attacker=str(attacker), chance=chance, hospitals=str(kind))

"""Patients in piles, one per hospital: by chance, with another mix of findings each, or by the site they come from."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leadapron.errors import ConfigError
from leadapron.federated.federation_plan import Group, Plan
from leadapron.federated.gathered import Gathered
from leadapron.federated.seeded_streams import stream

Names = NDArray[np.str_]


def piles_of(plan: Plan, gathered: Gathered, training: Names, groups: list[Group]) -> list[Names]:
    """The patients of each hospital of the groups, one after another."""
    if plan.partition == "site":
        return _by_site(plan, gathered, training, groups)
    piles = equal_piles(training, groups, gathered.where)
    return _skewed(plan, gathered, np.concatenate(piles), len(piles)) if plan.partition == "dirichlet" else piles


def equal_piles(patients: Names, groups: list[Group], where: str) -> list[Names]:
    """As many for each hospital as its group says; where none says so, all that there are, shared equally."""
    hospitals = sum(group.hospitals for group in groups)
    sizes = [group.patients or len(patients) // hospitals for group in groups for _ in range(group.hospitals)]
    if sum(sizes) > len(patients) or min(sizes) < 1:
        raise ConfigError(
            "there are not enough patients for the hospitals",
            where=where,
            got=f"{sum(max(size, 1) for size in sizes):,} for {hospitals} hospitals",
            allowed=f"{len(patients):,} of split 'train' that are not in the public set",
        )
    return np.split(patients[: sum(sizes)], np.cumsum(sizes)[:-1])


def _skewed(plan: Plan, gathered: Gathered, patients: Names, hospitals: int) -> list[Names]:
    """Hospitals with another mix of findings each: per kind of patient, shares drawn from a Dirichlet distribution.

    A patient's kind is the rarest finding of all that any of their records has.
    """
    rng = stream(plan, "findings")
    order = np.argsort((gathered.truth == 1).sum(axis=0))
    rarest = np.where((gathered.truth[:, order] == 1).any(axis=1), (gathered.truth[:, order] == 1).argmax(axis=1), 99)
    ids, first = np.unique(gathered.patients, return_inverse=True)
    kind = np.full(len(ids), 99)
    np.minimum.at(kind, first, rarest)
    kinds = kind[np.searchsorted(ids, patients)]
    piles: list[list[Names]] = [[] for _ in range(hospitals)]
    for one in np.unique(kinds):
        members = patients[kinds == one]
        cuts = np.cumsum(rng.dirichlet(np.full(hospitals, plan.concentration)))[:-1] * len(members)
        for pile, part in zip(piles, np.split(members, cuts.round().astype(int)), strict=True):
            pile.append(part)
    return [np.concatenate(pile) for pile in piles]


def _by_site(plan: Plan, gathered: Gathered, training: Names, groups: list[Group]) -> list[Names]:
    """A hospital per value of a column, in the order of their names."""
    sites = gathered.sites(plan.site_column)
    names = np.unique(sites).tolist()
    most = [group.patients for group in groups for _ in range(group.hospitals)]
    if len(names) != len(most):
        raise ConfigError(
            f"the column {plan.site_column!r} has another number of sites than there are hospitals",
            where=gathered.where,
            got=f"{len(names)} sites ({', '.join(names[:5])})",
            allowed=str(len(most)),
        )
    piles = [training[np.isin(training, gathered.patients[sites == name])] for name in names]
    for name, pile, wanted in zip(names, piles, most, strict=True):
        if wanted is not None and wanted > len(pile):
            raise ConfigError(
                f"there are not enough patients at site {name!r}",
                where=gathered.where,
                got=f"{wanted:,}",
                allowed=f"{len(pile):,} of split 'train' that are not in the public set",
            )
    return [pile[:wanted] for pile, wanted in zip(piles, most, strict=True)]

"""Which patients an audit attacks: by default those whom nothing of the release was fitted on."""

from __future__ import annotations

import click

from leadapron.cohort import SPLITS
from leadapron.errors import ConfigError
from leadapron.release import Release
from leadapron.release.fitting import fitted_splits, unseen_splits

ALL = "all"
CHOICES = click.Choice((*SPLITS, ALL))


def attacked_splits(release: Release, asked: str | None) -> tuple[str, ...]:
    """The splits under attack; none are named where all records are."""
    if asked is not None:
        return () if asked == ALL else (asked,)
    fitted, unseen = fitted_splits(release), unseen_splits(release)
    if fitted and not unseen:
        raise ConfigError(
            "something was fitted on patients of every split, so nobody is left to attack fairly",
            where=release.where,
            got="; ".join(f"{one.name}: {', '.join(one.splits)}" for one in release.fitted if one.splits),
            fix=f"Audit a release of other patients, or everybody with --split {ALL}: the verdict then says so.",
        )
    return unseen if fitted else ()


def part_of(release: Release, splits: tuple[str, ...]) -> Release:
    return release.of_splits(splits) if splits else release

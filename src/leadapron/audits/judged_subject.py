"""Which of several subjects a verdict is on: one of each kind, and of versions of one subject the last."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from leadapron.audits.bound_subject import APART, RELEASE, kind_named
from leadapron.engine.file_ids import id_of_files
from leadapron.errors import ConfigError, did_you_mean
from leadapron.results import Results

SHORTEST_ID = 8
"""So many characters of an id name a subject."""


@dataclass(frozen=True)
class Version:
    """The results of one subject: a release with the models that were trained on it, reports, images."""

    id: str
    name: str
    kind: str
    results: tuple[Results, ...]

    def __str__(self) -> str:
        return f"{self.name!r} (id {self.id[:12]})"

    def is_before(self, other: Version) -> bool:
        """Whether the other one was made from this one, as its results or those of a trial say."""
        return self.kind == other.kind and any(
            self.id in (*one.inputs.subject.made_from, id_of_files(one.inputs.before))
            or any(_undefended(mine, one) for mine in self.results)
            for one in other.results
        )


@dataclass(frozen=True)
class Judged:
    """What a verdict is on, and what was set aside: earlier versions."""

    versions: tuple[Version, ...]
    earlier: tuple[Version, ...] = ()

    @property
    def results(self) -> tuple[Results, ...]:
        return tuple(one for version in self.versions for one in version.results)


def choose(results: Sequence[Results], wanted: str | None = None) -> Judged:
    """The subject that ``wanted`` names; without it the last version of each kind, where there is only one."""
    versions = _versions(results)
    if wanted is not None:
        found = [
            one for one in versions if wanted == one.name or (len(wanted) >= SHORTEST_ID and one.id.startswith(wanted))
        ]
        if not found:
            allowed = did_you_mean(wanted, sorted({one.name for one in versions}))
            raise ConfigError("no results are of this subject", where="--subject", got=wanted, allowed=allowed)
        versions = found
    kinds = dict.fromkeys(kind_named(one.kind) for one in sorted(versions, key=lambda one: one.kind != RELEASE))
    last = [_last([one for one in versions if kind_named(one.kind) == kind]) for kind in kinds]
    _check_cohort(last)
    return Judged(tuple(last), tuple(one for one in versions if one not in last))


def _versions(results: Sequence[Results]) -> list[Version]:
    """Models stand with the release that they were trained on, and not with one that it was made from."""
    releases = {one.inputs.subject.id for one in results if one.inputs.subject.kind == RELEASE}
    found: dict[str, list[Results]] = {}
    for one in results:
        subject = one.inputs.subject
        nearest = subject.made_from[0] if subject.made_from else ""
        belongs = subject.kind != RELEASE and subject.kind not in APART and nearest in releases
        found.setdefault(nearest if belongs else subject.id, []).append(one)
    return [_version(identity, members) for identity, members in found.items()]


def _version(identity: str, members: Sequence[Results]) -> Version:
    about = min(members, key=lambda one: one.inputs.subject.id != identity)
    return Version(identity, about.inputs.release, about.inputs.subject.kind, tuple(members))


def _last(versions: Sequence[Version]) -> Version:
    last = [one for one in versions if not any(one.is_before(other) for other in versions if other is not one)]
    if len(last) == 1:
        return last[0]
    rivals = last or versions
    what = f"the results are of {len(rivals)} subjects, and a verdict is on one"
    raise ConfigError(what, got=", ".join(map(str, rivals)), fix=f"Name it, as in --subject {rivals[0].name}.")


def _undefended(one: Results, other: Results) -> bool:
    """In a trial of a cohort each part has an id of its own; all of them name the cohort before."""
    same = bool(one.inputs.before) and one.inputs.before == other.inputs.before
    return same and one.inputs.defence is None and other.inputs.defence is not None


def _check_cohort(versions: Iterable[Version]) -> None:
    """Parts of two cohorts have no common verdict."""
    named = {one.inputs.cohort: version for version in versions for one in version.results if one.inputs.cohort}
    if len(named) > 1:
        got = ", ".join(f"{version} of cohort {cohort!r}" for cohort, version in named.items())
        raise ConfigError("the results are of several cohorts", got=got, fix="Gate each by itself.")

"""What was audited: whether several results are of one thing, and which audits that thing calls for."""

from __future__ import annotations

from collections.abc import Sequence

from leadapron.audits.audit_registry import every_audit, find_audit
from leadapron.errors import ConfigError
from leadapron.results import Results

RELEASE = "release"
APART = {
    "run": "a federated run",
    "reports": "reports",
    "images": "images",
    "cohort": "a cohort",
    "model": "a model",
    "table": "a table",
}
"""Kinds of subject that have audits of their own; a release and the models that were trained on it belong together."""
TOGETHER = "Audit one release with every attack, or gate each by itself."


def bind(results: Sequence[Results]) -> Results:
    """That of the results whose subject the verdict is about: the release, or the models where none is there.

    Two audits of one attack, or of two releases, have no common verdict: one could hide what the other found. Models
    belong to the release that they were trained on, and not to one that it was made from.
    """
    attacks = [one.audit for one in results]
    if twice := sorted({attack for attack in attacks if attacks.count(attack) > 1}):
        raise ConfigError("two results are of one attack", got=twice[0], fix="Judge each by itself.")
    about = min(results, key=lambda one: one.inputs.subject.kind != RELEASE)
    for one in results:
        of, other = about.inputs.subject, one.inputs.subject
        names = [each.inputs.release for each in (about, one)]
        if other.kind == of.kind and other.id != of.id:
            raise ConfigError(f"the results are of two {of.kind}s", got=" and ".join(names), fix=TOGETHER)
        if other.kind != of.kind and other.made_from[:1] != (of.id,):
            what = f"nothing says that the models of {names[1]!r} were trained on {names[0]!r}"
            if other.kind in APART or of.kind in APART:
                what = f"{names[1]!r} and {names[0]!r} are of two kinds, which no verdict is on together"
            raise ConfigError(what, where=one.where, fix=TOGETHER)
    return about


def attacks_asked(results: Sequence[Results]) -> set[str]:
    """The audits that were run, and those that the default policy asks of a release with such arrays."""
    held = [set(one.inputs.subject.holds) for one in results if one.inputs.subject.kind == RELEASE]
    return {one.audit for one in results} | {
        audit.name
        for audit in every_audit()
        if audit.policy and audit.subject == RELEASE and any(audit.takes <= arrays for arrays in held)
    }


def why_absent(name: str, results: Sequence[Results]) -> tuple[str, str]:
    """The outcome of an audit that was not run, and the reason: it may not be possible on this release."""
    audit = find_audit(name)
    judged = {APART.get(one.inputs.subject.kind, "a release or of models") for one in results}
    if APART.get(audit.subject, "a release or of models") not in judged:
        return "not-applicable", f"It is not asked of {' or '.join(sorted(judged))}."
    release = next((one.inputs.subject for one in results if one.inputs.subject.kind == RELEASE), None)
    if release and audit.subject == RELEASE:
        if not audit.takes <= set(release.holds):
            taken, held = " and ".join(sorted(audit.takes)), ", ".join(release.holds)
            return "not-applicable", f"It takes {taken}, and the release holds {held}."
        if audit.not_applicable and (why := audit.not_applicable(release)):
            return why
    return "incomplete", f"This was not measured: run `leadapron audit {name}` and give its results, too."

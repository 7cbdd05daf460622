"""What was audited: which kinds of subject there are, and which audits one calls for."""

from __future__ import annotations

from collections.abc import Sequence

from leadapron.audits.audit_registry import every_audit, find_audit
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


def kind_named(kind: str) -> str:
    """What subjects of a kind are called; those that belong together have one name."""
    return APART.get(kind, "a release or of models")


def attacks_asked(results: Sequence[Results]) -> set[str]:
    """The audits that were run, and those that the starting point asks of a release with such arrays."""
    held = [set(one.inputs.subject.holds) for one in results if one.inputs.subject.kind == RELEASE]
    return {one.audit for one in results} | {
        audit.name
        for audit in every_audit()
        if audit.policy and audit.subject == RELEASE and any(audit.takes <= arrays for arrays in held)
    }


def why_absent(name: str, results: Sequence[Results]) -> tuple[str, str]:
    """The outcome of an audit that was not run, and the reason: it may not be possible on this release."""
    audit = find_audit(name)
    judged = {kind_named(one.inputs.subject.kind) for one in results}
    if kind_named(audit.subject) not in judged:
        return "not-applicable", f"It is not asked of {' or '.join(sorted(judged))}."
    release = next((one.inputs.subject for one in results if one.inputs.subject.kind == RELEASE), None)
    if release and audit.subject == RELEASE:
        if not audit.takes <= set(release.holds):
            taken, held = " and ".join(sorted(audit.takes)), ", ".join(release.holds)
            return "not-applicable", f"It takes {taken}, and the release holds {held}."
        if audit.not_applicable and (why := audit.not_applicable(release)):
            return why
    return "incomplete", f"This was not measured: run `leadapron audit {name}` and give its results, too."

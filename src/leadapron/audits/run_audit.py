"""One audit from end to end: a subject and a configuration in, results with their provenance out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from leadapron.audits import release_subject
from leadapron.audits.audit import Audit, AuditConfig, Loaded
from leadapron.audits.audit_registry import find_audit
from leadapron.audits.presets import PolicyGiven, asked_by, listed
from leadapron.engine import Progress, silent
from leadapron.engine.documents import Config
from leadapron.errors import ConfigError, did_you_mean
from leadapron.release import Release
from leadapron.release.provenance import versions
from leadapron.results import Results


def subject_config(audit: Audit) -> type[Config]:
    """Options that tell which part of a subject is attacked, or where the rest of it lies."""
    return release_subject.splits_config(audit) if audit.subject == "release" else audit.reads


def load(audit: Audit, path: Path, asked: Config, *, verify: bool = True) -> Loaded:
    """The subject that lies at a path."""
    if audit.load is not None:
        return audit.load(path, asked, verify)
    assert isinstance(asked, release_subject.WholeConfig)
    kept = release_subject.truth_of(asked)
    release, inputs = release_subject.read(path, verify=verify, split_by=asked.split_by, truth=kept)
    return release_subject.load(audit, release, inputs, asked)


def takes_policies(audit: Audit) -> bool:
    """Whether a policy can ask for numbers that the audit would not measure by itself."""
    fields = audit.config.model_fields
    options = [measure.name.rpartition("@")[2] for measure in audit.measures if "@" in measure.name]
    return "judged_pools" in fields or any(option in fields for option in options)


def asked_config(audit: Audit, given: Mapping[str, Any], policies: Sequence[PolicyGiven]) -> AuditConfig:
    """The configuration with these options, and with what policies need on top of them."""
    config = audit.config(**given)
    if not policies:
        return config
    more = {
        name: tuple(sorted({*getattr(config, name), *wanted}))
        for name, wanted in asked_by(policies).get(audit.name, {}).items()
    }
    return audit.config(**{**given, **more})


def run_audit(
    audit: Audit, loaded: Loaded, config: AuditConfig, *, command: str, title: str = "", progress: Progress = silent
) -> Results:
    """The results, in memory; every row is of a measure that the audit declares."""
    findings = audit.run(loaded.subject, config, loaded.knowledge, progress)
    for row in findings.estimates:
        audit.check(row)
    return Results.of(
        findings.updated(limits=(*findings.limits, *loaded.notes)),
        title=title or f"{audit.name.capitalize()} audit of {loaded.inputs.release}",
        command=command,
        seed=config.seed,
        config={**config.model_dump(mode="json"), **loaded.said},
        inputs=loaded.inputs,
        versions=versions(),
    )


def audit(
    subject: Release | Path | str,
    name: str,
    *,
    title: str = "",
    policy: PolicyGiven | Sequence[PolicyGiven] = (),
    progress: Progress = silent,
    **options: Any,  # noqa: ANN401
) -> Results:
    """Audit a release, in memory or in a folder, or reports, by the name of an audit; options are the audit's own.

    ``title`` stands above the page: what it is of, and whose. With a ``policy``, or several, that is measured, too,
    which it judges. The same as ``leadapron audit NAME``, but that nothing is written before ``Results.save``.
    """
    found = find_audit(name)
    asked, config = _sorted_out(found, options, listed(policy))
    if isinstance(subject, Release):
        if found.subject != "release":
            raise ConfigError(f"the audit takes {found.subject}, not a release", got=name)
        assert isinstance(asked, release_subject.WholeConfig)
        loaded = release_subject.load(found, subject, None, asked)
    else:
        loaded = load(found, Path(subject), asked)
    told = ", ".join([repr(name), *(f"{key}={_told(getattr(asked, key, value))!r}" for key, value in options.items())])
    return run_audit(found, loaded, config, command=f"leadapron.audit(…, {told})", title=title, progress=progress)


def _told(value: object) -> object:
    """An option as it is written down: a file by its name, and not where it lies."""
    if isinstance(value, tuple):
        return tuple(_told(one) for one in value)
    return value.name if isinstance(value, Path) else value


def _sorted_out(audit: Audit, options: dict[str, Any], policies: Sequence[PolicyGiven]) -> tuple[Config, AuditConfig]:
    """Options of the subject and of the audit; unknown ones are refused."""
    chosen = subject_config(audit)
    fields = [set(kind.model_fields) for kind in (chosen, audit.config)]
    for name in options:
        if not any(name in known for known in fields):
            raise ConfigError("unknown option", got=name, allowed=did_you_mean(name, set.union(*fields)))
    of_subject, own = ({name: options[name] for name in options if name in known} for known in fields)
    return chosen(**of_subject), asked_config(audit, own, policies)

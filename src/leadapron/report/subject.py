"""What was audited: whether several results are of one thing, and which audits that thing calls for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from leadapron.errors import ConfigError
from leadapron.report.results import Results

RELEASE = "release"
NEEDED = {"linkage": frozenset({"image", "text"}), "identity": frozenset({"image"})}
"""The arrays of a release that an attack takes. Membership is asked of models, by whoever trained some."""
TOGETHER = "Audit one release with every attack, or gate each by itself."

Subject = Mapping[str, Any]


def subject_of(results: Results) -> Subject:
    subject: Subject | None = results.content["inputs"].get("subject")
    if subject is None:
        fix = "They are of an earlier version: audit again."
        raise ConfigError("the results do not say what was audited", where=results.folder, fix=fix)
    return subject


def bind(results: Sequence[Results]) -> Results:
    """That of the results whose subject the verdict is about: the release, or the models where none is there.

    Two audits of one attack, or of two releases, have no common verdict: one could hide what the other found. Models
    belong to the release that they were trained on, and not to one that it was made from.
    """
    attacks = [one.content["attack"] for one in results]
    if twice := sorted({attack for attack in attacks if attacks.count(attack) > 1}):
        raise ConfigError("two results are of one attack", got=twice[0], fix="Judge each by itself.")
    about = min(results, key=lambda one: subject_of(one)["kind"] != RELEASE)
    for one in results:
        of, other = subject_of(about), subject_of(one)
        names = [str(each.content["inputs"]["release"]) for each in (about, one)]
        if other["kind"] == of["kind"] and other["id"] != of["id"]:
            raise ConfigError(f"the results are of two {of['kind']}s", got=" and ".join(names), fix=TOGETHER)
        if other["kind"] != of["kind"] and other["made_from"][:1] != [of["id"]]:
            what = f"nothing says that the models of {names[1]!r} were trained on {names[0]!r}"
            raise ConfigError(what, where=one.folder, fix=TOGETHER)
    return about


def attacks_asked(results: Sequence[Results]) -> set[str]:
    """Those that were run, and those that a release with such arrays calls for."""
    held = [set(subject_of(one)["holds"]) for one in results]
    return {str(one.content["attack"]) for one in results} | {
        attack for attack, needed in NEEDED.items() if any(needed <= arrays for arrays in held)
    }


def why_absent(attack: str, results: Sequence[Results]) -> tuple[str, str]:
    """The outcome of an attack that nobody has run, and the reason: it may not be possible on this release."""
    subjects = [one.content["inputs"].get("subject") for one in results]
    release = next((subject for subject in subjects if subject and subject["kind"] == RELEASE), None)
    needed = NEEDED.get(attack, frozenset())
    if release and not needed <= set(release["holds"]):
        held = ", ".join(release["holds"])
        return "not-applicable", f"It takes {' and '.join(sorted(needed))}, and the release holds {held}."
    if release and attack == "identity" and release["mates"] is False:
        return "not-applicable", "No patient of the release has two images, so there is nobody to recognise."
    if release and attack == "identity" and release["mates"] is None:
        return "incomplete", "The release names no patients, so nobody knows which images are of one: add patient_id."
    return "incomplete", f"Nobody has measured this: run `leadapron audit {attack}` and give its results, too."

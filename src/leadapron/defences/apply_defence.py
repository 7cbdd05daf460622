"""The front door: what is to be defended in, its defended version with a card of what was done out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar, get_args

from leadapron.cohort import Cohort
from leadapron.cohort.image_set import ImageSet
from leadapron.defences.defence import Defence
from leadapron.defences.defence_registry import find_defence
from leadapron.defences.model_folder import Model
from leadapron.defences.subjects import SUBJECTS, card_of
from leadapron.engine import Progress, silent
from leadapron.engine.documents import Config
from leadapron.errors import ConfigError
from leadapron.release import Release
from leadapron.release.provenance import lineage
from leadapron.reports.report_set import ReportSet, checked, of_cohort

Subject = TypeVar("Subject", Cohort, ReportSet, ImageSet, Release, Model)


def defend(subject: Subject, name: str, *, progress: Progress = silent, **options: object) -> Subject:
    """The subject after the defence ``name``, as in ``defend(release, "prototypes", k=20)``.

    What was done, and what is promised, stands under ``defence`` in its card (see ``DefenceCard``).
    """
    defence = find_defence(name)
    return apply_defence(defence, subject, defence.configure(**options), progress=progress)


def apply_defence(
    defence: Defence, subject: Subject, config: Config, *, control: str | None = None, progress: Progress = silent
) -> Subject:
    """The same by a configuration; ``control`` is the name of the control whose configuration it is."""
    if defence.acts_on == "reports" and isinstance(subject, Cohort):
        reports = checked(of_cohort(subject))
        whole: Any = apply_defence(defence, reports, config, control=control, progress=progress)
        cohort: Subject = replace(whole.cohort, card=whole.card)
        return cohort
    right = SUBJECTS[defence.acts_on].kind
    if not isinstance(subject, right):
        allowed = " or ".join(one.__name__ for one in (get_args(right) or (right,)))
        what = f"{defence.name!r} is a defence of a {defence.acts_on}"
        raise ConfigError(what, got=type(subject).__name__, allowed=allowed)
    made, card = defence.run(subject, config, progress)
    ids = lineage(subject.card)
    # what a defence did on the way, such as cleaning the reports, stands in the card of what it made
    update: dict[str, Any] = {"made_from": tuple(ids), "before": card_of(made) or card_of(subject)}
    if control is not None:
        update |= {"method": control, "control_of": defence.name}
    described = {name: value for name, value in made.card.items() if name != "sha256"}  # of the files it came from
    described |= {"made_from": ids, "defence": card.model_copy(update=update).as_dict()}
    defended: Subject = replace(made, card=described)
    return defended

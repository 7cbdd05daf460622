"""What a trial says in sentences: before, what each defence does, and what the controls take from it."""

from __future__ import annotations

from leadapron.audits.basis import UNVERIFIED, basis
from leadapron.audits.fitted import fitted_too
from leadapron.audits.wording import (
    counted_of,
    difference_unit,
    lowered,
    sentence,
    title_of,
    told_of,
    written_difference,
)  # fmt: skip
from leadapron.pages.numerals import NBSP, p_value
from leadapron.trials.excess_cut import Share
from leadapron.trials.frontier import Answer, Frontier, Point
from leadapron.trials.scenario import Scenario
from leadapron.trials.trial_kinds import KINDS, RELEASE

NO_BOUND = (
    "For patients who were not trained on there is no bound, whatever the epsilon: the defence promises that a "
    "training patient's presence changes little, not that a patient cannot be found again."
)
ADAPTIVE = (
    "Every attacker attacks each release, also one who knows the defence and the training patients as they were "
    "released; the figure is that of the strongest. Defences are fitted on training patients and judged on others."
)
CONTROL_READING = {
    "untrained": "the heads as they were, through the same pipeline",
    "norm_swap_only": "only the normalisation layer was exchanged, nothing was trained",
    "noise_only": "noise of the same size, but no data: it learned nothing of any patient",
    "clip_only": "trained with clipped gradients, but without noise",
    "nonprivate": "trained without clipping and noise",
}
WITHOUT_DATA = ("noise_only", "norm_swap_only", "untrained")
MOST_TOLD = 4
"""Of more defences than this, the sentences tell those that no other beats; the table has them all."""


def adaptive(frontier: Frontier) -> str:
    """What the attackers know, and whom they attack."""
    return ADAPTIVE if frontier.kind == RELEASE else KINDS[frontier.kind].adaptive


def conclusions(frontier: Frontier) -> list[str]:
    """The verdict in sentences: before, the best defence by each aim, and what the controls take from it."""
    before = frontier.points[0]
    said = [f"NOT TO BE BELIEVED, {point.name}: {error}." for point in frontier.points for error in point.errors]
    said += [f"NOT VERIFIED, {point.name}: {UNVERIFIED}." for point in frontier.points if not point.verified]
    said.append(_undefended(before.answers[frontier.risk]))
    told = _told(frontier)
    said += [_about(frontier, point) for point in told]
    for point in told:
        said += _controls(frontier, point, [other for other in frontier.points if other.of == point.name])
    return [*said, *frontier.notes]


def _told(frontier: Frontier) -> list[Point]:
    defences = [point for point in frontier.points if point.role == "defence"]
    return defences if len(defences) <= MOST_TOLD else [point for point in defences if point.on_front]


def of_scenario(frontier: Frontier, scenario: Scenario) -> str:
    """What a scenario beside the frontier's own risk found: before, and after each defence that is told of."""
    answers = [(point, answer) for point in _told(frontier) if (answer := point.answers.get(scenario.key))]
    after = "; ".join(f"after {point.name}, {told_of(scenario.audit, answer.row)}" for point, answer in answers)
    told = f" {after[0].upper()}{after[1:]}." if after else ""
    return _undefended(frontier.points[0].answers[scenario.key], told)


def _undefended(answer: Answer, then: str = "") -> str:
    """What was found before, then what else is told, and what it rests on."""
    audit, row, results = answer.audit, answer.row, answer.results
    rests = audit.page.basis(results) if audit.page.basis else basis(results, row, counted_of(audit, row))
    return " ".join([f"Undefended: {lowered(sentence(audit, row))}.{then}", rests, *fitted_too(results)])


def _about(frontier: Frontier, point: Point) -> str:
    """What a defence does to the risk and to the use, and what is promised about it."""
    parts = [_removed(point.answers[frontier.risk])]
    for use in (answer for answer in point.answers.values() if answer.audit.about == "use"):
        p = f" (p {_p(use.change.p)})" if use.change else ""
        keeps = "keeps " if len(parts) == 1 else ""
        parts.append(f"{keeps}{share(use.kept)} of the {title_of(use.audit, use.row)}{p}")
    others = [
        _cut_of(answer.cut, key.replace("-", " "))
        for key, answer in point.answers.items()
        if key != frontier.risk and answer.cut is not None
    ]
    beside = f" It {' and '.join(others)}." if others else ""
    *more, last = parts
    told = f"{', '.join(more)} and {last}" if more else last
    return f"{point.name} {told}.{beside} Guarantee: {guarantee(point)}."


def _cut_of(cut: Share, what: str) -> str:
    """Said so that a minus is not read as a gain."""
    if cut.value < 0:
        return f"ADDS {share(Share(-cut.value, -cut.high, -cut.low))} to {what}"
    return f"removes {share(cut)} of {what}"


def _removed(answer: Answer) -> str:
    """What a defence does to the risk above guessing."""
    p = f" (p {_p(answer.change.p)})" if answer.change else ""
    risk = answer.audit.risk or answer.audit.name
    if answer.cut is None:
        measure = answer.audit.measure_of(answer.tested.metric)
        if answer.change is None or measure.scale == "share":
            return f"finds no {risk} above guessing to remove"
        value = written_difference(measure, answer.change.difference)
        return f"changes {lowered(title_of(answer.audit, answer.tested))} by {value}{difference_unit(measure)}{p}"
    return f"{_cut_of(answer.cut, f'the {risk} above guessing')}{p}"


def _controls(frontier: Frontier, point: Point, controls: list[Point]) -> list[str]:
    """A drop that a control also gives is not the method's doing."""
    said = []
    mine = point.answers[frontier.risk].cut
    for control in controls:
        kind, theirs = control.name.rpartition("/")[2], control.answers[frontier.risk].cut
        if mine is None or theirs is None or kind not in WITHOUT_DATA:
            continue
        if theirs.value > 0 and mine.value > 0 and theirs.high >= mine.low:
            said.append(
                f"{control.name} ({CONTROL_READING[kind]}) removes {share(theirs)} by itself: what {point.name} "
                "removes is not shown to be the training's doing."
            )
    return said


def _p(p: float) -> str:
    return p_value(p) if p_value(p).startswith("<") else f"= {p_value(p)}"


def share(part: Share | None) -> str:
    if part is None:
        return "–"
    low, high = (f"{100 * end:.1f}" for end in (part.low, part.high))
    return f"{100 * part.value:.1f}{NBSP}% ({low}{NBSP}to{NBSP}{high})".replace("-", "−")


def guarantee(point: Point) -> str:
    kind = point.guarantee.get("kind", "none")
    if kind == "differential privacy":
        epsilon, delta = point.guarantee["epsilon"], point.guarantee["delta"]
        return f"DP, {point.guarantee['unit']}: ε {epsilon:.3g}, δ {delta:.1g}"
    if kind == "k-anonymity":
        details, unit = point.guarantee["details"], point.guarantee["unit"]
        return f"k-anonymity, {unit}: k = {details.get('k', point.strength)}"
    return "none"


def is_private(frontier: Frontier) -> bool:
    """Whether a defence of a release carries an epsilon, which does not speak of patients who were not trained on."""
    return frontier.kind == RELEASE and any(point.guarantee.get("epsilon") is not None for point in frontier.points)

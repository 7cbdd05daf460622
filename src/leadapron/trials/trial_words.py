"""What a trial says in sentences: before, what each defence does, and what the controls take from it."""

from __future__ import annotations

from leadapron.audits.audit import Audit
from leadapron.audits.basis import UNVERIFIED, basis
from leadapron.audits.fitted import fitted_too
from leadapron.audits.wording import (
    counted_of,
    lowered,
    sentence,
    size_of,
    title_of,
    told_of,
    units_of,
    written,
)  # fmt: skip
from leadapron.comparisons.use_words import LOSS, worst_in_words
from leadapron.pages.numerals import NBSP, p_value, so_many
from leadapron.results import Measured
from leadapron.trials.excess_cut import Share
from leadapron.trials.frontier import Frontier, Point
from leadapron.trials.risk_status import has_strongest, made_worse
from leadapron.trials.scenario import Scenario
from leadapron.trials.scenario_answer import Answer
from leadapron.trials.trial_kinds import KINDS, RELEASE

NO_BOUND = (
    "For patients who were not trained on there is no bound, whatever the epsilon: the defence promises that a "
    "training patient's presence changes little, not that a patient cannot be found again."
)
ADAPTIVE = (
    "Every attacker attacks each release, also one who knows the defence and the training patients as they were "
    "released. Defences are fitted on training patients and judged on others."
)
CONTROL_READING = {
    "untrained": "the heads as they were, through the same pipeline",
    "norm_swap_only": "only the normalisation layer was exchanged, nothing was trained",
    "norm_kept": "the same training with the normalisation layer kept",
    "noise_only": "noise of the same size, but no data: it learned nothing of any patient",
    "clip_only": "trained with clipped gradients, but without noise",
    "nonprivate": "trained without clipping and noise",
}
WITHOUT_DATA = ("noise_only", "norm_swap_only", "untrained")
MOST_TOLD = 4
"""Of more defences than this, the sentences tell those that no other beats; the table has them all."""


def adaptive(frontier: Frontier) -> str:
    """What the attackers know, and whom they attack."""
    told = ADAPTIVE if frontier.kind == RELEASE else KINDS[frontier.kind].adaptive
    return f"{told} Every figure is that of the strongest attacker." if has_strongest(frontier) else told


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
    worse = made_worse(point)
    raised = [f"makes {_name(frontier, key)} WORSE, {_moved(answer)}" for key, answer in worse.items()]
    own = [] if frontier.risk in worse else [_effect(point.answers[frontier.risk], _name(frontier, frontier.risk))]
    others = [
        _effect(answer, _name(frontier, key))
        for key, answer in point.answers.items()
        if answer.audit.about == "risk" and key != frontier.risk and key not in worse
    ]
    sentences = [f"{point.name} {_and([*raised, *own])}.", *([f"It {_and(others)}."] if others else [])]
    for use in (answer for answer in point.answers.values() if answer.audit.about == "use"):
        p = f" (p {_p(use.change.p)})" if use.change else ""
        keeps = f"It keeps {share(use.kept)} of the {title_of(use.audit, use.row)}{p}"
        cost = worst_in_words(list(use.costs))
        sentences += [f"{cost}.", f"{keeps}."] if cost.startswith(LOSS) else [f"{keeps}; {cost}."]
    return f"{' '.join(sentences)} Guarantee: {guarantee(point)}."


def _name(frontier: Frontier, key: str) -> str:
    """A risk as a sentence calls it; where several scenarios ask of one, by the scenario's own name."""
    audits = [one.audit for one in frontier.scenarios if one.key == key]
    return audits[0].risk or key.replace("-", " ")


def _and(parts: list[str]) -> str:
    *more, last = parts
    return f"{', '.join(more)} and {last}" if more else last


def _effect(answer: Answer, risk: str) -> str:
    """What a defence does to a risk that it does not raise."""
    if answer.change is None:
        return f"could not be compared in {risk}"
    p = f" (p {_p(answer.change.p)})"
    if answer.status == "no clear change":
        if answer.cut is None and answer.audit.measure_of(answer.tested.metric).scale == "share":
            return f"finds no {risk} above guessing to remove"
        return f"does not clearly change {risk}{p}"
    if answer.cut is None:
        return f"lowers {risk}, {_moved(answer)}"
    if answer.cut.value >= 1:
        return f"removes all of the {risk} above guessing{p}"
    return f"removes {cut_share(answer.cut)} of the {risk} above guessing{p}"


def _moved(answer: Answer) -> str:
    """The risk before and after; and what was tested, where that is another number."""
    assert answer.change is not None
    audit, tested, change = answer.audit, answer.tested, answer.change
    p = f"p {_p(change.p)}"
    if tested.metric == answer.placed.metric:
        return f"{_from_to(audit, tested, change.before, change.after)} ({p})"
    told = _from_to(audit, answer.placed, answer.before.value, answer.placed.value)
    test = f"{lowered(title_of(audit, tested))} {_from_to(audit, tested, change.before, change.after)}"
    return f"{told} (tested: {test}, {p})"


def _from_to(audit: Audit, row: Measured, before: float, after: float) -> str:
    measure = audit.measure_of(row.metric)
    if measure.scale != "share":
        return f"{written(measure.scale, before)} → {written(measure.scale, after)}"
    size = size_of(row)
    return f"{so_many(before, size)} → {so_many(after, size)} of {size:,} {units_of(audit, row)}"


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
                f"{control.name} ({CONTROL_READING[kind]}) removes {cut_share(theirs)} by itself: what {point.name} "
                "removes is not shown to be the training's doing."
            )
    return said


def _p(p: float) -> str:
    return p_value(p) if p_value(p).startswith("<") else f"= {p_value(p)}"


def cut_share(cut: Share) -> str:
    """Nobody can remove more than all: what lies below guessing is there by chance."""
    return share(Share(*(min(end, 1.0) for end in (cut.value, cut.low, cut.high))))


def share(part: Share | None) -> str:
    if part is None:
        return "–"
    value, low, high = (f"{100 * end:.1f}".replace("-", "−") for end in (part.value, part.low, part.high))
    return f"{value}{NBSP}%" if low == high else f"{value}{NBSP}% ({low}{NBSP}to{NBSP}{high})"


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

"""What a frontier says in sentences and cells."""

from __future__ import annotations

from leadapron.compare.excess import Share
from leadapron.compare.frontier import Frontier, Point
from leadapron.report.basis import UNVERIFIED, rests_on
from leadapron.report.numerals import NBSP, interval, out_of, p_value, percent, so_many
from leadapron.stats import Estimate

LEVEL = 0.05
WORDS = (
    "Words known: the attacker has the reports themselves and the encoder, and makes the reports' vectors anew. Then "
    "only what was done to the images defends."
)
NO_BOUND = (
    "For pairs that were not trained on there is no bound, whatever the epsilon: the defence promises that a training "
    "patient's presence changes little, not that an image and its report lie apart."
)
ADAPTIVE = (
    "Each release is attacked by everybody, also by an attacker who knows the defence and the training patients' pairs "
    "as they were released; the figure is that of whoever does best. Defences are fitted on training patients and "
    "judged on others."
)
CONTROL_READING = {
    "untrained": "the heads as they were, through the same pipeline",
    "norm_swap_only": "only the normalisation layer was exchanged, nothing was trained",
    "noise_only": "noise of the same size, but no data: it learned nothing of anybody",
    "clip_only": "trained with clipped gradients, but without noise",
    "nonprivate": "trained without clipping and noise",
}
WITHOUT_DATA = ("noise_only", "norm_swap_only", "untrained")
MOST_TOLD = 4
"""Of more defences than this, the sentences tell those that no other beats; the table has them all."""
COLUMNS = (
    "",
    "release",
    "linked",
    "strongest attacker",
    "excess cut",
    "cut, words known",
    "macro AUROC",
    "AUROC kept",
    "guarantee",
)


def cells(point: Point, number: int) -> list[str]:
    before = point.role == "before"
    return [
        f"{number}{' *' if point.on_front else ''}",
        point.name,
        _estimate(point.linkage),
        point.attacker,
        "–" if before else _share(point.cut),
        "–" if before else _share(point.cut_by_words),
        _estimate(point.auroc),
        "–" if before else _share(point.kept),
        guarantee(point),
    ]


def guarantee(point: Point) -> str:
    kind = point.guarantee.get("kind", "none")
    if kind == "differential privacy":
        epsilon, delta = point.guarantee["epsilon"], point.guarantee["delta"]
        return f"DP, {point.guarantee['unit']}: ε {epsilon:.3g}, δ {delta:.1g}"
    if kind == "k-anonymity":
        details, unit = point.guarantee["details"], point.guarantee["unit"]
        return f"k-anonymity, {unit}: k = {details.get('k', point.strength)}"
    return "none"


def conclusions(frontier: Frontier) -> list[str]:
    """The verdict in sentences: before, the best defence by each aim, and what the controls take from it."""
    before = frontier.points[0]
    said = [f"NOT TO BE BELIEVED, {point.name}: {error}." for point in frontier.points for error in point.errors]
    said += [f"NOT VERIFIED, {point.name}: {UNVERIFIED}." for point in frontier.points if not point.verified]
    size = out_of(frontier.chance, before.linkage.n)
    said += [
        f"Undefended, the strongest attacker ({before.attacker}) links {so_many(before.linkage.value, size)} of "
        f"{size:,} radiographs in a pool of {frontier.pool:,}; guessing links {so_many(frontier.chance, size)}. "
        f"{rests_on(before.linkage.n, before.linkage.patients, 'radiographs', 'split test')}"
    ]
    defences = [point for point in frontier.points if point.role == "defence"]
    told = defences if len(defences) <= MOST_TOLD else [point for point in defences if point.on_front]
    said += [_about(point) for point in told]
    if before.recognition is not None:
        said.append(_recognised(before, told))
    if before.exposure is not None:
        said.append(_exposed(before, told))
    for point in told:
        said += _controls(point, [other for other in frontier.points if other.of == point.name])
    return said


def _recognised(before: Point, defences: list[Point]) -> str:
    """Whether patients are recognised by their images alone, before and after."""
    found = before.recognition
    assert found is not None
    size = min(1000, out_of(found.chance, found.first.n))
    after = "; ".join(
        f"{point.name} {so_many(point.recognition.first.value, size)}" for point in defences if point.recognition
    )
    return (
        f"By its images alone, without any report: of {size:,} radiographs whose patient has another one there, "
        f"{so_many(found.first.value, size)} find that patient first among {found.pool:,} images (guessing: "
        f"{so_many(found.chance, size)}); after {after}. "
        f"{rests_on(found.first.n, found.first.patients, 'radiographs', 'split test')}"
    )


def _exposed(before: Point, defences: list[Point]) -> str:
    """Whether models trained on the release give their patients away, before and after."""
    found = before.exposure
    assert found is not None
    after = "; ".join(f"{point.name} {point.exposure.top.value:.3f}" for point in defences if point.exposure)
    return (
        f"A model that learns from it: for one training patient in a hundred, a model with the patient is told from "
        f"one without at an AUC of {found.top.value:.3f} or more (chance alone: {found.top_chance:.3f}); "
        f"after {after}. "
        f"{rests_on(found.top.n, None, 'patients', f'split train; {found.models:,} models')}"
    )


def gap_cells(point: Point) -> list[str]:
    gap = point.gap
    return [
        point.name,
        _estimate(gap.train),
        _estimate(gap.test),
        f"{_points(gap.difference)} ({_points(gap.low)} to {_points(gap.high)})",
        "none" if gap.bound is None else f"{percent(gap.bound)} for training pairs",
        "none",
    ]


RECOGNITION_COLUMNS = ("release", "recognised", "strongest attacker", "excess cut", "pairs told apart", "matched pairs")


def recognition_cells(point: Point) -> list[str]:
    """How well patients are recognised by their images; dashes where nobody has two."""
    found = point.recognition
    if found is None:
        return [point.name, *["–"] * 5]
    return [
        point.name,
        _estimate(found.first),
        found.attacker,
        "–" if point.role == "before" else _share(found.cut),
        _estimate(found.auc),
        "–" if found.auc_matched is None else _estimate(found.auc_matched),
    ]


EXPOSURE_COLUMNS = (
    "release",
    "attack on all records, AUC",
    "one patient in 100, AUC",
    "by chance",
    "patients above 0.9",
    "change of a patient's AUC",
)


def exposure_cells(point: Point) -> list[str]:
    """How well a model trained on the release gives away whom it was trained on; dashes where too few are."""
    found = point.exposure
    if found is None:
        return [point.name, *["–"] * 5]
    doubt = "°" if found.change_p > LEVEL else ""
    change = f"{found.change.value:+.4f}{doubt} ({found.change.low:+.4f} to {found.change.high:+.4f})"
    return [
        point.name,
        _auc(found.attack),
        _auc(found.top),
        f"{found.top_chance:.3f}",
        f"{100 * found.exposed.value:.2f}{NBSP}% ({100 * found.exposed.low:.2f} to {100 * found.exposed.high:.2f})",
        "–" if point.role == "before" else change.replace("-", "−"),
    ]


APART_COLUMNS = ("release", "measured: members recognised", "declared: members asked", "combined: rightly accused")


def apart_cells(point: Point) -> list[str]:
    """What was measured, what was only declared, and what follows from both."""
    found = point.exposure
    if found is None or "predictive_value" not in found.apart["combined"]:
        return [point.name, *["–"] * 3]
    measured, declared, combined = (found.apart[kind] for kind in ("measured", "declared", "combined"))
    return [
        point.name,
        f"{_of_hundred(measured['tpr'])} and {100 * measured['fpr']:g} of 100 others",
        f"{100 * declared['prior']:g} in 100",
        _of_hundred(combined["predictive_value"]),
    ]


def _of_hundred(found: dict[str, float]) -> str:
    value, low, high = (100 * found[end] for end in ("value", "low", "high"))
    return f"{value:.1f} ({low:.1f} to {high:.1f}) of 100"


def _auc(estimate: Estimate) -> str:
    return f"{estimate.value:.3f} ({estimate.low:.3f} to {estimate.high:.3f})"


def use_columns(frontier: Frontier) -> tuple[str, ...]:
    return ("release", *(change.metric for change in frontier.points[0].uses))


def use_cells(point: Point, columns: tuple[str, ...]) -> list[str]:
    """What a release is used for, mean over labels; in brackets the change in points, with ° where p is above 0.05."""
    found = {change.metric: change for change in point.uses}
    said = [point.name]
    for metric in columns[1:]:
        change = found.get(metric)
        if change is None:
            said.append("–")
        elif point.role == "before":
            said.append(percent(change.after))
        else:
            doubt = "°" if change.p > LEVEL else ""
            said.append(f"{percent(change.after)} ({_points(change.difference)}{doubt})")
    return said


def _points(difference: float) -> str:
    return f"{100 * difference:+.2f}".replace("-", "−")


def _estimate(estimate: Estimate) -> str:
    return f"{percent(estimate.value)} ({interval(estimate.low, estimate.high).removesuffix(f'{NBSP}%')})"


def _about(point: Point) -> str:
    return (
        f"{point.name}: {_taken(point.cut)} the excess over guessing (p {_p(point.linkage_p)}) and keeps "
        f"{_share(point.kept)} of the macro AUROC (p {_p(point.auroc_p)}). For an attacker who holds the reports' "
        f"words and the encoder it {_taken(point.cut_by_words)} it. Guarantee: {guarantee(point)}."
    )


def _taken(cut: Share | None) -> str:
    """What a defence does to the excess, said so that nobody reads a minus as a gain."""
    if cut is None:
        return "finds nothing to take of"
    if cut.value < 0:
        return f"ADDS {_share(Share(-cut.value, -cut.high, -cut.low))} to"
    return f"takes {_share(cut)} of"


def _controls(point: Point, controls: list[Point]) -> list[str]:
    """A drop that a control also gives is not the method's doing."""
    said = []
    for control in controls:
        kind = control.name.rpartition("/")[2]
        if point.cut is None or control.cut is None or kind not in WITHOUT_DATA:
            continue
        if control.cut.value > 0 and point.cut.value > 0 and control.cut.high >= point.cut.low:
            said.append(
                f"{control.name} ({CONTROL_READING[kind]}) takes {_share(control.cut)} by itself: what "
                f"{point.name} takes is not shown to be the training's doing."
            )
    return said


def _share(share: Share | None) -> str:
    if share is None:
        return "– (no excess to cut)"
    low, high = (f"{100 * end:.1f}".replace("-", "−") for end in (share.low, share.high))
    return f"{100 * share.value:.1f}{NBSP}% ({low} to {high})".replace("-", "−")


def _p(p: float) -> str:
    written = p_value(p)
    return written if written.startswith("<") else f"= {written}"

"""What stands beside the numbers: chance, how the probe came about, and a control that must sit at chance."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from leadapron.cohort.truth import Labels
from leadapron.results.withheld import FEWEST_POSITIVES
from leadapron.stats import Outcome
from leadapron.uses.auroc import auroc
from leadapron.uses.finding_scores import PROBE, RETRIEVED, ZERO_SHOT, ZERO_SHOT_METRIC, Judged, Scores
from leadapron.uses.label_retrieval import Retrieval
from leadapron.uses.linear_probe import Learnt
from leadapron.uses.three_sides import Sides

ERRORS_APART = 5.0


def blind_answers(train: Labels) -> dict[str, bool]:
    """The more frequent class of the training records: the answer without a look at the image."""
    counts = zip(train.names, train.positive.sum(axis=0), train.known.sum(axis=0), strict=True)
    return {name: bool(2 * positives >= known) for name, positives, known in counts}


def chance_of(one: Judged, blind: dict[str, bool], scores: Scores) -> float:
    """One half for an area; the blind answer's rate at a threshold; blindly drawn reports in retrieval."""
    if one.metric.startswith(RETRIEVED):
        return float(np.nanmean(scores.chance[one.metric.removeprefix(f"{RETRIEVED} ")]))
    if one.metric in ("auroc", ZERO_SHOT_METRIC):
        return 0.5
    labels = [one.label] if one.label else list(scores.probe)
    return float(np.mean([_rate(one.metric, blind[label], label, scores.labels) for label in labels]))


def _rate(metric: str, answer: bool, label: str, labels: Labels) -> float:
    if metric != "accuracy":
        return float(answer == (metric == "sensitivity"))
    at = labels.names.index(label)
    share = float(labels.positive[:, at].sum() / labels.known[:, at].sum())
    return share if answer else 1.0 - share


def check_probe(sides: Sides, learnt: Learnt, scores: Scores) -> Outcome:
    """Whether the fit converged, and which labels have no part in its means."""
    reason = f"{len(scores.probe)} of {len(sides.labels.names)} labels, strength {learnt.probe.strength:g}"
    if learnt.validated_by:
        reason += f", chosen on {len(sides.validate):,} validation records by {len(learnt.validated_by)} labels"
    if not learnt.probe.converged:
        return Outcome("linear probe", "error", f"{reason}; the fit did not converge ({learnt.probe.steepest:.1e})")
    left_out = [name for name in sides.labels.names if name not in scores.probe]
    if not left_out:
        return Outcome("linear probe", "pass", reason)
    where = ", ".join(f"{name} ({'test' if name in learnt.labels else 'train'})" for name in left_out)
    too_few = f"left out, not there or not absent in {FEWEST_POSITIVES} test records, or in any training record"
    return Outcome("linear probe", "warn", f"{reason}; {too_few}: {where}")


def null_control(scores: Scores, seed: int) -> Outcome:
    """The test records' labels dealt out anew: whatever then seems to be known is the measurement's own error.

    It vouches for the methods that sit at chance. Retrieval has no part in it.
    """
    dealt = scores.labels.rows(np.random.default_rng(seed).permutation(len(scores.record_id)))
    areas, off = {}, []
    for method, held in ((PROBE, scores.probe), (ZERO_SHOT, scores.zero_shot)):
        if not held:
            continue
        labels = dealt.columns([dealt.names.index(name) for name in held])
        areas[method] = float(auroc(np.stack(list(held.values()), axis=1), labels).mean())
        positives, known = labels.positive.sum(axis=0), labels.known.sum(axis=0)
        # the Mann-Whitney error of each label without a signal; that of their mean is at most the mean of these
        error = float(np.sqrt((known + 1) / (12 * positives * (known - positives))).mean())
        if abs(areas[method] - 0.5) > ERRORS_APART * error:
            off.append(method)
    told = ", ".join(f"{method} {area:.4f}" for method, area in areas.items())
    reason = f"mean AUROC with shuffled labels: {told}; chance 0.5"
    vouched = tuple(method for method in areas if method not in off)
    return Outcome("null control (shuffled labels)", "error" if off else "pass", reason, vouched)


def check_zero_shot(asked: Mapping[str, object] | str, labels: Labels) -> Outcome:
    """Not run, if what was found is a reason and not scores."""
    check = "zero-shot findings"
    if isinstance(asked, str):
        return Outcome(check, "not-run", asked)
    left_out = [name for name in labels.names if name not in asked]
    reason = f"{len(asked)} of {len(labels.names)} labels"
    if not left_out:
        return Outcome(check, "pass", reason)
    return Outcome(
        check,
        "warn",
        f"{reason}; left out, without a prompt, or not there or not absent in {FEWEST_POSITIVES} test records: "
        f"{', '.join(left_out)}",
    )


def check_retrieval(retrieved: Retrieval | str) -> Outcome:
    """The same of retrieval."""
    check = "label retrieval"
    if isinstance(retrieved, str):
        return Outcome(check, "not-run", retrieved)
    queries = int((~np.isnan(next(iter(retrieved.found.values())))).sum())
    return Outcome(check, "pass", f"{queries:,} images among {retrieved.reports:,} reports")

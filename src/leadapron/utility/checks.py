"""Checks that stand beside the numbers: how the probe came about, and a control that must sit at chance."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from leadapron.cohort.truth import Labels
from leadapron.stats import Outcome
from leadapron.utility.auroc import auroc
from leadapron.utility.learn import Learnt
from leadapron.utility.scores import Scores
from leadapron.utility.splits import Sides

ERRORS_APART = 5.0


def check_probe(sides: Sides, learnt: Learnt, scores: Scores) -> Outcome:
    """Whether the fit is one, and which labels have no part in its means."""
    reason = f"{len(scores.probe)} of {len(sides.labels.names)} labels, strength {learnt.probe.strength:g}"
    if learnt.validated_by:
        reason += f", chosen on {len(sides.validate):,} validation records by {len(learnt.validated_by)} labels"
    if not learnt.probe.converged:
        return Outcome("linear probe", "error", f"{reason}; the fit did not converge ({learnt.probe.steepest:.1e})")
    left_out = [name for name in sides.labels.names if name not in scores.probe]
    if not left_out:
        return Outcome("linear probe", "pass", reason)
    where = ", ".join(f"{name} ({'test' if name in learnt.labels else 'train'})" for name in left_out)
    return Outcome("linear probe", "warn", f"{reason}; left out, for one class is missing: {where}")


def null_control(scores: Scores, seed: int) -> Outcome:
    """The test records' labels dealt out anew: whatever the probe then seems to know is the measurement's own error."""
    columns = [scores.labels.names.index(name) for name in scores.probe]
    dealt = np.random.default_rng(seed).permutation(len(scores.record_id))
    labels = scores.labels.rows(dealt).columns(columns)
    mean = float(auroc(np.stack(list(scores.probe.values()), axis=1), labels).mean())
    positives, known = labels.positive.sum(axis=0), labels.known.sum(axis=0)
    # the Mann-Whitney error of each label without a signal; that of their mean is at most the mean of these
    error = float(np.sqrt((known + 1) / (12 * positives * (known - positives))).mean())
    off = abs(mean - 0.5) > ERRORS_APART * error
    reason = f"mean AUROC is {mean:.4f} with shuffled labels, chance 0.5"
    return Outcome("null control (shuffled labels)", "error" if off else "pass", reason)


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
        check, "warn", f"{reason}; left out, without a prompt or both classes in test: {', '.join(left_out)}"
    )

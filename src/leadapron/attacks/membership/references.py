"""What the attacker's reference models say of every record, and what the models under attack answer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit

from leadapron.attacks.membership.records import reordered
from leadapron.attacks.membership.signal_moments import Moments, describe, joined
from leadapron.attacks.membership.signals import Flags, Ints, Signals
from leadapron.engine import kernel, parallel_map

Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class Gathered:
    """Rows are records. ``label_moments`` (a record's labels one after the other) and ``crossed`` (sums of products of
    standardised residuals, label by label) are there where a record has several labels."""

    moments: Moments
    probability: Doubles
    """The mean probability of the true label, of references without the record and with it."""
    answers: Doubles
    """The targets' signals, records by targets."""
    answered: Doubles
    """The targets' probabilities of the true label."""
    truth: Flags
    label_moments: Moments | None = None
    label_answers: Doubles | None = None
    crossed: Doubles | None = None

    @property
    def labels(self) -> int:
        return 1 if self.label_answers is None else int(self.label_answers.shape[2])


def gather(signals: Signals, references: Ints, targets: Ints, rows: Ints | None = None) -> Gathered:
    """Of all records, or of some, in one pass over the files."""
    use = np.zeros(signals.models, dtype=bool)
    use[references] = True

    def one_block(block: Ints) -> Gathered:
        members = signals.members_of(block)
        if signals.outputs == 1:
            values = signals.of(block)
            sure = expit(values.astype(np.float64, copy=False))
        else:
            labelled = signals.by_label(block)
            values = labelled.sum(axis=2)
            assert signals.labels is not None
            known = (signals.labels[block] != 0)[:, None, :]  # an unknown label would count as a doubtful one
            sure = np.exp((log_expit(labelled.astype(np.float64, copy=False)) * known).sum(axis=2))
        answers = values[:, targets].astype(np.float64)
        found = describe(values, members, use), mean_by_side(sure, members, use), answers, sure[:, targets]
        if signals.outputs == 1:
            return Gathered(*found, members[:, targets])
        turned = np.ascontiguousarray(labelled.transpose(0, 2, 1)).astype(np.float64)
        flat = turned.reshape(-1, turned.shape[2])
        of_labels = describe(flat, np.repeat(members, turned.shape[1], axis=0), use)
        crossed = _crossed(turned[:, :, use], members[:, use], of_labels)
        asked = labelled[:, targets].astype(np.float64)
        return Gathered(*found, members[:, targets], of_labels, asked, crossed)

    if rows is not None:
        return one_block(rows)
    blocks = list(signals.blocks())
    parts = parallel_map(one_block, blocks)
    back = np.argsort(np.concatenate(blocks))

    def together(name: str) -> Doubles:
        return np.concatenate([getattr(part, name) for part in parts])[back]

    plain = [together(name) for name in ("probability", "answers", "answered")]
    moments = reordered(joined([part.moments for part in parts]), back)
    truth = together("truth").astype(bool)
    if parts[0].label_moments is None:
        return Gathered(moments, plain[0], plain[1], plain[2], truth)
    labels = parts[0].labels
    of_labels = joined([part.label_moments for part in parts if part.label_moments is not None])
    of_labels = reordered(of_labels, (labels * back[:, None] + np.arange(labels)).ravel())
    return Gathered(
        moments, plain[0], plain[1], plain[2], truth, of_labels, together("label_answers"), together("crossed")
    )


def mean_by_side(values: Doubles, members: Flags, use: Flags) -> Doubles:
    """Means over the references without the record and with it; not a number where there are none."""
    means = np.empty((len(values), 2))
    _mean_by_side(values, members, use, means)
    return means


@kernel
def _mean_by_side(values: Doubles, members: Flags, use: Flags, means: Doubles) -> None:
    for record in range(values.shape[0]):
        count, total = np.zeros(2), np.zeros(2)
        for model in range(values.shape[1]):
            if use[model]:
                side = int(members[record, model])
                count[side] += 1
                total[side] += values[record, model]
        means[record] = total / count


def _crossed(values: Doubles, members: Flags, moments: Moments) -> Doubles:
    """Records by labels by labels: how a record's labels vary together around the mean of each side."""
    shape = values.shape[:2]
    means = np.nan_to_num(moments.mean.reshape(*shape, 2))
    off = values - np.where(members[:, None, :], means[:, :, 1:], means[:, :, :1])
    spread = np.sqrt((off**2).mean(axis=2, keepdims=True))
    off /= np.where(spread > 0, spread, 1.0)
    crossed: Doubles = off @ off.transpose(0, 2, 1)
    return crossed

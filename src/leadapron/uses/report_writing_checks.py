"""What vouches for scores of written reports, and what takes from them: controls, collapse, and reports cut short."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from leadapron.results.withheld import told_in_words
from leadapron.stats import Outcome
from leadapron.uses.report_writing_measures import FINDINGS, MACRO, SIDES, TITLES
from leadapron.uses.writing_task import CONTROLS, SAME_LABELS, SHUFFLED
from leadapron.uses.written_scores import WrittenScores
from leadapron.writing import Trained
from leadapron.writing.scores import ReportScore
from leadapron.writing.scores.finding_f1 import LEADING

NULL, PLANTED = "null control (shuffled pairs)", "planted copies of the truth"
TELLING, SAME_FEW, LENGTH = "scores beside controls", "different reports", "length of reports"
ERRORS_APART = 5.0
PLANTED_AT_LEAST = 0.99
REACHED = 0.9
"""The share of a regime's score at which a control that sees no image makes the score uninformative."""
COLLAPSED = 0.2
"""The share of different reports, of as many as the truth has, below which a writer repeats itself."""


def null_control(own: WrittenScores, others: WrittenScores) -> Outcome:
    """A writer that learnt from shuffled pairs must say no more of its image than of another patient's."""
    told, wrong = [], False
    for score in (FINDINGS, SIDES):
        more = own.value(SHUFFLED, score) - others.value(SHUFFLED, score)
        error = float((own.redrawn(SHUFFLED, score) - others.redrawn(SHUFFLED, score)).std(ddof=1))
        wrong = wrong or abs(more) > ERRORS_APART * error + 1e-12
        told.append(f"{TITLES[score][0]} {100 * more:+.1f} points (standard error {100 * error:.1f})")
    reason = f"learnt from other patients' reports, for the right image more than for a wrong one: {', '.join(told)}"
    methods = tuple(dict.fromkeys(method for method, _ in own.statistics))
    return Outcome(NULL, "error" if wrong else "pass", reason, () if wrong else methods)


def planted_control(truth: Sequence[str], methods: Sequence[str]) -> Outcome:
    """True reports, handed in as written ones."""
    values = {
        TITLES[score.name][0]: float(score.value(score.statistics(list(truth), list(truth)).sum(axis=0)))
        for score in LEADING
    }
    right = min(values.values()) >= PLANTED_AT_LEAST
    reason = ", ".join(f"{title} {value:.3f}" for title, value in values.items())
    return Outcome(PLANTED, "pass" if right else "error", f"copies get {reason}", tuple(methods) if right else ())


def reached_by(own: WrittenScores, regime: str) -> dict[str, list[str]]:
    """By score, the controls that get nearly as much as the regime without an image.

    One that is told the findings cannot be outdone in findings; it is held against all other scores.
    """
    found: dict[str, list[str]] = {}
    for score in own.scores:
        rivals = [name for name in CONTROLS if not (name == SAME_LABELS and score in (FINDINGS, MACRO))]
        near = [name for name in rivals if own.value(name, score) >= REACHED * own.value(regime, score)]
        if near:
            found[score] = near
    return found


def informative(reached: Mapping[str, Sequence[str]], scores: Mapping[str, ReportScore]) -> Outcome:
    if not reached:
        return Outcome(TELLING, "pass", f"no control reaches {REACHED:.0%} of any of {len(scores)} scores")
    told = "; ".join(f"{TITLES[name][0]} ({', '.join(by)})" for name, by in reached.items())
    reason = f"uninformative, because a control that sees no image reaches {REACHED:.0%} of it: {told}"
    return Outcome(TELLING, "warn", reason)


def collapsed(written: Mapping[str, Sequence[str]], truth: Sequence[str]) -> Outcome:
    """Few different reports: the loss may look fine, and the image no longer matters."""
    different = len(set(truth))
    few = {name: len(set(reports)) for name, reports in written.items() if len(set(reports)) < COLLAPSED * different}
    if few:
        told = ", ".join(f"{name} wrote {count:,} different reports" for name, count in few.items())
        return Outcome(SAME_FEW, "warn", f"the writer repeats itself: {told}, where {different:,} are true")
    fewest = min(written, key=lambda name: len(set(written[name])))
    reason = f"{fewest} wrote {len(set(written[fewest])):,} different reports, where {different:,} are true"
    return Outcome(SAME_FEW, "pass", reason)


def cut_short(trained: Mapping[str, Trained]) -> Outcome | None:
    """Training reports that are longer than a writer writes; nothing where it writes at any length."""
    limited = {name: one for name, one in trained.items() if one.longest is not None}
    if not limited:
        return None
    longest = next(iter(limited.values())).longest
    cut = {name: one.cut for name, one in limited.items() if one.cut}
    if not cut:
        return Outcome(LENGTH, "pass", f"no training report is longer than {longest:,} tokens")
    told = ", ".join(f"{told_in_words(count)} of {name}" for name, count in cut.items())
    return Outcome(LENGTH, "warn", f"training reports were cut at {longest:,} tokens: {told}; see --longest")

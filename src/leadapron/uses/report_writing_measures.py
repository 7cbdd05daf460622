"""What may be said of the numbers of report writing."""

from __future__ import annotations

from leadapron.audits.measure import Coordinate, Measure
from leadapron.results import Findings, Measured
from leadapron.stats import PairedDifference
from leadapron.uses.writing_task import CONTROLS, RELEASED, UNTRAINED
from leadapron.uses.written_scores import difference
from leadapron.writing.scores import ReportScore, text_scores
from leadapron.writing.scores.finding_f1 import LEADING

FINDINGS, SIDES, MACRO = (score.name for score in LEADING)
GAIN = "-gain"
"""Behind the name of a score: how much more than another method."""
PLAIN = {
    RELEASED: "a writer that learnt from released images and reports, shown real ones",
    UNTRAINED: "the model as it is, before it has seen a pair",
    **CONTROLS,
}
COORDINATES = {"over": Coordinate("Over"), "finding": Coordinate("Finding")}
SCORES: dict[str, ReportScore] = {score.name: score for score in (*LEADING, *text_scores())}
TITLES = {
    FINDINGS: ("F1 of written findings", "the written findings that are right, as F1 with the true report's"),
    SIDES: ("F1 of finding and side", "the written findings with their side that are right, as F1"),
    MACRO: ("mean F1 by finding", "the same findings, as the mean of each finding's F1"),
    **{
        f"bleu-{order}": (f"BLEU-{order}", f"runs of up to {order} words that the true report has, too (BLEU)")
        for order in (1, 2, 3, 4)
    },
    "rouge-l": ("ROUGE-L", "words in the true report's order"),
    "meteor": ("METEOR", "words that match the true report's one to one"),
    "bert-score": ("BERTScore", "words that mean the same as the true report's, by a language model"),
    "radgraph-f1": ("RadGraph F1", "entities and relations that the true report has, too"),
}


def paired_scores(before: Findings, after: Findings, row: Measured) -> PairedDifference | None:
    """The change of a score on the same test records; None of a gain, a single finding, or without evidence."""
    tables = [found.evidence("records") for found in (before, after)]
    score = SCORES.get(row.metric)
    if row.at or row.group or score is None or tables[0] is None or tables[1] is None:
        return None
    return difference(tables[0], tables[1], row.attacker, score, seed=int(before.details["seed"]))


def _measures(name: str) -> tuple[Measure, Measure]:
    title, event = TITLES.get(name, (name, name))
    units = "test radiographs"
    return (
        Measure(name, title, event, units, scale="percent", higher_is="better", paired=paired_scores),
        Measure(
            f"{name}{GAIN}", f"{title}, more than", f"{event}: more than", units, scale="plain", higher_is="better"
        ),
    )


MEASURES = tuple(measure for name in SCORES for measure in _measures(name))

"""Scores of written reports, all of one kind: numbers of each report that add up, and a value of their sums."""

from __future__ import annotations

from pathlib import Path

from leadapron.writing.scores.bert_score import BertScore
from leadapron.writing.scores.bleu import Bleu
from leadapron.writing.scores.java_meteor import JavaMeteor, meteor
from leadapron.writing.scores.meteor import PlainMeteor
from leadapron.writing.scores.radgraph_score import RadGraphF1
from leadapron.writing.scores.report_score import ReportScore, estimate_score, redrawn_values
from leadapron.writing.scores.report_words import report_words
from leadapron.writing.scores.rouge_l import RougeL

__all__ = [
    "BertScore",
    "Bleu",
    "JavaMeteor",
    "PlainMeteor",
    "RadGraphF1",
    "ReportScore",
    "RougeL",
    "estimate_score",
    "meteor",
    "redrawn_values",
    "report_words",
    "text_scores",
]


def text_scores(bert: Path | None = None, radgraph: Path | None = None) -> list[ReportScore]:
    """Every score of words, in the order of a table; ask each what it is ``missing``."""
    return [*(Bleu(order) for order in (1, 2, 3, 4)), RougeL(), meteor(), BertScore(bert), RadGraphF1(radgraph)]

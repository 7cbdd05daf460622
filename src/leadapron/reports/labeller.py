"""The 14 findings of a report, by rules."""

from __future__ import annotations

from typing import Literal

from leadapron.cohort import FINDINGS
from leadapron.errors import DataError
from leadapron.reports.assertions import read_sentence
from leadapron.reports.sentences import split_sentences, what_was_read

Label = Literal["positive", "negative", "uncertain", "not mentioned"]

STRENGTH: tuple[Label, ...] = ("positive", "uncertain", "negative", "not mentioned")
"""Where sentences differ, the first of these counts."""
NO_FINDING, DEVICES = "No Finding", "Support Devices"


def label_report(text: str) -> dict[str, Label]:
    """Each of the 14 findings: positive, negative, uncertain or not mentioned.

    Findings and impression are read, and the whole text if it has no headings; history, indication, technique and
    recommendations are not. "No Finding" is positive where no other finding but devices is positive or uncertain,
    uncertain where one is only uncertain, and not mentioned where there is nothing to read.

    >>> import leadapron as la
    >>> labels = la.label_report("No effusion or pneumothorax. Mild cardiomegaly; cannot exclude pneumonia.")
    >>> labels["Pneumothorax"], labels["Cardiomegaly"], labels["Pneumonia"], labels["Edema"]
    ('negative', 'positive', 'uncertain', 'not mentioned')
    """
    if not isinstance(text, str):
        raise DataError("a report is text", got=type(text).__name__, fix="Leave out what is missing.")
    labels: dict[str, Label] = dict.fromkeys(FINDINGS, "not mentioned")
    sentences = split_sentences(what_was_read(text))
    for sentence in sentences:
        for finding, status in read_sentence(sentence):
            labels[finding] = min(labels[finding], status, key=STRENGTH.index)
    if sentences:
        labels[NO_FINDING] = _no_finding(labels)
    return labels


def _no_finding(labels: dict[str, Label]) -> Label:
    said = {label for finding, label in labels.items() if finding not in (NO_FINDING, DEVICES)}
    return "negative" if "positive" in said else "uncertain" if "uncertain" in said else "positive"

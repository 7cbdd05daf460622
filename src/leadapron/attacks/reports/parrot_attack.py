"""The parrot attack: what an imitation of the de-identifier does not find, though a reader marks it, is a leak."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse

from leadapron.attacks.membership.membership_roc import Figure, cut_at, measure
from leadapron.attacks.reports.imitation import fit, log_odds
from leadapron.attacks.reports.marked_parts import Marked
from leadapron.attacks.reports.parrot_measures import AMONG, PARROT_NAME, RATES, SUSPICION, TPR
from leadapron.attacks.reports.word_features import Words, read_words
from leadapron.audits.gathering import Gathering
from leadapron.results import Measured
from leadapron.stats import shares

Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


def suspect(marked: Marked, read: int, seed: int) -> pl.DataFrame:
    """A row per marked identifier: whose it is, whether it leaks, and how much it stands out.

    Patients are dealt to two halves. The attacker reads the reports of at most ``read`` patients of one half, marks all
    that looks like an identifier, and looks at the other half with what was learnt; and the other way round. Nobody's
    identifiers are judged by what their own reports taught.
    """
    words = read_words(marked.texts)
    owner, word = _words_of(marked, words)
    is_marked = np.zeros(len(words.report), dtype=bool)
    is_marked[word] = True
    odds = _crossed(marked, words, is_marked, read, seed)
    count = np.bincount(owner, minlength=len(marked.marks))
    mean = np.bincount(owner, weights=odds[word], minlength=len(marked.marks)) / np.maximum(count, 1)
    table = pl.DataFrame(
        {
            "record_id": [marked.records[mark.report] for mark in marked.marks],
            "patient_id": [marked.patients[mark.report] for mark in marked.marks],
            "category": [mark.category for mark in marked.marks],
            "leak": [mark.leak for mark in marked.marks],
            SUSPICION: -mean,
        },
        schema_overrides={"record_id": pl.String, "patient_id": pl.String, "category": pl.String, "leak": pl.Boolean},
    )
    return table.filter(pl.Series(count > 0, dtype=pl.Boolean))


def _words_of(marked: Marked, words: Words) -> tuple[Ints, Ints]:
    """Pairs of a marked identifier and a word of it."""
    first = np.searchsorted(words.report, np.arange(len(marked.texts) + 1))
    owner: list[int] = []
    found: list[int] = []
    for number, mark in enumerate(marked.marks):
        low, high = first[mark.report], first[mark.report + 1]
        for at, upto in mark.parts:
            begin = low + int(np.searchsorted(words.end[low:high], at, side="right"))
            stop = low + int(np.searchsorted(words.start[low:high], upto, side="left"))
            found += range(begin, stop)
            owner += [number] * (stop - begin)
    return np.array(owner, dtype=np.int64), np.array(found, dtype=np.int64)


def _crossed(marked: Marked, words: Words, is_marked: Flags, read: int, seed: int) -> Doubles:
    """Of every word, what a model says that has not seen its patient."""
    names, patient = np.unique(np.array(marked.patients), return_inverse=True)
    order = np.random.default_rng(seed).permutation(len(names))
    half = len(names) // 2
    of_word = patient[words.report]
    odds = np.zeros(len(words.report))
    for own, others in ((order[:half], order[half:]), (order[half:], order[:half])):
        learnt = np.isin(of_word, own[:read])
        judged = np.isin(of_word, others)
        if learnt.any() and judged.any():
            weights = fit(sparse.csr_array(words.features[learnt]), is_marked[learnt])
            odds[judged] = log_odds(sparse.csr_array(words.features[judged]), weights)
    return odds


def add_parrot(found: Gathering, table: pl.DataFrame) -> list[Measured]:
    """AUC, leaks that stand out where few stand-ins do, and how many of those that stand out are leaks."""
    suspicion, leak = table[SUSPICION].to_numpy(), table["leak"].to_numpy()
    patient = table["patient_id"].rank("dense").to_numpy().astype(np.int64) - 1
    rows = []
    figures: list[Figure] = measure(suspicion[:, None], leak[:, None], patient, RATES)[0]
    for figure in figures:
        rows.append(found.add(figure.metric, figure.estimate, attacker=PARROT_NAME, chance=figure.chance))
        if not figure.metric.startswith(TPR):
            continue
        rate = figure.metric.removeprefix(TPR)
        flagged = suspicion > cut_at(np.sort(suspicion[~leak]), float(rate))
        if flagged.any():
            among = shares(leak[flagged, None].astype(np.float64), patient[flagged])[0]
            rows.append(found.add(f"{AMONG}{rate}", among, attacker=PARROT_NAME, chance=float(leak.mean())))
    return rows

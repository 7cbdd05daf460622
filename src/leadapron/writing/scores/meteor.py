"""METEOR: words that match one to one, and how few rows of neighbours they form.

Where Java and the package ``pycocoevalcap`` are installed, METEOR 1.5 itself aligns the words (``java_meteor.py``).
Otherwise words match if they are equal or have the same stem, without synonyms and paraphrases and with every word
counting alike; everything else is METEOR 1.5 (Denkowski and Lavie, WMT 2014). The two are different numbers, and
``how`` says which it is.

Both are values of a corpus: matches and rows are added up before anything is divided, as METEOR's program does. It
makes one exception that does not add up, for a single report that is word for word its truth; there is none here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise

import numpy as np

from leadapron.writing.scores.report_score import Doubles, paired, ratio
from leadapron.writing.scores.report_words import STATED, report_words

ALPHA, BETA, GAMMA = 0.85, 0.2, 0.6
"""METEOR 1.5 for English: the weight of recall, the shape and the size of the penalty for rows."""
STEM_WEIGHT = 0.6
"""What a match of stems counts beside one of words."""

Places = list[tuple[int, str]]


def meteor_value(sums: Doubles) -> Doubles:
    """From the weights of matched words and of all words (written, then true), the rows, and the matched words."""
    precision, recall = ratio(sums[..., 0], sums[..., 1]), ratio(sums[..., 2], sums[..., 3])
    mean = ratio(precision * recall, ALPHA * precision + (1 - ALPHA) * recall)
    value: Doubles = mean * (1 - GAMMA * ratio(sums[..., 4], sums[..., 5]) ** BETA)
    return value


@dataclass(frozen=True)
class PlainMeteor:
    """METEOR by words and stems alone."""

    stem_weight: float = STEM_WEIGHT
    because: str = ""
    """Why METEOR's own program was not asked."""

    @property
    def name(self) -> str:
        return "meteor"

    @property
    def how(self) -> str:
        said = f"of the corpus, parameters of METEOR 1.5, words and stems only, no synonyms; {STATED}"
        return f"{said}. {self.because}" if self.because else said

    def missing(self) -> str:
        return ""

    def statistics(self, written: Sequence[str], truth: Sequence[str]) -> Doubles:
        rows = [self._row(report_words(one), report_words(other)) for one, other in paired(written, truth)]
        return np.array(rows, dtype=np.float64).reshape(-1, 6)

    def _row(self, written: list[str], true: list[str]) -> list[float]:
        equal, left, left_true = _match(list(enumerate(written)), list(enumerate(true)))
        alike, _, _ = _match(_stems(left), _stems(left_true))
        weight = len(equal) + self.stem_weight * len(alike)
        matches = sorted(equal + alike)
        return [weight, len(written), weight, len(true), _rows(matches), len(matches)]

    def value(self, sums: Doubles) -> Doubles:
        return meteor_value(sums)


def _stems(words: Places) -> Places:
    stem_of = _stemmer()
    return [(at, stem_of(word)) for at, word in words]


@cache
def _stemmer() -> Callable[[str], str]:
    """Each word's stem is looked for once: reports are written with few words."""
    import snowballstemmer

    found: Callable[[str], str] = lru_cache(maxsize=50_000)(snowballstemmer.stemmer("english").stemWord)
    return found


def _match(written: Places, true: Places) -> tuple[list[tuple[int, int]], Places, Places]:
    """Pairs of places, from the end: each word goes to the last equal one that is free. Then what is left of both."""
    free: dict[str, list[int]] = defaultdict(list)
    for at, word in true:
        free[word].append(at)
    pairs = [(at, free[word].pop()) for at, word in reversed(written) if free.get(word)]
    used, used_true = {one for one, _ in pairs}, {other for _, other in pairs}
    left = [place for place in written if place[0] not in used]
    return pairs, left, [place for place in true if place[0] not in used_true]


def _rows(matches: list[tuple[int, int]]) -> int:
    """How many rows of words that are neighbours in both reports the matches form."""
    return bool(matches) + sum(after != (before[0] + 1, before[1] + 1) for before, after in pairwise(matches))

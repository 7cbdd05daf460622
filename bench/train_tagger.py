"""Train the tagger that ships with the package: `make tagger` (some ten minutes on one core).

It learns from sentences of `tagger_sentences.txt` with invented identifiers of every kind, from the parts of the hard
phantom that may be learnt from, and from the tuning half of Open-I with identifiers of these parts. Which word stands
somewhere is often hidden from it, so that it learns what stands around a name.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
import torch
from safetensors.numpy import save_file
from tagger_reports import Marked, composed, phantom, planted, real_sentences
from torch import nn

import leadapron.reports
from leadapron.reports.identifiers.lexicon import plain
from leadapron.reports.identifiers.tagger import CLASSES, WEIGHTS
from leadapron.reports.identifiers.token_features import KINDS, LETTERS, kinds_of
from leadapron.reports.identifiers.tokens import tokenise

OUT = Path(leadapron.reports.__file__).parent / "words" / WEIGHTS
COMPOSED = 42_000
LEARNT = ("tune", "test", "judge", "verdict")
"""The parts of the phantom that it learns from: they are spent. How sure it must be was chosen on `judge`, by a tagger
that had not learnt from that part."""
PHANTOM_SEEDS = range(20, 24)
COMMON = 25
"""A word is known by itself if it was met so often outside identifiers."""
HIDDEN_WORD, HIDDEN_SPELLING = 0.6, 0.9
WIDTH, FIRST, SECOND, LAST = 32, (9, 80), (5, 64), len(CLASSES)
BATCH, RATE = 24, 4e-3
WEIGHT = 1.5
"""An identifier that is missed counts so much more than a word that is lost."""
TERM_WEIGHT = 2.0
"""And a clinical word that is lost so much more than another one."""
CLINICAL = torch.tensor([LETTERS.index(letter) + 1 for letter in "kCeE"])
LETTER = 3
"""The column of a token's features that says what its letter in the row is."""
UNKNOWN = -100
"""The class of a token that is not learnt from: the blank where Open-I took a word out."""


@dataclass(frozen=True)
class Corpus:
    """Tokens as rows of a table of features (0 is none), the classes of the tokens, and where reports begin."""

    features: torch.Tensor
    named: int
    keys: torch.Tensor
    classes: torch.Tensor
    begins: list[int]
    words: list[str]


def classes_of(report: Marked) -> tuple[list[str], str, list[int]]:
    tokens = tokenise(report.text)
    found = []
    spans = iter((*report.spans, ("", len(report.text) + 1, len(report.text) + 2)))
    category, start, end = next(spans)
    for at, (word, first) in enumerate(zip(tokens.words, tokens.starts, strict=True)):
        while first >= end:
            category, start, end = next(spans)
        inside = tokens.end(at) > start and first < end
        blank = set(word.upper()) == {"X"} and len(word) > 2
        known = CLASSES.index(category) if category in CLASSES else CLASSES.index("id")
        found.append(UNKNOWN if blank else known if inside else 0)
    return tokens.words, tokens.row, found


def corpus(reports: Sequence[Marked], words: list[str] | None = None) -> Corpus:
    read = [classes_of(report) for report in reports]
    if words is None:
        counts = Counter(plain(w) for ws, _, cs in read for w, c in zip(ws, cs, strict=True) if c == 0 and w.isalpha())
        words = sorted(word for word, count in counts.items() if count >= COMMON and len(word) > 1)
    known = {word: KINDS + at for at, word in enumerate(words)}
    keys: dict[tuple[str, str], int] = {}
    places, classes, begins = [], [], []
    for ws, row, cs in read:
        begins.append(len(places))
        places += [keys.setdefault(key, len(keys)) for key in zip(ws, row, strict=True)]
        classes += cs
    table = np.zeros((len(keys), 16), dtype=np.int64)  # the word, its spelling twice, then the rest
    for (word, letter), at in keys.items():
        kinds, spelling = kinds_of(word, letter)
        table[at, 0] = known.get(plain(word), -1) + 1
        table[at, 1 : 1 + len(spelling)] = np.array(spelling) + 1
        table[at, 3 : 3 + len(kinds)] = np.array(kinds) + 1
    return Corpus(
        torch.from_numpy(table), KINDS + len(words), torch.tensor(places), torch.tensor(classes), begins, words
    )


class Network(nn.Module):
    def __init__(self, features: int) -> None:
        super().__init__()
        self.table = nn.Embedding(features + 1, WIDTH, padding_idx=0)
        nn.init.normal_(self.table.weight, std=0.15)
        nn.init.zeros_(self.table.weight[0])  # no feature
        self.first = nn.Conv1d(WIDTH, FIRST[1], FIRST[0], padding=FIRST[0] // 2)
        self.second = nn.Conv1d(FIRST[1], SECOND[1], SECOND[0], padding=SECOND[0] // 2)
        self.last = nn.Linear(SECOND[1], LAST)
        self.drop = nn.Dropout(0.1)

    def forward(self, features: torch.Tensor, there: torch.Tensor) -> torch.Tensor:
        vectors = self.table(features).sum(2) * there[..., None]
        hidden = self.drop(torch.relu(self.first(vectors.transpose(1, 2))))
        more = self.drop(torch.relu(self.second(hidden)))
        scores: torch.Tensor = self.last(more.transpose(1, 2))
        return scores


def batches(data: Corpus, rng: Random, *, shuffled: bool = True):  # noqa: ANN201
    ends = [*data.begins[1:], len(data.keys)]
    order = sorted(range(len(ends)), key=lambda at: ends[at] - data.begins[at])
    groups = [order[at : at + BATCH] for at in range(0, len(order), BATCH)]
    if shuffled:
        rng.shuffle(groups)
    for group in groups:
        longest = max(ends[at] - data.begins[at] for at in group)
        keys = torch.zeros(len(group), longest, dtype=torch.long)
        classes = torch.full((len(group), longest), UNKNOWN)
        there = torch.zeros(len(group), longest)
        for row, at in enumerate(group):
            length = ends[at] - data.begins[at]
            keys[row, :length] = data.keys[data.begins[at] : ends[at]]
            classes[row, :length] = data.classes[data.begins[at] : ends[at]]
            there[row, :length] = 1
        yield data.features[keys], classes, there


def hidden(features: torch.Tensor, chance: torch.Generator) -> torch.Tensor:
    """The features without some words and spellings, in half of the reports. Names and other words are hidden alike: a
    word that is hidden would be told to be a name otherwise."""
    features = features.clone()
    much = torch.rand((len(features), 1), generator=chance) * 2 - 1  # how much of a report's words, if above 0
    features[..., 0][torch.rand(features.shape[:2], generator=chance) < HIDDEN_WORD * much] = 0
    features[..., 1:3][torch.rand(features.shape[:2], generator=chance) < HIDDEN_SPELLING * much] = 0
    return features


def train(data: Corpus, epochs: int, seed: int, report=print) -> Network:  # noqa: ANN001
    torch.manual_seed(seed)
    rng, chance = Random(seed), torch.Generator().manual_seed(seed)
    network = Network(data.named)
    steps = epochs * (len(data.begins) // BATCH + 1)
    optimiser = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=steps, pct_start=0.1)
    weight = torch.tensor([1.0] + [WEIGHT] * (LAST - 1))
    for epoch in range(epochs):
        network.train()
        total = count = 0.0
        for features, classes, there in batches(data, rng):
            scores = network(hidden(features, chance), there)
            losses = nn.functional.cross_entropy(
                scores.flatten(0, 1), classes.flatten(), weight=weight, ignore_index=UNKNOWN, reduction="none"
            )
            term = (torch.isin(features[..., LETTER], CLINICAL) & (classes == 0)).flatten()
            loss = torch.where(term, TERM_WEIGHT * losses, losses).sum() / (classes != UNKNOWN).sum()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            total, count = total + loss.item(), count + 1
        report(f"epoch {epoch + 1} of {epochs}: loss {total / count:.4f}")
    return network.eval()


def save(network: Network, words: Sequence[str], out: Path) -> None:
    state = {name: value.numpy() for name, value in network.state_dict().items()}
    arrays = {
        "table": state["table.weight"][1:],
        "first": state["first.weight"].transpose(2, 1, 0), "first_bias": state["first.bias"],
        "second": state["second.weight"].transpose(2, 1, 0), "second_bias": state["second.bias"],
        "last": state["last.weight"].T, "last_bias": state["last.bias"],
    }  # fmt: skip
    halved = {name: np.ascontiguousarray(array.astype(np.float16)) for name, array in arrays.items()}
    save_file(halved, out, metadata={"words": " ".join(words)})


def main() -> None:
    options = argparse.ArgumentParser(description="Train the tagger of identifiers in reports.")
    options.add_argument("--out", type=Path, default=OUT)
    options.add_argument("--epochs", type=int, default=3)
    options.add_argument("--composed", type=int, default=COMPOSED, help="reports made of sentences")
    options.add_argument("--seed", type=int, default=0)
    given = options.parse_args()
    torch.set_num_threads(1)  # sums in the same order on every machine
    real = real_sentences()
    reports = [composed(Random(f"{given.seed} report {at}"), real) for at in range(given.composed)]
    for part in LEARNT:
        reports += phantom(PHANTOM_SEEDS, part)
        reports += planted(1, part)
    data = corpus(reports)
    print(f"{len(reports):,} reports, {len(data.keys):,} tokens, {len(data.words):,} words")
    save(train(data, given.epochs, given.seed), data.words, given.out)


if __name__ == "__main__":
    main()

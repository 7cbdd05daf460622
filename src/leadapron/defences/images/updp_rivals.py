"""Two rivals of the projection (UPDP, table 4), in small: searches among texts, which never leave the tokens.

``mma``, after MMA-Diffusion (Yang 2024): the slope at each place says which tokens promise most; some of these are
tried, and the best one that helps is taken. ``steps``, after STEPS (Qiu 2025): a probability a token and place, from
which texts are drawn; those that score best raise the probability of their tokens. Ours keeps the places independent,
where the paper keeps a low-rank tensor.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from leadapron.defences.images.updp_projection import Constrained
from leadapron.defences.images.updp_text_side import Doubles, Floats, Ints, TextSide, movable

TRIES = 16
"""Texts that a round scores."""
ELITE = 4
PACE = 0.3
"""How far a round moves the probabilities towards its best texts."""

Score = Callable[[list[str]], Doubles]
"""Texts -> the cosine of each with the image, by the encoder itself."""


def mma(
    side: TextSide, projection: Constrained, tokens: Ints, image: Floats, score: Score, *, rounds: int, seed: list[int]
) -> Ints:
    """Gradient-guided replacement of one token at a time. ``tokens`` has no padding and no banned token."""
    rng = np.random.default_rng(seed)
    current, best = tokens, score([side.write(tokens.tolist())])[0]
    table, free = side.table.astype(np.float64), np.flatnonzero(movable(side, tokens))
    slope = None
    for _ in range(rounds):
        if slope is None:
            _, slope = side.objective(current[None], image[None])(table[current][None])
        promise = slope[0] @ table.T
        promise[:, ~projection.allowed] = -np.inf
        top = min(projection.choice.top, int(projection.allowed.sum()))
        promising = np.argpartition(-promise, top - 1, axis=1)[:, :top]
        places = rng.choice(free, TRIES)
        tried = np.repeat(current[None], TRIES, axis=0)
        tried[np.arange(TRIES), places] = promising[places, rng.integers(top, size=TRIES)]
        scores = score([side.write(line.tolist()) for line in tried])
        if scores.max() > best:
            current, best, slope = tried[scores.argmax()], scores.max(), None
    return current


def steps(side: TextSide, projection: Constrained, tokens: Ints, score: Score, *, rounds: int, seed: list[int]) -> Ints:
    """Draw texts, keep the best, and draw more like these. Only scores are asked for, no slope."""
    rng = np.random.default_rng(seed)
    candidates, _ = projection.nearest(side.table[tokens].astype(np.float64), tokens)
    candidates = np.where(movable(side, tokens)[:, None], candidates, tokens[:, None])
    places, width = candidates.shape
    chance = np.full((places, width), 1 / width)
    found, best = tokens, score([side.write(tokens.tolist())])[0]
    for _ in range(rounds):
        reached = np.cumsum(chance, axis=1)[None]
        drawn = np.minimum((reached < rng.random((TRIES, places))[:, :, None]).sum(axis=2), width - 1)
        texts = candidates[np.arange(places)[None], drawn]
        scores = score([side.write(line.tolist()) for line in texts])
        elite = np.argsort(-scores, kind="stable")[:ELITE]
        often = (drawn[elite][:, :, None] == np.arange(width)).mean(axis=0)
        chance = (1 - PACE) * chance + PACE * often
        if scores[elite[0]] > best:
            found, best = texts[elite[0]], scores[elite[0]]
    return found

"""From vectors to tokens: what is banned never comes out, what is wanted comes first or alone."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from leadapron.defences.images.updp_lists import BLACKLIST, WHITELIST, banned_tokens, read_list, wanted_tokens
from leadapron.defences.images.updp_projection import Choice, Constrained
from leadapron.defences.images.updp_similarity import RADIUS, SIGMA, ssim
from leadapron.defences.images.updp_text_side import NOTHING
from leadapron.errors import DataError

RNG = np.random.default_rng(3)


@dataclass
class Side:
    """A vocabulary of letters with vectors at random."""

    tokens: list[str] = field(default_factory=lambda: [chr(97 + n) for n in range(24)])
    table: np.ndarray = field(default_factory=lambda: RNG.standard_normal((24, 6)).astype(np.float32))
    unusable: np.ndarray = field(default_factory=lambda: np.array([0]))

    def read(self, text):
        return [self.tokens.index(letter) for letter in text if letter in self.tokens]


SIDE = Side()
START = np.array([4, 9, 9, 17, NOTHING])
VECTORS = np.vstack([SIDE.table[START[:4]] + 0.4 * RNG.standard_normal((4, 6)), np.zeros((1, 6))])


def tokens(choice, banned=(), wanted=(), seed=0):
    banned, wanted = np.array(banned, dtype=int), np.array(wanted, dtype=int)
    return Constrained(SIDE, banned, wanted, choice).tokens(VECTORS, START, [seed])


def slow_tokens(choice, banned, wanted):
    """Equations 8, 4, 5 and 6, read aloud."""
    found = []
    for vector in VECTORS[:4]:
        scores = {}
        for token, entry in enumerate(SIDE.table.astype(float)):
            if token in banned or token in SIDE.unusable or (choice.mode == "hard" and token not in wanted):
                continue
            scores[token] = vector @ entry / np.linalg.norm(vector) / np.linalg.norm(entry)
        best = sorted(scores, key=scores.get, reverse=True)[: choice.top]
        bonus = choice.promotion if choice.mode == "soft" else 0
        found.append(max(best, key=lambda token: scores[token] + bonus * (token in wanted)))
    return [*found, NOTHING]


@pytest.mark.parametrize("mode", ["soft", "hard", "off"])
@pytest.mark.parametrize("top", [1, 3, 40])
def test_projection_is_what_the_equations_say(mode, top):
    banned, wanted = {4, 5, 6}, {1, 2, 9, 12, 20}
    choice = Choice(mode, top, promotion=0.3)
    assert tokens(choice, sorted(banned), sorted(wanted)).tolist() == slow_tokens(choice, banned, wanted)


@pytest.mark.parametrize("temperature", [0.0, 0.1, 10.0])
@pytest.mark.parametrize("mode", ["soft", "off"])
def test_a_banned_token_never_comes_out(mode, temperature):
    banned = [4, 9, 17, 3]
    for seed in range(20):
        out = tokens(Choice(mode, 24, temperature=temperature), banned, wanted=[9, 10], seed=seed)
        assert not set(out.tolist()) & {*banned, 0}


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_a_hard_whitelist_gives_nothing_else(temperature):
    for seed in range(20):
        out = tokens(Choice("hard", 24, temperature=temperature), [9], wanted=[2, 9, 11], seed=seed)
        assert set(out[:4].tolist()) <= {2, 11}


def test_a_soft_whitelist_promotes_among_the_nearest_alone():
    nearest, _ = Constrained(SIDE, np.array([], int), np.array([], int), Choice("off", 3)).nearest(
        VECTORS[:4], START[:4]
    )
    second, fourth = nearest[0, 1], next(t for t in range(1, 24) if t not in nearest[0])
    assert tokens(Choice("soft", 3, promotion=2.0), wanted=[second])[0] == second
    assert tokens(Choice("soft", 3, promotion=2.0), wanted=[fourth])[0] == nearest[0, 0]


def test_without_promotion_nothing_is_preferred():
    assert tokens(Choice("soft", 5, promotion=0.0), wanted=[2]).tolist() == tokens(Choice("off", 5)).tolist()


def test_tokens_with_one_vector_stay_what_they_were():
    twins = Side(table=np.repeat(SIDE.table[:12], 2, axis=0))
    start = np.arange(2, 24)
    found = Constrained(twins, np.array([], int), np.array([], int), Choice("off")).tokens(
        twins.table[start].astype(float), start, [0]
    )
    np.testing.assert_array_equal(found, start)


def test_the_same_seed_draws_the_same_and_another_draws_others():
    hot = Choice("off", 10, temperature=1.0)
    assert tokens(hot, seed=1).tolist() == tokens(hot, seed=1).tolist()
    assert len({tuple(tokens(hot, seed=seed).tolist()) for seed in range(10)}) > 5


# ---------------------------------------------------------------- lists


def test_a_list_has_comments_cases_and_little_words(tmp_path):
    (tmp_path / "list.txt").write_text("# names\nAb\n\nb of d  # date of birth\n")
    terms = read_list(tmp_path / "list.txt", BLACKLIST)
    assert terms == ("ab", "b of d")
    assert banned_tokens(SIDE, terms).tolist() == [1, 3]
    assert banned_tokens(SIDE, terms, pieces=True).tolist() == [0, 1, 3]
    assert wanted_tokens(SIDE, ("ab", "d")).tolist() == [0, 1, 3]


def test_tokens_with_a_digit_can_be_banned():
    assert banned_tokens(Side(tokens=["a", "b2", "33"]), (), numbers=True).tolist() == [1, 2]


def test_a_list_that_cannot_be_read_is_named(tmp_path):
    (tmp_path / "bad.txt").write_bytes(b"\xff\xfe\xfa")
    for file in (tmp_path / "bad.txt", tmp_path / "none.txt", tmp_path):
        with pytest.raises(DataError, match=file.name):
            read_list(file, BLACKLIST)


def test_the_lists_that_come_along_do_not_contradict_each_other():
    black, white = set(read_list(None, BLACKLIST)), set(read_list(None, WHITELIST))
    assert {"patient", "mrn", "dr", "january", "hospital"} <= black
    assert {"effusion", "pneumothorax", "no", "without", "left", "cardiomegaly"} <= white
    assert not black & white


# ---------------------------------------------------------------- structural similarity


def slow_ssim(one, other):
    """Wang 2004, a window at a time."""
    at = np.arange(-RADIUS, RADIUS + 1)
    weight = np.exp(-np.square(at) / (2 * SIGMA**2))
    weight = np.outer(weight, weight) / weight.sum() ** 2
    found = []
    for row in range(RADIUS, len(one) - RADIUS):
        for column in range(RADIUS, len(one) - RADIUS):
            place = np.s_[row - RADIUS : row + RADIUS + 1, column - RADIUS : column + RADIUS + 1]
            x, y = one[place].astype(float), other[place].astype(float)
            mx, my = (weight * x).sum(), (weight * y).sum()
            vx, vy, both = (
                (weight * (x - mx) ** 2).sum(),
                (weight * (y - my) ** 2).sum(),
                (weight * (x - mx) * (y - my)).sum(),
            )
            c1, c2 = 2.55**2, 7.65**2
            found.append((2 * mx * my + c1) * (2 * both + c2) / ((mx**2 + my**2 + c1) * (vx + vy + c2)))
    return np.mean(found)


def test_structural_similarity_is_that_of_its_definition():
    images = RNG.integers(0, 256, (2, 18, 18)).astype(np.uint8)
    others = np.clip(images.astype(int) + RNG.integers(-60, 60, images.shape), 0, 255).astype(np.uint8)
    expected = [slow_ssim(one, other) for one, other in zip(images, others, strict=True)]
    np.testing.assert_allclose(ssim(images, others), expected, rtol=1e-9)


def test_an_image_is_wholly_similar_to_itself_and_little_to_noise():
    images = RNG.integers(0, 256, (2, 32, 32)).astype(np.uint8)
    np.testing.assert_allclose(ssim(images, images), 1)
    assert (np.abs(ssim(images, images[::-1])) < 0.2).all()

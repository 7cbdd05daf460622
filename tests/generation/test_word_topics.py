"""The words of a prompt: what many say passes, what few say does not."""

from __future__ import annotations

import numpy as np

from leadapron.generation.word_topics import learn_topics


def prompts():
    rng = np.random.default_rng(0)
    said = ["sternotomy wires", "tortuous aorta", "low volumes", "clear lungs"]
    return [
        f"{' and '.join(rng.permutation(said)[: rng.integers(1, 4)])} seen by Dr. Name{row} on 0{row}.11."
        for row in range(400)
    ]


def test_names_and_numbers_do_not_pass():
    topics = learn_topics(
        [prompt.replace("Name", f"Q{'abcdefghij'[row % 10]}x") for row, prompt in enumerate(prompts())]
    )
    assert not [word for word in topics.words if word.startswith("q")] or len(topics.words) < 20
    named = learn_topics(
        [f"{prompt} {chr(97 + row % 26)}{chr(97 + row // 26)}zq" for row, prompt in enumerate(prompts())]
    )
    assert not [word for word in named.words if word.endswith("zq")]
    assert np.array_equal(named.of(["aorta seen"]), named.of(["aorta seen abzq 2031 17"]))


def test_what_rules_read_does_not_count_twice():
    topics = learn_topics(
        [f"{prompt} No effusion. {'Large pneumothorax.' * (row % 2)}" for row, prompt in enumerate(prompts())]
    )
    assert not {"effusion", "pneumothorax", "large"} & set(topics.words)
    assert "sternotomy" in topics.words


def test_other_words_are_told_apart():
    topics = learn_topics(prompts())
    one, other = topics.of(["sternotomy wires seen by", "low volumes seen by"])
    assert np.abs(one - other).max() > 0.5


def test_prompts_that_all_say_the_same_have_no_topics():
    topics = learn_topics(["normal chest"] * 50)
    assert topics.of(["normal chest", "anything"]).shape == (2, 0)

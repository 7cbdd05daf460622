"""Where a character of the source lies in the released report is known, whatever stands in the place of spans."""

from __future__ import annotations

import numpy as np
import pytest

from leadapron.attacks.reports.copied_stretches import align, merged
from leadapron.attacks.reports.true_spans import Span

SOURCE = "Name: Alma Holt, seen on 03/04/2021 by Dr. Corwin. Alma Holt is well."


def spans(*words):
    found = []
    for word in words:
        at = SOURCE.index(word, max((span.end for span in found), default=0))
        found.append(Span(at, at + len(word), "name"))
    return found


def replaced(source, found, texts):
    for span, text in sorted(zip(merged(found), texts, strict=True), reverse=True):
        source = source[: span.start] + text + source[span.end :]
    return source


@pytest.mark.parametrize("texts", [("[NAME]", "[NAME]", "[NAME]"), ("", "", ""), ("Nora de la Mar", "7/1/20", "Li")])
def test_what_was_not_replaced_is_found_again(texts):
    found = spans("Alma Holt", "03/04/2021", "Alma Holt")
    released = replaced(SOURCE, found, texts)
    aligned = align(SOURCE, released, found)
    assert [released[block.at : block.upto] for block in aligned.blocks] == list(texts)
    for at, letter in enumerate(SOURCE):
        place = aligned.released_at(at)
        if any(span.start <= at < span.end for span in found):
            assert place is None
        else:
            assert released[place] == letter


def test_a_space_that_stands_in_a_stand_in_too_is_told_by_the_lengths():
    source = "seen by Alma Holt today"
    found = [Span(8, 12, "name"), Span(13, 17, "name")]
    aligned = align(source, "seen by Mary Ann Stonebridge today", found)
    assert "Mary Ann Stonebridge today"[4] == " "
    # "Mary" and "Ann Stonebridge" are off by 0 + 11 characters, "Mary Ann" and "Stonebridge" by 4 + 7: the first it is
    assert [(block.at, block.upto) for block in aligned.blocks] == [(8, 12), (13, 28)]


def test_spans_that_touch_or_overlap_are_one_block():
    assert merged([Span(4, 8, "name"), Span(0, 4, "date"), Span(6, 9, "id"), Span(12, 14, "id")]) == [
        Span(0, 9, "date"),
        Span(12, 14, "id"),
    ]


@pytest.mark.parametrize(
    ("released", "found"),
    [
        (SOURCE.replace("well", "ill"), spans("Alma Holt")),
        (SOURCE.replace("seen on ", ""), spans("Alma Holt", "03/04/2021")),
        (SOURCE + " More.", []),
        ("", spans("Alma Holt")),
    ],
)
def test_a_report_in_which_something_else_changed_is_not_aligned(released, found):
    assert align(SOURCE, released, found) is None


def test_random_reports_give_the_stretches_that_were_copied():
    """The places may differ where a stand-in holds the stretch; what stands there is the same in any case."""
    rng = np.random.default_rng(0)
    letters = np.array(list("ab ,"))
    for _ in range(300):
        source = "".join(rng.choice(letters, size=30))
        cuts = np.sort(rng.choice(30, size=6, replace=False))
        found = [Span(int(a), int(b), "x") for a, b in cuts.reshape(3, 2)]
        blocks = merged(found)
        texts = ["".join(rng.choice(letters, size=rng.integers(0, 6))) for _ in blocks]
        released = replaced(source, found, texts)
        aligned = align(source, released, found)
        assert aligned is not None
        again = replaced(source, found, [released[block.at : block.upto] for block in aligned.blocks])
        assert again == released
        for at, letter in enumerate(source):
            place = aligned.released_at(at)
            assert place is None or released[place] == letter


def test_thousands_of_places_are_not_searched_through():
    source = "a" + " x" * 50
    found = [Span(at, at + 1, "x") for at in range(2, 101, 2)]
    released = "a" + " " * 3000
    assert align(source, released, found) is not None

"""Numbers as people read them: percentages that keep two digits, natural frequencies, and clean text."""

from __future__ import annotations

import pytest

from leadapron.pages.numerals import clean, interval, out_of, p_value, percent, round_percent, so_many, times


def plain(text):
    return text.replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize(
    ("share", "written"),
    [(0, "0 %"), (1, "100 %"), (0.0332, "3.32 %"), (0.1544, "15.4 %"), (0.09996, "10.0 %"), (0.00496, "0.50 %"),
     (0.001, "0.10 %"), (0.00034, "0.034 %"), (0.0000228, "0.0023 %"), (-0.002, "−0.20 %")],
)  # fmt: skip
def test_a_measured_share_keeps_two_digits_at_least(share, written):
    assert plain(percent(share)) == written


def test_given_shares_and_other_numbers():
    assert [plain(round_percent(share)) for share in (0.9, 1, 1 / 3000, 0.00001)] == [
        "90 %", "100 %", "0.0333 %", "0.001 %",
    ]  # fmt: skip
    assert plain(interval(0.0091, 0.0111)) == "0.91–1.11 %"
    assert [times(ratio) for ratio in (1, 9.43, 33.8, 1234.5)] == ["1×", "9.4×", "34×", "1,230×"]
    assert [p_value(p) for p in (0.0004, 0.031, 0.42)] == ["< 0.001", "0.031", "0.42"]
    assert clean("a\x00b\x1b") == "a�b�"


def test_natural_frequencies_have_a_denominator_at_which_chance_is_one():
    assert [out_of(chance) for chance in (0.01, 0.001, 1 / 3000, 1 / 43793, 0)] == [1000, 1000, 10_000, 100_000, 10**6]
    assert (so_many(0.0332, 1000), so_many(0, 1000), so_many(0.0001, 1000)) == ("33", "0", "fewer than 1")

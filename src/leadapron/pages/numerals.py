"""Numbers as people read them, and text that may stand in a page."""

from __future__ import annotations

import html
import math
import re

NBSP = "\N{NO-BREAK SPACE}"
SMALLEST = 5e-8
"""What is below has no digit left that would be written."""
NOBODY = 1e-7
"""A measured share that is less than one of ten million is none."""
HUNDRED = 100
FREQUENCIES = (1_000, 10_000, 100_000, 1_000_000)
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def clean(value: object) -> str:
    """The text of a value without the characters that neither HTML nor XML can hold."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", str(value))


def escape(value: object) -> str:
    """The text of a value, safe inside an element and inside a quoted attribute."""
    return html.escape(clean(value))


def fitted(words: str, length: int) -> str:
    """At most so many characters; the rest is an ellipsis."""
    return words if len(words) <= length else f"{words[: length - 1].rstrip()}…"


def significant(value: float, digits: int = 3) -> str:
    """Rounded to so many significant digits, written out, with thousands separated."""
    if abs(value) < SMALLEST:
        return "0"
    rounded = float(f"{value:.{digits - 1}e}")
    decimals = digits - 1 - math.floor(math.log10(abs(rounded)))
    return f"{rounded:,.{min(max(decimals, 0), 7)}f}"


def percent(share: float) -> str:
    """A measured share: two decimals, one from ten percent on, more where two digits would not be left."""
    if share < 0:  # the end of a symmetric interval
        return f"−{percent(-share)}"
    value = 100 * share
    if share < NOBODY or share >= 1:
        return f"{value:.0f}{NBSP}%"
    decimals = 1 if value >= 9.995 else 2 if value >= 0.0995 else 1 - math.floor(math.log10(value) + 1e-9)
    return f"{value:.{min(decimals, 7)}f}{NBSP}%"


def round_percent(share: float) -> str:
    """A share that is given and not measured: a tick, a threshold, a chance level."""
    digits = significant(100 * share)
    return f"{digits.rstrip('0').rstrip('.') if '.' in digits else digits}{NBSP}%"


def interval(low: float, high: float) -> str:
    """Two shares as a range of percentages, the sign once.

    Beside 3.43 %, a lower end that is below 0.0005 % is nothing: seven noughts would tell no more.
    """
    above = percent(high)
    decimals = len(above.removesuffix(f"{NBSP}%").partition(".")[2]) + 1
    below = percent(low if round(100 * abs(low), decimals) else 0.0)
    return f"{below.removesuffix(f'{NBSP}%')}–{above}"


def times(ratio: float) -> str:
    digits = significant(ratio, 2 if ratio < 100 else 3)
    return f"{digits.removesuffix('.0')}×"


def out_of(smallest: float, tested: int | None = None) -> int:
    """The round number of people or pictures of which the smallest share is still at least one.

    But no larger than it takes to count those who were ``tested``: "2,973 of 10,000" is not what 74 pictures tell.
    """
    size = next((size for size in FREQUENCIES if smallest * size >= 1 - 1e-9), FREQUENCIES[-1])
    enough = size if tested is None else next((few for few in (HUNDRED, *FREQUENCIES) if few >= tested), size)
    return min(size, enough)


def so_many(share: float, size: int) -> str:
    """A share of so many, as a whole number."""
    count = round(share * size)
    return "fewer than 1" if count == 0 and share > 0 else f"{count:,}"


def p_value(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}" if p < 0.1 else f"{p:.2f}"

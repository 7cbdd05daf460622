"""Scales: from a number to a place on the page, and the ticks that stand at round numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol


class Scale(Protocol):
    """Maps numbers between ``low`` and ``high`` to places between ``start`` and ``end``; others go to the edge."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float: ...

    def ticks(self) -> list[float]: ...


@dataclass
class Linear:
    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Four to ten round numbers, a step of 1, 2 or 5 times a power of ten."""
        rough = (self.high - self.low) / 5
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * 0.999)
        first = math.ceil(self.low / step - 1e-9)
        return [round(count * step, 12) for count in range(first, math.floor(self.high / step + 1e-9) + 1)]


@dataclass
class Log:
    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        inside = min(max(value, self.low), self.high)
        share = math.log(inside / self.low) / math.log(self.high / self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[float]:
        """The powers of ten; where they are few, the numbers between them, too."""
        decades = math.log10(self.high / self.low)
        leads = (1,) if decades >= 2.5 else (1, 3) if decades >= 1.6 else (1, 2, 5)
        powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        numbers = [float(f"{lead}e{power}") for power in powers for lead in leads]
        return [number for number in numbers if self.low * 0.999 <= number <= self.high * 1.001]


def around(values: list[float], *, floor: float) -> tuple[float, float]:
    """Limits of a logarithmic axis that hold the values: a little air, never a range too small to read."""
    positive = [max(value, floor) for value in values] or [floor]
    low, high = min(positive) / 1.25, max(positive) * 1.25
    if high / low < 8:
        middle = math.sqrt(low * high)
        low, high = middle / math.sqrt(8), middle * math.sqrt(8)
    return low, high


def spread(places: list[float], gap: float, low: float, high: float) -> list[float]:
    """Places moved apart as little as possible, so that labels at them do not overlap; the order stays."""
    order = sorted(range(len(places)), key=lambda index: places[index])
    moved = list(places)
    for _ in range(200):
        settled = True
        for above, below in pairwise(order):
            overlap = gap - (moved[below] - moved[above])
            if overlap > 1e-6:
                moved[above] -= overlap / 2
                moved[below] += overlap / 2
                settled = False
        moved = [min(max(place, low), high) for place in moved]
        if settled:
            break
    return moved

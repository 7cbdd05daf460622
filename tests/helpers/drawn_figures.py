"""A figure read as a person reads it: by its ticks."""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree as ET

import pytest


def number(words: str) -> float:
    digits = float(re.sub(r"[^0-9.]", "", words))
    return digits / 100 if "%" in words else digits


class Ruler:
    """Reads values off an axis as a person would: from two of its ticks, logarithmic or not."""

    def __init__(self, svg: ET.Element, axis: str, *, log: bool) -> None:
        place = {"x-tick": "x", "y-tick": "y"}[axis]
        ticks = [(number(node.text), float(node.get(place))) for node in svg.iter("text") if has(node, axis)]
        if axis == "y-tick":
            ticks = [(value, y - 4) for value, y in ticks]  # the words hang a little below their line
        self.shape = math.log if log else float
        (self.low, self.start), (self.high, self.end) = ticks[0], ticks[-1]
        assert len(ticks) >= 2
        for value, y in ticks:
            assert self(value) == pytest.approx(y, abs=0.1)

    def __call__(self, value: float) -> float:
        low, high, here = (self.shape(number) for number in (self.low, self.high, value))
        return self.start + (here - low) / (high - low) * (self.end - self.start)


def has(node: ET.Element, *classes: str) -> bool:
    return set(classes) <= set((node.get("class") or "").split())


def marks(svg: ET.Element, *classes: str) -> list[tuple[float, float, str]]:
    found = []
    for node in svg.iter("path"):
        if has(node, "mark", *classes):
            x, y = map(float, re.match(r"translate\(([\d.]+),([\d.]+)\)", node.get("transform")).groups())
            found.append((x, y, node.findtext("title")))
    return found


def points(node: ET.Element) -> list[tuple[float, float]]:
    return [tuple(map(float, pair.split(","))) for pair in re.findall(r"[\d.]+,[\d.]+", node.get("d"))]


def one(svg: ET.Element, *classes: str) -> ET.Element:
    (node,) = [node for node in svg.iter() if has(node, *classes)]
    return node

"""Where the source's characters lie in the released report: all that no span covers was copied, the rest replaced.

Only the spans are known and not what was put in their places. The stretches between them must stand in the released
report in their order. A short one, a space or a comma, may stand in a stand-in as well; then the places are taken at
which stand-ins are about as long as what they replaced.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate, pairwise

from leadapron.attacks.reports.true_spans import Span

MOST_PLACES = 1000
"""Where a stretch could stand at more places, the first is taken."""
FAR_OFF = 1 << 60


@dataclass(frozen=True)
class Block:
    """Characters of the source that were replaced, and those that stand in the released report instead."""

    start: int
    end: int
    at: int
    upto: int
    category: str


@dataclass(frozen=True)
class Aligned:
    """The replaced blocks in their order; everything else was copied."""

    blocks: tuple[Block, ...]

    def released_at(self, place: int) -> int | None:
        """Where a character of the source lies; None where it was replaced."""
        before = bisect_right(self.blocks, place, key=lambda block: block.start)
        if before == 0:
            return place
        block = self.blocks[before - 1]
        return None if place < block.end else block.upto + place - block.end


def merged(spans: Iterable[Span]) -> list[Span]:
    """Spans that overlap or touch as one, of the first one's category."""
    found: list[Span] = []
    for span in sorted(spans):
        if found and span.start <= found[-1].end:
            found[-1] = found[-1]._replace(end=max(found[-1].end, span.end))
        else:
            found.append(span)
    return found


def align(source: str, released: str, spans: Iterable[Span]) -> Aligned | None:
    """None where the released report is not the source with these spans replaced."""
    blocks = merged(spans)
    if not blocks:
        return Aligned(()) if source == released else None
    edges = [0, *(edge for block in blocks for edge in (block.start, block.end)), len(source)]
    stretches = [source[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]
    if not released.startswith(stretches[0]) or not released.endswith(stretches[-1]):
        return None
    places = _places(released, stretches, [block.end - block.start for block in blocks])
    if places is None:
        return None
    ends = [place + len(stretch) for place, stretch in zip(places, stretches, strict=True)]
    return Aligned(
        tuple(
            Block(block.start, block.end, end, place, block.category)
            for block, end, place in zip(blocks, ends[:-1], places[1:], strict=True)
        )
    )


def _places(released: str, stretches: list[str], replaced: list[int]) -> list[int] | None:
    """Where each stretch begins in the released report."""
    last = len(released) - len(stretches[-1])
    first_places = _walk(released, stretches, last)
    if first_places is None:
        return None
    latest = _walk_back(released, stretches, last)
    if first_places == latest:
        return first_places
    candidates = [
        _occurrences(released, stretch, low, high)
        for stretch, low, high in zip(stretches, first_places, latest, strict=True)
    ]
    if any(len(places) > MOST_PLACES for places in candidates):
        return first_places
    return _likeliest(candidates, [len(stretch) for stretch in stretches], replaced)


def _walk(released: str, stretches: list[str], last: int) -> list[int] | None:
    """The first place of each, from the left."""
    found, after = [0], len(stretches[0])
    for stretch in stretches[1:-1]:
        place = released.find(stretch, after, last)
        if place < 0:
            return None
        found.append(place)
        after = place + len(stretch)
    return [*found, last] if after <= last else None


def _walk_back(released: str, stretches: list[str], last: int) -> list[int]:
    """The last place of each, from the right; there is one where there is a first one."""
    found, before = [last], last
    for stretch in reversed(stretches[1:-1]):
        before = released.rfind(stretch, len(stretches[0]), before)
        found.append(before)
    return [0, *reversed(found)]


def _occurrences(released: str, stretch: str, low: int, high: int) -> list[int]:
    found, place = [], low
    while 0 <= place <= high:
        found.append(place)
        if len(found) > MOST_PLACES:
            break
        place = released.find(stretch, place + 1, high + len(stretch)) if stretch else place + 1
    return found


def _likeliest(candidates: list[list[int]], lengths: list[int], replaced: list[int]) -> list[int]:
    """The places at which the lengths of stand-ins differ least, in all, from what they replaced (shortest path)."""
    costs, back = [[0]], [[0]]
    for (before, here), length, wanted in zip(pairwise(candidates), lengths, replaced, strict=False):
        cost_here, back_here = [], []
        for place in here:
            fitting = [
                (costs[-1][at] + abs(place - earlier - length - wanted), at)
                for at, earlier in enumerate(before)
                if earlier + length <= place
            ]
            best = min(fitting, default=(FAR_OFF, 0))
            cost_here.append(best[0])
            back_here.append(best[1])
        costs.append(cost_here)
        back.append(back_here)
    chosen = list(accumulate(reversed(back[1:]), lambda at, row: row[at], initial=0))
    return [places[at] for places, at in zip(candidates, reversed(chosen), strict=True)]

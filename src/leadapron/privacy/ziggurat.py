"""Random 64-bit words -> normal numbers, by the ziggurat (Marsaglia and Tsang 2000) in a compiled loop.

The area under the bell is covered by 256 layers of equal area, the lowest of which has the tail. A word picks a layer
and a place in it; where the layer lies wholly under the bell, which is so 99 times in 100, that place is the number.
Otherwise further words decide, so that the numbers are normal exactly, and not nearly, up to the grain of 53 bits. The
tail ends where these do, at 12 standard deviations.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from leadapron.engine.compiled import kernel

LAYERS = 256
TAIL = 3.6541528853610088
"""Where the tail begins: the one place from which 256 layers of equal area end at the top of the bell."""
BITS = 53
"""Of each 64 random bits, as many as a float64 can hold."""
MASK, GRAIN = (1 << BITS) - 1, 2.0**-BITS


def _layers() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How far the bell reaches to the side where each layer begins, and how high it is there.

    The lowest layer is as wide as a rectangle of its area would be: places beyond the tail's beginning are the tail.
    """
    area = TAIL * _bell(TAIL) + math.sqrt(math.pi / 2) * math.erfc(TAIL / math.sqrt(2))
    edges = [area / _bell(TAIL), TAIL]
    for edge in range(1, LAYERS - 1):
        edges.append(math.sqrt(-2 * math.log(area / edges[edge] + _bell(edges[edge]))))
    edges.append(0.0)
    return np.array(edges), np.array([_bell(edge) for edge in edges])


def _bell(place: float) -> float:
    return math.exp(-0.5 * place * place)


EDGES, HEIGHTS = _layers()


@kernel
def add_normals(out: NDArray[np.floating], spread: float, words: NDArray[np.int64]) -> tuple[int, int]:
    """``out`` + ``spread`` x normal numbers, in float64 and rounded once; as many as ``words`` are enough for.

    Returns how many numbers were made, and how many words they took. What is left of the words was not used: it belongs
    to a number that takes more of them.
    """
    done = used = 0
    while done < len(out) and used < len(words):
        word = words[used]
        layer = word & (LAYERS - 1)
        # The sign and 53 bits; the layer's own bits are not among them.
        place = (word >> (63 - BITS)) * (GRAIN * EDGES[layer])
        taken, fits = 1, True
        if abs(place) >= EDGES[layer + 1]:
            place, more, fits = _decided(layer, place, words[used + 1 :])
            if more == 0:
                break
            taken += more
        if fits:
            out[done] += spread * place
            done += 1
        used += taken
    return done, used


@kernel
def _decided(layer: int, place: float, words: NDArray[np.int64]) -> tuple[float, int, bool]:
    """A place that may lie above the bell: where it is in the end, the words that took, and whether it fits.

    No words are taken if there are not enough.
    """
    if layer == 0:
        beyond, taken = _tail(words)
        return math.copysign(TAIL + beyond, place), taken, True
    if len(words) == 0:
        return place, 0, False
    height = HEIGHTS[layer] + _uniform(words[0]) * (HEIGHTS[layer + 1] - HEIGHTS[layer])
    return place, 1, height <= math.exp(-0.5 * place * place)


@kernel
def _tail(words: NDArray[np.int64]) -> tuple[float, int]:
    """How far beyond its beginning a number of the tail lies, and the words that took: none if they ran out.

    A draw that is refused is made again here: to begin anew with another layer would make the tail too thin.
    """
    for pair in range(len(words) // 2):
        beyond = -math.log(_uniform(words[2 * pair])) / TAIL
        if -2 * math.log(_uniform(words[2 * pair + 1])) > beyond * beyond:
            return beyond, 2 * pair + 2
    return 0.0, 0


@kernel
def _uniform(word: int) -> float:
    """Above 0, so that it has a logarithm, and at most 1."""
    return ((word & MASK) + 1) * GRAIN

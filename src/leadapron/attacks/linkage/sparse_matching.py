"""The heaviest matching of rows and places on a sparse graph: row reduction, then shortest augmenting paths.

Every place has a price, and a row takes what is worth most to it after the price. Prices rise where several rows want
one place, and only there: a place that is not full is free. So the sum of what the rows are left with and of what all
places cost is the largest total there can be, and the matching reaches it. The method is that of Jonker and Volgenant
(1987) on sparse rows.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from leadapron.engine import kernel
from leadapron.engine.compiled import in_python

Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]

PASSES = 2
STEPS_A_ROW = 40
"""Where many rows want few places, prices rise by little at each step; paths end what this many steps have left."""
NONE = -1
FEW_ROWS = 1500
"""For no more, the loops run as they are written: to compile them would take longer."""


def match(places: Ints, worth: Doubles, room: Ints, alone: float) -> tuple[Ints, Doubles]:
    """Which of its places each row gets, as a number among them, or -1; and what every place costs.

    Row r may go to ``places[r]``, all different, where it is worth ``worth[r]``, or stay alone, which is worth
    ``alone``. Place p takes ``room[p]`` rows.
    """
    rows, count = len(places), len(room)
    price, chosen, seat = np.zeros(count), np.full(rows, NONE), np.full(rows, NONE)
    first, taken, holder = np.cumsum(room) - room, np.zeros(count, dtype=np.int64), np.full(room.sum(), NONE)
    waiting = np.arange(rows)
    few = rows <= FEW_ROWS
    reduce: Callable[..., int] = in_python(_reduce) if few else _reduce
    augment: Callable[..., None] = in_python(_augment) if few else _augment
    for _ in range(PASSES):
        remaining = reduce(places, worth, room, alone, price, chosen, seat, first, taken, holder, waiting)
        waiting = waiting[:remaining]
    cost, came = np.full(count, np.inf), np.empty((count, 2), dtype=np.int64)
    heap, spot, done = np.empty(count, dtype=np.int64), np.full(count, NONE), np.empty(count, dtype=np.int64)
    augment(
        places, worth, room, alone, price, chosen, seat, first, taken, holder, waiting, cost, came, heap, spot, done
    )
    return chosen, price


@kernel
def _reduce(
    places: Ints, worth: Doubles, room: Ints, alone: float, price: Doubles,
    chosen: Ints, seat: Ints, first: Ints, taken: Ints, holder: Ints, waiting: Ints,
) -> int:  # fmt: skip
    """Each row takes its best place at the price at which the second best is as good, and whoever sat there goes on.

    Rows for whom this is no way remain, as do all where it takes too many steps; they are ``waiting`` again. A place
    for several keeps its price: one that suits the newcomer need not suit the others.
    """
    remaining, at, row = 0, 0, NONE
    steps = STEPS_A_ROW * len(waiting)
    while row != NONE or at < len(waiting):
        if row == NONE:
            row, at = waiting[at], at + 1
        if steps == 0:
            waiting[remaining] = row
            remaining, row = remaining + 1, NONE
            continue
        steps -= 1
        edge, other = NONE, NONE
        best, second = alone, -np.inf
        for here in range(places.shape[1]):
            value = worth[row, here] - price[places[row, here]]
            if value > best:
                other, second, edge, best = edge, best, here, value
            elif value > second:
                other, second = here, value
        if edge != NONE and best == second and taken[places[row, edge]] == room[places[row, edge]]:
            edge = other
        if edge == NONE:
            row = NONE
            continue
        place = places[row, edge]
        full = taken[place] == room[place]
        if full and (room[place] > 1 or best == second):
            waiting[remaining] = row
            remaining, row = remaining + 1, NONE
            continue
        if room[place] == 1:
            price[place] += best - second
        gone = holder[first[place]] if full else NONE
        seat[row] = first[place] if full else first[place] + taken[place]
        if full:
            chosen[gone], seat[gone] = NONE, NONE
        else:
            taken[place] += 1
        holder[seat[row]], chosen[row] = row, edge
        row = gone
    return remaining


@kernel
def _augment(
    places: Ints, worth: Doubles, room: Ints, alone: float, price: Doubles,
    chosen: Ints, seat: Ints, first: Ints, taken: Ints, holder: Ints, waiting: Ints,
    cost: Doubles, came: Ints, heap: Ints, spot: Ints, done: Ints,
) -> None:  # fmt: skip
    """For each waiting row the cheapest chain of moves to a free seat or to a row that is content to stay alone.

    A move costs what the row loses by it at present prices, so no move costs less than nothing, and Dijkstra's search
    finds the cheapest chain. Places on the way become dearer by as much as the whole chain costs more than the way to
    them, so that afterwards every row sits where it loses nothing.
    """
    for root in waiting:
        profit = alone
        for edge in range(places.shape[1]):
            profit = max(profit, worth[root, edge] - price[places[root, edge]])
        waits, passed, place, far = 0, 0, NONE, 0.0
        bound, last, last_edge = np.inf, NONE, NONE
        while True:
            for number in range(1 if place == NONE else taken[place]):
                row = root if place == NONE else holder[first[place] + number]
                if place != NONE:
                    profit = worth[row, chosen[row]] - price[place]
                # max: no rounding may make a way back to a place cheaper than that place itself
                if far + max(profit - alone, 0.0) < bound:
                    bound, last, last_edge = far + max(profit - alone, 0.0), row, NONE
                for edge in range(places.shape[1]):
                    there = places[row, edge]
                    reached = far + max(profit - (worth[row, edge] - price[there]), 0.0)
                    if reached >= bound or reached >= cost[there]:
                        continue
                    if taken[there] < room[there]:
                        bound, last, last_edge = reached, row, edge
                        continue
                    cost[there], came[there, 0], came[there, 1] = reached, row, edge
                    if spot[there] == NONE:
                        spot[there] = waits
                        waits += 1
                    _rise(heap, spot, cost, there)
            if waits == 0 or cost[heap[0]] >= bound:
                break
            place = heap[0]
            far = cost[place]
            waits -= 1
            if waits:
                spot[heap[waits]] = 0
                _sink(heap, spot, cost, heap[waits], waits)
            done[passed] = place
            passed += 1
        for number in range(passed):
            price[done[number]] += bound - cost[done[number]]
            cost[done[number]], spot[done[number]] = np.inf, NONE
        for number in range(waits):
            cost[heap[number]], spot[heap[number]] = np.inf, NONE
        # from the end of the chain on, each row leaves its seat to the one who came by its place
        free = NONE
        if last_edge != NONE:
            place = places[last, last_edge]
            free = first[place] + taken[place]
            taken[place] += 1
        while True:
            before, left = chosen[last], seat[last]
            chosen[last], seat[last] = last_edge, free
            if free != NONE:
                holder[free] = last
            if before == NONE:
                break
            place, free = places[last, before], left
            last, last_edge = came[place, 0], came[place, 1]


@kernel
def _rise(heap: Ints, spot: Ints, cost: Doubles, place: int) -> None:
    """To where all above it cost no more."""
    at = spot[place]
    while at > 0 and cost[heap[(at - 1) // 2]] > cost[place]:
        heap[at] = heap[(at - 1) // 2]
        spot[heap[at]] = at
        at = (at - 1) // 2
    heap[at], spot[place] = place, at


@kernel
def _sink(heap: Ints, spot: Ints, cost: Doubles, place: int, waits: int) -> None:
    """To where all below it cost no less."""
    at = spot[place]
    while 2 * at + 1 < waits:
        child = 2 * at + 1
        if child + 1 < waits and cost[heap[child + 1]] < cost[heap[child]]:
            child += 1
        if cost[heap[child]] >= cost[place]:
            break
        heap[at] = heap[child]
        spot[heap[at]] = at
        at = child
    heap[at], spot[place] = place, at

"""The attacker's task: whose images there are, which pairs are one patient's, and who may be taken for whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.attacks.identity.gallery import Gallery, pairs_of
from leadapron.attacks.identity.scores import cosines, whole
from leadapron.attacks.identity.sweep import Field, Segment
from leadapron.audits.groups import groupings

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

MATCHED = ("sex", "age", "view", "source")
"""What matched strangers share, as far as the release knows it; all findings come on top."""
SAME_DAY = ("study_id", "date", "offset")
SAME_PICTURE = 0.9999
"""Embeddings this alike are taken for one and the same picture."""


@dataclass(frozen=True)
class Task:
    """All same-patient pairs ``first[i]``, ``second[i]`` of a gallery, and which of them are repeats.

    ``apart`` are the pairs that are neither of one day or study nor one and the same picture.
    """

    gallery: Gallery
    first: Ints
    second: Ints
    same_day: Flags
    same_picture: Flags

    @property
    def apart(self) -> Flags:
        return ~(self.same_day | self.same_picture)

    @cached_property
    def everybody(self) -> Field:
        whole = slice(0, len(self.gallery))
        return Field([Segment(whole, whole)], self.gallery.own_start, self.gallery.own_stop)


def build_task(gallery: Gallery) -> Task:
    first, second = pairs_of(gallery)
    same_day = np.zeros(len(first), dtype=bool)
    for name in SAME_DAY:
        if name in gallery.records.columns:
            column = gallery.records[name].cast(pl.String).fill_null("").to_numpy()
            same_day |= (column[first] == column[second]) & (column[first] != "")
    alike = cosines(gallery.image)
    return Task(gallery, first, second, same_day, alike.of_pairs(first, second) >= whole(alike, SAME_PICTURE))


@dataclass(frozen=True)
class Matched:
    """The gallery in another order, in which images with the same attributes stand together."""

    order: Ints
    place: Ints
    field: Field
    attributes: tuple[str, ...]


def match(gallery: Gallery, attributes: Sequence[str] = MATCHED) -> Matched | None:
    """Strata of images that agree in all that is known of them but their patient; None where nothing is known."""
    chosen = groupings(gallery.records, attributes)
    if not chosen:
        return None
    table = pl.DataFrame({name: column.fill_null("unknown") for name, column in chosen.items()})
    stratum = table.select(pl.struct(pl.all()).rank("dense")).to_series().to_numpy().astype(np.int64) - 1
    order = np.lexsort((gallery.patient, stratum))
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    edges = np.flatnonzero(np.diff(stratum[order], prepend=-1, append=-1))
    strata = [slice(int(first), int(last)) for first, last in pairwise(edges)]
    segments = [Segment(stratum, stratum) for stratum in strata]
    run = np.flatnonzero(np.diff(stratum[order], prepend=-1) | np.diff(gallery.patient[order], prepend=-1))
    sizes = np.diff(np.append(run, len(order)))
    names = tuple(dict.fromkeys("findings" if name.startswith("label_") else name for name in chosen))
    return Matched(order, place, Field(segments, np.repeat(run, sizes), np.repeat(run + sizes, sizes)), names)

"""Several known images of one patient: their scores with a stranger's or a mate's image are added up."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.identity.identity_task import Task
from leadapron.attacks.identity.levels import find_levels
from leadapron.attacks.identity.retrieval import best_of, first_in_gallery
from leadapron.attacks.identity.scores import InnerProducts
from leadapron.attacks.identity.screened_standing import standing_of
from leadapron.attacks.identity.sweep import Field, Segment

Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]

NUMBERS = (1, 2, 3, 5)
FEWEST_PATIENTS = 30


def numbers_known(task: Task) -> list[int]:
    """How many known images can be tried on the same patients, all of whom have one more to be found."""
    sizes = np.bincount(task.gallery.patient)
    return [number for number in NUMBERS if (sizes > number).sum() >= FEWEST_PATIENTS]


def found_with(task: Task, scores: InnerProducts, number: int, most: int, pool: int, seed: int) -> tuple[Doubles, Ints]:
    """For each image of patients with more than ``most`` images the chance that it is found, and whose it is.

    The attacker holds ``number`` other images of the patient, drawn at random, and looks for this one among
    ``pool`` − 1 strangers'. Scores are inner products, so adding up scores is adding up rows.
    """
    rng = np.random.default_rng(seed)
    gallery = task.gallery
    sought = np.flatnonzero(gallery.own_stop - gallery.own_start > most)
    bounds = zip(gallery.own_start[sought].tolist(), gallery.own_stop[sought].tolist(), sought.tolist(), strict=True)
    held = np.stack([_others(rng, *bound, number) for bound in bounds])
    together, queries = scores.fused(held), np.arange(len(sought))
    mates = find_levels(queries, together.of_pairs(queries, sought), len(sought))
    segment = Segment(slice(0, len(sought)), slice(0, len(gallery)))
    field = Field([segment], gallery.own_start[sought], gallery.own_stop[sought], mutual=False)
    standing = standing_of(together, field, mates)
    return first_in_gallery(best_of(standing, field.strangers), pool), gallery.patient[sought]


def _others(rng: np.random.Generator, start: int, stop: int, but: int, number: int) -> Ints:
    """Some images of a patient, without one of them."""
    drawn = start + rng.permutation(stop - start - 1)[:number]
    others: Ints = drawn + (drawn >= but)
    return others

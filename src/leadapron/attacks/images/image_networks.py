"""Networks that know patients again, trained on real images, or on real and released images as one patient's."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.attacks.identity.training.identity_training_config import choose
from leadapron.attacks.images.image_attackers import ADAPTIVE, STATIC
from leadapron.attacks.images.image_sides import Sides
from leadapron.audits.images_subject import ReleasedImages
from leadapron.cohort import Cohort, Pixels
from leadapron.engine import Progress, silent
from leadapron.engine.remembered import remembered
from leadapron.training.devices import AUTO

if TYPE_CHECKING:  # it needs torch
    from leadapron.attacks.identity.training.networks import Network

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Embedded = dict[str, tuple[Floats, Floats]]

NEEDED = ("torch", "pytorch_metric_learning")
FEWEST_PATIENTS = 1000
"""With fewer known patients a network from scratch knows less than what is calculated."""
MOST_IMAGES = 6000
"""Real images that networks learn from, and as many released ones."""


def lacking(sides: Sides) -> str:
    """Why networks are not trained unless that is asked for; empty where nothing speaks against it."""
    if missing := [name for name in NEEDED if find_spec(name) is None]:
        return f"the package {missing[0]} is not installed (extra train)"
    known = len(np.unique(sides.patient[sides.learnt]))
    return "" if known >= FEWEST_PATIENTS else f"the attacker knows fewer than {FEWEST_PATIENTS:,} patients"


def embed_by_networks(
    subject: ReleasedImages, sides: Sides, *, epochs: int, seed: int, device: str = AUTO, progress: Progress = silent
) -> Embedded:
    """Embeddings of released and real images, by attacker. Undefended, both attackers have one network."""
    from leadapron.attacks.identity.training.train import embeddings, train_identity

    config = replace(choose(epochs=epochs, image_size=subject.source.size), seed=seed)
    source, released = subject.source.images, subject.released.images

    def train(cohort: Cohort, images: NDArray[np.uint8]) -> Network:
        return train_identity(Pixels(cohort, images, ()), config, device=device, progress=progress).network

    def seen_by(network: Network, real: Floats) -> tuple[Floats, Floats]:
        return (embeddings(network, released, progress=progress) if subject.defended else real), real

    known = np.sort(np.concatenate([_some(sides.learnt, sides, seed), sides.weighed]))
    side = np.where(np.isin(known, sides.weighed), "validate", "train")
    records = subject.source.records[known].with_columns(split=pl.Series(side))
    cohort = replace(subject.source.cohort, records=records)

    def of_real() -> tuple[Network, Floats]:
        network = train(cohort, source[known])
        return network, embeddings(network, source, progress=progress)

    what = ("identity network", sides.key, epochs, seed)  # the same for all releases
    found = {STATIC: seen_by(*remembered(source, what, of_real))}
    if not subject.defended:
        return {**found, ADAPTIVE: found[STATIC]}
    names = pl.concat_str("record_id", pl.lit(" released"))
    both = replace(cohort, records=pl.concat([records, records.with_columns(record_id=names)]))
    network = train(both, np.concatenate([source[known], released[known]]))
    return {**found, ADAPTIVE: seen_by(network, embeddings(network, source, progress=progress))}


def _some(rows: Ints, sides: Sides, seed: int) -> Ints:
    """Rows of as many patients, drawn at random, as have so many images: a bound to what training costs."""
    patients = np.random.default_rng(seed).permutation(np.unique(sides.patient[rows]))
    images = np.cumsum(np.bincount(sides.patient[rows], minlength=int(sides.patient.max()) + 1)[patients])
    return rows[np.isin(sides.patient[rows], patients[: np.searchsorted(images, MOST_IMAGES, side="right")])]

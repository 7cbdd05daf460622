"""Networks that know patients again, trained on real images, or on real and released images as one patient's."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.attacks.identity.training.identity_training_config import choose
from leadapron.attacks.images.image_attackers import ADAPTIVE, STATIC
from leadapron.attacks.images.image_sides import Sides
from leadapron.audits.images_subject import ReleasedImages
from leadapron.cohort import Cohort, Pixels
from leadapron.engine import Progress, silent

Floats = NDArray[np.float32]
Embedded = dict[str, tuple[Floats, Floats]]

NEEDED = ("torch", "pytorch_metric_learning")
FEWEST_PATIENTS = 1000
"""With fewer known patients a network from scratch knows less than what is calculated."""
SIZE = 128


def lacking(sides: Sides) -> str:
    """Why networks are not trained unless that is asked for; empty where nothing speaks against it."""
    if missing := [name for name in NEEDED if find_spec(name) is None]:
        return f"the package {missing[0]} is not installed (extra train)"
    known = len(np.unique(sides.patient[sides.learnt]))
    return "" if known >= FEWEST_PATIENTS else f"the attacker knows fewer than {FEWEST_PATIENTS:,} patients"


def embed_by_networks(
    subject: ReleasedImages, sides: Sides, *, epochs: int, seed: int, progress: Progress = silent
) -> Embedded:
    """Embeddings of released and real images, by attacker. Undefended, both attackers have one network."""
    from leadapron.attacks.identity.training.train import embeddings, train_identity

    config = replace(choose(epochs=epochs, image_size=subject.source.size), seed=seed)

    def trained(cohort: Cohort, images: NDArray[np.uint8]) -> tuple[Floats, Floats]:
        network = train_identity(Pixels(cohort, images, ()), config, progress=progress).network
        real = embeddings(network, subject.source.images, progress=progress)
        return (embeddings(network, subject.released.images) if subject.defended else real), real

    known = np.concatenate([sides.learnt, sides.weighed])
    side = np.where(np.isin(known, sides.weighed), "validate", "train")
    records = subject.source.records[known].with_columns(split=pl.Series(side))
    cohort = replace(subject.source.cohort, records=records)
    found = {STATIC: trained(cohort, subject.source.images[known])}
    if not subject.defended:
        return {**found, ADAPTIVE: found[STATIC]}
    names = pl.concat_str("record_id", pl.lit(" released"))
    both = replace(cohort, records=pl.concat([records, records.with_columns(record_id=names)]))
    images = np.concatenate([subject.source.images[known], subject.released.images[known]])
    return {**found, ADAPTIVE: trained(both, images)}

"""A trained network applied to a cohort: the release that it makes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import polars as pl

from leadapron.attacks.identity.training.network_folder import read_network
from leadapron.attacks.identity.training.train import Trained, embeddings
from leadapron.cohort import Cohort, Pixels, decode
from leadapron.encoders.encode import check_columns
from leadapron.engine import Progress, silent, worker_count
from leadapron.engine.extras import torch_threads
from leadapron.release import Release
from leadapron.release.release import split_columns
from leadapron.training import devices

NAME = "identity network"


def embed(
    network_folder: Path,
    cohort: Cohort,
    cache: Path,
    *,
    keep_columns: Collection[str] = (),
    device: str = devices.AUTO,
    progress: Progress = silent,
) -> Release:
    """Every readable image of a cohort, which may be another one than that of the training, by a trained network.

    ``cache`` keeps the decoded pixels: they are patient data.
    """
    trained = read_network(network_folder)
    trained.network.to(devices.device(device))
    here = tuple(fitting.for_release(cohort.records) for fitting in trained.fitted)
    pixels = decode(cohort, trained.card["image_size"], cache, progress=progress)
    return release_of(replace(trained, fitted=here), pixels, keep_columns=keep_columns, progress=progress)


def release_of(
    trained: Trained, pixels: Pixels, *, keep_columns: Collection[str] = (), progress: Progress = silent
) -> Release:
    """The release of pixels that are there already. Records of all splits are in it: an audit takes the test patients,
    because those of the training are known to the network."""
    check_columns(pixels.cohort, keep_columns)
    with torch_threads(worker_count()):
        image = embeddings(trained.network, pixels.images, progress=progress)
    records, left_out = split_columns(pixels.cohort.records, keep_columns)
    card = {
        "cohort": pixels.cohort.name,
        "encoder": {
            "name": NAME,
            **{key: trained.card[key] for key in ("network", "backbone", "image_size", "trained_on")},
            "device": str(devices.device_of(trained.network)),
        },
        "alignment": "none: images only",
        "preprocessing": "min-max to 8 bit, histogram equalisation, bilinear resize",
        "funnel": [[step.what, step.kept, step.dropped, step.why] for step in pixels.cohort.funnel.steps],
        "columns_left_out": left_out,
        **pixels.cohort.handed_on,
        **trained.network.score_card(),
    }
    records = records.with_columns(pl.col("study_id").alias("report_id"))  # as every release has it
    return Release(records, {"image": image}, card, fitted=trained.fitted)

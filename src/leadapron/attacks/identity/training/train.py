"""From a cohort's pixels to a trained identity network."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch

from leadapron.attacks.identity.training import training_patients as who
from leadapron.attacks.identity.training.backbones import load_backbone
from leadapron.attacks.identity.training.courses import Data, run
from leadapron.attacks.identity.training.frozen import NARROW, WIDE, FrozenNetwork, fit_frozen
from leadapron.attacks.identity.training.identity_training_config import DIMENSION, TrainingConfig
from leadapron.attacks.identity.training.networks import Network, build_network
from leadapron.attacks.identity.training.validation import (
    Floats,
    Scores,
    cosine_scores,
    recognition,
    weighted_l1_scores,
)
from leadapron.cohort import Cohort, Pixels
from leadapron.encoders import Weights
from leadapron.encoders.encoder import Bytes
from leadapron.encoders.fingerprint import weights_card
from leadapron.engine import Progress, silent, worker_count
from leadapron.engine.extras import torch_threads
from leadapron.release.fitting import ELSEWHERE, Fitting, fitted_to
from leadapron.training import devices
from leadapron.training.epoch_checkpoint import Checkpoint
from leadapron.training.fitting_batches import in_batches
from leadapron.training.image_batches import grey

AT_ONCE = 64
MOST_WATCHED = 1500
"""Validation images whose pairs are all compared after each epoch: a million pairs."""


@dataclass(frozen=True)
class Trained:
    """A network and the card that says what it is."""

    network: Network
    card: dict[str, Any]
    fitted: tuple[Fitting, ...] = ()
    """On whom it was trained."""


def check_cohort(cohort: Cohort) -> None:
    """There is somebody to train on and somebody to watch it on: before images are decoded."""
    who.of_split(cohort, "train")
    who.of_split(cohort, "validate")


def train_identity(
    pixels: Pixels,
    config: TrainingConfig,
    *,
    weights: Weights | None = None,
    work: Path | None = None,
    device: str = devices.AUTO,
    progress: Progress = silent,
) -> Trained:
    """Train on the split 'train', watch on 'validate'; test patients are not looked at.

    ``work`` keeps the last finished epoch, so that the same call goes on after a kill, also on another device.
    """
    place = devices.device(device)
    training, watched = who.of_split(pixels.cohort, "train"), who.of_split(pixels.cohort, "validate")
    with torch_threads(worker_count()):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed)
            loaded = load_backbone(config.backbone, weights or Weights())
            network = build_network(config.network, loaded, batch_norm=config.batch_norm).to(place)
        used = weights_card(loaded.weights)
        key = _key(pixels, config, used)
        if isinstance(network, FrozenNetwork):
            fit_frozen(network, pixels.images, training, seed=config.seed, key=key, work=work, progress=progress)
            history = [{"epoch": 0, **_validator(pixels.images, watched)(network)}]
        else:
            data = _data(pixels.images, training, watched, config)
            checkpoint = None if work is None else Checkpoint(work, key)
            history = run(network, data, config, checkpoint=checkpoint, progress=progress)
    card = {
        "kind": "identity network",
        "network": config.network,
        "backbone": {"name": config.backbone, "shape": dict(loaded.shape), "weights": used},
        "image_size": config.image_size,
        "dimension": WIDE + NARROW if isinstance(network, FrozenNetwork) else DIMENSION,
        "trained_on": {
            "cohort": pixels.cohort.name,
            "patients": len(training),
            "images": len(training.rows),
            "patients_with_one_image_left_out": training.left_out,
        },
        "validated_on": {"patients": len(watched), "images": len(watched.rows)},
        "settings": config.as_card(),
        "device": str(place),
        "history": history,
        "validation": history[-1] if config.patience is None else max(history, key=lambda epoch: epoch["auc"]),
        **network.score_card(),
    }
    # Validation patients decide which epoch is kept, where training may end early.
    seen = training.rows if config.patience is None else np.concatenate([training.rows, watched.rows])
    records = pixels.cohort.records
    backbone = Fitting("encoder", config.backbone, ELSEWHERE)
    return Trained(network, card, (backbone, fitted_to("encoder", f"{config.network} network", records[seen], records)))


def embeddings(network: Network, images: Bytes, *, progress: Progress = silent) -> Floats:
    """What the network makes of every image, in order."""
    network.eval()
    place = devices.device_of(network)
    done = 0

    def embedded(some: Bytes) -> Floats:
        nonlocal done
        made: Floats = network(grey(some).to(place)).cpu().numpy()
        done += len(some)
        progress("embedding images", done, len(images))
        return made

    with torch.inference_mode():
        return in_batches(embedded, images, AT_ONCE).astype(np.float32)


def scores_of(network: Network) -> Scores:
    """How two embeddings of this network are compared."""
    card = network.score_card()
    if not card:
        return cosine_scores
    said = cast(dict[str, Any], card["identity_score"])
    return weighted_l1_scores(np.array(said["weights"], dtype=np.float32), said["bias"])


def _validator(images: Bytes, watched: who.Patients) -> Callable[[Network], dict[str, float]]:
    """How well some of the validation patients are recognised."""
    few = np.arange(len(watched.rows)) < watched.starts[watched.starts <= MOST_WATCHED][-1]  # whole patients
    if not few.any():
        few[:] = True
    rows, owner = watched.rows[few], watched.owner[few]

    def validate(network: Network) -> dict[str, float]:
        found = recognition(embeddings(network, images[rows]), owner, scores_of(network))
        return {name: found[name] for name in ("auc", "precision_at_1")}

    return validate


def _data(images: Bytes, training: who.Patients, watched: who.Patients, config: TrainingConfig) -> Data:
    validate = _validator(images, watched)
    if config.network == "retrieval":
        size, each = config.patients_a_batch, config.images_a_patient
        return Data(images, partial(who.patient_batches, training, size, each), validate)
    positives, negatives = _pairs(training, config)

    def batches(rng: np.random.Generator) -> list[who.Batch]:
        others = negatives if config.pairs == "fixed" else who.negative_pairs(training, len(negatives), rng)
        return who.pair_batches(positives, others, config.pairs_a_batch, rng)

    return Data(images, batches, validate)


def _pairs(training: who.Patients, config: TrainingConfig) -> tuple[who.Rows, who.Rows]:
    """Positive pairs, all or as many as were asked for, and as many negatives."""
    rng = np.random.default_rng([config.seed, 1])
    positives = who.positive_pairs(training)
    if config.training_pairs is not None:
        chosen = rng.permutation(len(positives))[: config.training_pairs // 2]
        positives = positives[np.sort(chosen)]
    return positives, who.negative_pairs(training, len(positives), rng)


def _key(pixels: Pixels, config: TrainingConfig, used: object) -> str:
    """What a run depends on. One line of each image stands for it: all pixels may be many gigabytes.

    The device is not in it: a run that began on a GPU may go on without one, and its card names the last device.
    """
    digest = hashlib.sha256()
    records = pixels.cohort.records.select("record_id", "patient_id", "split")
    said = [config.as_card(), used, torch.__version__, records.rows()]
    digest.update(json.dumps(said, sort_keys=True, default=str).encode())
    digest.update(np.ascontiguousarray(pixels.images[:, pixels.images.shape[1] // 2]).tobytes())
    return digest.hexdigest()

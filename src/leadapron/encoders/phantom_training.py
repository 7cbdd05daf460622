"""Train the phantom clinic's dual encoders. Run as a module, it rebuilds those that ship with the package."""

from __future__ import annotations

import math
import time
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leadapron.cohort import FINDINGS
from leadapron.encoders.encoder import Bytes, Floats
from leadapron.encoders.phantom_network import CELL, STRIDES, WEIGHTS, bag, random_weights
from leadapron.engine import Progress, atomic_path, silent, terminal, worker_count
from leadapron.phantoms import Clinic, Dials, build_clinic

TRAINING_SEED = 20_000_101
"""The training clinic is one of its own: none of its patients is met again."""

PATIENTS = 4000
EPOCHS = 8
BATCH = 256
LEARNING_RATE = 2e-3
WARMTH = 0.07  # the temperature at the start


def label_words(clinic: Clinic) -> list[str]:
    """What an encoder that is trained on labels gets to read: the names of the findings that are there."""
    rows = clinic.cohort.labels() == 1
    return [", ".join(name for name, there in zip(FINDINGS, row, strict=True) if there) for row in rows]


def train(
    pixels: Bytes, texts: list[str], *, epochs: int = EPOCHS, seed: int = 0, progress: Progress = silent
) -> dict[str, Floats]:
    """Contrastive training (symmetric InfoNCE with a learned temperature) of both sides from random weights."""
    import torch
    from torch.nn import functional

    torch.manual_seed(seed)
    torch.set_num_threads(worker_count())
    weights = {name: torch.tensor(value, requires_grad=True) for name, value in random_weights(seed).items()}
    with torch.no_grad():
        weights["words.weight"] *= 0.1  # a word that was never read must not speak loudly
    log_scale = torch.tensor(-np.log(WARMTH), dtype=torch.float32, requires_grad=True)
    steps = epochs * (len(texts) // BATCH)
    optimiser = torch.optim.AdamW([*weights.values(), log_scale], lr=LEARNING_RATE, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: _rate(step / steps))
    rng = np.random.default_rng(seed)

    truth = torch.arange(BATCH)
    shuffled = (rows for _ in range(epochs) for rows in _whole_batches(rng.permutation(len(texts))))
    for step, rows in enumerate(shuffled, 1):
        image = _image_side(weights, torch.from_numpy(_shifted(pixels[rows], rng)))
        text = _text_side(weights, [texts[row] for row in rows])
        logits = image @ text.T * log_scale.exp()
        loss = functional.cross_entropy(logits, truth) + functional.cross_entropy(logits.T, truth)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
        progress("training the encoder", step, steps)
    return {name: value.detach().numpy() for name, value in weights.items()}


def _rate(done: float) -> float:
    """The learning rate over the run: a short rise, then half a cosine down to nothing."""
    return min(1.0, done / 0.1 + 0.05) * (1 + math.cos(math.pi * done)) / 2


def _whole_batches(order: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """An epoch's batches; the few left over are met in another epoch."""
    return np.split(order[: len(order) // BATCH * BATCH], len(order) // BATCH)


def _shifted(pixels: Bytes, rng: np.random.Generator) -> Bytes:
    """The batch moved by up to four pixels: the pose is not what is to be learned."""
    down, right = rng.integers(-4, 5, 2)
    return np.roll(pixels, (down, right), axis=(1, 2))


def _image_side(weights: dict[str, Any], pixels: Any) -> Any:  # noqa: ANN401
    """``phantom_network.image_features`` and its head in torch, with gradients."""
    import torch
    from torch.nn import functional

    values = functional.pixel_unshuffle(pixels[:, None].float() / 255 - 0.5, CELL)
    values = values.contiguous(memory_format=torch.channels_last)  # three times as fast on a CPU
    for layer, stride in enumerate(STRIDES):
        weight, bias = weights[f"conv{layer}.weight"], weights[f"conv{layer}.bias"]
        values = functional.relu(functional.conv2d(values, weight, bias, stride=stride, padding=1))
    values = functional.conv2d(values, weights["squeeze.weight"][:, :, None, None], weights["squeeze.bias"])
    features = functional.relu(functional.linear(values.flatten(1), weights["image.weight"], weights["image.bias"]))
    return functional.normalize(features @ weights["image_head.weight"].T)


def _text_side(weights: dict[str, Any], texts: list[str]) -> Any:  # noqa: ANN401
    """``phantom_network.text_features`` and its head in torch, with gradients."""
    import torch
    from torch.nn import functional

    buckets, starts = bag(texts)
    counts = torch.from_numpy(np.diff([*starts, len(buckets)])).float()
    total = functional.embedding_bag(
        torch.from_numpy(buckets), weights["words.weight"], torch.from_numpy(starts), mode="sum"
    )
    features = functional.linear(total / counts.sqrt()[:, None], weights["text.weight"], weights["text.bias"])
    return functional.normalize(functional.relu(features) @ weights["text_head.weight"].T)


def main() -> None:
    """Train the two encoders that ship, a few minutes on two cores, and write them in half precision."""
    from safetensors.numpy import save_file

    clinic = build_clinic(Dials(patients=PATIENTS, seed=TRAINING_SEED))
    with terminal() as progress:
        pixels = clinic.pixels(progress=progress).images
        for name, texts in (("labels", label_words(clinic)), ("reports", clinic.cohort.records["report"].to_list())):
            start = time.perf_counter()
            weights = train(pixels, texts, progress=partial(_renamed, progress, name))
            halves = {key: value.astype(np.float16) for key, value in weights.items()}
            with atomic_path(WEIGHTS / f"{name}.safetensors") as path:
                save_file(halves, path)
                path.chmod(0o644)  # as the rest of the package
            print(f"{name}: {len(texts):,} pairs, {EPOCHS} epochs, {time.perf_counter() - start:.0f} s")


def _renamed(progress: Progress, name: str, stage: str, done: int, total: int) -> None:
    progress(f"{stage} ({name})", done, total)


if __name__ == "__main__":
    main()

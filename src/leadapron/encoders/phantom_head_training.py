"""Train heads of BioViL-T's form on a phantom's features. Run as a module, it rebuilds those that ship."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from leadapron.encoders.encoder import Floats
from leadapron.encoders.phantom_biovil import load_networks, read, seen
from leadapron.encoders.phantom_network import DIMENSION, WEIGHTS
from leadapron.encoders.phantom_training import PATIENTS, TRAINING_SEED
from leadapron.engine import Progress, atomic_path, silent, terminal, worker_count
from leadapron.phantoms import Dials, build_clinic
from leadapron.release import Layer, Projection
from leadapron.release.heads import write_heads

SEED = TRAINING_SEED + 1
"""A clinic of its own: the backbones know the patients of theirs too well."""
EPOCHS = 15
BATCH = 256
TEMPERATURE = 0.1
LEARNING_RATE = 1e-3
IMAGES_AT_ONCE = 64


def train_heads(
    image: Floats, text: Floats, *, epochs: int = EPOCHS, seed: int = 0, progress: Progress = silent
) -> dict[str, Projection]:
    """Contrastive training (symmetric InfoNCE) from random weights; batch norm sees whole batches, as in BioViL-T."""
    import torch
    from torch.nn import functional

    torch.manual_seed(seed)
    sides = {"image": _image_side(image.shape[1]), "text": _text_side(text.shape[1])}
    parameters = [value for side in sides.values() for value in side.parameters()]
    optimiser = torch.optim.AdamW(parameters, lr=LEARNING_RATE, weight_decay=0.01)
    rng, truth = np.random.default_rng(seed), torch.arange(BATCH)
    each = len(image) // BATCH
    for step in range(epochs * each):
        if step % each == 0:
            order: NDArray[np.int64] = rng.permutation(len(image))
        rows = order[step % each * BATCH :][:BATCH]
        images, texts = (
            functional.normalize(side(torch.from_numpy(features[rows])))
            for side, features in zip(sides.values(), (image, text), strict=True)
        )
        logits = images @ texts.T / TEMPERATURE
        loss = functional.cross_entropy(logits, truth) + functional.cross_entropy(logits.T, truth)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        progress("training the heads", step + 1, epochs * each)
    return {name: Projection(tuple(map(_plain, side))) for name, side in sides.items()}


def _image_side(width: int) -> Any:  # noqa: ANN401
    from torch import nn

    return nn.Sequential(
        nn.Linear(width, DIMENSION, bias=False), nn.BatchNorm1d(DIMENSION), nn.ReLU(), nn.Linear(DIMENSION, DIMENSION)
    )


def _text_side(width: int) -> Any:  # noqa: ANN401
    from torch import nn

    return nn.Sequential(
        nn.Linear(width, DIMENSION), nn.GELU(), nn.LayerNorm(DIMENSION, eps=1e-12), nn.Linear(DIMENSION, DIMENSION)
    )


KINDS = {"Linear": "linear", "BatchNorm1d": "norm", "LayerNorm": "layernorm", "ReLU": "relu", "GELU": "gelu"}
GIVEN = {"running_mean": "mean", "running_var": "variance"}


def _plain(module: Any) -> Layer:  # noqa: ANN401
    """A layer of torch as plain data."""
    tensors = {
        GIVEN.get(name, name): value.numpy()
        for name, value in module.state_dict().items()
        if name != "num_batches_tracked"
    }
    if hasattr(module, "eps"):
        tensors["eps"] = np.array(module.eps, dtype=np.float32)
    return Layer(KINDS[type(module).__name__], tensors)


def main() -> None:
    """Train the heads that ship; the backbones have to be there already."""
    import torch

    torch.set_num_threads(worker_count())
    clinic = build_clinic(Dials(patients=PATIENTS, seed=SEED))
    networks, texts = load_networks(), clinic.cohort.records["report"].to_list()
    with terminal() as progress:
        pixels = clinic.pixels(progress=progress).images
        starts = range(0, len(pixels), IMAGES_AT_ONCE)
        image = np.concatenate([seen(networks, pixels[start : start + IMAGES_AT_ONCE]) for start in starts])
        heads = train_heads(image, read(networks, texts), progress=progress)
    with atomic_path(WEIGHTS / "biovil-heads.safetensors") as path:
        write_heads(path, heads)
        path.chmod(0o644)  # as the rest of the package
    print(f"biovil-heads: {len(texts):,} pairs, {EPOCHS} epochs")


if __name__ == "__main__":
    main()

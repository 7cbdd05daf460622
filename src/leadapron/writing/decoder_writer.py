"""The small writer: a frozen encoder looks at the image, and two layers of a transformer write. Minutes of CPU.

A network that learns to see and to write at once from some thousand pairs collapses to a handful of reports; with a
frozen encoder it does not.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leadapron.engine import Progress, silent
from leadapron.engine.extras import Tensor, need, torch_threads
from leadapron.training.devices import device as find_device
from leadapron.writing.decoder_folder import read_decoder, save_decoder
from leadapron.writing.image_memory import Floats, ImageMemory
from leadapron.writing.report_tokens import END, PAD, START, Vocabulary
from leadapron.writing.small_decoder import PURPOSE, DecoderWriter
from leadapron.writing.writer import SAVED, Pairs, Trained, Writer, WriterSettings, WriterSpec

STEPS, BATCH, LONGEST = 600, 32, 256
"""Steps of a training, unless epochs are asked for: what many pairs need, few pairs get as well."""
LOW, HIGH, DECAY = 1e-4, 3e-3, 1e-2
SORTED = 8
"""Batches whose pairs are sorted by length together, so that little of a batch is padding."""


@dataclass(frozen=True)
class DecoderTrainer:
    """``start`` is a writer from which every training goes on, by itself; without one it begins with nothing."""

    memory: ImageMemory
    settings: WriterSettings
    start: DecoderWriter | None = None

    def untrained(self) -> Writer | None:
        """Without a start it knows no word before it has learnt."""
        return self.start

    def train(self, pairs: Pairs, *, seed: int, checkpoint: Path | None = None, progress: Progress = silent) -> Trained:
        torch = need("torch", PURPOSE)
        from leadapron.writing.decoder_network import Decoder

        start = self.start
        longest = start.network.longest if start else self.settings.longest or LONGEST
        features = self.memory.features(pairs.images, progress=progress)
        centre, scale = (start.centre, start.scale) if start else _spread(features)
        vocabulary = Vocabulary.of(pairs.reports, start.vocabulary.words if start else ())
        words = [[START, *vocabulary.numbers(report), END] for report in pairs.reports]
        cut = sum(len(report) > longest + 1 for report in words)
        words = [report[: longest + 1] for report in words]
        with torch_threads(1), torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            network = Decoder(features.shape[1], len(vocabulary), longest).to(find_device(self.settings.device))
            if start:
                network.begin_with(start.network.state_dict())
            rows = (features - centre) / scale
            epochs = fit_decoder(network, rows, words, self.settings, seed=seed, work=checkpoint, progress=progress)
        writer = DecoderWriter(self.memory, network, vocabulary, centre, scale)
        if checkpoint is not None:
            save_decoder(checkpoint / SAVED, writer)
        return Trained(writer, cut, longest, (f"The decoder learnt for {epochs} epochs.",))


def _spread(features: Floats) -> tuple[Floats, Floats]:
    """The mean of every feature, and its standard deviation where it has one."""
    scale = features.std(axis=0)
    return features.mean(axis=0), np.where(scale > 0, scale, 1).astype(np.float32)


def fit_decoder(
    network: Any,  # noqa: ANN401 (a network)
    features: Floats,
    words: Sequence[list[int]],
    settings: WriterSettings,
    *,
    seed: int,
    work: Path | None,
    progress: Progress,
) -> int:
    """Trains in place; how many epochs it took. A run that was kept in ``work`` goes on there."""
    torch = need("torch", PURPOSE)
    from leadapron.training.epoch_checkpoint import Checkpoint
    from leadapron.training.training_loop import Course, fit
    from leadapron.writing.decoder_network import Loss

    size = min(settings.batch or BATCH, len(words))
    epochs = settings.epochs or math.ceil(STEPS / math.ceil(len(words) / size))
    high = settings.learning_rate or HIGH
    optimiser = torch.optim.AdamW(network.parameters(), lr=LOW, weight_decay=DECAY)
    loss_of = Loss(network)

    def batch(rows: NDArray[np.int64]) -> tuple[Tensor, Tensor]:
        return torch.from_numpy(features[rows]), torch.from_numpy(_padded([words[row] for row in rows]))

    def begin(epoch: int) -> list[partial[tuple[Tensor, Tensor]]]:
        torch.manual_seed(int(np.random.default_rng([seed, epoch, 1]).integers(2**62)))
        return [partial(batch, rows) for rows in batches(words, size, np.random.default_rng([seed, epoch]))]

    def step(seen: Tensor, said: Tensor) -> float:
        optimiser.zero_grad()
        counted, total = int((said[:, 1:] != PAD).sum()), 0.0
        for few, some in zip(*(one.chunk(settings.accumulate or 1) for one in (seen, said)), strict=True):
            loss = loss_of(few, some, counted)
            loss.backward()
            total += float(loss.item())
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        return total

    def course() -> Course:
        return Course("training the decoder", epochs, min(LOW, high), high, optimiser, begin, step)

    kept = None if work is None else Checkpoint(work, _key(network, features, words, settings, seed))
    fit(network, [course], checkpoint=kept, progress=progress)
    return epochs


def batches(words: Sequence[list[int]], size: int, rng: np.random.Generator) -> list[NDArray[np.int64]]:
    """Every pair once, in batches of reports of about the same length."""
    order, lengths = rng.permutation(len(words)), np.array([len(report) for report in words])
    found = []
    for start in range(0, len(order), SORTED * size):
        some = order[start : start + SORTED * size]
        some = some[np.argsort(lengths[some], kind="stable")]
        found += [some[at : at + size] for at in range(0, len(some), size)]
    return [found[at] for at in rng.permutation(len(found))]


def _padded(words: list[list[int]]) -> NDArray[np.int64]:
    rows = np.full((len(words), max(map(len, words))), PAD, dtype=np.int64)
    for row, report in zip(rows, words, strict=True):
        row[: len(report)] = report
    return rows


def _key(network: Any, features: Floats, words: Sequence[list[int]], settings: WriterSettings, seed: int) -> str:  # noqa: ANN401
    """What the weights depend on; the device is not part of it."""
    digest = hashlib.sha256(np.ascontiguousarray(features).tobytes())
    for weight in network.state_dict().values():
        digest.update(weight.cpu().numpy().tobytes())
    digest.update(json.dumps([list(words), seed, settings.model_dump(exclude={"device"})]).encode())
    return digest.hexdigest()


def _open(_name: str, settings: WriterSettings) -> DecoderTrainer:
    find_device(settings.device)
    return DecoderTrainer(ImageMemory(settings.encoder, settings.device), settings)


def open_decoder(folder: Path, settings: WriterSettings) -> DecoderTrainer:
    """A trainer that goes on from the writer in this folder."""
    start = read_decoder(folder, settings)
    return DecoderTrainer(start.memory, settings, start)


DECODER = WriterSpec("a frozen encoder and a small transformer that writes; a minute or two of CPU", _open)

"""Fine-tuning of a vision-language model by LoRA: the loss is of the report's words alone, batches are computed in
parts, and a kill costs at most ``EVERY`` steps and changes nothing: each step has a seed of its own."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from leadapron.engine import Progress, silent
from leadapron.engine.extras import Tensor, need
from leadapron.errors import DataError
from leadapron.writing.adapted_model import ALPHA, DROPOUT, RANK, AdaptedModel, Adapter
from leadapron.writing.model_inputs import EXTRA, NOT_LEARNT, PURPOSE, tokens
from leadapron.writing.writer import Pairs

EVERY = 20
STEEPEST = 1.0
"""The length to which a longer gradient is cut."""


@dataclass(frozen=True)
class LoraCourse:
    """How much and how fast is learnt, as published; the rates do not change from step to step."""

    epochs: int = 3
    batch: int = 36
    parts: int | None = None
    """In how many parts a batch is computed; None is one pair at a time."""
    words_rate: float = 1e-5
    bridge_rate: float = 1e-5
    vision_rate: float = 1e-4
    longest: int = 256


@dataclass(frozen=True)
class Told:
    """Reports as tokens, each with the one that ends it unless it was cut."""

    reports: list[list[int]]
    cut: int


def told(model: AdaptedModel, reports: Sequence[str], longest: int) -> Told:
    """A report of more than ``longest`` tokens is cut there, and then it does not end."""
    end = model.model.inputs.end
    rows = [tokens(model.model.tokenizer, report.strip()) for report in reports]
    ended = [[*row, end] if len(row) <= longest else row[:longest] for row in rows]
    return Told(ended, sum(len(row) > longest for row in rows))


def fit_adapter(
    model: AdaptedModel,
    pairs: Pairs,
    start: Adapter,
    course: LoraCourse,
    *,
    seed: int,
    checkpoint: Path | None = None,
    progress: Progress = silent,
) -> tuple[Adapter, int]:
    """What the pairs teach, from ``start`` on, and how many of their reports were cut."""
    from leadapron.training.epoch_checkpoint import Checkpoint

    torch = need("torch", PURPOSE, EXTRA)
    taught = told(model, pairs.reports, course.longest)
    model.wear(start)
    optimiser = torch.optim.AdamW(
        model.groups(words=course.words_rate, bridge=course.bridge_rate, vision=course.vision_rate), weight_decay=0.0
    )
    kept = Checkpoint(checkpoint, _key(model, pairs, start, course, seed)) if checkpoint is not None else None
    state = kept.read() if kept is not None else None
    done = 0
    if state is not None:
        done = state["done"]
        model.wear(state["learnt"])
        optimiser.load_state_dict(state["optimiser"])
    a_pass = -(-len(pairs) // course.batch)
    total = a_pass * course.epochs
    model.peft.train()
    try:
        for step in range(done, total):
            order = np.random.default_rng([seed, step // a_pass]).permutation(len(pairs))
            rows = order[step % a_pass * course.batch :][: course.batch]
            _step(model, pairs, taught.reports, rows, course.parts or len(rows), _number(seed, step))
            _check_finite(torch.nn.utils.clip_grad_norm_(model.learnt.values(), STEEPEST), model)
            optimiser.step()
            optimiser.zero_grad()
            progress("fine-tuning", step + 1, total)
            if kept is not None and ((step + 1) % EVERY == 0 or step + 1 == total):
                kept.keep({"done": step + 1, "learnt": model.taken(), "optimiser": optimiser.state_dict()})
    finally:
        optimiser.zero_grad()
        model.peft.eval()
    return model.taken(), taught.cut


def _step(
    model: AdaptedModel, pairs: Pairs, reports: list[list[int]], rows: NDArray[np.integer], parts: int, seed: int
) -> None:
    """The gradient of the mean loss of all words in a batch, in however many parts it is computed."""
    torch = need("torch", PURPOSE, EXTRA)
    place = model.model.device
    words = sum(len(reports[row]) for row in rows)
    with torch.random.fork_rng(devices=[place] if place.type == "cuda" else []):
        torch.manual_seed(seed)
        for part in np.array_split(rows, min(parts, len(rows))):
            lesson = model.model.inputs.lesson(pairs.images[part], [reports[row] for row in part])
            logits = model.model.logits(lesson.inputs)
            targets = lesson.targets.to(place)
            loss = torch.nn.functional.cross_entropy(
                logits.flatten(0, 1), targets.flatten(), ignore_index=NOT_LEARNT, reduction="sum"
            )
            _check_finite(loss, model)
            (loss / words).backward()


def _check_finite(value: Tensor, model: AdaptedModel) -> None:
    if not bool(value.isfinite()):
        what, fix = "fine-tuning diverged: its numbers are no longer finite", "Choose a smaller --learning-rate."
        raise DataError(what, where=model.model.folder, fix=fix)


def _number(seed: int, step: int) -> int:
    return int.from_bytes(hashlib.sha256(f"{seed} {step}".encode()).digest()[:7])


def _key(model: AdaptedModel, pairs: Pairs, start: Adapter, course: LoraCourse, seed: int) -> str:
    """What the weights depend on; the device is not part of it, nor in how many parts a batch is computed."""
    said = {
        **asdict(course),
        "parts": None,
        "seed": seed,
        "lora": [RANK, ALPHA, DROPOUT],
        "model": model.model.fingerprint,
    }
    digest = hashlib.sha256(json.dumps(said).encode())
    digest.update(np.ascontiguousarray(pairs.images).tobytes())
    digest.update(json.dumps([pairs.images.shape, pairs.reports]).encode())
    for name, value in sorted(start.items()):
        digest.update(name.encode() + value.numpy().tobytes())
    return digest.hexdigest()

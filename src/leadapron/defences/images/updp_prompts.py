"""From images and their reports to prompts: start, align, project or search, score; a kill costs one block."""

from __future__ import annotations

import hashlib
import tempfile
import zlib
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from leadapron.cohort import LABEL_COLUMNS
from leadapron.cohort.image_set import ImageSet, digest
from leadapron.defences.defence import settings_of
from leadapron.defences.images.updp_alignment import align
from leadapron.defences.images.updp_config import UpdpConfig
from leadapron.defences.images.updp_lists import BLACKLIST, WHITELIST, banned_tokens, read_list, wanted_tokens
from leadapron.defences.images.updp_projection import Choice, Constrained
from leadapron.defences.images.updp_rivals import mma, steps
from leadapron.defences.images.updp_space import Space, space_of
from leadapron.defences.images.updp_text_side import NOTHING, Doubles, Floats, Ints, movable, padded
from leadapron.encoders.prompts import prompts as finding_prompts
from leadapron.engine import Progress, run_blocks
from leadapron.errors import ConfigError, DataError
from leadapron.reports.identifiers.lexicon import lexicon

BLOCK = 32
RANDOM_LENGTH = 32
"""Tokens of a random start, unless a length is asked for."""


@dataclass(frozen=True)
class Prompts:
    """A prompt a record; empty where there was nothing to start from.

    Cosines with the image, which the paper calls a score: of the start, of the optimised vectors before they become
    tokens, and of the prompt. ``kept`` is the share of a start's tokens that are the prompt's, place by place.
    """

    texts: list[str]
    starts: list[str]
    start: Doubles
    vectors: Doubles
    end: Doubles
    kept: Doubles
    cut: int
    """Starts that were longer than the encoder reads."""
    banned: int
    wanted: int


@dataclass(frozen=True)
class _Task:
    space: Space
    projection: Constrained
    tokens: Ints
    records: list[str]
    config: UpdpConfig


def optimised_prompts(images: ImageSet, config: UpdpConfig, progress: Progress) -> Prompts:
    """The prompts of a set of images whose reports are as ``config.order`` wants them."""
    black, white = read_list(config.blacklist, BLACKLIST), read_list(config.whitelist, WHITELIST)
    if config.ban_names:
        black = (*black, *sorted(lexicon().names))
    if config.whitelist_mode == "hard" and not white:
        raise ConfigError("the whitelist is empty, and no other token is allowed", where="--whitelist-mode hard")
    texts = _starts(images, config)
    space = space_of(images, texts, config, progress)
    banned = banned_tokens(space.side, black, pieces=config.ban_pieces, numbers=config.ban_numbers)
    wanted = wanted_tokens(space.side, white)
    choice = Choice(config.whitelist_mode, config.top, config.promotion, config.temperature)
    projection = Constrained(space.side, banned, wanted, choice)
    if not projection.allowed.any():
        raise ConfigError(
            "the lists leave no token",
            where=f"--blacklist, --whitelist-mode {config.whitelist_mode}",
            got=f"{len(space.side.tokens):,} tokens, {len(banned):,} banned, {len(wanted):,} whitelisted",
            fix="Take terms from the blacklist, or use `--whitelist-mode soft`.",
        )
    records = images.records["record_id"].to_list()
    tokens, cut = _tokens(texts, records, space, projection, config)
    task = _Task(space, projection, tokens, records, config)
    key = {"settings": settings_of(config), "images": digest(images.images), "tokens": _hash(tokens)}
    key |= {"allowed": _hash(projection.allowed), "wanted": _hash(wanted), "table": _hash(space.side.table)}
    with ExitStack() as stack:
        work = config.work / "prompts" if config.work else Path(stack.enter_context(tempfile.TemporaryDirectory()))
        found = run_blocks(
            work, len(tokens), BLOCK, lambda rows: prompt_block(task, rows), key=key, stage="optimising prompts",
            progress=progress,
        )  # fmt: skip
        ends, vectors = np.array(found["tokens"], dtype=np.int64), np.array(found["vectors"], dtype=np.float64)
    written = [space.side.write(line[line != NOTHING].tolist()) for line in ends]
    starts = [space.side.write(line[line != NOTHING].tolist()) for line in tokens]
    used = movable(space.side, tokens)
    kept = ((ends == tokens) & used).sum(axis=1) / np.maximum(used.sum(axis=1), 1)
    return Prompts(
        written,
        starts,
        space.cosines(starts, space.images),
        vectors,
        space.cosines(written, space.images),
        kept,
        cut,
        len(banned),
        len(wanted),
    )


def _starts(images: ImageSet, config: UpdpConfig) -> list[str]:
    reports = images.records["report"]
    if config.start == "report" and reports.null_count() == len(images):
        raise DataError("no record has a report, and the search starts from reports", where=images.where)
    if config.start != "labels":
        return [report or "" for report in reports]
    present = finding_prompts()[::2]
    labels = images.records.select(LABEL_COLUMNS).iter_rows()
    return [" ".join(text for text, label in zip(present, row, strict=True) if label == 1) for row in labels]


def _tokens(
    texts: list[str], records: list[str], space: Space, projection: Constrained, config: UpdpConfig
) -> tuple[Ints, int]:
    longest = min(config.length or space.side.longest, space.side.longest)
    if config.start == "random":
        allowed, length = np.flatnonzero(projection.allowed), min(config.length or RANDOM_LENGTH, longest)
        lines = [_rng(config, record).choice(allowed, length).tolist() for record in records]
        return padded(lines, length), 0
    lines = [space.side.read(text) for text in texts]
    cut = sum(len(line) > space.side.longest for line in lines)
    lines = [line[:longest] for line in lines]
    if config.length:  # a start that is too short is said again, until it is as long as was asked for
        lines = [(line * (1 + longest // max(len(line), 1)))[:longest] for line in lines]
    return padded(lines), cut


def prompt_block(task: _Task, rows: slice) -> dict[str, NDArray[np.generic]]:
    config, tokens, images = task.config, task.tokens[rows], task.space.images[rows]
    side, projection = task.space.side, task.projection
    seeds = [_seed(config, record) for record in task.records[rows]]
    rounds = config.iterations
    width = max(1, int((tokens != NOTHING).sum(axis=1).max()))
    aligned = align(side, tokens[:, :width], images, rate=config.rate, iterations=rounds if _is_updp(config) else 0)
    ends = np.full_like(tokens, NOTHING)
    for row, line in enumerate(tokens[:, :width]):
        ends[row, :width] = projection.tokens(aligned.vectors[row], line, seeds[row])
        used = ends[row] != NOTHING
        if not _is_updp(config) and movable(side, line).any() and rounds:
            ends[row, used] = _searched(task, ends[row, used], images[row], seeds[row])
    return {"tokens": ends, "vectors": aligned.after}


def _searched(task: _Task, line: Ints, image: Floats, seed: list[int]) -> Ints:
    space, rounds = task.space, task.config.iterations

    def score(texts: list[str]) -> Doubles:
        return space.cosines(texts, image[None])

    if task.config.search == "steps":
        return steps(space.side, task.projection, line, score, rounds=rounds, seed=seed)
    return mma(space.side, task.projection, line, image, score, rounds=rounds, seed=seed)


def _is_updp(config: UpdpConfig) -> bool:
    return config.search == "updp"


def _seed(config: UpdpConfig, record: str) -> list[int]:
    """Of the record and not of its row: a cohort in another order gets the same prompts."""
    return [config.seed, zlib.crc32(record.encode())]


def _rng(config: UpdpConfig, record: str) -> np.random.Generator:
    return np.random.default_rng([*_seed(config, record), 1])


def _hash(array: NDArray[np.generic]) -> str:
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()

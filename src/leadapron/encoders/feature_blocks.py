"""What backbones say of images and texts, a block of rows at a time: here, or in processes that load the encoder anew.

Those are told names of files and numbers of rows; images and reports reach them as files only.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from leadapron.encoders.encoder import Bytes, Encoder, EncoderSpec, Floats, Weights
from leadapron.encoders.encoder_registry import find_encoder
from leadapron.encoders.fingerprint import weights_card
from leadapron.engine import Progress, run_blocks
from leadapron.engine.blocks import DealtOut, rows_of
from leadapron.engine.executors import Executor
from leadapron.engine.once import write_once
from leadapron.engine.ours import claim
from leadapron.engine.pieces import Made, Make, Plain, Recipe
from leadapron.engine.private import private_folder
from leadapron.errors import ConfigError
from leadapron.training.fitting_batches import in_batches

CHECKPOINT_ROWS = 512
MOST_AT_ONCE = 64
MEMORY_ASSUMED = 4 * 2**30
FEATURES = "features"


@dataclass(frozen=True)
class FeatureBlocks:
    """An encoder at work: the hashes of its weights, how it was loaded, the place for its blocks, who computes them."""

    name: str
    spec: EncoderSpec
    encoder: Encoder
    weights: Mapping[str, str]
    loaded_from: Weights
    work: Path
    executor: Executor
    progress: Progress

    @property
    def key(self) -> dict[str, Plain]:
        """The device is not in it: what was encoded on a GPU need not be encoded again without one."""
        return {"encoder": self.name, "weights": dict(self.weights)}

    def of_images(self, images: Bytes, kept: NDArray[np.int64]) -> Floats:
        batch = batch_size(self.spec.image_size)

        def rows(at: slice) -> Bytes:
            return images[kept[at]]  # a block at a time: all of them may be more than the memory holds

        def block(at: slice) -> dict[str, Floats]:
            return {FEATURES: in_batches(self.encoder.image_backbone, rows(at), batch)}

        file = _file_of(images)
        recipe = None if file is None else self.recipe("images_elsewhere", file=file, batch=batch)
        blocks = DealtOut(block, self.executor, recipe, lambda at: {"kept": kept[at].tolist()} if recipe else {})
        return self._run("encoding images", len(kept), blocks, {"pixels": _hash_in_blocks(rows, len(kept))})

    def of_texts(self, texts: list[str]) -> Floats:
        batch = batch_size(self.spec.image_size)

        def block(at: slice) -> dict[str, Floats]:
            return {FEATURES: in_batches(self.encoder.text_backbone, texts[at], batch)}

        digest = hashlib.sha256("\0".join(texts).encode()).hexdigest()
        file = private_folder(self.work) / f"texts-{digest[:16]}.json"
        claim(self.work, file.name, scratch=True)
        write_once(file, lambda stream: stream.write(json.dumps(texts).encode()))
        recipe = self.recipe("texts_elsewhere", file=str(file.absolute()), batch=batch)
        blocks = DealtOut(block, self.executor, recipe)
        return self._run("encoding reports", len(texts), blocks, {"texts": digest})

    def _run(self, stage: str, rows: int, blocks: DealtOut, of: Mapping[str, Plain]) -> Floats:
        key = {**self.key, **of, "stage": stage}
        arrays = run_blocks(self.work, rows, CHECKPOINT_ROWS, blocks, key=key, stage=stage, progress=self.progress)
        return cast(Floats, arrays[FEATURES])

    def recipe(self, maker: str, **more: Plain) -> Recipe:
        folder = self.loaded_from.folder
        return Recipe(
            f"{__name__}:{maker}",
            {
                **more,
                **self.key,
                "image_size": self.spec.image_size,
                "folder": None if folder is None else str(folder.absolute()),
                "allow_download": self.loaded_from.allow_download,
                "device": self.loaded_from.device,
            },
        )


def images_elsewhere(config: Mapping[str, Any]) -> Make:
    images, encoder = np.load(config["file"], mmap_mode="r"), _load(config)

    def make(needs: Sequence[Plain]) -> Iterator[Made]:
        for one in cast(Sequence[Mapping[str, Any]], needs):
            yield {FEATURES: in_batches(encoder.image_backbone, images[one["kept"]], config["batch"])}

    return make


def texts_elsewhere(config: Mapping[str, Any]) -> Make:
    texts, encoder = json.loads(Path(config["file"]).read_text()), _load(config)

    def make(needs: Sequence[Plain]) -> Iterator[Made]:
        for one in needs:
            yield {FEATURES: in_batches(encoder.text_backbone, texts[rows_of(one)], config["batch"])}

    return make


def _load(config: Mapping[str, Any]) -> Encoder:
    """The encoder that the work was begun with; one with other weights is refused."""
    name, folder = config["encoder"], config["folder"]
    spec = find_encoder(name).shown(config["image_size"], name)
    encoder = spec.load(Weights(folder and Path(folder), config["allow_download"], config["device"]))
    found = {model: entry["sha256"] for model, entry in weights_card(encoder.weights).items()}
    if found != config["weights"]:
        raise ConfigError(f"the weights of {name} are not those that the work was begun with", where=folder, got=found)
    return encoder


def _file_of(images: Bytes) -> str | None:
    """Where other processes find the images; nowhere, if they are in memory alone, or are a part of a file."""
    file = getattr(images, "filename", None)
    if file is None or np.load(file, mmap_mode="r").shape != images.shape:
        return None
    return str(Path(file).absolute())


def _hash_in_blocks(images: Callable[[slice], Bytes], rows: int) -> str:
    digest = hashlib.sha256()
    for start in range(0, rows, CHECKPOINT_ROWS):
        digest.update(images(slice(start, start + CHECKPOINT_ROWS)).data)
    return digest.hexdigest()


def batch_size(image_size: int) -> int:
    """As many images at once as fit into a quarter of the free memory, 64 at most; on a card fewer, if it is full.

    An image's activations in a ResNet-50 take about 60 times the space of its three input channels.
    """
    known = "SC_AVPHYS_PAGES" in os.sysconf_names  # not every system says what is free
    free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if known else MEMORY_ASSUMED
    return int(np.clip(free / 4 / (60 * 3 * 4 * image_size**2), 1, MOST_AT_ONCE))

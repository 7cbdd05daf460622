"""A small decoder as a folder: its weights, its words, and the encoder that it sees through."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from leadapron.engine import atomic_folder, sha256
from leadapron.engine.documents import Document, parse
from leadapron.engine.extras import need
from leadapron.errors import ConfigError, DataError
from leadapron.training.devices import device as find_device
from leadapron.writing.image_memory import ImageMemory
from leadapron.writing.report_tokens import Vocabulary
from leadapron.writing.small_decoder import PURPOSE, DecoderWriter
from leadapron.writing.writer import WriterSettings

CARD, WEIGHTS = "decoder.json", "decoder.npz"
CENTRE, SCALE = "of features: centre", "of features: scale"
AGAIN = "Save the writer again."


class DecoderCard(Document):
    """``weights`` is the hash of their file."""

    format: int = 1
    encoder: str
    longest: int
    words: tuple[str, ...]
    weights: str


def is_decoder(folder: Path) -> bool:
    return (folder / CARD).is_file()


def save_decoder(folder: Path, writer: DecoderWriter) -> None:
    """For its owner alone: a model may recite what it has learnt from."""
    with atomic_folder(folder, overwrite=True, private=True) as partial:
        arrays: dict[str, Any] = {CENTRE: writer.centre, SCALE: writer.scale}
        arrays |= {name: weight.cpu().numpy() for name, weight in writer.network.state_dict().items()}
        np.savez(partial / WEIGHTS, **arrays)
        card = DecoderCard(
            encoder=writer.memory.encoder,
            longest=writer.network.longest,
            words=writer.vocabulary.words,
            weights=sha256(partial / WEIGHTS),
        )
        (partial / CARD).write_text(card.model_dump_json(indent=1), encoding="utf-8")


def read_decoder(folder: Path, settings: WriterSettings) -> DecoderWriter:
    """The writer in this folder, if it is whole and the settings are not of another one."""
    torch = need("torch", PURPOSE)
    from leadapron.writing.decoder_network import Decoder

    try:
        card = parse((folder / CARD).read_text("utf-8"), DecoderCard, folder / CARD, fix=AGAIN, of_format=1)
    except (OSError, UnicodeError) as error:
        raise DataError("the card cannot be read", where=folder / CARD, fix=AGAIN) from error
    for name in ("encoder", "longest"):
        wanted, its = getattr(settings, name), getattr(card, name)
        if wanted not in (None, its):
            what = f"the writer in this folder has another {name}"
            raise ConfigError(what, where=f"--{name}", got=wanted, allowed=its)
    if not (folder / WEIGHTS).is_file() or sha256(folder / WEIGHTS) != card.weights:
        what = "the weights are missing, or not the ones that were written"
        raise DataError(what, where=folder / WEIGHTS, fix=AGAIN)
    with np.load(folder / WEIGHTS, allow_pickle=False) as file:
        weights = {name: file[name] for name in file.files}
    centre, scale = weights.pop(CENTRE), weights.pop(SCALE)
    memory, vocabulary = ImageMemory(card.encoder, settings.device), Vocabulary(card.words)
    network = Decoder(len(centre), len(vocabulary), card.longest).to(find_device(settings.device))
    network.load_state_dict({name: torch.from_numpy(weight) for name, weight in weights.items()})
    return DecoderWriter(memory, network.eval(), vocabulary, centre, scale)

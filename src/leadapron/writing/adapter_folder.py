"""What a writer has learnt, as a folder: the files of peft, and a card that says of which model it is."""

from __future__ import annotations

from pathlib import Path

from leadapron.encoders.tensors import read_tensors, reading_checkpoint
from leadapron.engine import atomic_folder, sha256
from leadapron.engine.documents import Document, parse
from leadapron.engine.extras import need
from leadapron.errors import DataError
from leadapron.writing.adapted_model import AdaptedModel, Adapter
from leadapron.writing.model_inputs import EXTRA, PURPOSE
from leadapron.writing.vision_language_model import load_model

CARD, WEIGHTS = "writer.json", "adapter_model.safetensors"
AGAIN = "Save the writer again."


class WriterCard(Document):
    """``weights`` is the hash of the adapter; there is none where the writer has learnt nothing."""

    format: int = 1
    base: str
    base_sha256: str
    weights: str | None


def is_adapter(folder: Path) -> bool:
    return (folder / CARD).is_file()


def save_adapter(folder: Path, model: AdaptedModel, adapter: Adapter | None, *, overwrite: bool = False) -> None:
    """For its owner alone: a model may recite what it has learnt from."""
    safetensors = need("safetensors.torch", PURPOSE, EXTRA)
    base = model.model.folder.resolve()
    with atomic_folder(folder, overwrite=overwrite, private=True) as partial:
        weights = None
        if adapter is not None:
            safetensors.save_file(model.published(adapter), partial / WEIGHTS, metadata={"format": "pt"})
            model.peft.peft_config["default"].save_pretrained(partial)
            weights = sha256(partial / WEIGHTS)
        card = WriterCard(base=str(base), base_sha256=model.model.fingerprint, weights=weights)
        (partial / CARD).write_text(card.model_dump_json(indent=1))


def read_adapter(folder: Path, device: str) -> tuple[AdaptedModel, Adapter | None]:
    """The model that the card names, if it is still the same, and what was learnt for it."""
    try:
        card = parse((folder / CARD).read_text("utf-8"), WriterCard, folder / CARD, fix=AGAIN, of_format=1)
    except (OSError, UnicodeError) as error:
        raise DataError("the card cannot be read", where=folder / CARD, fix=AGAIN) from error
    base = Path(card.base)
    if not base.is_dir():
        fix = f"Put the model back there, or change `base` in {CARD} to where it lies."
        what = "the model that this writer was learnt for is not there"
        raise DataError(what, where=folder / CARD, got=card.base, fix=fix)
    loaded = load_model(base, device)
    if loaded.fingerprint != card.base_sha256:
        raise DataError("this writer was learnt for another model than the one that lies there now", where=base)
    model = AdaptedModel(loaded)
    if card.weights is None:
        return model, None
    if not (folder / WEIGHTS).is_file() or sha256(folder / WEIGHTS) != card.weights:
        raise DataError("the adapter is missing, or not the one that was written", where=folder / WEIGHTS, fix=AGAIN)
    with reading_checkpoint(folder / WEIGHTS):
        return model, model.accept(read_tensors(folder / WEIGHTS))

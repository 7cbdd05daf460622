"""Is this the folder of a vision-language model that can be loaded without trust? If not: why not, in words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from leadapron.errors import DataError

KINDS = {"qwen2_5_vl": "Qwen2.5-VL", "gemma3": "Gemma 3", "vision-encoder-decoder": "VisionEncoderDecoderModel"}
"""What transformers calls it in ``config.json``, and what people call it."""
WITH_CODE = ("config.json", "tokenizer_config.json", "preprocessor_config.json", "processor_config.json")
"""Files that may ask for code that lies beside them."""
TOKENIZERS = (("tokenizer.json",), ("vocab.json", "merges.txt"), ("vocab.txt",), ("tokenizer.model",))
"""The vocabulary in one of the forms in which it is published, and the files of each. Without them transformers makes
one up, of a single word."""
IMAGE_SIZES = ("preprocessor_config.json", "processor_config.json")
PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt")
NO_CODE = "Only the models that transformers itself brings along are run."
SAFE = "Save it again with `model.save_pretrained(folder)`."


def kind_of(folder: Path) -> str:
    """Which of ``KINDS`` it is. All its parts are there, the weights as safetensors, and none asks for its own code."""
    if not folder.is_dir():
        raise DataError("there is no folder of a vision-language model", where=folder)
    if not (folder / "config.json").is_file():
        fix = "Give the folder that `save_pretrained` has written, or that of a writer."
        raise DataError("the folder holds no vision-language model: it lacks config.json", where=folder, fix=fix)
    kind = _read(folder / "config.json").get("model_type")
    for name in WITH_CODE:
        if (folder / name).is_file() and "auto_map" in _read(folder / name):
            what = f"the model {kind!r} wants to run code of its own"
            raise DataError(what, where=folder / name, allowed=", ".join(KINDS.values()), fix=NO_CODE)
    if kind not in KINDS:
        what, allowed = "this is no model that writes from images, of those that are known", ", ".join(KINDS)
        raise DataError(what, where=folder / "config.json", got=kind, allowed=allowed, fix=NO_CODE)
    _check_weights(folder)
    if not any(all((folder / name).is_file() for name in names) for names in TOKENIZERS):
        allowed = " or ".join(" + ".join(names) for names in TOKENIZERS)
        raise DataError("the model lacks its tokenizer", where=folder, allowed=allowed)
    if not any((folder / name).is_file() for name in IMAGE_SIZES):
        allowed = " or ".join(IMAGE_SIZES)
        raise DataError("the model does not say how it wants its images", where=folder, allowed=allowed)
    return str(kind)


def _check_weights(folder: Path) -> None:
    if list(folder.glob("*.safetensors")):
        return
    if pickles := sorted(file.name for end in PICKLES for file in folder.glob(end)):
        what = "the weights are a pickle, which could run code when it is read"
        raise DataError(what, where=folder, got=pickles[0], allowed="safetensors", fix=SAFE)
    raise DataError("the model lacks its weights", where=folder, allowed="safetensors")


def _read(file: Path) -> dict[str, Any]:
    try:
        content = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"the file cannot be read ({type(error).__name__})", where=file) from error
    if not isinstance(content, dict):
        raise DataError("the file describes nothing", where=file)
    return content

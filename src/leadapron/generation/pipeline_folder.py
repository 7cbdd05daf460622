"""Is this the folder of a Stable Diffusion pipeline that can be loaded without trust? If not: why not, in words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from leadapron.errors import DataError

INDEX = "model_index.json"
FAMILY = ("StableDiffusionPipeline", "StableDiffusionImg2ImgPipeline")
PARTS = {
    "unet": "config.json",
    "vae": "config.json",
    "text_encoder": "config.json",
    "tokenizer": "tokenizer_config.json",
    "scheduler": "scheduler_config.json",
}
"""What a pipeline is made of, each a folder with this file in it."""
WITH_WEIGHTS = ("unet", "vae", "text_encoder")
LIBRARIES = ("diffusers", "transformers")
NO_CODE = "Only the parts that diffusers and transformers bring along are run."
SAFE = "Save it again with `pipeline.save_pretrained(folder, safe_serialization=True)`."


def check_pipeline(folder: Path) -> None:
    """All parts are there, as safetensors, and none asks for code of its own."""
    if not folder.is_dir():
        raise DataError("there is no folder of a diffusers pipeline", where=folder)
    index = _read(folder / INDEX)
    kind = index.get("_class_name")
    if kind not in FAMILY:
        what, allowed = "this is no Stable Diffusion pipeline", ", ".join(FAMILY)
        raise DataError(what, where=folder / INDEX, got=kind, allowed=allowed, fix=NO_CODE)
    for part, file in PARTS.items():
        said = index.get(part)
        library = said[0] if isinstance(said, list) and said else None
        if library not in LIBRARIES:
            what = "the pipeline lacks the part {!r}" if library is None else "the part {!r} wants its own code"
            what = what.format(part)
            raise DataError(what, where=folder / INDEX, got=library, allowed=", ".join(LIBRARIES), fix=NO_CODE)
        if not (folder / part / file).is_file():
            raise DataError(f"the pipeline lacks {part}/{file}", where=folder)
        if "auto_map" in _read(folder / part / file):
            raise DataError(f"the part {part!r} wants its own code", where=folder / part / file, fix=NO_CODE)
    for part in WITH_WEIGHTS:
        if not list((folder / part).glob("*.safetensors")):
            pickles = [file.name for end in ("*.bin", "*.ckpt", "*.pt") for file in (folder / part).glob(end)]
            if pickles:
                what = f"the weights of {part!r} are a pickle, which could run code when it is read"
                raise DataError(what, where=folder / part, got=pickles[0], allowed="safetensors", fix=SAFE)
            raise DataError(f"the pipeline lacks the weights of {part!r}", where=folder / part, allowed="safetensors")


def _read(file: Path) -> dict[str, Any]:
    try:
        content = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"the file cannot be read ({type(error).__name__})", where=file) from error
    if not isinstance(content, dict):
        raise DataError("the file describes nothing", where=file)
    return content

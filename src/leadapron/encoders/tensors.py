"""What the torch encoders share: pixels and texts in, rows of float32 out, checkpoints read without trust."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from leadapron.encoders.encoder import Bytes, Floats, TokenTower
from leadapron.engine.extras import UNREADABLE
from leadapron.errors import DataError, MissingExtraError
from leadapron.release import Layer, Projection

Tensor = Any
Module = Any
Device = Any
"""torch is an extra: its types are not to be had while this file is checked or imported."""


def import_extra(package: str, extra: str, *, encoder: str) -> ModuleType:
    """The package, or what to install. torchvision beside another build of torch fails with RuntimeError."""
    try:
        return importlib.import_module(package)
    except (ImportError, RuntimeError) as error:
        raise MissingExtraError(package, extra, purpose=f"the encoder {encoder!r}") from error


def import_transformers(encoder: str) -> ModuleType:
    import_extra("torch", "encoders", encoder=encoder)
    return import_extra("transformers", "encoders", encoder=encoder)


def image_backbone(
    features: Callable[[Tensor], Tensor], mean: Sequence[float], std: Sequence[float], device: Device
) -> Callable[[Bytes], Floats]:
    """Grey 8-bit pixels as three equal channels, rescaled to 0..1 and normalised, then ``features`` on ``device``."""
    import torch

    centre, scale = (torch.tensor(channel, dtype=torch.float32)[:, None, None] for channel in (mean, std))

    def run(pixels: Bytes) -> Floats:
        grey = torch.tensor(pixels, dtype=torch.float32)[:, None] / 255
        with torch.inference_mode():
            return _rows(features(((grey.expand(-1, 3, -1, -1) - centre) / scale).to(device)))

    return run


def text_backbone(
    tokenize: Callable[[list[str]], Any], features: Callable[[Any], Tensor], device: Device
) -> Callable[[list[str]], Floats]:
    import torch

    def run(texts: list[str]) -> Floats:
        with torch.inference_mode():
            return _rows(features(tokenize(texts).to(device)))

    return run


def token_tower(tokenize: Any, features: Callable[[Any], Tensor], model: Module) -> TokenTower:  # noqa: ANN401
    """The same backbone, open at its tokens. ``tokenize`` is what ``load_tokenizer`` gave."""
    return TokenTower(tokenize.func, features, model.get_input_embeddings(), tokenize.keywords["max_length"])


def load_tokenizer(tokenizer_class: Module, folder: Path, length: int) -> Callable[[list[str]], Any]:
    """Texts -> tokens, cut at ``length`` and padded to the longest of the batch."""
    with reading_checkpoint(folder):
        tokenizer = tokenizer_class.from_pretrained(folder, local_files_only=True)
    if len(tokenizer) <= len(tokenizer.all_special_tokens):  # all reports would read alike, and look safe
        raise DataError(
            "the tokenizer knows no words", where=folder, fix="Take its vocabulary from where the weights are from."
        )
    return partial(tokenizer, padding=True, truncation=True, max_length=length, return_tensors="pt")


def layer(kind: str, **values: Tensor) -> Layer:
    """A layer of a head from torch's tensors and plain numbers, copied: the network that had them may go."""
    import torch

    return Layer(
        kind,
        {
            name: torch.as_tensor(value).detach().to("cpu", torch.float32).numpy().copy()
            for name, value in values.items()
        },
    )


def projection(module: Module) -> Projection:
    """The head that a torch module is, if it is made of linear layers and exact GELUs."""
    return Projection(tuple(_layers(module)))


def _layers(module: Module) -> Iterator[Layer]:
    from torch import nn

    if isinstance(module, nn.Sequential):
        for part in module:
            yield from _layers(part)
    elif isinstance(module, nn.Linear):
        yield layer("linear", **dict(module.named_parameters()))  # with a bias, where it has one
    elif isinstance(module, nn.GELU) and module.approximate == "none":
        yield layer("gelu")
    elif not isinstance(module, (nn.Dropout, nn.Identity)):  # which do nothing outside training
        raise DataError("the model's head has a layer that is not known", got=repr(module), allowed="Linear, GELU")


def mean_of_tokens(model: Callable[..., Any], tokens: Mapping[str, Tensor]) -> Tensor:
    """The mean of the last hidden states, padding left out."""
    mask = tokens["attention_mask"][..., None].float()
    return (model(**tokens).last_hidden_state * mask).sum(1) / mask.sum(1)


def channel_statistics(folder: Path) -> tuple[list[float], list[float]]:
    """Mean and deviation that the checkpoint's own image processor uses. Its resizing and cropping are not
    needed: pixels arrive at the right size."""
    path = folder / "preprocessor_config.json"
    with reading_checkpoint(path):
        config = json.loads(path.read_text())
    lacking = [key for key in ("image_mean", "image_std") if key not in config]
    if lacking:
        what = "the file does not say how pixels are normalised"
        raise DataError(
            what, where=path, got=f"no {' and no '.join(lacking)}", fix="Take it from the model's own folder."
        )
    return config["image_mean"], config["image_std"]


def load_pretrained(model_class: Module, folder: Path, *, may_lack: str | None = None, **options: object) -> Module:
    """A transformers model from a local folder, in evaluation mode.

    transformers fills what the file lacks with random numbers and only logs it. An audit of random weights
    would be worthless and would look like a low risk, so that is an error here. A part that nobody asks ``may_lack``.
    """
    with reading_checkpoint(folder), quiet_transformers():
        model, info = model_class.from_pretrained(
            folder, local_files_only=True, output_loading_info=True, ignore_mismatched_sizes=True, **options
        )
    if mismatched := sorted(info["mismatched_keys"]):
        name, there, needed = mismatched[0]
        what = "the checkpoint holds weights of another shape than its config.json says"
        got, allowed = f"{name} {tuple(there)}", str(tuple(needed))
        raise DataError(what, where=folder, got=got, allowed=allowed, fix="Take both files from one model.")
    lacking = sorted(key for key in info["missing_keys"] if may_lack is None or not key.startswith(may_lack))
    if lacking:
        raise DataError("the checkpoint lacks weights", where=folder, got=", ".join(lacking[:3]))
    return model.eval()


def read_tensors(path: Path) -> dict[str, Tensor]:
    """The named tensors of a file. A pickle is opened only as tensors: no code in it can run."""
    if path.suffix == ".safetensors":
        from safetensors.torch import load_file

        return dict(load_file(path))
    import torch

    return dict(torch.load(path, map_location="cpu", weights_only=True))


def below(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """The tensors whose name starts with ``prefix``, without it."""
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}


@contextmanager
def reading_checkpoint(where: Path) -> Iterator[None]:
    """A file that is damaged, or is of another model, becomes an error that names it."""
    try:
        yield
    except DataError as error:
        raise error.located(where) from error
    except UNREADABLE as error:
        reason = " ".join(str(error).split())[:300]
        raise DataError(f"the checkpoint cannot be read ({type(error).__name__}: {reason})", where=where) from error


@contextmanager
def quiet_transformers() -> Iterator[None]:
    """No progress bar and no list of the weights that are left unread, such as a classifier's."""
    from transformers.utils import logging

    verbosity, progress_bar = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if progress_bar:
            logging.enable_progress_bar()


def _rows(tensor: Tensor) -> Floats:
    rows: Floats = np.ascontiguousarray(tensor.cpu().numpy(), dtype=np.float32)
    return rows

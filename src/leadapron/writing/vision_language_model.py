"""A vision-language model from a local folder: whole, seeing, and with the words that belong to it, or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from leadapron.encoders.fingerprint import fingerprint
from leadapron.encoders.tensors import load_pretrained, quiet_transformers, reading_checkpoint
from leadapron.engine.extras import UNREADABLE, Tensor, need
from leadapron.errors import DataError
from leadapron.training.devices import device as find_device
from leadapron.writing.chat_inputs import gemma_inputs, qwen_inputs
from leadapron.writing.encoder_decoder_inputs import encoder_decoder_inputs
from leadapron.writing.model_inputs import EXTRA, PURPOSE, ImageProcessor, Model, ModelInputs, Tokenizer
from leadapron.writing.transformers_folder import kind_of

INPUTS: dict[str, Callable[[Model, ImageProcessor, Tokenizer], ModelInputs]] = {
    "qwen2_5_vl": qwen_inputs,
    "gemma3": gemma_inputs,
    "vision-encoder-decoder": encoder_decoder_inputs,
}
"""How each kind is asked and taught."""
FEWEST_WORDS = 50
"""A vocabulary with fewer was made up by transformers, and not read from a file; the letters alone are more."""
PROBE_SIZE = 112


@dataclass(frozen=True)
class VisionLanguageModel:
    """A model on its device, its tokenizer, and how it is asked."""

    folder: Path
    network: Model
    tokenizer: Tokenizer
    inputs: ModelInputs
    device: Any

    @cached_property
    def fingerprint(self) -> str:
        """The hash of the files that it was read from."""
        return fingerprint(self.folder)

    def logits(self, inputs: dict[str, Tensor]) -> Tensor:
        """What it expects after each position."""
        given = {name: values.to(self.device) for name, values in inputs.items()}
        with self.computing():
            return self.network(**given, use_cache=False).logits.float()

    def computing(self) -> AbstractContextManager[None]:
        """Weights in half precision are multiplied as such, though what is learnt of them is kept in full."""
        torch = need("torch", PURPOSE, EXTRA)
        kind = self.network.dtype
        if kind == torch.float32:
            return nullcontext()
        half: AbstractContextManager[None] = torch.autocast(self.device.type, dtype=kind)
        return half


def load_model(folder: Path, device: str) -> VisionLanguageModel:
    """The model in a folder. Nothing is downloaded, no code of the folder is run, and a model that lacks weights, does
    not see or has no words is an error."""
    kind = kind_of(folder)
    torch, transformers = need("torch", PURPOSE, EXTRA), need("transformers", PURPOSE, EXTRA)
    place = find_device(device)
    here = {"local_files_only": True, "trust_remote_code": False}
    network = load_pretrained(
        transformers.AutoModelForImageTextToText, folder, use_safetensors=True, dtype="auto", trust_remote_code=False
    )
    if network.dtype == torch.float16:  # its small gradients would vanish
        network = network.to(torch.bfloat16)
    # A folder may say that words are drawn or repetition is punished, and what is not said to `generate` comes from it.
    network.generation_config = transformers.GenerationConfig()
    with reading_checkpoint(folder), quiet_transformers():
        # Pillow everywhere: torchvision resizes a little differently, and is not always there
        process = transformers.AutoImageProcessor.from_pretrained(folder, backend="pil", **here)
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **here)
    with _naming(folder):
        _check_words(tokenizer, network)
        inputs = INPUTS[kind](network, process, tokenizer)
        model = VisionLanguageModel(folder, network.to(place), tokenizer, inputs, place)
        _check_sight(model)
    return model


def _check_words(tokenizer: Tokenizer, network: Model) -> None:
    vocabulary = tokenizer.get_vocab()
    words = len(vocabulary.keys() - set(tokenizer.all_special_tokens))
    if words < FEWEST_WORDS:
        what = "the tokenizer has hardly any words: its files are missing or damaged"
        raise DataError(what, got=f"{words:,} words", allowed=f"at least {FEWEST_WORDS}")
    rows = network.get_input_embeddings().weight.shape[0]
    if max(vocabulary.values()) >= rows:
        got = f"word {max(vocabulary.values()):,}, and {rows:,} are known"
        raise DataError("the tokenizer has words that the model does not know: it is of another model", got=got)


def _check_sight(model: VisionLanguageModel) -> None:
    """Two images, one question: a model that expects exactly the same after both does not see them."""
    torch = need("torch", PURPOSE, EXTRA)
    dark = np.zeros((1, PROBE_SIZE, PROBE_SIZE), dtype=np.uint8)
    lit = np.random.default_rng(0).integers(0, 256, dark.shape).astype(np.uint8)
    try:
        with quiet_transformers(), torch.inference_mode():
            said = [model.logits(model.inputs.question(image, ()).inputs)[0, -1] for image in (dark, lit)]
    except UNREADABLE as error:
        reason = " ".join(str(error).split())[:300]
        raise DataError(f"the model cannot be asked: its parts do not fit ({reason})") from error
    if not all(torch.isfinite(one).all() for one in said):
        raise DataError("the model computes what is not a number: its weights are damaged")
    if torch.equal(*said):
        what = "the model is blind: what it expects does not depend on the image"
        fix = "What brings images to its words, such as a projector, is all zero: was it never trained?"
        raise DataError(what, fix=fix)


@contextmanager
def _naming(folder: Path) -> Iterator[None]:
    """What is wrong with a part is said of the folder."""
    try:
        yield
    except DataError as error:
        raise error.located(folder) from error.__cause__

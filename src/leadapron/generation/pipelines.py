"""A Stable Diffusion pipeline of diffusers as a generator: from a local folder, without trust, and repeatable.

The folder is a pipeline, or the weights that ``lora_training`` has learnt for one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from leadapron.engine import Progress, silent
from leadapron.engine.extras import UNREADABLE, need
from leadapron.errors import DataError
from leadapron.generation.generator import Bools, Bytes, Drawn, Guides
from leadapron.generation.pipeline_folder import check_pipeline
from leadapron.training.devices import device as find_device

PURPOSE, EXTRA = "drawing by a diffusers pipeline", "generate"
STEPS, GUIDANCE = 30, 4.0
"""Of denoising, and how strongly words are followed: what RoentGen's authors draw with is near."""
AT_ONCE, KEPT = 4, 64
LORA_CARD, LORA_FILE = "lora.json", "pytorch_lora_weights.safetensors"
GREY = 128

Pipeline = Any
"""diffusers is an extra: its types are not to be had here."""


def load_pipeline(folder: Path, *, size: int, device: str, steps: int = STEPS) -> PipelineGenerator:
    """The generator in a folder, on a device; its images are brought to ``size``."""
    base = folder
    lora = (folder / LORA_CARD).is_file()
    if lora:
        try:
            base = Path(json.loads((folder / LORA_CARD).read_text("utf-8"))["base"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise DataError("it does not say which pipeline it was learnt for", where=folder / LORA_CARD) from error
    pipeline = read_pipeline(base)
    if lora:
        with _reading(folder), quiet():
            pipeline.load_lora_weights(folder, weight_name=LORA_FILE, local_files_only=True, use_safetensors=True)
    return PipelineGenerator(pipeline.to(find_device(device)), size, steps)


def read_pipeline(folder: Path) -> Pipeline:
    """The pipeline on the processor, without a safety checker: it knows photographs, and would blacken radiographs."""
    check_pipeline(folder)
    diffusers = need("diffusers", PURPOSE, EXTRA)
    with _reading(folder), quiet():
        pipeline = diffusers.StableDiffusionPipeline.from_pretrained(
            folder,
            local_files_only=True,
            use_safetensors=True,
            trust_remote_code=False,
            safety_checker=None,
            feature_extractor=None,
            requires_safety_checker=False,
        )
    pipeline.set_progress_bar_config(disable=True)
    return pipeline


class PipelineGenerator:
    """Words alone by ``StableDiffusionPipeline``; guided by ``StableDiffusionImg2ImgPipeline`` with the same parts."""

    def __init__(self, pipeline: Pipeline, size: int, steps: int = STEPS) -> None:
        self.size = size
        self._steps = steps
        self._words = pipeline
        self._side = int(pipeline.unet.config.sample_size) * int(pipeline.vae_scale_factor)
        self._longest = int(pipeline.tokenizer.model_max_length)

    @property
    def at_once(self) -> int:
        return KEPT

    def draw(
        self,
        prompts: Sequence[str],
        *,
        seed: int,
        guides: Guides | None = None,
        first: int = 0,
        progress: Progress = silent,
    ) -> Drawn:
        """An image a prompt, each from noise of its own. Words behind the last that the text encoder reads are not
        read, and the prompts that have any are counted."""
        parts: list[Bytes] = []
        broken: list[Bools] = []
        for start in range(0, len(prompts), AT_ONCE):
            rows = slice(start, start + AT_ONCE)
            batch = list(prompts[rows])
            noise = [_noise(seed, first + row) for row in range(start, start + len(batch))]
            values = self._from_words(batch, noise) if guides is None else self._guided(batch, noise, guides, rows)
            whole = np.array([bool(np.isfinite(one).all()) for one in values])
            broken.append(~whole)
            parts.append(_grey(np.where(whole[:, None, None], values, GREY / 255), self.size))
            progress("drawing images", min(start + AT_ONCE, len(prompts)), len(prompts))
        longer = np.array([self._is_cut(prompt) for prompt in prompts], np.bool_)
        return Drawn(np.concatenate(parts), np.concatenate(broken), longer)

    def _is_cut(self, prompt: str) -> bool:
        return len(self._words.tokenizer(prompt, truncation=False, verbose=False)["input_ids"]) > self._longest

    def _from_words(self, prompts: list[str], noise: list[Any]) -> NDArray[np.float64]:
        with quiet():
            made = self._words(
                prompts,
                height=self._side,
                width=self._side,
                num_inference_steps=self._steps,
                guidance_scale=GUIDANCE,
                generator=noise,
                output_type="np",
            )
        return _mean_of_colours(made.images)

    def _guided(self, prompts: list[str], noise: list[Any], guides: Guides, rows: slice) -> NDArray[np.float64]:
        sources = guides.images[rows]
        if int(self._steps * guides.strength) < 1:  # too little strength for a single step: the image stays
            return sources.astype(np.float64) / 255
        diffusers = need("diffusers", PURPOSE, EXTRA)
        pipeline = diffusers.StableDiffusionImg2ImgPipeline(**self._words.components, requires_safety_checker=False)
        pipeline.set_progress_bar_config(disable=True)
        side = (self._side, self._side)
        images = [Image.fromarray(one).resize(side, Image.Resampling.BILINEAR).convert("RGB") for one in sources]
        with quiet():
            made = pipeline(
                prompts,
                image=images,
                strength=guides.strength,
                num_inference_steps=self._steps,
                guidance_scale=GUIDANCE,
                generator=noise,
                output_type="np",
            )
        return _mean_of_colours(made.images)


def _mean_of_colours(images: NDArray[np.float32]) -> NDArray[np.float64]:
    grey: NDArray[np.float64] = np.asarray(images, dtype=np.float64).mean(axis=3)
    return grey


def _noise(seed: int, row: int) -> Any:  # noqa: ANN401 (a generator of torch)
    """Of the seed and the row alone: how many are drawn at once does not matter."""
    torch = need("torch", PURPOSE, EXTRA)
    number = int.from_bytes(hashlib.sha256(f"{seed} {row}".encode()).digest()[:7])
    return torch.Generator("cpu").manual_seed(number)


def _grey(values: NDArray[np.float64], size: int) -> Bytes:
    pixels = (np.clip(values, 0, 1) * 255).round().astype(np.uint8)
    if pixels.shape[1] == size:
        return pixels
    small = [Image.fromarray(one).resize((size, size), Image.Resampling.BILINEAR) for one in pixels]
    return np.stack([np.asarray(one) for one in small])


@contextmanager
def _reading(where: Path) -> Iterator[None]:
    """A file that is damaged, or of another model, becomes an error that names the folder."""
    try:
        yield
    except UNREADABLE as error:
        reason = " ".join(str(error).split())[:300]
        raise DataError(f"the pipeline cannot be read ({type(error).__name__}: {reason})", where=where) from error


@contextmanager
def quiet() -> Iterator[None]:
    """diffusers and transformers say on standard error what we count and tell ourselves."""
    loggers = [need(f"{name}.utils.logging", PURPOSE, EXTRA) for name in ("diffusers", "transformers")]
    before = [(one.get_verbosity(), one) for one in loggers]
    for one in loggers:
        one.set_verbosity_error()
        one.disable_progress_bar()
    try:
        yield
    finally:
        for verbosity, one in before:
            one.set_verbosity(verbosity)
            one.enable_progress_bar()

"""Fine-tuning of a Stable Diffusion pipeline on radiographs: LoRA on the attention of its UNet, all else as it was.

A kill costs at most ``EVERY`` steps and changes nothing: each step has a seed of its own.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from leadapron.engine import Progress, atomic_folder, sha256, silent
from leadapron.engine.extras import need
from leadapron.errors import DataError
from leadapron.generation.generator import Bytes
from leadapron.generation.pipelines import EXTRA, LORA_CARD, LORA_FILE, Pipeline, quiet, read_pipeline
from leadapron.training.devices import device as find_device

PURPOSE = "fine-tuning a diffusers pipeline"
ATTENTION = ["to_q", "to_k", "to_v", "to_out.0"]
EVERY = 50


@dataclass(frozen=True)
class LoraConfig:
    """How much and how fast is learnt."""

    steps: int
    rank: int = 8
    rate: float = 1e-4
    batch: int = 8
    seed: int = 0
    device: str = "auto"


def fit_lora(
    folder: Path,
    images: Bytes,
    prompts: Sequence[str],
    out: Path,
    config: LoraConfig,
    *,
    progress: Progress = silent,
) -> Path:
    """A folder below ``out`` that ``load_pipeline`` takes; one that was finished for the same input is used again."""
    if len(images) != len(prompts) or not len(images):
        raise DataError("there is not one prompt an image", got=f"{len(prompts):,} prompts, {len(images):,} images")
    pipeline = read_pipeline(folder)
    key = _key(folder, images, prompts, config)
    made = out / key[:16]
    if (made / LORA_CARD).is_file():
        return made
    place = find_device(config.device)
    unet = _with_lora(pipeline, config, place)
    _train(pipeline, unet, images, prompts, config, out / f"steps-{key[:16]}", progress)
    peft, utils = need("peft.utils", PURPOSE, EXTRA), need("diffusers.utils", PURPOSE, EXTRA)
    state = utils.convert_state_dict_to_diffusers(peft.get_peft_model_state_dict(unet))
    with atomic_folder(made, private=True) as partial, quiet():
        type(pipeline).save_lora_weights(partial, unet_lora_layers=state, weight_name=LORA_FILE)
        (partial / LORA_CARD).write_text(json.dumps({"base": str(folder.resolve()), "config": asdict(config)}))
    return made


def _with_lora(pipeline: Pipeline, config: LoraConfig, place: object) -> Any:  # noqa: ANN401 (a network)
    torch, peft = need("torch", PURPOSE, EXTRA), need("peft", PURPOSE, EXTRA)
    pipeline.to(place)
    for part in (pipeline.vae, pipeline.text_encoder, pipeline.unet):
        part.requires_grad_(False)
    lora = peft.LoraConfig(
        r=config.rank, lora_alpha=config.rank, init_lora_weights="gaussian", target_modules=ATTENTION
    )
    with torch.random.fork_rng():  # the seed of the adapter is ours, and the caller's is left alone
        torch.manual_seed(config.seed)
        pipeline.unet.add_adapter(lora)
    return pipeline.unet.train()


def _train(
    pipeline: Pipeline,
    unet: Any,  # noqa: ANN401
    images: Bytes,
    prompts: Sequence[str],
    config: LoraConfig,
    work: Path,
    progress: Progress,
) -> None:
    """The usual objective: tell the noise (or the velocity) that was added to an image, given its words."""
    from leadapron.training.epoch_checkpoint import Checkpoint

    torch = need("torch", PURPOSE, EXTRA)
    learnt = {name: value for name, value in unet.named_parameters() if value.requires_grad}
    optimiser = torch.optim.AdamW(learnt.values(), lr=config.rate)
    checkpoint = Checkpoint(work, work.name)
    state = checkpoint.read()
    done = 0
    if state is not None:
        done = state["done"]
        unet.load_state_dict(state["learnt"], strict=False)
        optimiser.load_state_dict(state["optimiser"])
    noising = need("diffusers", PURPOSE, EXTRA).DDPMScheduler.from_config(pipeline.scheduler.config)
    for step in range(done, config.steps):
        rng = np.random.default_rng([config.seed, step])
        rows = rng.choice(len(images), min(config.batch, len(images)), replace=False)
        loss = _loss(pipeline, noising, images[rows], [prompts[row] for row in rows], int(rng.integers(2**31)))
        if not torch.isfinite(loss):
            raise DataError("fine-tuning diverged", where=f"step {step + 1}", fix="The pipeline's weights are damaged.")
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        progress("fine-tuning", step + 1, config.steps)
        if (step + 1) % EVERY == 0 or step + 1 == config.steps:
            kept = {name: value.detach().cpu() for name, value in learnt.items()}
            checkpoint.keep({"done": step + 1, "learnt": kept, "optimiser": optimiser.state_dict()})
    unet.eval()


def _loss(pipeline: Pipeline, noising: Any, images: Bytes, prompts: list[str], seed: int) -> Any:  # noqa: ANN401
    torch = need("torch", PURPOSE, EXTRA)
    unet, vae, place = pipeline.unet, pipeline.vae, pipeline.unet.device
    noise_of = torch.Generator("cpu").manual_seed(seed)
    side = int(unet.config.sample_size) * int(pipeline.vae_scale_factor)
    with torch.no_grad(), quiet():
        latents = vae.encode(_pixels(images, side).to(place)).latent_dist.mode() * vae.config.scaling_factor
        tokens = pipeline.tokenizer(
            prompts,
            padding="max_length",
            max_length=pipeline.tokenizer.model_max_length,
            truncation=True,
            return_tensors="pt",
        )
        words = pipeline.text_encoder(tokens.input_ids.to(place))[0]
    noise = torch.randn(latents.shape, generator=noise_of).to(place)
    times = torch.randint(noising.config.num_train_timesteps, (len(images),), generator=noise_of).to(place)
    noisy = noising.add_noise(latents, noise, times)
    velocity = noising.config.prediction_type == "v_prediction"
    target = noising.get_velocity(latents, noise, times) if velocity else noise
    return torch.nn.functional.mse_loss(unet(noisy, times, words).sample, target)


def _pixels(images: Bytes, side: int) -> Any:  # noqa: ANN401 (a tensor)
    torch = need("torch", PURPOSE, EXTRA)
    sized = [np.asarray(Image.fromarray(one).resize((side, side), Image.Resampling.BILINEAR)) for one in images]
    return (torch.tensor(np.stack(sized), dtype=torch.float32)[:, None] / 127.5 - 1).expand(-1, 3, -1, -1)


def _key(folder: Path, images: Bytes, prompts: Sequence[str], config: LoraConfig) -> str:
    """What the weights depend on; the device is not part of it."""
    digest = hashlib.sha256(np.ascontiguousarray(images).tobytes())
    digest.update("\0".join(prompts).encode())
    digest.update(json.dumps({**asdict(config), "device": None}).encode())
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            digest.update(f"{file.relative_to(folder)} {sha256(file)}\n".encode())
    return digest.hexdigest()

"""A Stable Diffusion pipeline from a folder: tiny and random, in the files of the real ones."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

import tiny_models
from leadapron.errors import DataError
from leadapron.generation.generator import Guides
from leadapron.generation.lora_training import LoraConfig, fit_lora
from leadapron.generation.pipelines import load_pipeline

pytest.importorskip("diffusers")
PROMPTS = ["effusion", "no effusion", "a", "b", "c"]
IMAGES = np.random.default_rng(0).integers(0, 256, (5, 24, 24)).astype(np.uint8)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("pipelines") / "tiny"
    tiny_models.save_pipeline(place)
    return place


@pytest.fixture(scope="module")
def generator(folder):
    return load_pipeline(folder, size=24, device="cpu", steps=2)


@pytest.fixture
def copy(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "copy")
    return tmp_path / "copy"


def test_words_become_grey_images_of_the_size_that_was_asked_for(generator):
    drawn = generator.draw(PROMPTS, seed=0)
    assert drawn.images.shape == (5, 24, 24)
    assert drawn.images.dtype == np.uint8
    assert drawn.images.std() > 1
    assert (drawn.clipped, drawn.cut) == (0, 0)


def test_the_same_seed_draws_the_same_images_however_many_at_once(generator, monkeypatch):
    import leadapron.generation.pipelines as module

    first = generator.draw(PROMPTS, seed=3).images
    np.testing.assert_array_equal(generator.draw(PROMPTS, seed=3).images, first)
    assert (generator.draw(PROMPTS, seed=4).images != first).any()
    monkeypatch.setattr(module, "AT_ONCE", 2)
    assert np.abs(generator.draw(PROMPTS, seed=3).images.astype(int) - first).max() <= 1  # sums in another order


def test_words_matter(generator):
    same, other = generator.draw(["effusion"], seed=0).images, generator.draw(["zzzz zz"], seed=0).images
    assert (same != other).any()


def test_guidance_at_no_strength_gives_the_images_back_and_some_strength_does_not(generator):
    back = generator.draw(PROMPTS, seed=0, guides=Guides(IMAGES, 0.0)).images
    np.testing.assert_array_equal(back, IMAGES)
    assert (generator.draw(PROMPTS, seed=0, guides=Guides(IMAGES, 0.6)).images != IMAGES).any()


def test_a_prompt_that_is_longer_than_the_text_encoder_reads_is_counted(generator):
    assert generator.draw(["pneumothorax and more", "a"], seed=0).cut == 1


def test_images_that_are_not_numbers_are_grey_and_counted(folder):
    import torch

    broken = load_pipeline(folder, size=24, device="cpu", steps=2)
    with torch.no_grad():
        broken._words.vae.decoder.conv_out.bias.fill_(float("nan"))  # noqa: SLF001
    drawn = broken.draw(["a", "b"], seed=0)
    assert drawn.clipped == 2
    assert (drawn.images == 128).all()


# ---------------------------------------------------------------- folders that are refused


def test_a_folder_that_is_no_pipeline_is_refused(tmp_path):
    with pytest.raises(DataError, match="no folder of a diffusers pipeline"):
        load_pipeline(tmp_path / "none", size=24, device="cpu")
    with pytest.raises(DataError, match=r"model_index\.json"):
        load_pipeline(tmp_path, size=24, device="cpu")


@pytest.mark.parametrize("part", ["unet", "vae", "text_encoder", "tokenizer", "scheduler"])
def test_a_missing_part_is_named(copy, part):
    shutil.rmtree(copy / part)
    with pytest.raises(DataError, match=part):
        load_pipeline(copy, size=24, device="cpu")


def test_a_pickle_is_refused(copy):
    weights = next((copy / "unet").glob("*.safetensors"))
    weights.rename(weights.with_suffix(".bin"))
    with pytest.raises(DataError, match="pickle"):
        load_pipeline(copy, size=24, device="cpu")


def test_code_of_its_own_is_refused(copy):
    index = json.loads((copy / "model_index.json").read_text())
    for changed in ({**index, "_class_name": "MyPipeline"}, {**index, "unet": ["my_unet", "MyUNet"]}):
        (copy / "model_index.json").write_text(json.dumps(changed))
        with pytest.raises(DataError, match=r"no Stable Diffusion pipeline|wants its own code"):
            load_pipeline(copy, size=24, device="cpu")
    (copy / "model_index.json").write_text(json.dumps(index))
    config = json.loads((copy / "unet" / "config.json").read_text())
    (copy / "unet" / "config.json").write_text(json.dumps({**config, "auto_map": {"AutoModel": "evil.Model"}}))
    with pytest.raises(DataError, match="wants its own code"):
        load_pipeline(copy, size=24, device="cpu")


def test_damaged_weights_are_named(copy):
    weights = next((copy / "unet").glob("*.safetensors"))
    weights.write_bytes(weights.read_bytes()[:100])
    with pytest.raises(DataError, match="cannot be read"):
        load_pipeline(copy, size=24, device="cpu")


# ---------------------------------------------------------------- fine-tuning


def test_fine_tuning_changes_what_is_drawn_and_can_be_repeated(folder, generator, tmp_path):
    config = LoraConfig(steps=3, rate=0.05, batch=2, device="cpu")
    made = fit_lora(folder, IMAGES, PROMPTS, tmp_path / "a", config)
    again = fit_lora(folder, IMAGES, PROMPTS, tmp_path / "b", config)
    assert (made / "pytorch_lora_weights.safetensors").read_bytes() == (
        again / "pytorch_lora_weights.safetensors"
    ).read_bytes()
    tuned = load_pipeline(made, size=24, device="cpu", steps=2)
    assert (tuned.draw(PROMPTS, seed=0).images != generator.draw(PROMPTS, seed=0).images).any()
    assert fit_lora(folder, IMAGES, PROMPTS, tmp_path / "a", config) == made  # finished before


def test_fine_tuning_goes_on_after_a_kill(folder, tmp_path, monkeypatch):
    import leadapron.generation.lora_training as module

    monkeypatch.setattr(module, "EVERY", 1)
    config = LoraConfig(steps=4, rate=0.05, batch=2, device="cpu")
    whole = fit_lora(folder, IMAGES, PROMPTS, tmp_path / "whole", config)

    def killed(_stage, done, _total):
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit_lora(folder, IMAGES, PROMPTS, tmp_path / "killed", config, progress=killed)
    seen = []
    made = fit_lora(folder, IMAGES, PROMPTS, tmp_path / "killed", config, progress=lambda *said: seen.append(said[1]))
    assert seen == [3, 4]
    name = "pytorch_lora_weights.safetensors"
    assert (made / name).read_bytes() == (whole / name).read_bytes()


def test_weights_that_do_not_say_for_which_pipeline_they_are_are_refused(tmp_path):
    (tmp_path / "lora.json").write_text("{}")
    with pytest.raises(DataError, match="which pipeline"):
        load_pipeline(tmp_path, size=24, device="cpu")


def test_there_is_one_prompt_an_image(folder, tmp_path):
    with pytest.raises(DataError, match="one prompt an image"):
        fit_lora(folder, IMAGES, PROMPTS[:2], tmp_path, LoraConfig(steps=1))

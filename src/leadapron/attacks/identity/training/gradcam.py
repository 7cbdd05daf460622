"""Where a network looks when it finds two images alike: Grad-CAM through both branches of a Siamese network."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from leadapron.attacks.identity.training.networks import Network
from leadapron.encoders.encoder import Bytes
from leadapron.errors import ConfigError, did_you_mean
from leadapron.training.devices import device_of
from leadapron.training.image_batches import grey

LAST = "backbone.features"
"""The maps that the head gets to see."""

Maps = NDArray[np.float32]


def siamese_gradcam(
    network: Network, left: Bytes, right: Bytes, *, strangers: Bytes | None = None, layer: str = LAST
) -> tuple[Maps, Maps]:
    """For each of two images a map of its size, 0..1: how much what is seen there makes the two alike.

    The gradient of the similarity with respect to the maps of ``layer`` (a module's name in the network), times the
    maps, place by place. The usual mean of the gradient over the picture is left out: it is right where a network
    averages its maps over the picture, and a head that tells places apart needs the gradient of each.

    All chests are alike to some degree. With images of ``strangers`` the map shows what makes the two more alike than
    either is to those; without them a map may be empty.
    """
    modules = dict(network.named_modules())
    if layer not in modules:
        raise ConfigError("the network has no such layer", got=layer, allowed=did_you_mean(layer, modules))
    network.eval()
    device = device_of(network)
    kept: list[Any] = []
    hook = modules[layer].register_forward_hook(lambda _module, _inputs, maps: kept.append(maps))
    try:
        with torch.no_grad():
            others = None if strangers is None else network(grey(strangers).to(device))
        with torch.enable_grad():
            images = grey(np.stack([left, right])).to(device)
            images.requires_grad_()  # so that a frozen backbone passes gradients, too
            seen = network(images)
            # Against the other image as it is: with both free the gradient of a cosine vanishes where it is greatest,
            # at a perfect match.
            score = network.similarity(seen, seen.detach().flip(0)).sum()
            if others is not None:
                for one in seen.split(1):
                    score = score - network.similarity(one.expand_as(others), others).mean()
            (slopes,) = torch.autograd.grad(score, kept[-1])
    finally:
        hook.remove()
    usual = 0 if others is None else kept[0].mean(0)  # what is seen at this place in others says nothing of these two
    heat = (slopes * (kept[-1].detach() - usual)).sum(1, keepdim=True).relu()
    whole = functional.interpolate(heat, size=left.shape, mode="bilinear", align_corners=False)[:, 0].cpu().numpy()
    peaks = whole.max(axis=(1, 2), keepdims=True)
    one, other = (whole / np.where(peaks > 0, peaks, 1)).astype(np.float32)
    return one, other


def overlay(image: Bytes, heat: Maps) -> Bytes:
    """The image in grey with the map in orange over it: rows x columns x red, green, blue."""
    base = np.repeat(image[..., None].astype(np.float32), 3, axis=2)
    share = 0.65 * heat[..., None]
    colour = np.array([255, 120, 0], dtype=np.float32)
    return np.asarray((1 - share) * base + share * colour).round().astype(np.uint8)


def side_by_side(
    network: Network, pairs: list[tuple[Bytes, Bytes]], *, strangers: Bytes | None = None, layer: str = LAST
) -> Bytes:
    """A picture for people: a row a pair, both images and beside each its map."""
    rows = []
    for pair in pairs:
        maps = siamese_gradcam(network, *pair, strangers=strangers, layer=layer)
        shown = [
            part
            for image, heat in zip(pair, maps, strict=True)
            for part in (overlay(image, 0 * heat), overlay(image, heat))
        ]
        rows.append(np.concatenate(shown, axis=1))
    return np.concatenate(rows)

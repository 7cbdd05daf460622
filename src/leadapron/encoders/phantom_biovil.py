"""A phantom encoder with heads of BioViL-T's form: 197,504 parameters, and a batch norm on the image side alone.

Its backbones are those of the phantom family side by side: 512 features of an image and 768 of a report. So what a
method does to batch norm can be tried where BioViL-T's weights are not at hand.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from leadapron.encoders.encoder import Bytes, Encoder, Floats, Heads
from leadapron.encoders.phantom_network import (
    FEATURES,
    image_features,
    random_weights,
    shipped,
    stored_weights,
    text_features,
)
from leadapron.release.heads import read_heads

SEE = ("labels", "reports")
READ = ("labels", "reports", None)
"""The networks whose backbones see images and read reports; None has learnt nothing."""
IMAGE_FEATURES = len(SEE) * FEATURES
TEXT_FEATURES = len(READ) * FEATURES


Networks = Mapping[str | None, Mapping[str, Floats]]


def load() -> Encoder:
    file, networks = shipped("biovil-heads"), load_networks()
    heads = read_heads(file)
    return Encoder(
        image_backbone=lambda pixels: seen(networks, pixels),
        text_backbone=lambda texts: read(networks, texts),
        heads=Heads(image=heads["image"], text=heads["text"]),
        weights={"phantom-biovil": file, **{f"phantom-{name}": shipped(name) for name in SEE}},
    )


def load_networks() -> Networks:
    return {name: random_weights(0) if name is None else stored_weights(name) for name in READ}


def seen(networks: Networks, pixels: Bytes) -> Floats:
    return np.hstack([image_features(networks[name], pixels) for name in SEE])


def read(networks: Networks, texts: list[str]) -> Floats:
    return np.hstack([text_features(networks[name], texts) for name in READ])

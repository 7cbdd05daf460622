"""The encoders by name. Entering one here is all it takes to add it; packages add theirs by `leadapron.encoders`."""

from __future__ import annotations

from functools import partial

from leadapron.encoders import (
    biomedclip,
    biovil_t,
    clip,
    efficientnet_minilm,
    phantom_biovil,
    phantom_network,
    resnet_bert,
)
from leadapron.encoders.encoder import EncoderSpec
from leadapron.engine.extensions import Extensions

FITTED_DIMENSION = 128
"""Dimension of the shared space where heads are fitted: that of BioViL-T's."""


def _phantom(training: str, stored: str | None) -> EncoderSpec:
    """One of the phantom clinic's own small encoders; they ship with the package and need no torch."""
    return EncoderSpec(
        summary=f"the phantom clinic's small encoder, {training}",
        image_size=phantom_network.IMAGE_SIZE,
        text_length=phantom_network.TEXT_LENGTH,
        image_features=phantom_network.FEATURES,
        text_features=phantom_network.FEATURES,
        dimension=phantom_network.DIMENSION,
        load=lambda _weights: phantom_network.load(stored),
    )


ENCODERS: dict[str, str | EncoderSpec] = {
    "clip": EncoderSpec(
        summary="CLIP ViT-B/32, trained on general images and captions",
        image_size=224,
        text_length=clip.TEXT_LENGTH,
        image_features=768,
        text_features=512,
        dimension=512,
        load=partial(clip.load, "clip", "openai/clip-vit-base-patch32"),
    ),
    "pubmedclip": EncoderSpec(
        summary="PubMedCLIP ViT-B/32, CLIP fine-tuned on radiology figures and captions",
        image_size=224,
        text_length=clip.TEXT_LENGTH,
        image_features=768,
        text_features=512,
        dimension=512,
        load=partial(clip.load, "pubmedclip", "flaviagiammarino/pubmed-clip-vit-base-patch32"),
    ),
    "biomedclip": EncoderSpec(
        summary="BiomedCLIP ViT-B/16 and PubMedBERT, trained on biomedical figures and captions",
        image_size=224,
        text_length=biomedclip.TEXT_LENGTH,
        image_features=768,
        text_features=768,
        dimension=512,
        load=biomedclip.load,
    ),
    "biovil-t": EncoderSpec(
        summary="BioViL-T, trained on chest radiographs and reports, as its authors' library embeds",
        image_size=224,
        text_length=biovil_t.TEXT_LENGTH,
        image_features=512 * 7 * 7,
        text_features=768,
        dimension=128,
        load=partial(biovil_t.load, "biovil-t", patchwise=True),
        any_size=True,
    ),
    "biovil-t-pooled": EncoderSpec(
        summary="BioViL-T with the patches averaged before its heads: 512 features to train heads on",
        image_size=224,
        text_length=biovil_t.TEXT_LENGTH,
        image_features=512,
        text_features=768,
        dimension=128,
        load=partial(biovil_t.load, "biovil-t-pooled", patchwise=False),
        any_size=True,
    ),
    "resnet50+bert": EncoderSpec(
        summary="ImageNet ResNet-50 beside BERT, never aligned: heads are fitted",
        image_size=224,
        text_length=resnet_bert.TEXT_LENGTH,
        image_features=2048,
        text_features=768,
        dimension=FITTED_DIMENSION,
        load=resnet_bert.load,
        any_size=True,
    ),
    "efficientnet-lite0+minilm": EncoderSpec(
        summary="ImageNet EfficientNet-Lite0 beside all-MiniLM-L6-v2, weights from pip: heads are fitted",
        image_size=224,
        text_length=efficientnet_minilm.TEXT_LENGTH,
        image_features=1280,
        text_features=384,
        dimension=FITTED_DIMENSION,
        load=efficientnet_minilm.load,
        any_size=True,
    ),
    "phantom-general": _phantom("knows nothing of the clinic: random weights", None),
    "phantom-labels": _phantom("trained on the clinic's images and label words", "labels"),
    "phantom-reports": _phantom("trained on the clinic's images and full reports", "reports"),
    "phantom-biovil": EncoderSpec(
        summary="the phantom clinic's small encoders side by side, under heads of BioViL-T's form, with a batch norm",
        image_size=phantom_network.IMAGE_SIZE,
        text_length=phantom_network.TEXT_LENGTH,
        image_features=phantom_biovil.IMAGE_FEATURES,
        text_features=phantom_biovil.TEXT_FEATURES,
        dimension=phantom_network.DIMENSION,
        load=lambda _weights: phantom_biovil.load(),
    ),
}


KNOWN = Extensions("encoder", EncoderSpec, ENCODERS, "leadapron.encoders")


def encoder_names() -> list[str]:
    """Ours, and then those of other packages that are installed."""
    return KNOWN.names()


def find_encoder(name: str) -> EncoderSpec:
    return KNOWN.find(name)

"""CLIP and its offspring in the transformers format, PubMedCLIP among them.

Features are the pooled outputs of both towers, heads are the two linear projections, as
``get_image_features`` and ``get_text_features`` compose them.
"""

from __future__ import annotations

from leadapron.encoders import tensors
from leadapron.encoders.encoder import Encoder, Heads, Weights
from leadapron.encoders.weights import TRANSFORMERS_WEIGHTS, find_weights
from leadapron.training.devices import device

TEXT_LENGTH = 77
NEEDED_FILES = (
    ("config.json",),
    ("preprocessor_config.json",),
    ("tokenizer.json", "vocab.json"),
    ("tokenizer.json", "merges.txt"),
    TRANSFORMERS_WEIGHTS,
)


def load(name: str, hub_id: str, weights: Weights) -> Encoder:
    transformers = tensors.import_transformers(name)
    folder = find_weights(name, hub_id, weights, NEEDED_FILES)
    place = device(weights.device)
    model = tensors.load_pretrained(transformers.CLIPModel, folder).to(place)
    tokenize = tensors.load_tokenizer(transformers.AutoTokenizer, folder, TEXT_LENGTH)

    def text_features(tokens: tensors.Tensor) -> tensors.Tensor:
        return model.text_model(**tokens).pooler_output

    return Encoder(
        image_backbone=tensors.image_backbone(
            lambda pixels: model.vision_model(pixel_values=pixels).pooler_output,
            *tensors.channel_statistics(folder),
            place,
        ),
        text_backbone=tensors.text_backbone(tokenize, text_features, place),
        heads=Heads(tensors.projection(model.visual_projection), tensors.projection(model.text_projection)),
        weights={hub_id: folder},
        device=str(place),
        text_tower=tensors.token_tower(tokenize, text_features, model.text_model),
    )

"""An ImageNet ResNet-50 beside BERT: two models that never saw a radiograph, nor each other.

There are no heads, so a linear alignment is fitted; what it links shows how little a general model must be
told. A weights folder holds both models, in the subfolders ``resnet-50`` and ``bert-base-uncased``.
"""

from __future__ import annotations

from leadapron.encoders import tensors
from leadapron.encoders.encoder import Encoder, Weights
from leadapron.encoders.weights import TRANSFORMERS_WEIGHTS, find_weights
from leadapron.training.devices import device

NAME = "resnet50+bert"
IMAGE_HUB_ID = "microsoft/resnet-50"
TEXT_HUB_ID = "google-bert/bert-base-uncased"
TEXT_LENGTH = 512
IMAGE_FILES = (("config.json",), ("preprocessor_config.json",), TRANSFORMERS_WEIGHTS)
TEXT_FILES = (("config.json",), ("tokenizer.json", "vocab.txt"), TRANSFORMERS_WEIGHTS)


def load(weights: Weights) -> Encoder:
    transformers = tensors.import_transformers(NAME)
    image_folder = find_weights(NAME, IMAGE_HUB_ID, weights, IMAGE_FILES, subfolder="resnet-50")
    text_folder = find_weights(NAME, TEXT_HUB_ID, weights, TEXT_FILES, subfolder="bert-base-uncased")
    place = device(weights.device)
    resnet = tensors.load_pretrained(transformers.ResNetModel, image_folder).to(place)
    bert = tensors.load_pretrained(transformers.BertModel, text_folder, add_pooling_layer=False).to(place)
    tokenize = tensors.load_tokenizer(transformers.AutoTokenizer, text_folder, TEXT_LENGTH)

    def text_features(tokens: tensors.Tensor) -> tensors.Tensor:
        return tensors.mean_of_tokens(bert, tokens)

    return Encoder(
        image_backbone=tensors.image_backbone(
            lambda pixels: resnet(pixels).pooler_output.flatten(1), *tensors.channel_statistics(image_folder), place
        ),
        text_backbone=tensors.text_backbone(tokenize, text_features, place),
        heads=None,
        weights={IMAGE_HUB_ID: image_folder, TEXT_HUB_ID: text_folder},
        device=str(place),
        text_tower=tensors.token_tower(tokenize, text_features, bert),
    )

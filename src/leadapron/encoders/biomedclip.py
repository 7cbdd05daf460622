"""BiomedCLIP, through open_clip.

Features are the outputs of both towers before their projections, heads are the projections. The published
model names the configuration of its text tower by a hub address; here it is read from ``config.json`` beside
the weights (or from the local cache), so that nothing is asked of the hub:

    hf download microsoft/BiomedCLIP-PubMedBERT_256-vit_base_patch16_224 --local-dir FOLDER
    hf download microsoft/BiomedNLP-BiomedBERT-base-uncased-abstract config.json --local-dir FOLDER
"""

from __future__ import annotations

import json

from leadapron.encoders import tensors
from leadapron.encoders.encoder import Encoder, Heads, TokenTower, Weights
from leadapron.encoders.weights import find_weights
from leadapron.training.devices import device

NAME = "biomedclip"
HUB_ID = "microsoft/BiomedCLIP-PubMedBERT_256-vit_base_patch16_224"
TEXT_HUB_ID = "microsoft/BiomedNLP-BiomedBERT-base-uncased-abstract"
TEXT_LENGTH = 256
NEEDED_FILES = (
    ("open_clip_config.json",),
    ("tokenizer.json", "vocab.txt"),
    ("open_clip_model.safetensors", "open_clip_pytorch_model.safetensors", "open_clip_pytorch_model.bin"),
)


def load(weights: Weights) -> Encoder:
    torch = tensors.import_extra("torch", "encoders", encoder=NAME)
    open_clip = tensors.import_extra("open_clip", "open-clip", encoder=NAME)
    folder = find_weights(NAME, HUB_ID, weights, NEEDED_FILES)
    text_folder = find_weights(NAME, TEXT_HUB_ID, weights, (("config.json",),))
    with tensors.reading_checkpoint(folder):
        config = json.loads((folder / "open_clip_config.json").read_text())
        statistics = config["preprocess_cfg"]
        text_tower = config["model_cfg"]["text_cfg"]
        text_tower |= {"hf_model_name": str(text_folder), "hf_model_pretrained": False}
        model = open_clip.create_model_from_pretrained(
            f"local-dir:{folder}", text_cfg=text_tower, return_transform=False
        ).eval()
        tokenizer = open_clip.get_tokenizer(f"local-dir:{folder}", context_length=TEXT_LENGTH)
    place = device(weights.device)
    model.to(place)
    text_head, model.text.proj = model.text.proj, torch.nn.Identity()
    return Encoder(
        image_backbone=tensors.image_backbone(model.visual.trunk, statistics["mean"], statistics["std"], place),
        text_backbone=tensors.text_backbone(tokenizer, model.encode_text, place),
        heads=Heads(tensors.projection(model.visual.head), tensors.projection(text_head)),
        weights={HUB_ID: folder, TEXT_HUB_ID: text_folder},
        device=str(place),
        text_tower=TokenTower(
            tokenizer.tokenizer,
            lambda tokens: model.encode_text(tokens["input_ids"]),
            model.text.transformer.get_input_embeddings(),
            TEXT_LENGTH,
        ),
    )

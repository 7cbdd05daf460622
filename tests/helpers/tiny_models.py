"""Models of a few thousand random weights, saved in the very files in which the real ones are published."""

from __future__ import annotations

import json
import string
from pathlib import Path

WORDS = ["no", "small", "left", "pleural", "effusion", "heart", "size", "is", "normal", ".", "lungs", "clear"]
IMAGE_SIZE = 64
MEAN, STD = [0.48, 0.46, 0.41], [0.27, 0.26, 0.28]


def save_clip(folder: Path):
    from transformers import CLIPConfig, CLIPModel

    letters = [*string.ascii_lowercase, "."]
    vocabulary = [*letters, *(letter + "</w>" for letter in letters), "<|startoftext|>", "<|endoftext|>"]
    tower = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 2}
    start, end = len(vocabulary) - 2, len(vocabulary) - 1
    text = {"vocab_size": len(vocabulary), "bos_token_id": start, "eos_token_id": end, "pad_token_id": end}
    config = CLIPConfig(
        text_config={**tower, **text, "hidden_size": 24},
        vision_config={**tower, "image_size": IMAGE_SIZE, "patch_size": 16},
        projection_dim=12,
    )
    model = CLIPModel(config).eval()
    model.save_pretrained(folder)
    (folder / "vocab.json").write_text(json.dumps({token: number for number, token in enumerate(vocabulary)}))
    (folder / "merges.txt").write_text("#version: 0.2\n")
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "CLIPTokenizer"}))
    save_preprocessor(folder)
    return model


def save_resnet(folder: Path):
    from transformers import ResNetConfig, ResNetForImageClassification

    config = ResNetConfig(embedding_size=8, hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 2, 1])
    model = shake(ResNetForImageClassification(config)).eval()
    model.save_pretrained(folder)
    save_preprocessor(folder)
    return model


def save_bert(folder: Path):
    from transformers import BertForMaskedLM

    model = BertForMaskedLM(bert_config()).eval()
    model.save_pretrained(folder)
    save_wordpieces(folder)
    return model


def save_biovil_t(folder: Path, *, width: int = 8, patch: int = 6, dimension: int = 4):
    """Both files of BioViL-T, with tensors in them that the path of a single image leaves unread."""
    import torch
    from transformers import BertForMaskedLM

    image = {
        **{f"encoder.encoder.{name}": tensor for name, tensor in torchvision_resnet(width).items()},
        "encoder.encoder.fc.weight": torch.randn(10, 4 * width),
        "encoder.encoder.fc.bias": torch.randn(10),
        "encoder.backbone_to_vit.weight": torch.randn(patch, 4 * width, 1, 1),
        "encoder.missing_previous_emb": torch.randn(1, patch, 1, 1),
        "encoder.vit_pooler.norm_post.weight": torch.randn(patch),
        **{f"projector.model.{name}": tensor for name, tensor in biovil_t_projector(2 * patch, dimension).items()},
    }
    torch.save(image, folder / "biovil_t_image_model_proj_size_128.pt")

    config = bert_config()
    masked = BertForMaskedLM(config).eval()
    head = biovil_t_text_head(config.hidden_size, dimension)
    text = {**masked.state_dict(), **{f"cls_projection_head.{name}": tensor for name, tensor in head.items()}}
    text["bert.embeddings.position_ids"] = torch.arange(512)[None]
    torch.save(text, folder / "pytorch_model.bin")
    remote_code = {"model_type": "cxr-bert", "auto_map": {"AutoModel": "modeling_cxrbert.CXRBertModel"}}
    (folder / "config.json").write_text(json.dumps({**config.to_dict(), **remote_code, "projection_size": dimension}))
    save_wordpieces(folder, tokenizer_class="CXRBertTokenizer")
    return image, masked, head


def biovil_t_projector(features: int, dimension: int):
    import torch

    return {
        "0.weight": torch.randn(dimension, features, 1, 1),
        **batch_norm("1", dimension),
        "3.weight": torch.randn(dimension, dimension, 1, 1),
        "3.bias": torch.randn(dimension),
    }


def biovil_t_text_head(features: int, dimension: int):
    import torch

    return {
        "dense_to_hidden.weight": torch.randn(dimension, features),
        "dense_to_hidden.bias": torch.randn(dimension),
        "LayerNorm.weight": torch.rand(dimension) + 0.5,
        "LayerNorm.bias": torch.randn(dimension),
        "dense_to_output.weight": torch.randn(dimension, dimension),
        "dense_to_output.bias": torch.randn(dimension),
    }


def torchvision_resnet(width: int, depths: tuple[int, ...] = (1, 2, 1, 1)):
    """A bottleneck ResNet under torchvision's names."""
    import torch

    def convolution(inputs: int, outputs: int, size: int):
        return torch.randn(outputs, inputs, size, size) / (inputs * size * size) ** 0.5

    tensors = {"conv1.weight": convolution(3, width, 7), **batch_norm("bn1", width)}
    inputs = width
    for stage, depth in enumerate(depths, start=1):
        outputs = width if stage == 1 else stage * width
        for block in range(depth):
            name, narrow = f"layer{stage}.{block}", outputs // 4
            for number, (before, after, size) in enumerate(
                [(inputs, narrow, 1), (narrow, narrow, 3), (narrow, outputs, 1)], start=1
            ):
                tensors[f"{name}.conv{number}.weight"] = convolution(before, after, size)
                tensors |= batch_norm(f"{name}.bn{number}", after)
            if block == 0 and (stage > 1 or inputs != outputs):
                tensors[f"{name}.downsample.0.weight"] = convolution(inputs, outputs, 1)
                tensors |= batch_norm(f"{name}.downsample.1", outputs)
            inputs = outputs
    return tensors


def batch_norm(name: str, channels: int):
    import torch

    return {
        f"{name}.weight": torch.rand(channels) + 0.5,
        f"{name}.bias": torch.randn(channels) / 10,
        f"{name}.running_mean": torch.randn(channels) / 10,
        f"{name}.running_var": torch.rand(channels) + 0.5,
        f"{name}.num_batches_tracked": torch.tensor(1),
    }


def save_biomedclip(folder: Path):
    """Needs open_clip; a small timm network stands in for the ViT-B/16."""
    import open_clip
    import torch

    bert_config().save_pretrained(folder)
    save_wordpieces(folder)
    model_config = {
        "embed_dim": 12,
        "vision_cfg": {
            "timm_model_name": "vit_tiny_patch16_224",
            "timm_model_pretrained": False,
            "timm_pool": "",
            "timm_proj": "linear",
            "image_size": 224,
        },
        "text_cfg": {
            "hf_model_name": "nobody/not-to-be-asked-for",
            "hf_tokenizer_name": "nobody/not-to-be-asked-for",
            "hf_proj_type": "mlp",
            "hf_pooler_type": "cls_last_hidden_state_pooler",
            "context_length": 256,
        },
    }
    text_config = {**model_config["text_cfg"], "hf_model_name": str(folder), "hf_model_pretrained": False}
    model = open_clip.CustomTextCLIP(**{**model_config, "text_cfg": text_config}).eval()
    torch.save(model.state_dict(), folder / "open_clip_pytorch_model.bin")
    statistics = {"mean": MEAN, "std": STD}
    (folder / "open_clip_config.json").write_text(json.dumps({"model_cfg": model_config, "preprocess_cfg": statistics}))
    return model


def bert_config():
    from transformers import BertConfig

    return BertConfig(
        vocab_size=len(WORDS) + 5,
        hidden_size=24,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=48,
        pad_token_id=0,
    )


def save_wordpieces(folder: Path, tokenizer_class: str = "BertTokenizer") -> None:
    (folder / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]))
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": tokenizer_class, "do_lower_case": True})
    )


def save_preprocessor(folder: Path) -> None:
    (folder / "preprocessor_config.json").write_text(json.dumps({"image_mean": MEAN, "image_std": STD}))


def shake(model):
    """Move the batch norms off the identity, at which they would hide a mistake."""
    import torch

    for module in model.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.load_state_dict({name[2:]: tensor for name, tensor in batch_norm("x", module.num_features).items()})
    return model


def save_pipeline(folder: Path, *, seed: int = 0, size: int = 32):
    """A Stable Diffusion pipeline of random weights, as ``save_pretrained`` writes it."""
    import torch
    from diffusers import AutoencoderKL, DDIMScheduler, StableDiffusionPipeline, UNet2DConditionModel
    from transformers import CLIPTextConfig, CLIPTextModel, CLIPTokenizer

    save_clip_words(folder.with_name(f"{folder.name}-words"))
    tokenizer = CLIPTokenizer.from_pretrained(folder.with_name(f"{folder.name}-words"), model_max_length=16)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        end = len(tokenizer) - 1
        text = CLIPTextConfig(
            vocab_size=len(tokenizer),
            hidden_size=16,
            intermediate_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            max_position_embeddings=16,
            bos_token_id=end - 1,
            eos_token_id=end,
            pad_token_id=end,
        )
        parts = {
            "text_encoder": CLIPTextModel(text).eval(),
            "vae": AutoencoderKL(
                down_block_types=("DownEncoderBlock2D", "DownEncoderBlock2D"),
                up_block_types=("UpDecoderBlock2D", "UpDecoderBlock2D"),
                block_out_channels=(8, 8),
                norm_num_groups=4,
                latent_channels=4,
            ),
            "unet": UNet2DConditionModel(
                sample_size=size // 2,
                block_out_channels=(8, 16),
                layers_per_block=1,
                down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
                up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
                cross_attention_dim=16,
                attention_head_dim=4,
                norm_num_groups=4,
            ),
        }
    pipeline = StableDiffusionPipeline(
        **parts,
        tokenizer=tokenizer,
        scheduler=DDIMScheduler(steps_offset=1, clip_sample=False, set_alpha_to_one=False),
        safety_checker=None,
        feature_extractor=None,
        requires_safety_checker=False,
    )
    pipeline.save_pretrained(folder, safe_serialization=True)
    return pipeline


def save_clip_words(folder: Path) -> None:
    """A tokenizer of single letters, in CLIP's files."""
    folder.mkdir()
    letters = [*string.ascii_lowercase, "."]
    vocabulary = [*letters, *(letter + "</w>" for letter in letters), "<|startoftext|>", "<|endoftext|>"]
    (folder / "vocab.json").write_text(json.dumps({token: number for number, token in enumerate(vocabulary)}))
    (folder / "merges.txt").write_text("#version: 0.2\n")
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "CLIPTokenizer"}))

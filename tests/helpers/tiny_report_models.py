"""Vision-language models of random weights that can write, saved in the very files in which the real ones come."""

from __future__ import annotations

import string
from pathlib import Path

REPORTS = ("left effusion.", "heart is large.", "lungs:\nclear.")
SIZE = 28
SPREAD = 0.3
"""Of the weights: so small a model learns nothing from the usual ones, of which so few add up to nearly nothing."""
BYTES = [f"<0x{number:02X}>" for number in range(256)]
QWEN_WORDS = ["<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"]
GEMMA_WORDS = ["<start_of_turn>", "<end_of_turn>", "<start_of_image>", "<end_of_image>", "<image_soft_token>"]


def save_qwen(folder: Path, *, seed: int = 0):
    """Qwen2.5-VL, with a tokenizer of bytes and a few merges of them."""
    from transformers import Qwen2_5_VLConfig, Qwen2_5_VLForConditionalGeneration, Qwen2Tokenizer
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

    vocabulary, merges = byte_pairs()
    tokenizer = Qwen2Tokenizer(vocab={**vocabulary, "<|endoftext|>": len(vocabulary)}, merges=merges)
    tokenizer.add_special_tokens({"additional_special_tokens": QWEN_WORDS})
    ids = {word: tokenizer.convert_tokens_to_ids(word) for word in QWEN_WORDS}
    config = Qwen2_5_VLConfig(
        text_config={
            "vocab_size": len(tokenizer) + 10,  # the real one has rows to spare, too
            "hidden_size": 32,
            "initializer_range": SPREAD,
            "intermediate_size": 32,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "num_key_value_heads": 1,
            "max_position_embeddings": 512,
            "rope_parameters": {"rope_type": "default", "rope_theta": 1e6, "mrope_section": [2, 3, 3]},
            "bos_token_id": tokenizer.convert_tokens_to_ids("<|endoftext|>"),
            "eos_token_id": ids["<|im_end|>"],
        },
        vision_config={
            "depth": 2,
            "hidden_size": 32,
            "initializer_range": SPREAD,
            "intermediate_size": 32,
            "num_heads": 2,
            "patch_size": 7,
            "window_size": 28,
            "out_hidden_size": 32,
            "fullatt_block_indexes": [1],
        },
        image_token_id=ids["<|image_pad|>"],
        video_token_id=ids["<|video_pad|>"],
        vision_start_token_id=ids["<|vision_start|>"],
        vision_end_token_id=ids["<|vision_end|>"],
        tie_word_embeddings=False,
    )
    model = made(Qwen2_5_VLForConditionalGeneration, config, seed)
    model.generation_config.update(do_sample=True, temperature=1e-6, repetition_penalty=1.05)  # as published
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    size = {"shortest_edge": 14 * 14, "longest_edge": SIZE * SIZE}
    Qwen2VLImageProcessorPil(patch_size=7, size=size).save_pretrained(folder)
    return model


def save_gemma(folder: Path, *, seed: int = 0, blind: bool = False, dtype: str = "float32"):
    """Gemma 3, with a tokenizer of letters; its projector starts at zero, and would show nothing."""
    import torch
    from transformers import Gemma3Config, Gemma3ForConditionalGeneration, Gemma3Processor, GemmaTokenizer
    from transformers.models.gemma3.image_processing_pil_gemma3 import Gemma3ImageProcessorPil

    letters, merges = ["▁", *string.ascii_letters, *".,:\n"], growing_words()
    special = ["<pad>", "<eos>", "<bos>", "<unk>", "<mask>", *GEMMA_WORDS]
    words = [*special, *BYTES, *letters, *("".join(merge) for merge in merges)]
    vocabulary = {word: number for number, word in enumerate(words)}
    named = {"boi_token": GEMMA_WORDS[2], "eoi_token": GEMMA_WORDS[3], "image_token": GEMMA_WORDS[4]}
    tokenizer = GemmaTokenizer(vocab=vocabulary, merges=merges, extra_special_tokens=named)
    tokenizer.add_special_tokens({"additional_special_tokens": GEMMA_WORDS[:2]})
    config = Gemma3Config(
        text_config={
            "vocab_size": len(words) + 6,
            "hidden_size": 32,
            "initializer_range": SPREAD,
            "intermediate_size": 32,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "num_key_value_heads": 1,
            "head_dim": 16,
            "sliding_window": 16,
            "sliding_window_pattern": 2,
            "max_position_embeddings": 512,
        },
        vision_config={
            "hidden_size": 32,
            "initializer_range": SPREAD,
            "intermediate_size": 32,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "image_size": SIZE,
            "patch_size": 7,
            "vision_use_head": False,
        },
        mm_tokens_per_image=4,
        boi_token_index=vocabulary["<start_of_image>"],
        eoi_token_index=vocabulary["<end_of_image>"],
        image_token_index=vocabulary["<image_soft_token>"],
    )
    model = made(Gemma3ForConditionalGeneration, config, seed)
    if not blind:
        weight = model.model.multi_modal_projector.mm_input_projection_weight
        with torch.no_grad():
            weight.copy_(torch.randn(weight.shape, generator=torch.Generator().manual_seed(seed)))
    model.to(getattr(torch, dtype)).save_pretrained(folder)
    images = Gemma3ImageProcessorPil(size={"height": SIZE, "width": SIZE})
    Gemma3Processor(images, tokenizer, image_seq_length=4).save_pretrained(folder)
    return model


def save_encoder_decoder(folder: Path, *, seed: int = 0, width: int = 24, **changed: object):
    """ViT and GPT-2. With a ``width`` of 32 both are equally wide, and there is no projection between them."""
    from transformers import (
        GPT2Config,
        GPT2Tokenizer,
        VisionEncoderDecoderConfig,
        VisionEncoderDecoderModel,
        ViTConfig,
        ViTImageProcessorPil,
    )

    vocabulary, merges = byte_pairs()
    end = len(vocabulary)
    tokenizer = GPT2Tokenizer(vocab={**vocabulary, "<|endoftext|>": end}, merges=merges)
    vision = ViTConfig(
        hidden_size=width,
        initializer_range=SPREAD,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        image_size=SIZE,
        patch_size=7,
    )
    words = GPT2Config(
        vocab_size=end + 1,
        n_positions=40,
        n_embd=32,
        initializer_range=SPREAD,
        n_layer=2,
        n_head=2,
        bos_token_id=end,
        eos_token_id=end,
        is_decoder=True,
        add_cross_attention=True,
    )
    config = VisionEncoderDecoderConfig.from_encoder_decoder_configs(vision, words)
    config.update({"decoder_start_token_id": end, "pad_token_id": end, "eos_token_id": end, **changed})
    model = made(VisionEncoderDecoderModel, config, seed)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    ViTImageProcessorPil(size={"height": SIZE, "width": SIZE}).save_pretrained(folder)
    return model


def made(kind, config, seed: int):
    import torch

    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return kind(config).eval()


def growing_words() -> list[tuple[str, str]]:
    """Merges that make each word of the reports one token, letter by letter."""
    words = {f"▁{word}" for report in REPORTS for word in report.strip(".").split()}
    grown = {(word[:at], word[at]) for word in words for at in range(1, len(word))}
    return sorted(grown, key=lambda merge: (len(merge[0]), merge))


def byte_pairs() -> tuple[dict[str, int], list[tuple[str, str]]]:
    """Every byte, and the words of a few reports: what GPT-2 and Qwen have, only small."""
    import json

    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = trainers.BpeTrainer(vocab_size=300, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator([*REPORTS] * 3, trainer)
    model = json.loads(tokenizer.to_str())["model"]
    return model["vocab"], [tuple(merge) for merge in model["merges"]]

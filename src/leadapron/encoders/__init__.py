"""Encoders: they turn a cohort into a release."""

from leadapron.encoders.encode import EncodeConfig, encode
from leadapron.encoders.encoder import Encoder, EncoderSpec, Heads, Weights
from leadapron.encoders.encoder_registry import ENCODERS, encoder_names, find_encoder

__all__ = [
    "ENCODERS",
    "EncodeConfig",
    "Encoder",
    "EncoderSpec",
    "Heads",
    "Weights",
    "encode",
    "encoder_names",
    "find_encoder",
]

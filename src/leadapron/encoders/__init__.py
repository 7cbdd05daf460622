"""Encoders: they turn a cohort into a release."""

from leadapron.encoders.encode import encode
from leadapron.encoders.encoder import Encoder, EncoderSpec, Heads, Weights
from leadapron.encoders.registry import ENCODERS, find_encoder

__all__ = ["ENCODERS", "Encoder", "EncoderSpec", "Heads", "Weights", "encode", "find_encoder"]

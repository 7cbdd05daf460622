"""Defences of the release itself: the vectors are changed, no head is trained, and nothing but NumPy is needed."""

from leadapron.defences.vectors.gaussian import gaussian_delta, gaussian_epsilon
from leadapron.defences.vectors.registry import VECTOR_DEFENCES, VectorDefence, find_vector_defence

__all__ = ["VECTOR_DEFENCES", "VectorDefence", "find_vector_defence", "gaussian_delta", "gaussian_epsilon"]

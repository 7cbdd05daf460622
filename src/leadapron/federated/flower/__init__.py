"""Flower as the engine: the same rounds, between processes and machines."""

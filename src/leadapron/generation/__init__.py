"""Generators of radiographs: from words to an image that is of nobody."""

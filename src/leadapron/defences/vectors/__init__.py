"""Defences of the release itself: the vectors are changed, no head is trained, and nothing but NumPy is needed."""

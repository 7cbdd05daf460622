"""Pairs that anybody can learn: bright images have an effusion, dark ones a pneumothorax, each on its side."""

from __future__ import annotations

import numpy as np

from leadapron.writing import Pairs

EFFUSION = "FINDINGS: Large left pleural effusion.\n\nIMPRESSION: Effusion."
PNEUMOTHORAX = "FINDINGS: Small right apical pneumothorax.\n\nIMPRESSION: Pneumothorax."


def easy_pairs(count: int = 24, seed: int = 0, name: str = "p") -> Pairs:
    """Half of each kind; a patient has two of one kind."""
    rng = np.random.default_rng(seed)
    bright = np.arange(count) % 4 < 2
    images = np.where(bright, 200, 60)[:, None, None] + rng.integers(-20, 21, (count, 16, 16))
    reports = tuple(EFFUSION if one else PNEUMOTHORAX for one in bright)
    return Pairs(images.astype(np.uint8), reports, np.array([f"{name}{row // 2}" for row in range(count)]))

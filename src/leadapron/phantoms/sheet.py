"""A contact sheet: the clinic at a glance."""

from __future__ import annotations

import numpy as np
from PIL import Image

from leadapron.phantoms.clinic import Clinic
from leadapron.phantoms.radiograph import render


def contact_sheet(clinic: Clinic, rows: int = 4, columns: int = 6, size: int = 192) -> Image.Image:
    """The first image of the first patients, side by side."""
    first = clinic.cohort.records["patient_id"].is_first_distinct().arg_true().to_numpy()[: rows * columns]
    films = np.zeros((rows * columns, size, size), dtype=np.uint8)
    films[: len(first)] = render(clinic.scenes[first], size)
    grid = films.reshape(rows, columns, size, size).transpose(0, 2, 1, 3)
    return Image.fromarray(grid.reshape(rows * size, columns * size))

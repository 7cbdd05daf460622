"""Zero-shot findings: does an image lie nearer to the sentence that the finding is there, or to the one that it is not?

The study measured images alone. A release with images and reports in one space is also asked in words, and a defence
that pulls the two apart takes that away.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leadapron.cohort import LABEL_COLUMNS
from leadapron.cohort.truth import Labels
from leadapron.release import Release
from leadapron.release.rows import distinct_rows, unit

Floats = NDArray[np.float64]


def zero_shot_scores(release: Release, labels: Labels) -> dict[str, Floats] | str:
    """The cosine with "present" less the cosine with "absent", of the labels that can be judged; or why there is none.

    ``release`` and ``labels`` are those of the test records.
    """
    prompts = release.prompts.get("text")
    if prompts is None:
        return "the release holds no prompts"
    if prompts.shape[1] != release.image.shape[1]:
        return f"prompts of {prompts.shape[1]} and images of {release.image.shape[1]} dimensions are not in one space"
    judged = labels.both_classes()
    named = [label for label, both in zip(labels.names, judged, strict=True) if both]
    places = {column.removeprefix("label_"): at for at, column in enumerate(LABEL_COLUMNS)}
    asked = [label for label in named if label in places]
    if not asked:
        return "no finding of the prompts has both classes in the test split"
    words = unit(prompts).astype(np.float64)
    directions = np.stack([words[2 * places[label]] - words[2 * places[label] + 1] for label in asked], axis=1)
    first, place = distinct_rows(release.image)
    images = release.image[first]
    scores = (unit(images).astype(np.float64) @ directions)[place]
    return {label: np.ascontiguousarray(scores[:, at]) for at, label in enumerate(asked)}

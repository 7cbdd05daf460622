"""The last word on a model: macro AUROC on test patients that decided nothing, with intervals over patients."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leadapron.cohort.truth import Labels
from leadapron.federated.federation_plan import Holds
from leadapron.federated.fusion_model import FusionModel, load_weights
from leadapron.federated.run_card import Run, Tested
from leadapron.federated.scoring import VIEWS, logits, view_for
from leadapron.federated.station import Arrays, Station
from leadapron.uses.auroc import count_redraws, draw, spread

REDRAWS = 1000


def tested(model: FusionModel, judged: list[tuple[Arrays, Holds]], station: Station, run: Run) -> tuple[Tested, ...]:
    """With both halves and with one. Of several models, one per hospital, the mean."""
    labels = Labels(run.labels, np.asarray(station.truth))
    redraws = draw(_numbered(np.asarray(station.patients)), REDRAWS, run.plan.seed)
    found = []
    for view in VIEWS:
        areas = []
        for arrays, holds in judged:
            if (shown := view_for(holds, view)) is not None:
                load_weights(model, arrays)
                areas.append(count_redraws(logits(model, station, shown), labels, redraws).auroc())
        if not areas:
            continue
        area = np.mean(areas, axis=0)
        macro = np.nanmean(area[:, ~np.isnan(area[0])], axis=1)
        low, high, _ = spread(macro[1:])
        known = zip(run.labels, area[0], strict=True)
        single = {name: None if np.isnan(value) else float(value) for name, value in known}
        found.append(Tested(view=view, value=float(macro[0]), low=low, high=high, findings=single))
    return tuple(found)


def _numbered(patients: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Patients by the order in which they come: their hashes are others in every deal, and intervals must not be."""
    _, first, whose = np.unique(patients, return_index=True, return_inverse=True)
    numbers: NDArray[np.int64] = np.argsort(np.argsort(first))[whose]
    return numbers

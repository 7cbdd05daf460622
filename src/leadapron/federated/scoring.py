"""How good a model is: the area under the ROC curve, on average over findings, with both halves and with one."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.stats import rankdata

from leadapron.federated.federation_plan import Holds
from leadapron.federated.fusion_model import FusionModel, load_weights, tensor, weights_of
from leadapron.federated.run_card import Scores
from leadapron.federated.station import Arrays, Station

Floats = NDArray[np.float64]
VIEWS: tuple[Holds, ...] = ("both", "image", "text")


def aurocs(scores: Floats, truth: NDArray[np.int8]) -> Floats:
    """Of each finding; NaN where the records do not have both kinds. A tie counts half."""
    found = np.full(truth.shape[1], np.nan)
    for label, known in enumerate(truth.T):
        there = known != -1
        positive = known[there] == 1
        ups, downs = int(positive.sum()), int((~positive).sum())
        if ups and downs:
            ranks = rankdata(scores[there, label])
            found[label] = (ranks[positive].sum() - ups * (ups + 1) / 2) / (ups * downs)
    return found


def logits(model: FusionModel, station: Station, view: str) -> Floats:
    """What the model says of a station's records when it sees ``view`` of them."""
    model.eval()
    device = next(model.parameters()).device
    parts = []
    with torch.inference_mode():
        for start in range(0, len(station), model.rows_at_once):
            rows = slice(start, start + model.rows_at_once)
            image, text = (
                None if half is None or view not in (name, "both") else tensor(half[rows], device)
                for name, half in (("image", station.image), ("text", station.text))
            )
            parts.append(model(image, text).double().cpu().numpy())
    return np.concatenate(parts)


def macro_auroc(model: FusionModel, station: Station, view: str) -> float:
    """The mean over the findings of which the station has both kinds."""
    return float(np.nanmean(aurocs(logits(model, station, view), station.truth)))


def view_for(holds: Holds, view: str) -> str | None:
    """What a hospital's own model is shown where ``view`` is asked for; None where it has never learnt that half."""
    if holds == "both":
        return view
    return holds if view in (holds, "both") else None


def mean_scores(model: FusionModel, models: list[tuple[Arrays, Holds]], station: Station) -> Scores:
    """The mean over models of their own, each with the halves that it has learnt; ``model`` ends as it began."""
    before = weights_of(model)
    found: dict[str, list[float]] = {view: [] for view in VIEWS}
    for arrays, holds in models:
        load_weights(model, arrays)
        for view in VIEWS:
            if (shown := view_for(holds, view)) is not None:
                found[view].append(macro_auroc(model, station, shown))
    load_weights(model, before)
    return Scores(**{view: float(np.mean(values)) if values else None for view, values in found.items()})

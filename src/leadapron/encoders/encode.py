"""From a cohort to a release: encode every image and every distinct report once, resume after an interruption."""

from __future__ import annotations

import sys
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path

import numpy as np
import polars as pl

from leadapron.cohort import Cohort, Pixels
from leadapron.encoders.alignment import fit_alignment
from leadapron.encoders.brought_heads import OF_ANOTHER, heads_of
from leadapron.encoders.encoder import Encoder, EncoderSpec, Floats, Heads, Weights
from leadapron.encoders.feature_blocks import CHECKPOINT_ROWS, FeatureBlocks
from leadapron.encoders.fingerprint import weights_card
from leadapron.encoders.prompts import prompts
from leadapron.engine import Progress, silent
from leadapron.engine.executors import Executor, Here
from leadapron.errors import ConfigError, DataError, did_you_mean
from leadapron.release import Projection, Release
from leadapron.release.fitting import ELSEWHERE, Fitting, fitted_to
from leadapron.release.release import NEVER_RELEASED, split_columns
from leadapron.release.rows import unit
from leadapron.training.fitting_batches import in_batches

FEWEST_PAIRS = 20
LIBRARIES = ("numpy", "polars", "torch", "transformers")


@dataclass(frozen=True)
class EncodeConfig:
    """What a release is to hold, and who encodes it.

    - ``images_only``: leave the reports out
    - ``with_features``: add what the backbones say before the heads, and the heads where they are plain data, for
      defences that train heads of their own
    - ``keep_columns``: released beside those that always are (``release.RELEASED_COLUMNS``)
    - ``heads_from``: a release whose heads are taken as they are, in the place of the encoder's own or of fitted ones
    - ``splits``: only the records of these; without any, all of them
    - ``executor``: who computes; processes that it starts find the encoder's weights by ``loaded_from``
    """

    images_only: bool = False
    with_features: bool = False
    keep_columns: tuple[str, ...] = ()
    heads_from: Release | None = None
    splits: tuple[str, ...] = ()
    executor: Executor = field(default_factory=Here)
    loaded_from: Weights = field(default_factory=Weights)


def encode(
    pixels: Pixels,
    name: str,
    spec: EncoderSpec,
    encoder: Encoder,
    work: Path,
    config: EncodeConfig | None = None,
    *,
    progress: Progress = silent,
) -> Release:
    """The release of a cohort. ``work`` keeps what was finished, so that the same call goes on after a kill.

    Records without a report are left out of a release of pairs, and counted in its card, which also names the columns
    that were left out. A release of pairs also has two prompts per finding, see ``prompts``.
    """
    config = config or EncodeConfig()
    check_columns(pixels.cohort, config.keep_columns)
    cohort, kept = pixels.cohort, np.arange(len(pixels.images))
    if config.splits:
        wanted = pl.col("split").is_in(config.splits)
        kept = kept[cohort.records.select(wanted)["split"].to_numpy()]
        cohort = cohort.keep(wanted, f"split {' or '.join(config.splits)}", "no other split was asked for")
    images_only = config.images_only or cohort.records["report"].null_count() == len(cohort)
    if not images_only:
        reported = cohort.records["report"].is_not_null()
        if not reported.all():
            kept = kept[reported.to_numpy()]
            cohort = cohort.keep(pl.col("report").is_not_null(), "report present", "a release of pairs needs both")

    weights = weights_card(encoder.weights)
    brought = None if config.heads_from is None else heads_of(config.heads_from, name, spec, weights)
    fits = encoder.heads is None and brought is None and not images_only
    if fits:
        _check_pairs(cohort)
    hashes = {model: entry["sha256"] for model, entry in weights.items()}
    blocks = FeatureBlocks(name, spec, encoder, hashes, config.loaded_from, work, config.executor, progress)
    features = {"image_features": blocks.of_images(pixels.images, kept)}
    words = [] if images_only else prompts()
    if not images_only:
        distinct = cohort.records["report"].unique(maintain_order=True)
        texts = distinct.to_list() + words  # in one sequence: an interruption costs a block of it, no more
        text_features = blocks.of_texts(texts)
        place = pl.DataFrame({"report": distinct}).with_row_index("row")
        rows = cohort.records.select("report").join(place, on="report", how="left", maintain_order="left")["row"]
        text_of = rows.to_numpy()
        if config.with_features or fits:
            features["text_features"] = text_features[text_of]

    heads, alignment = encoder.heads, "the encoder's own heads"
    fittings = [Fitting("encoder", name, ELSEWHERE)]
    if config.heads_from is not None and brought is not None:
        heads, alignment = brought, OF_ANOTHER
        theirs = (one for one in config.heads_from.fitted if one.part != "encoder")
        fittings += [one.for_release(cohort.records) for one in theirs]
    elif fits:
        heads, alignment, fitting = _fit(cohort, features, spec.dimension)
        fittings.append(fitting)
    elif heads is None:
        heads, alignment = Heads(unit, unit), "none: image features at length one"
    asked = {}
    embeddings = {"image": in_batches(heads.image, features["image_features"], CHECKPOINT_ROWS)}
    if not images_only:
        # A text goes through backbone and head once: reports that are word for word the same tie exactly.
        projected = in_batches(heads.text, text_features, CHECKPOINT_ROWS)
        embeddings["text"] = projected[text_of]
        asked = {"text": projected[len(distinct) :]}
        if config.with_features:
            asked["text_features"] = text_features[len(distinct) :]
    records, left_out = split_columns(cohort.records, config.keep_columns)
    described = {"name": name, "image_size": spec.image_size, "text_length": spec.text_length}
    card = {
        "cohort": cohort.name,
        "encoder": described
        | ({"weights": weights} if weights else {})
        | ({} if encoder.device is None else {"device": encoder.device}),
        "alignment": alignment,
        "versions": {package: version(package) for package in LIBRARIES if package in sys.modules},
        "preprocessing": "min-max to 8 bit, histogram equalisation, bilinear resize",
        "funnel": [[step.what, step.kept, step.dropped, step.why] for step in cohort.funnel.steps],
        "columns_left_out": left_out,
        **cohort.handed_on,
        **({"prompts": words} if words else {}),
    }
    records = records.with_columns(pl.col("study_id").alias("report_id"))  # the images of a study share its report
    arrays = embeddings | (features if config.with_features else {})
    data = _as_data(heads) if config.with_features else {}
    return Release(records, arrays, card, heads=data, prompts=asked, fitted=tuple(fittings))


def _as_data(heads: Heads) -> dict[str, Projection]:
    """The heads, where both sides are layers that can be written down."""
    if isinstance(heads.image, Projection) and isinstance(heads.text, Projection):
        return {"image": heads.image, "text": heads.text}
    return {}


def check_columns(cohort: Cohort, wanted: Collection[str]) -> None:
    """The columns to keep are there, and are none that a release must not hold."""
    known = [column for column in cohort.records.columns if column not in NEVER_RELEASED]
    for column in wanted:
        if column not in known:
            what = "a column that is never released" if column in NEVER_RELEASED else "unknown column to keep"
            raise ConfigError(what, where=cohort.name, got=column, allowed=did_you_mean(column, known))


def _check_pairs(cohort: Cohort) -> None:
    train = int((cohort.records["split"] == "train").sum())
    if train < FEWEST_PAIRS:
        raise DataError(
            "this encoder has no shared space of its own, and there are too few training pairs to fit one",
            where=cohort.name,
            got=train,
            allowed=f"{FEWEST_PAIRS} or more records with a report in split 'train'",
        )


def _fit(cohort: Cohort, features: dict[str, Floats], dimension: int) -> tuple[Heads, str, Fitting]:
    """Heads for backbones that have none, fitted on the training patients only: test pairs stay unseen.

    The words for the card give no number: it would stay in the card of a release whose heads are private. What the
    training patients chose goes with the fitting.
    """
    seen = cohort.records["split"] == "train"
    train = seen.to_numpy()
    records = cohort.records.filter(seen)
    patients = records["patient_id"].to_list()
    fitted = fit_alignment(features["image_features"][train], features["text_features"][train], patients, dimension)
    fitting = fitted_to("alignment", "canonical correlation", records, cohort.records)
    words = "canonical correlation fitted on the training patients"
    return fitted.heads, words, replace(fitting, chosen=fitted.strength.words)

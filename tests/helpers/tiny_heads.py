"""What the tests of the heads share: small releases with features, and heads with every kind of layer."""

from __future__ import annotations

import numpy as np
import polars as pl

from leadapron.cohort import FINDINGS, LABEL_COLUMNS
from leadapron.defences.heads.network import fresh_heads
from leadapron.release import Layer, Projection, Release

WIDTHS = {"image": 24, "text": 20}
DIMENSION = 16


def tiny_release(
    patients=60, seed=0, *, prefix="p", heads=True, widths=WIDTHS, dimension=DIMENSION, findings=14
) -> Release:
    """Patients with one to three records; image and text share the labels and something of the pair's own.

    Of the findings the first few occur; the fewer they are, the less they alone give a pair away.
    """
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(patients), rng.integers(1, 4, patients))
    labels = (rng.random((len(who), len(FINDINGS))) < 0.3).astype(np.int8)
    labels[:, findings:] = 0
    own = rng.standard_normal((len(who), 4))
    shared = np.hstack([labels, own])
    mix = np.random.default_rng(99)  # the same backbone in every release
    arrays = {}
    for side, width in widths.items():
        weights = mix.standard_normal((shared.shape[1], width)) / 2
        noise = 0.3 * rng.standard_normal((len(who), width))
        arrays[f"{side}_features"] = (shared @ weights + noise).astype(np.float32)
    arrays["text_features"][1] = arrays["text_features"][0]  # two reports that are word for word the same
    made = fresh_heads("mlp", widths["image"], widths["text"], dimension, 5)
    for side in widths:
        arrays[side] = made[side](arrays[f"{side}_features"])
    arrays["text"][1] = arrays["text"][0]
    prompts = rng.standard_normal((2 * len(FINDINGS), widths["text"])).astype(np.float32)
    split = np.array(["train", "train", "train", "validate", "test"])[who % 5]
    records = pl.DataFrame(
        {
            "record_id": [f"{prefix}-r{row}" for row in range(len(who))],
            "patient_id": [f"{prefix}{patient}" for patient in who],
            "split": split,
            **{column: labels[:, place] for place, column in enumerate(LABEL_COLUMNS)},
        }
    )
    return Release(
        records,
        arrays,
        {"alignment": "the encoder's own heads"},
        heads=made if heads else {},
        prompts={"text": made["text"](prompts), "text_features": prompts} if heads else {},
    )


def every_layer(seed=0) -> dict[str, Projection]:
    """Heads in which every kind of layer occurs, none of them at its neutral value."""
    rng = np.random.default_rng(seed)

    def numbers(*shape):
        return rng.standard_normal(shape).astype(np.float32)

    def number(value):
        return np.array(value, dtype=np.float32)

    def affine(width):
        return {"weight": 1 + 0.3 * numbers(width), "bias": 0.3 * numbers(width)}

    frozen = {"mean": 0.3 * numbers(16), "variance": 1 + numbers(16) ** 2, "eps": number(1e-5)}
    image = (
        Layer("linear", {"weight": numbers(16, WIDTHS["image"]) / 5}),
        Layer("norm", {**affine(16), **frozen}),
        Layer("relu"),
        Layer("linear", {"weight": numbers(DIMENSION, 16) / 4, "bias": numbers(DIMENSION)}),
    )
    text = (
        Layer("linear", {"weight": numbers(16, WIDTHS["text"]) / 5, "bias": numbers(16)}),
        Layer("groupnorm", {**affine(16), "groups": number(4), "eps": number(1e-5)}),
        Layer("gelu"),
        Layer("layernorm", {**affine(16), "eps": number(1e-12)}),
        Layer("linear", {"weight": numbers(DIMENSION, 16) / 4, "bias": numbers(DIMENSION)}),
    )
    return {"image": Projection(image), "text": Projection(text)}

"""Training the models of a membership audit: probes, as many and on as many records as an audit wants."""

from __future__ import annotations

import numpy as np
import polars as pl
from linkage import peak_memory, seconds

from leadapron.cohort import LABEL_COLUMNS
from leadapron.release import Release
from leadapron.targets.audited import balanced_masks
from leadapron.targets.probes import ProbeConfig, probes_of

MODELS = 200
AUDITED, HELD_OUT, WIDTH = 40_000, 4_000, 128


def drawn(seed: int = 0) -> Release:
    """Patients with two images each and 14 findings, which move an embedding along axes of their own; and as many
    held-out records for early stopping as for the diagnosis."""
    rng = np.random.default_rng(seed)
    count = AUDITED + 2 * HELD_OUT
    patient = np.arange(count) // 2
    finding = rng.random((patient[-1] + 1, len(LABEL_COLUMNS)))[patient] < 0.15
    axes = rng.standard_normal((len(LABEL_COLUMNS), WIDTH)) / np.sqrt(WIDTH)
    image = rng.standard_normal((count, WIDTH)) + 2 * finding @ axes
    records = pl.DataFrame(
        {
            "record_id": [f"r{row}" for row in range(count)],
            "patient_id": [f"p{who}" for who in patient],
            "split": np.repeat(["train", "validate", "test"], [AUDITED, HELD_OUT, HELD_OUT]),
            **{name: finding[:, at].astype(np.int8) for at, name in enumerate(LABEL_COLUMNS)},
        }
    )
    return Release(records, {"image": image.astype(np.float32)})


def probes_rows(models: int = MODELS, config: ProbeConfig | None = None) -> list[tuple[str, str]]:
    """All models from the first step to the last logit, group by group as the queue deals them; answers are let go of
    as they are when they are written to their files."""
    config = config or ProbeConfig()
    release = drawn()
    members = balanced_masks(np.arange(AUDITED) // 2, models, config.seed)
    found: list[float] = []

    def train() -> None:
        learner = probes_of(release, config)
        for start in range(0, models, learner.together):
            group = range(start, min(start + learner.together, models))
            found.extend(float(str(model.card["auroc"])) for model in learner.train(members[group], group))

    took = [0.0]

    def work() -> None:
        took[0] = seconds(train)

    memory = peak_memory(work)
    what = f"{models} probes of {config.hidden} hidden units, {AUDITED:,} x {WIDTH} embeddings, {config.epochs} epochs"
    return [
        (what, f"{took[0]:.0f} s (600 wanted), {memory:.2f} GiB held at most (2 wanted)"),
        (
            "macro AUROC of these on held-out patients",
            f"{np.mean(found):.3f} (from {min(found):.3f} to {max(found):.3f})",
        ),
    ]


if __name__ == "__main__":
    for what, measured in probes_rows():
        print(f"{what}: {measured}")

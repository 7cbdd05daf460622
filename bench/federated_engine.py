"""Federated training: the in-process engine against a plain loop of the same steps, and what is sent in a round."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl
import torch
from torch.nn import functional

from leadapron.cohort import LABEL_COLUMNS
from leadapron.federated import Machine, Plan, federate
from leadapron.federated.architectures import Inputs, new_model
from leadapron.federated.dealing import deal
from leadapron.federated.gathered import from_release
from leadapron.federated.local_training import one_thread
from leadapron.federated.run_card import Round, Run
from leadapron.federated.station import Station
from leadapron.release import Release

HOSPITALS, PATIENTS, PUBLIC, HELD_OUT = 10, 810, 1000, 1000
RECORDS, WIDTH = 2.7, 128
PLAN = Plan(method="no-missing", clients="8:0:2", patients=PATIENTS, public=PUBLIC, rounds=8)
"""All hospitals train both encoders, so that the plain loop is the same steps; the others train fewer."""


def drawn(seed: int = 0) -> Release:
    """As many patients as the published study has, with 14 findings that move both halves along axes of their own."""
    rng = np.random.default_rng(seed)
    patients = HOSPITALS * PATIENTS + PUBLIC + 2 * HELD_OUT
    whose = np.repeat(np.arange(patients), rng.poisson(RECORDS - 1, patients) + 1)
    finding = rng.random((len(whose), len(LABEL_COLUMNS))) < 0.15
    axes = rng.standard_normal((2, len(LABEL_COLUMNS), WIDTH)) / np.sqrt(WIDTH)
    halves = [(rng.standard_normal((len(whose), WIDTH)) + 2 * finding @ one).astype(np.float32) for one in axes]
    held_out = np.select([whose < HELD_OUT, whose < 2 * HELD_OUT], ["validate", "test"], "train")
    records = pl.DataFrame(
        {
            "record_id": [f"r{row}" for row in range(len(whose))],
            "patient_id": [f"p{who}" for who in whose],
            "split": held_out,
            **{name: finding[:, at].astype(np.int8) for at, name in enumerate(LABEL_COLUMNS)},
        }
    )
    return Release(records, {"image": halves[0], "image_features": halves[0], "text_features": halves[1]})


class PlainLoop:
    """Every station's passes with an optimiser each, and nothing else: no messages, no files, no mean, no scores."""

    def __init__(self, stations: list[Station], plan: Plan) -> None:
        inputs = Inputs(stations[0].image.shape[1], stations[0].text.shape[1], stations[0].truth.shape[1])
        self.plan, self.model, self.rng = plan, new_model(plan, inputs), np.random.default_rng(plan.seed)
        held = [(one.image, one.text, one.truth == 1, one.truth != -1) for one in stations]
        self.held = [tuple(map(torch.tensor, arrays)) for arrays in held]
        rate = plan.learning_rate
        self.optimisers = [torch.optim.Adam(self.model.parameters(), lr=rate, fused=True) for _ in stations]

    def round(self) -> None:
        for (image, text, target, known), optimiser in zip(self.held, self.optimisers, strict=True):
            for _ in range(self.plan.epochs):
                for rows in torch.from_numpy(self.rng.permutation(len(image))).split(self.plan.batch):
                    optimiser.zero_grad()
                    logits, there = self.model(image[rows], text[rows]), known[rows].float()
                    loss = functional.binary_cross_entropy_with_logits(logits, target[rows].float(), there)
                    (loss * there.numel() / there.sum()).backward()
                    optimiser.step()


def rows() -> list[tuple[str, str]]:
    """A round of the engine and one of the loop in turns, in seconds of the one core that both compute on, so that
    what else the machine does is not counted."""
    release = drawn()
    dealt = deal(PLAN, from_release(release))
    stations = [*dealt.hospitals, dealt.public]
    loop = PlainLoop(stations, PLAN)
    engine, plain, rest = [], [], -time.process_time()
    last = time.process_time()

    def tell(_run: Run, _round: Round) -> None:
        nonlocal last
        engine.append(time.process_time() - last)
        start = time.process_time()
        with one_thread():
            loop.round()
        last = time.process_time()
        plain.append(last - start)

    with tempfile.TemporaryDirectory() as name:
        out = Path(name) / "run"
        run = federate(release, out, PLAN, machine=Machine(device="cpu"), tell=tell)
        kept = sum(file.stat().st_size for file in out.rglob("*.npz"))
    rest += time.process_time() - sum(engine[1:]) - sum(plain) - np.median(engine)
    by_engine, by_loop = np.median(engine[1:]), np.median(plain[1:])  # in the first round much is imported
    sent = run.rounds[-1]
    steps = sum(-(-len(one) // PLAN.batch) for one in stations) * PLAN.epochs
    what = f"a round of {HOSPITALS} hospitals and a public set, {sum(map(len, stations)):,} records, {steps:,} steps"
    return [
        (what, f"{by_engine / by_loop:.2f} times a plain loop of the same steps (1.2 wanted)"),
        ("the same in seconds of one core", f"{by_engine:.2f}, and {by_loop:.2f} by the loop"),
        ("once: imports, dealing the patients, the test with its intervals", f"{rest:.1f} s of one core"),
        (
            f"sent per round, {run.parameters:,} weights",
            f"{sent.messages} messages, {sent.bytes_sent / 1e6:.2f} MB to hospitals, "
            f"{sent.bytes_received / 1e6:.2f} MB back",
        ),
        ("kept per round, all updates", f"{kept / (PLAN.rounds + 1) / 1e6:.2f} MB"),
    ]


if __name__ == "__main__":
    for what, measured in rows():
        print(f"{what}: {measured}")

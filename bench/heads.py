"""Private training of heads against the same training without privacy, and against Opacus, on one thread."""

from __future__ import annotations

import statistics
import time
import warnings
from collections.abc import Callable
from functools import partial

import numpy as np
import torch
from linkage import peak_memory

from leadapron.defences.heads.head_objectives import REFRESH, AgainstBank, bank_infonce
from leadapron.defences.heads.head_training import Pairs, Recipe, train
from leadapron.defences.heads.network import Network, fresh_heads
from leadapron.defences.heads.strangers import Bank
from leadapron.engine.extras import torch_threads
from leadapron.privacy.poisson_sampling import Units, poisson
from leadapron.privacy.secret_noise import Noise, SecureNoise, SeededNoise

PAIRS, EPOCHS, BANK, TEMPERATURE, CLIP = 153_255, 5, 512, 0.1, 1.5
WIDTHS = {"image": 512, "text": 768}


def data(pairs: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    return {side: rng.standard_normal((pairs, width), dtype=np.float32) for side, width in WIDTHS.items()}


def everybody(pairs: int) -> Units:
    return Units("record", np.arange(pairs), np.arange(pairs + 1))


def ours(features: dict[str, np.ndarray], strangers: Bank, batch: int, noise: Noise, steps: int) -> None:
    """The training loop itself, with BioViL-T's heads."""
    pairs = len(features["image"])
    network = Network(fresh_heads("biovil-t", *WIDTHS.values(), 128, 0))
    recipe = Recipe(1, steps, batch, batch / pairs, CLIP, 1.0)
    train(network, Pairs(features, everybody(pairs)), AgainstBank(strangers, TEMPERATURE), recipe, noise)


def modules() -> torch.nn.ModuleDict:
    """The same heads with torch's own layers, the frozen batch norm as what it is: a scale and a shift."""

    class Affine(torch.nn.Module):
        def __init__(self, width: int) -> None:
            super().__init__()
            self.weight, self.bias = torch.nn.Parameter(torch.ones(width)), torch.nn.Parameter(torch.zeros(width))

        def forward(self, rows: torch.Tensor) -> torch.Tensor:
            return rows * self.weight + self.bias

    nn = torch.nn
    image = nn.Sequential(nn.Linear(512, 128, bias=False), Affine(128), nn.ReLU(), nn.Linear(128, 128))
    text = nn.Sequential(nn.Linear(768, 128), nn.GELU(), nn.LayerNorm(128, eps=1e-12), nn.Linear(128, 128))
    return nn.ModuleDict({"image": image, "text": text})


class Both(torch.nn.Module):
    def __init__(self, heads: torch.nn.ModuleDict) -> None:
        super().__init__()
        self.heads = heads

    def forward(self, image: torch.Tensor, text: torch.Tensor) -> list[torch.Tensor]:
        return [
            torch.nn.functional.normalize(self.heads[side](rows), dim=1)
            for side, rows in (("image", image), ("text", text))
        ]


def theirs(
    features: dict[str, np.ndarray], strangers: Bank, batch: int, steps: int, *, private: bool, group_norm: bool = False
) -> None:
    """The same draws, loss, bank and optimiser in the usual way: plain autograd, or Opacus' GradSampleModule."""
    pairs, noise = len(features["image"]), SeededNoise(0)
    heads = modules()
    if group_norm:  # Opacus knows no per-example gradient of a bare scale and shift
        heads["image"][1] = torch.nn.GroupNorm(32, 128)
    model: torch.nn.Module = Both(heads)
    bank = [torch.from_numpy(strangers.image), torch.from_numpy(strangers.text)]
    if private:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from opacus import GradSampleModule
            from opacus.optimizers import DPOptimizer

            model = GradSampleModule(model)
    optimiser = torch.optim.AdamW(model.parameters(), lr=3e-4, weight_decay=0.01)
    if private:
        optimiser = DPOptimizer(optimiser, noise_multiplier=1.0, max_grad_norm=CLIP, expected_batch_size=batch)
    units = everybody(pairs)
    for step in range(steps):
        if step % REFRESH == 0:
            with torch.no_grad():
                embedded = (model._module if private else model)(*bank)  # noqa: SLF001 (its hooks would store these)
        rows = poisson(units, batch / pairs, 1, noise).rows
        image, text = model(*(torch.from_numpy(features[side][rows]) for side in WIDTHS))
        loss = bank_infonce(image, text, *embedded, TEMPERATURE).mean()
        optimiser.zero_grad()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            loss.backward()
        optimiser.step()


def step_times(works: dict[str, Callable[[int], None]], steps: int, rounds: int) -> dict[str, float]:
    """Milliseconds of processor time a step, the median of rounds in which the works take turns."""
    taken: dict[str, list[float]] = {name: [] for name in works}
    for work in works.values():
        work(4)
    for _ in range(rounds):
        for name, work in works.items():
            start = time.process_time()
            work(steps)
            taken[name].append((time.process_time() - start) / steps * 1000)
    return {name: statistics.median(times) for name, times in taken.items()}


def rows() -> list[tuple[str, str]]:
    features = data(PAIRS)
    rng = np.random.default_rng(1)
    strangers = Bank(*(rng.standard_normal((BANK, width), dtype=np.float32) for width in WIDTHS.values()), "random")
    with torch_threads(1):
        found = _steps(features, strangers)
        for batch in (128, 2048):
            steps = EPOCHS * -(-PAIRS // batch)
            start = time.perf_counter()
            memory = peak_memory(partial(ours, features, strangers, batch, SecureNoise(), steps))
            took = time.perf_counter() - start
            found.append(
                (
                    f"private training, {PAIRS:,} pairs, {EPOCHS} epochs at batch {batch:,}, secure noise",
                    f"{took:.0f} s, {memory:.2f} GiB held at most (5 minutes and 2 GiB wanted)",
                )
            )
    return found


def _steps(features: dict[str, np.ndarray], strangers: Bank) -> list[tuple[str, str]]:
    def times(batch: int, steps: int, rounds: int) -> dict[str, float]:
        common = (features, strangers, batch)
        works: dict[str, Callable[[int], None]] = {
            "plain": lambda count: theirs(*common, count, private=False),
            "seeded": lambda count: ours(*common, SeededNoise(0), count),
            "secure": lambda count: ours(*common, SecureNoise(), count),
        }
        return step_times(works, steps, rounds)

    def words(milliseconds: float, plain: float, wanted: str = "") -> str:
        return f"{milliseconds:.1f} ms, {milliseconds / plain:.2f} times that without privacy{wanted}"

    small, large = times(128, 60, 9), times(2048, 8, 5)
    opacus = step_times(
        {"opacus": lambda count: theirs(features, strangers, 128, count, private=True, group_norm=True)}, 12, 3
    )["opacus"]
    return [
        ("a step of 128 pairs without privacy, plain autograd", f"{small['plain']:.1f} ms"),
        ("a private step of 128 pairs, seeded noise", words(small["seeded"], small["plain"], " (1.3 wanted)")),
        ("a private step of 128 pairs, secure noise", words(small["secure"], small["plain"], " (1.3 wanted)")),
        (
            "the same step by Opacus' GradSampleModule",
            f"{opacus:.0f} ms, {opacus / small['seeded']:.0f} times ours (at least 5 wanted)",
        ),
        ("a step of 2,048 pairs without privacy, plain autograd", f"{large['plain']:.1f} ms"),
        ("a private step of 2,048 pairs, secure noise", words(large["secure"], large["plain"])),
    ]


if __name__ == "__main__":
    for what, measured in rows():
        print(f"{what}: {measured}")

"""Where a network is trained or run: on the processor, or on a graphics card that torch can use."""

from __future__ import annotations

import re
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from leadapron.engine.extras import need
from leadapron.errors import ConfigError

if TYPE_CHECKING:
    import torch

PURPOSE = "training networks"
AUTO = "auto"
NAMES = "auto, cpu, cuda, cuda:N, mps"
HELP = "Where torch computes: auto, cpu, cuda, cuda:N or mps. auto takes a GPU if torch finds one, else the CPU."


def device(name: str = AUTO) -> torch.device:
    """The device of this name, or an error that says which devices are here; ``auto`` is cuda, mps or cpu, in this
    order."""
    if not re.fullmatch(r"auto|cpu|mps|cuda(:[0-9]+)?", name):
        raise ConfigError("unknown device", where="--device", got=name, allowed=NAMES)
    torch = need("torch", PURPOSE)
    here = devices_here()
    if name == AUTO:
        return torch.device(here[0])
    if name not in here:
        raise ConfigError(
            "torch does not find this device here",
            where="--device",
            got=name,
            allowed=", ".join([AUTO, *here]),
            fix=f"Use --device {here[0]}.",
        )
    return torch.device(name)


def refuse_absent(name: str) -> None:
    """For what may compute with torch later on, or not at all: a device that is not here is missed at once."""
    if name not in (AUTO, "cpu"):
        device(name)


def devices_here() -> list[str]:
    """The names of the devices that torch can use on this machine, the one to prefer first."""
    torch = need("torch", PURPOSE)
    cards = torch.cuda.device_count() if torch.cuda.is_available() else 0
    cuda = ["cuda", *(f"cuda:{number}" for number in range(cards))] if cards else []
    mps = ["mps"] if torch.backends.mps.is_available() else []
    return [*cuda, *mps, "cpu"]


def device_of(network: torch.nn.Module) -> torch.device:
    """Where the network's weights lie: batches have to go there."""
    return next(network.parameters()).device


def mixed_precision(place: torch.device, *, learns: bool) -> AbstractContextManager[object]:
    """For the layers of a network that learns: on a card that is made for it, in bfloat16, which needs no scaling.

    Never for what is compared bit by bit or released (embeddings, models of a membership audit, federated rounds), nor
    for gradients that are cut and noised one by one.
    """
    torch = need("torch", PURPOSE)
    if learns and place.type == "cuda" and torch.cuda.is_bf16_supported():
        mixed: AbstractContextManager[object] = torch.autocast("cuda", dtype=torch.bfloat16)
        return mixed
    return nullcontext()

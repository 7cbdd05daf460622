"""The defences that train heads, and the controls that stand beside each: a method is a line in a plain dict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from leadapron.defences.heads.network import has_batch_norm
from leadapron.release import Projection


@dataclass(frozen=True)
class Method:
    """What is done to the heads."""

    summary: str
    loss: str
    """Which objective: ``bank``, ``batch``, ``entropy`` or ``prototype``."""
    trains: bool = True
    uses_data: bool = True
    clips: bool = True
    adds_noise: bool = True
    swaps_norms: bool = False
    shuffles: bool = False
    """Ordinary epochs instead of Poisson sampling."""
    decorrelates: bool = False
    """Hold down the correlation of residuals over a batch, too."""
    level: str = "patient"
    batch: int = 2048
    epochs: int = 5
    learning_rate: float = 3e-4
    start: str = "released"
    """The heads that training starts from: those of the release, or fresh ones of a kind."""
    epsilon: float | None = 1.0
    """The target where none is given; None: not private."""

    @property
    def per_example(self) -> bool:
        """No example's loss sees another example, so that a gradient's share can be bounded."""
        return self.loss in ("bank", "prototype") and not self.decorrelates


PRIVATE = Method("private training against public strangers, with a proved guarantee for whole patients", "bank")

CHANGES: dict[str, tuple[str, dict[str, bool]]] = {
    "untrained": ("the heads as they were", {"trains": False, "swaps_norms": False}),
    "norm_swap_only": ("batch norms become group norms, nothing is trained", {"trains": False, "swaps_norms": True}),
    "norm_kept": ("the same training with batch norms kept as they are", {"swaps_norms": False}),
    "noise_only": ("the same steps of noise, without any data", {"uses_data": False}),
    "clip_only": ("the same training without noise", {"adds_noise": False}),
    "nonprivate": ("the same training without clipping and noise", {"adds_noise": False, "clips": False}),
}


def _changed(method: Method, control: str, title: str) -> Method:
    words, changes = CHANGES[control]
    switched: dict[str, Any] = {**changes}
    return replace(method, summary=f"{title}: {words}", **switched)


METHODS: dict[str, Method] = {
    "private": PRIVATE,
    "prototype": Method(
        "heads that keep what the findings need and drop what a pair alone shares; private with --epsilon",
        "prototype",
        clips=False,
        adds_noise=False,
        shuffles=True,
        decorrelates=True,
        level="record",
        batch=1024,
        epochs=60,
        learning_rate=1e-3,
        start="mlp",
        epsilon=None,
    ),
    "replication": Method(
        "the published private training; its epsilon is not a guarantee",
        "batch",
        swaps_norms=True,
        level="record",
        batch=128,
    ),
    "entropy": Method(
        "the published comparator: contrastive training with an entropy term, not private",
        "entropy",
        clips=False,
        adds_noise=False,
        swaps_norms=True,
        shuffles=True,
        level="record",
        batch=512,
        epochs=500,
        epsilon=None,
    ),
    **{name: _changed(PRIVATE, name, "control") for name in CHANGES if name != "norm_kept"},  # private keeps them
}
CONTROLS = tuple(CHANGES)

PRIVATE_FORMS: dict[str, Method] = {
    "prototype": Method(
        "prototypes, trained privately with a proved guarantee for whole patients",
        "prototype",
        epochs=10,
        learning_rate=5e-3,
        start="mlp",
    ),
}
"""What a method that is not private becomes when epsilon or sigma is given."""


def find_method(
    name: str, control: str | None = None, *, private: bool = False, swaps_norms: bool | None = None
) -> Method:
    """A method, or one of its controls: the same but for what the control switches off.

    Where it is said whether norms are swapped, that holds for the method; a control that is about norms knows better.
    """
    method = PRIVATE_FORMS.get(name, METHODS[name]) if private else METHODS[name]
    if swaps_norms is not None:
        method = replace(method, swaps_norms=swaps_norms)
    if control is None:
        return method
    return _changed(method, control, f"control of {name}")


def controls_of(method: Method, heads: Mapping[str, Projection]) -> tuple[str, ...]:
    """The controls that say something new beside a method."""
    norms = ("norm_swap_only", *(("norm_kept",) if method.swaps_norms else ())) if has_batch_norm(heads) else ()
    if not method.trains:
        return ()
    if not method.clips:  # nothing private to switch off
        return ("untrained", *norms)
    return ("untrained", *norms, "noise_only", "clip_only", "nonprivate")

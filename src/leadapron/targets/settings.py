"""Settings that probes and networks have in common, checked in the same words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

from leadapron.defences.heads.heads_config import LEVELS
from leadapron.errors import ConfigError, did_you_mean


class Settings(Protocol):
    @property
    def weight_decay(self) -> float: ...
    @property
    def epsilon(self) -> float | None: ...
    @property
    def delta(self) -> float | None: ...
    @property
    def level(self) -> str: ...
    @property
    def views(self) -> tuple[str, ...]: ...
    @property
    def seed(self) -> int: ...


def check_settings(settings: Settings, counts: Sequence[str], views: Sequence[str]) -> None:
    """``counts`` are the names of whole numbers from 1 on, ``views`` those that this kind of target can be asked by."""
    check_name("--level", settings.level, LEVELS)
    for view in settings.views:
        check_name("--view", view, views)
    if len(set(settings.views)) < len(settings.views):
        raise ConfigError("a view is there twice", where="--view", got=", ".join(settings.views))
    for name in counts:
        value = getattr(settings, name)
        if value is not None and value < 1:
            raise ConfigError("not a count", where=_option(name), got=value, allowed="1 or more")
    for name in ("learning_rate", "clip", "epsilon", "delta"):
        value = getattr(settings, name)
        if value is not None and not (math.isfinite(value) and value > 0):
            raise ConfigError("out of range", where=_option(name), got=value, allowed="a finite number above 0")
    if not (math.isfinite(settings.weight_decay) and settings.weight_decay >= 0):
        allowed = "a finite number, 0 or more"
        raise ConfigError("out of range", where="--weight-decay", got=settings.weight_decay, allowed=allowed)
    if settings.seed < 0:
        raise ConfigError("not a seed", where="--seed", got=settings.seed, allowed="0 or more")
    if settings.delta is not None and settings.epsilon is None:
        raise ConfigError("a delta without an epsilon promises nothing", where="--delta", got=settings.delta)


def check_name(option: str, name: str, known: Sequence[str]) -> None:
    if name not in known:
        raise ConfigError("unknown name", where=option, got=name, allowed=did_you_mean(name, known))


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")

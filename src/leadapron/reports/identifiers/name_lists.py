"""Lists of names that faker has, of every language that it knows."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from importlib import import_module

from leadapron.engine.extras import need

WOMEN, MEN, FAMILIES = "first_names_female", "first_names_male", "last_names"
KINDS = ("first_names", WOMEN, MEN, FAMILIES)


def name_lists(purpose: str) -> Iterator[dict[str, list[str]]]:
    """For each language or country, its names by their kind."""
    person = need("faker.providers.person", purpose, "deid")
    for module in pkgutil.iter_modules(person.__path__):
        provider = import_module(f"{person.__name__}.{module.name}").Provider
        listed = ((kind, getattr(provider, kind, ())) for kind in KINDS)
        yield {kind: [] if isinstance(names, property) else list(map(str, names)) for kind, names in listed}

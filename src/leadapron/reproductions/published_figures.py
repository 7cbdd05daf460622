"""What the study printed, as numbers in percent: a table that ships with the package.

Figures of "Cross-modal linkage risk in clinical vision-language models" (Tayebi Arasteh and others), tables 1 to 5 and
supplementary tables 1 to 4. The whole test set is the pool "all"; the study prints 43,793 and once 43,786 for it.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import polars as pl

KEY = ("table", "site", "what", "setting", "pool", "metric")
NUMBERS = ("value", "low", "high")


@cache
def published() -> pl.DataFrame:
    """A row a number: where it stands, the value, and its 95 % interval where one is given."""
    text = files(__package__).joinpath("published_linkage.csv").read_bytes()
    schema = {**dict.fromkeys(KEY, pl.String), **dict.fromkeys(NUMBERS, pl.Float64)}
    return pl.read_csv(text, schema=schema, empty_string_is_null=False)

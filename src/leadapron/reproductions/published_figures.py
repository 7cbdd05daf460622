"""What the study printed, as numbers in percent: a table that ships with the package.

Figures of "Cross-modal linkage risk in clinical vision-language models" (Tayebi Arasteh and others), tables 1 to 5 and
supplementary tables 1 to 4. The whole test set is the pool "all".
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import polars as pl

from leadapron.reproductions.study_config import AWAY, HOME, MITIGATED, UNDEFENDED

KEY = ("table", "site", "what", "setting", "pool", "metric")
NUMBERS = ("value", "low", "high", "change", "p")
CANDIDATES = {HOME: 43_793, AWAY: 29_296}
"""In the pool "all"; of the private heads at home the study prints 43,786."""


@cache
def published() -> pl.DataFrame:
    """A row a number: where it stands, the value, its 95 % interval, the change by the mitigation and its p-value.

    Of the last four there is what the study gives. Its table 3 is to be read beside the model as it was, of tables 1
    and 2.
    """
    text = files(__package__).joinpath("published_linkage.csv").read_bytes()
    schema = {**dict.fromkeys(KEY, pl.String), **dict.fromkeys(NUMBERS, pl.Float64)}
    printed = pl.read_csv(text, schema=schema, empty_string_is_null=False)
    as_it_was = printed.filter(pl.col("table").is_in(["1", "2"]), what=MITIGATED)
    return pl.concat([printed, as_it_was.with_columns(table=pl.lit("3"), what=pl.lit(UNDEFENDED))])

"""``leadapron cohort``: a data set in its own layout -> a cohort folder."""

from __future__ import annotations

from pathlib import Path

import click

from leadapron.cli import shared_options as options
from leadapron.cohort import POLICIES, SOURCES, ReadOptions, write_cohort
from leadapron.cohort.characteristics import as_text, characteristics
from leadapron.errors import ConfigError, DataError


class Columns(click.ParamType[dict[str, str]]):
    """``ours=theirs``, or a table in the TOML file."""

    name = "OURS=THEIRS"

    def convert(self, value: object, _param: object, _ctx: object) -> dict[str, str]:
        if isinstance(value, dict):
            for ours, theirs in value.items():
                if not isinstance(theirs, str):
                    raise ConfigError(f"the column for {ours!r} must be text", where="columns", got=theirs)
            return value
        ours, equals, theirs = str(value).partition("=")
        if not equals:
            raise ConfigError("a column mapping reads OURS=THEIRS", where="--column", got=value)
        return {ours: theirs}


@click.command()
@click.argument("source", type=click.Choice(list(SOURCES)), metavar="SOURCE")
@click.argument("path", type=options.existing)
@options.out
@click.option(
    "--label-policy",
    type=click.Choice(list(POLICIES)),
    default="positive-only",
    show_default=True,
    help="What uncertain and unmentioned findings become. "
    + "; ".join(f"{name}: {policy.meaning}" for name, policy in POLICIES.items())
    + ".",
)
@click.option(
    "--view",
    "views",
    type=click.Choice(ReadOptions.views),
    multiple=True,
    help="Keep this projection alone. [default: both]",
)
@click.option("--all-views", is_flag=True, help="Keep laterals and unknown projections, too.")
@click.option("--official-split", is_flag=True, help="The data set's own split instead of one by patient id.")
@click.option(
    "--column",
    "columns",
    type=Columns(),
    multiple=True,
    help="For 'table': our name of a column = the file's.",
)
@options.seed
@options.overwrite
def command(
    source: str,
    path: Path,
    out: Path,
    label_policy: str,
    views: tuple[str, ...],
    all_views: bool,
    official_split: bool,
    columns: tuple[dict[str, str], ...],
    seed: int,
    overwrite: bool,
) -> None:
    """Read the data set at PATH into a cohort; print the funnel, and who is in it.

    SOURCE is the layout it has: mimic_cxr, chexpert_plus, chexpert, chestxray14, openi, covid19, dicom_folder, or
    table for a CSV or parquet file.
    """
    if views and all_views:
        raise ConfigError("--view keeps one projection and --all-views keeps all", fix="Leave one of them out.")
    read_options = ReadOptions(
        label_policy=label_policy,
        views=() if all_views else views or ReadOptions.views,
        official_split=official_split,
        seed=seed,
        columns={ours: theirs for mapping in columns for ours, theirs in mapping.items()},
    )
    options.check_out(out, path, overwrite=overwrite)
    try:
        cohort = SOURCES[source](path, read_options)
    except DataError as error:
        raise error.located(path) from None
    write_cohort(cohort, out, overwrite=overwrite)
    click.echo(f"{cohort.funnel}\n\n{as_text(characteristics(cohort))}")
    click.echo(f"\n{len(cohort):,} records of {cohort.patients:,} patients -> {out}")

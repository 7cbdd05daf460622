"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path

import click

from leadapron.engine.files import check_free
from leadapron.errors import ConfigError
from leadapron.release.beside import patients_beside
from leadapron.training.devices import AUTO, HELP

existing = click.Path(exists=True, path_type=Path)
out = click.option("--out", type=click.Path(path_type=Path), required=True, help="Where to write; must not exist.")
overwrite = click.option("--overwrite", is_flag=True, help="Replace what is there, if leadapron wrote it.")
seed = click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of everything that is drawn."
)
title = click.option(
    "--title",
    default="",
    metavar="WORDS",
    help="Above the page: what it is of, and whose. [default: the folder's name]",
)
device = click.option("--device", metavar="NAME", default=AUTO, show_default=True, help=HELP)

no_verify = click.option(
    "--no-verify",
    is_flag=True,
    help="Take the files as they are, and do not compare them with the hashes that were recorded when they were made. "
    "The results say so.",
)
policies = click.option(
    "--policy",
    "policies",
    multiple=True,
    metavar="NAME|FILE",
    help="Measure what this policy judges, such as its pools as far as they can be filled; may be given several times.",
)
split_by = click.option(
    "--split-by",
    metavar="COLUMN",
    help="The column that says train, validate or test. [default: split; without it a hash of the patient decides, "
    "where a split is needed]",
)
allow_download = click.option(
    "--allow-download", is_flag=True, help="Fetch missing weights from the model hub. Off by default."
)
keep_columns = click.option(
    "--keep-column",
    "keep_columns",
    multiple=True,
    metavar="NAME",
    help="A column of the cohort to release beside ids, split, view, labels and the usual attributes.",
)
cache = click.option(
    "--cache",
    type=click.Path(path_type=Path),
    help="Where decoded pixels are kept. Default: inside the cohort's folder, because they are patient data.",
)


def tell_kept_back(release: Path) -> None:
    """A line on the file that was written beside a release, where there is one."""
    file = patients_beside(release)
    if file.exists():
        click.echo(f"Keep it, do not hand it over: the patients that were fitted on, as keyed hashes -> {file}")


def check_out(target: Path, *inputs: Path, overwrite: bool) -> None:
    """Before the work begins: the output is not there, or may be replaced and holds nothing that is still needed."""
    if target.exists() and overwrite:
        place = target.resolve()
        for path in (*inputs, Path()):
            needed = path.resolve()
            if place in (needed, *needed.parents):
                raise ConfigError(
                    "to overwrite it would remove the input or the current folder",
                    where=target,
                    fix="Choose another place.",
                )
        if any(path.resolve() in place.parents for path in inputs):
            raise ConfigError(
                "to overwrite it would remove a part of the input", where=target, fix="Choose another place."
            )
    check_free(target, overwrite=overwrite)

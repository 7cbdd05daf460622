"""``leadapron utility``: what a release is still good for, in numbers."""

from __future__ import annotations

from pathlib import Path

import click

from leadapron.cli import options
from leadapron.cli.command_line import command_line
from leadapron.engine import terminal
from leadapron.release import read_release
from leadapron.release.provenance import inputs_of, versions
from leadapron.utility import UtilityConfig, as_table, measure_utility, write_utility
from leadapron.utility.utility import STRENGTHS, UNITS


@click.command()
@click.argument("release", type=options.existing)
@click.option("--out", type=click.Path(path_type=Path), help="Where to write utility.json; must not exist.")
@click.option(
    "--resample",
    type=click.Choice(UNITS),
    default="patient",
    show_default=True,
    help="What the bootstrap draws; 'record' as published.",
)
@click.option("--strength", type=float, help="L2 strength of the probe. [default: chosen on the validation split]")
@options.no_verify
@options.seed
@options.overwrite
def command(
    release: Path,
    out: Path | None,
    resample: str,
    strength: float | None,
    no_verify: bool,
    seed: int,
    overwrite: bool,
) -> None:
    """What is RELEASE still good for? Findings from images and from words, and retrieval of similar reports."""
    if out is not None:
        options.check_out(out, release, overwrite=overwrite)
    config = UtilityConfig(resample, strengths=STRENGTHS if strength is None else (strength,), seed=seed)
    measured = read_release(release, verify=not no_verify)
    with terminal() as progress:
        utility = measure_utility(measured, config, progress=progress)
    click.echo(as_table(utility))
    if out is not None:
        write_utility(
            utility,
            out,
            title=f"Utility of {release.resolve().name}",
            command=command_line(),
            inputs=inputs_of(release, measured),
            versions=versions(),
            overwrite=overwrite,
        )
        click.echo(f"\n{out / 'utility.json'}")

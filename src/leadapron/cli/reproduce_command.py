"""``leadapron reproduce STUDY``: a published study on the data of whoever holds them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from leadapron.cli import shared_options as options
from leadapron.cli.config_options import config_options
from leadapron.engine import terminal
from leadapron.engine.files import check_free
from leadapron.errors import ConfigError
from leadapron.reproductions import Places, StudyConfig, StudyPlan, prepare, reproduce_linkage

WORK = "work-not-for-release"
PATIENTS = 600


@click.group()
def command() -> None:
    """Run a published study again on your own data: its tables, each number beside the printed one."""


@command.command(params=config_options(StudyConfig))
@click.option("--mimic", type=options.existing, help="The folder of MIMIC-CXR-JPG, with the reports of MIMIC-CXR.")
@click.option(
    "--chexpert-plus", type=options.existing, help="The folder of CheXpert Plus. Without it there is no other hospital."
)
@click.option(
    "--weights",
    type=options.existing,
    help="A folder with a folder for each model: clip, pubmedclip, biomedclip, biovil-t.",
)
@click.option(
    "--phantom", is_flag=True, help="Phantom clinics in the place of both data sets, with encoders that ship."
)
@click.option("--patients", type=click.IntRange(100), help=f"Of each phantom clinic. [default: {PATIENTS}]")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Where the tables go: aggregates, no ids.")
@click.option(
    "--work",
    type=click.Path(path_type=Path),
    help=f"Where everything else is kept, to go on after a kill. It is patient data. [default: OUT.{WORK}]",
)
@click.option(
    "--dry-run", is_flag=True, help="Read the tables, print the plan with its estimated time, and stop before the work."
)
@options.overwrite
def linkage(
    mimic: Path | None,
    chexpert_plus: Path | None,
    weights: Path | None,
    phantom: bool,
    patients: int | None,
    out: Path,
    work: Path | None,
    dry_run: bool,
    overwrite: bool,
    **chosen: Any,  # noqa: ANN401 (fields of the configuration)
) -> None:
    """Cross-modal linkage risk in clinical vision-language models.

    Cohorts, split, four encoders, random and pathology-matched pools, trained heads and their controls, transfer to the
    other hospital, and use; the study's tables 1 to 5 beside what came out.
    """
    _check(mimic, chexpert_plus, weights, phantom=phantom, patients=patients)
    config = StudyConfig(**chosen)
    beside = work or out.resolve().with_name(f"{out.resolve().name}.{WORK}")
    if beside.resolve().is_relative_to(out.resolve()):
        raise ConfigError("the work folder is patient data, and would lie in the output", where=beside)
    if not dry_run:
        check_free(out, overwrite=overwrite)
    places = Places(beside, mimic, chexpert_plus, weights, patients or PATIENTS)
    with terminal() as progress:
        if dry_run:
            click.echo(str(prepare(places, config, progress=progress)[1]))
            return
        reproduce_linkage(places, out, config, overwrite=overwrite, planned=_tell, progress=progress)
    click.echo(f"\nAggregates alone, which may leave the house -> {out}")
    click.echo(f"Patient data, to be kept or removed, not handed over -> {beside}")


def _check(
    mimic: Path | None, chexpert_plus: Path | None, weights: Path | None, *, phantom: bool, patients: int | None
) -> None:
    given = {"--mimic": mimic, "--chexpert-plus": chexpert_plus, "--weights": weights}
    named = [option for option, path in given.items() if path is not None]
    if phantom and named:
        raise ConfigError(
            "phantom clinics take the place of data sets and weights", where=named[0], fix="Leave it or --phantom out."
        )
    if patients is not None and not phantom:
        raise ConfigError("phantom patients without phantom clinics", where="--patients", fix="Pass --phantom.")
    missing = [option for option in ("--mimic", "--weights") if given[option] is None]
    if missing and not phantom:
        raise ConfigError(
            f"the study needs {' and '.join(missing)}", fix="To try it without data and weights, pass --phantom."
        )


def _tell(plan: StudyPlan) -> None:
    click.echo(f"{plan}\n")

"""``leadapron phantom``: a simulated clinic -> a cohort folder."""

from __future__ import annotations

from pathlib import Path

import click

from leadapron.cli import shared_options as options
from leadapron.engine import terminal
from leadapron.phantoms import Dials, build_clinic, write_clinic
from leadapron.phantoms.dials import IDENTIFIERS
from leadapron.phantoms.oracle import KINDS, counterpart_clinic
from leadapron.phantoms.planted.planted_vocabulary import PARTS
from leadapron.phantoms.sites import SITES


@click.command()
@options.out
@click.option("--patients", type=int, default=Dials.patients, show_default=True)
@click.option("--size", type=click.IntRange(32, 2048), default=128, show_default=True, help="Pixels a side.")
@click.option(
    "--identity",
    type=float,
    default=Dials.identity,
    show_default=True,
    help="How much of a patient persists.",
)
@click.option(
    "--specificity",
    type=float,
    default=Dials.specificity,
    show_default=True,
    help="How much of what is seen is said.",
)
@click.option(
    "--label-noise",
    type=float,
    default=Dials.label_noise,
    show_default=True,
    help="Share of labels redrawn by chance.",
)
@click.option(
    "--repetition",
    type=float,
    default=Dials.repetition,
    show_default=True,
    help="Share of normals that get a template.",
)
@click.option(
    "--identifiers",
    type=click.Choice(IDENTIFIERS),
    is_flag=False,
    flag_value="plain",
    default=Dials.identifiers,
    show_default=True,
    help="Plant names, numbers and dates in the reports and keep their places; plain if nothing is said.",
)
@click.option(
    "--identifiers-part",
    type=click.Choice(PARTS),
    default=Dials.identifiers_part,
    show_default=True,
    help="Which of five disjoint stocks hard identifiers come from.",
)
@click.option(
    "--site",
    type=click.Choice(list(SITES)),
    default=Dials.site,
    show_default=True,
    help="Which kind of clinic: patients, machine and way of writing.",
)
@click.option(
    "--counterparts",
    type=click.Choice(KINDS),
    help="Draw every record's findings in a stranger's anatomy instead: as a report says them, or as they are shown.",
)
@options.seed
@options.overwrite
def command(
    out: Path,
    patients: int,
    size: int,
    identity: float,
    specificity: float,
    label_noise: float,
    repetition: float,
    identifiers: str,
    identifiers_part: str,
    site: str,
    counterparts: str | None,
    seed: int,
    overwrite: bool,
) -> None:
    """Build a phantom clinic: radiographs, reports and labels of patients who do not exist."""
    dials = Dials(patients, seed, identity, specificity, label_noise, repetition, identifiers, site, identifiers_part)
    options.check_out(out, overwrite=overwrite)
    clinic = build_clinic(dials)
    if counterparts is not None:
        clinic = counterpart_clinic(clinic, counterparts)
    with terminal() as progress:
        cohort = write_clinic(clinic, out, size, overwrite=overwrite, progress=progress)
    click.echo(f"{len(cohort):,} radiographs of {cohort.patients:,} patients -> {out}")

"""``leadapron demo``: the whole path on the phantom clinic, in a minute and without any data."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from leadapron.cli import options
from leadapron.encoders import Weights, encode, find_encoder
from leadapron.engine import terminal
from leadapron.phantom import Dials, build_clinic, contact_sheet
from leadapron.release import write_release

ENCODERS = ("phantom-general", "phantom-labels", "phantom-reports")


@click.command()
@click.option("--out", type=click.Path(path_type=Path), default=Path("out/demo"), show_default=True)
@click.option("--patients", type=int, default=Dials.patients, show_default=True)
@options.seed
def command(out: Path, patients: int, seed: int) -> None:
    """Build a phantom clinic, encode it three ways, and show what was made."""
    encoders = {name: find_encoder(name).load(Weights()) for name in ENCODERS}
    out.mkdir(parents=True, exist_ok=True)
    with terminal() as progress:
        clinic = build_clinic(Dials(patients=patients, seed=seed))
        pixels = clinic.pixels(progress=progress)
        contact_sheet(clinic).save(out / "contact-sheet.png")
        for name, encoder in encoders.items():
            release = encode(pixels, name, find_encoder(name), encoder, out / ".work", progress=progress)
            write_release(release, out / name, overwrite=True)
    shutil.rmtree(out / ".work")

    cohort = clinic.cohort
    findings = (cohort.labels() == 1).mean(axis=0)
    studies, reports = (cohort.records[column].n_unique() for column in ("study_id", "report"))
    click.echo(
        f"A phantom clinic of {cohort.patients:,} patients: {len(cohort):,} radiographs of {studies:,} studies, "
        f"{reports:,} distinct reports."
    )
    click.echo(f"{findings[8]:.0%} of the images are without a finding. One of the reports reads:\n")
    click.echo(click.style(cohort.records["report"][0], italic=True) + "\n")
    for name in ENCODERS:
        click.echo(f"  {out / name}  ({find_encoder(name).summary})")
    click.echo(f"  {out / 'contact-sheet.png'}  (24 of the radiographs)")

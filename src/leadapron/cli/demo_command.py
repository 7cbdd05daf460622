"""``leadapron demo``: the whole loop on the phantom clinic, in a minute or two and without any data."""

from __future__ import annotations

from pathlib import Path

import click

from leadapron.attacks.linkage import LINKAGE, LinkageConfig
from leadapron.audits import release_subject
from leadapron.audits.run_audit import run_audit
from leadapron.cli import shared_options as options
from leadapron.cli.command_line import command_line
from leadapron.defences import defend
from leadapron.dossier import Asked, Declaration, Dossier, assess
from leadapron.dossier.whole_dossier import PAGE
from leadapron.encoders import Weights, encode, find_encoder
from leadapron.engine import Progress, terminal
from leadapron.engine.ours import claim, remove_ours
from leadapron.pages.page import Table, table
from leadapron.pages.terminal_text import in_columns
from leadapron.phantoms import Dials, build_clinic, contact_sheet
from leadapron.release import read_release, write_release
from leadapron.results import Measured, Results
from leadapron.results.selection import select
from leadapron.trials import TrialConfig

ENCODERS = ("phantom-general", "phantom-labels", "phantom-reports")
PATIENTS = 600
DEFENDED, DOSSIER, SHEET = "phantom-reports-defended", "dossier", "contact-sheet.png"
FEWEST_TO_DEFEND = 200
"""With fewer patients, hardly any findings are shared by as many as the defence asks for."""
DECLARED = Declaration(
    institution="A phantom clinic: all patients are invented",
    recipient="a university",
    purpose="train a model that finds urgent X-rays",
    means="By contract no other images of these patients.",
)


@click.command()
@click.option("--out", type=click.Path(path_type=Path), default=Path("out/demo"), show_default=True)
@click.option("--patients", type=int, default=PATIENTS, show_default=True)
@options.seed
def command(out: Path, patients: int, seed: int) -> None:
    """Build a phantom clinic, encode it three ways, audit each release, defend one, and write its dossier."""
    dials = Dials(patients=patients, seed=seed)
    options.check_out(out / DEFENDED, overwrite=True)
    for name in ENCODERS:
        options.check_out(out / name, overwrite=True)
        options.check_out(out / f"{name}-audit", overwrite=True)
    encoders = {name: find_encoder(name).load(Weights()) for name in ENCODERS}
    out.mkdir(parents=True, exist_ok=True)
    claim(out, SHEET)
    audits: dict[str, Results] = {}
    with terminal() as progress:
        clinic = build_clinic(dials)
        pixels = clinic.pixels(progress=progress)
        contact_sheet(clinic).save(out / SHEET)
        for name, encoder in encoders.items():
            release = encode(pixels, name, find_encoder(name), encoder, out / ".work", progress=progress)
            write_release(release, out / name, overwrite=True)
            audits[name] = _audit(out / name, out / f"{name}-audit", seed, progress)
        dossier = _assess(out, seed, progress) if patients >= FEWEST_TO_DEFEND else None
    remove_ours(out / ".work")

    cohort = clinic.cohort
    click.echo(
        f"A phantom clinic: {cohort.patients:,} patients, {len(cohort):,} radiographs, "
        f"{cohort.records['study_id'].n_unique():,} reports. Can a radiograph find its report again?\n"
    )
    click.echo(in_columns(overview(audits)))
    click.echo("Attacker: cosine. In brackets the 95 % interval; ~ marks one that guessing lies in.")
    if dossier is not None:
        click.echo(f"\nThe last one, defended, attacked again by those who know the defence, and judged:\n\n{dossier}")
        click.echo(f"\nThe page to sign:  {out / DOSSIER / PAGE}", nl=False)
    click.echo(f"\nOne audit:         {out / 'phantom-reports-audit' / 'report.html'}")
    click.echo(f"The patients:      {out / SHEET}")


def _audit(path: Path, out: Path, seed: int, progress: Progress) -> Results:
    release, inputs = release_subject.read(path)
    loaded = release_subject.load(LINKAGE, release, inputs)
    results = run_audit(LINKAGE, loaded, LinkageConfig(seed=seed), command=command_line(), progress=progress)
    return results.save(out, overwrite=True)


def _assess(out: Path, seed: int, progress: Progress) -> Dossier:
    """The last release, defended without torch, attacked again, used again, and judged."""
    stand_ins = defend(read_release(out / ENCODERS[-1]), "prototypes")
    write_release(defend(stand_ins, "table"), out / DEFENDED, overwrite=True)
    asked = Asked(DECLARED, config=TrialConfig(seed=seed), command=command_line())
    return assess([out / ENCODERS[-1], out / DEFENDED], out / DOSSIER, asked, progress=progress)


def overview(audits: dict[str, Results]) -> Table:
    """Recall@1 of the published attacker, the same in every cell, with its interval: the study's shape in four rows.

    The best of several attackers in each cell would make noise look like a leak.
    """
    wanted = {"attacker": "cosine", "metric": "recall@1", "direction": "image-to-report"}
    found = {
        name: {(row.protocol, row.pool): row for row in select(results, **wanted)} for name, results in audits.items()
    }
    guesses = next(iter(found.values()))
    pools = sorted(guesses, key=lambda pool: (pool[0] == "hard", pool[1]))
    heads = [f"{pool:,} {'matched' if protocol == 'hard' else 'random'}" for protocol, pool in pools]
    rows = [(name, *(_cell(own[pool]) for pool in pools)) for name, own in found.items()]
    rows.append(("guessing", *(f"{guesses[pool].chance:.2%}" for pool in pools)))
    return table("", ("right report first", *heads), rows, numbers=len(pools))


def _cell(row: Measured) -> str:
    mark = "~" if row.low <= row.chance <= row.high else ""
    return f"{mark}{row.value:.2%} ({100 * row.low:.2f}–{100 * row.high:.2f})"

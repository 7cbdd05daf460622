"""``leadapron demo``: the whole loop on the phantom clinic, in a minute or two and without any data."""

from __future__ import annotations

from pathlib import Path

import click

from leadapron.attacks.identity import IDENTITY, IdentityConfig
from leadapron.attacks.linkage import LINKAGE, LinkageConfig
from leadapron.audits import release_subject
from leadapron.audits.audit import Audit, AuditConfig
from leadapron.audits.run_audit import run_audit
from leadapron.audits.standard_words import marked_verdict
from leadapron.cli import shared_options as options
from leadapron.cli.command_line import command_line
from leadapron.defences import defend
from leadapron.encoders import Weights, encode, find_encoder
from leadapron.engine import Progress, terminal
from leadapron.engine.ours import claim, remove_ours
from leadapron.pages.page import Table, table
from leadapron.pages.terminal_text import in_columns, wrapped
from leadapron.phantoms import Dials, build_clinic, contact_sheet
from leadapron.release import read_release, write_release
from leadapron.results import Measured, Results
from leadapron.results.selection import select
from leadapron.trials import Frontier, TrialConfig, trial
from leadapron.trials.trial_words import conclusions

ENCODERS = ("phantom-general", "phantom-labels", "phantom-reports")
PATIENTS = 600
REDRAWS = 1000
DEFENDED, COMPARISON = "phantom-reports-defended", "phantom-reports-comparison"
RECOGNISED, SHEET = "phantom-reports-identity", "contact-sheet.png"
FEWEST_TO_DEFEND = 200
"""With fewer patients, hardly any findings are shared by as many as the defence asks for."""


@click.command()
@click.option("--out", type=click.Path(path_type=Path), default=Path("out/demo"), show_default=True)
@click.option("--patients", type=int, default=PATIENTS, show_default=True)
@options.seed
def command(out: Path, patients: int, seed: int) -> None:
    """Build a phantom clinic, encode it three ways, audit each release, defend one, attack it again, write reports."""
    dials = Dials(patients=patients, seed=seed)
    for name in (DEFENDED, RECOGNISED):
        options.check_out(out / name, overwrite=True)
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
            audits[name] = _audit(LINKAGE, out / name, out / f"{name}-audit", LinkageConfig(seed=seed), progress)
        enough = patients >= FEWEST_TO_DEFEND
        config = IdentityConfig(seed=seed, redraws=REDRAWS)
        identity = _audit(IDENTITY, out / ENCODERS[-1], out / RECOGNISED, config, progress) if enough else None
        frontier = _defend(out, seed, progress) if enough else None
    remove_ours(out / ".work")

    cohort = clinic.cohort
    click.echo(
        f"A phantom clinic: {cohort.patients:,} patients, {len(cohort):,} radiographs, "
        f"{cohort.records['study_id'].n_unique():,} reports. Can a radiograph find its report again?\n"
    )
    click.echo(in_columns(overview(audits)))
    click.echo("Attacker: cosine. In brackets the 95 % interval; ~ marks one that guessing lies in.")
    if identity is not None:
        click.echo(f"\n{wrapped(f'And by its images alone? {marked_verdict(identity)}')}")
    if frontier is not None:
        click.echo("\nDefended, and attacked again by those who know the defence (test patients only):")
        click.echo("\n".join(map(wrapped, conclusions(frontier))))
        membership = out / COMPARISON / ENCODERS[-1] / "membership"
        click.echo(f"\nTrained on:        {membership / 'report.html'}", nl=False)
        click.echo(f"\nBefore and after:  {out / COMPARISON / 'report.html'}", nl=False)
        click.echo(f"\nPatients by image: {out / RECOGNISED / 'report.html'}", nl=False)
    click.echo(f"\nThe page to read:  {out / 'phantom-reports-audit' / 'report.html'}")
    click.echo(f"The patients:      {out / SHEET}")


def _audit(audit: Audit, path: Path, out: Path, config: AuditConfig, progress: Progress) -> Results:
    release, inputs = release_subject.read(path)
    loaded = release_subject.load(audit, release, inputs)
    results = run_audit(audit, loaded, config, command=command_line(), progress=progress)
    return results.save(out, overwrite=True)


def _defend(out: Path, seed: int, progress: Progress) -> Frontier:
    """The last release, defended without torch, attacked again and used again."""
    write_release(defend(read_release(out / ENCODERS[-1]), "prototypes"), out / DEFENDED, overwrite=True)
    return trial(
        out / ENCODERS[-1],
        out / DEFENDED,
        out=out / COMPARISON,
        config=TrialConfig(seed=seed),
        command=command_line(),
        progress=progress,
    )


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

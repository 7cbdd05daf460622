"""``leadapron demo``: the whole loop on the phantom clinic, in a minute or two and without any data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from leadapron.attacks.identity import IdentityConfig, audit_identity
from leadapron.attacks.linkage import LinkageConfig, audit_linkage
from leadapron.cli import options
from leadapron.cli.compare_command import judge_releases
from leadapron.cli.saving import save
from leadapron.compare import Frontier, TrialConfig
from leadapron.compare.frontier_words import conclusions
from leadapron.defences.vectors import VECTOR_DEFENCES
from leadapron.encoders import Weights, encode, find_encoder
from leadapron.engine import Progress, terminal
from leadapron.engine.ours import claim, remove_ours
from leadapron.phantom import Dials, build_clinic, contact_sheet
from leadapron.release import Release, read_release, write_release
from leadapron.report import Results
from leadapron.report.kinds import KINDS

ENCODERS = ("phantom-general", "phantom-labels", "phantom-reports")
PATIENTS = 600
REDRAWS = 1000
DEFENCE = VECTOR_DEFENCES["prototypes"]
DEFENDED, COMPARISON = "phantom-reports-defended", "phantom-reports-comparison"
IDENTITY, SHEET = "phantom-reports-identity", "contact-sheet.png"
FEWEST_TO_DEFEND = 200
"""With fewer patients, hardly any findings are shared by as many as the defence asks for."""


@click.command()
@click.option("--out", type=click.Path(path_type=Path), default=Path("out/demo"), show_default=True)
@click.option("--patients", type=int, default=PATIENTS, show_default=True)
@options.seed
def command(out: Path, patients: int, seed: int) -> None:
    """Build a phantom clinic, encode it three ways, audit each release, defend one, attack it again, write reports."""
    dials = Dials(patients=patients, seed=seed)
    for name in (DEFENDED, IDENTITY):
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
            release = read_release(out / name)
            config = LinkageConfig(seed=seed)
            risk = audit_linkage(release, config, progress=progress)
            audits[name] = save(risk, out / name, out / f"{name}-audit", release, asdict(config), overwrite=True)
        enough = patients >= FEWEST_TO_DEFEND
        identity = _recognise(out, release, seed, progress) if enough else None
        frontier = _defend(out, seed, progress) if enough else None
    remove_ours(out / ".work")

    cohort = clinic.cohort
    click.echo(
        f"A phantom clinic: {cohort.patients:,} patients, {len(cohort):,} radiographs, "
        f"{cohort.records['study_id'].n_unique():,} reports. Can a radiograph find its report again?\n"
    )
    click.echo(table(audits))
    if identity is not None:
        click.echo(f"\nAnd by its images alone? {KINDS['identity'].verdict(identity)}")
    if frontier is not None:
        click.echo("\nDefended, and attacked again by those who know the defence (test patients only):")
        click.echo("\n".join(conclusions(frontier)))
        membership = out / COMPARISON / ENCODERS[-1] / "membership"
        click.echo(f"\nTrained on:        {membership / 'report.html'}", nl=False)
        click.echo(f"\nBefore and after:  {out / COMPARISON / 'report.html'}", nl=False)
        click.echo(f"\nPatients by image: {out / IDENTITY / 'report.html'}", nl=False)
    click.echo(f"\nThe page to read:  {out / 'phantom-reports-audit' / 'report.html'}")
    click.echo(f"The patients:      {out / SHEET}")


def _recognise(out: Path, release: Release, seed: int, progress: Progress) -> Results:
    """Whether test patients are recognised by their images, by attackers who know the training patients."""
    config = IdentityConfig(seed=seed, redraws=REDRAWS)
    test, known, tuning = (release.of_split(name) for name in ("test", "train", "validate"))
    risk = audit_identity(test, config, known=known, tuning=tuning, progress=progress)
    splits = {"split": "test", "known_split": "train", "tune_split": "validate"}
    return save(risk, out / ENCODERS[-1], out / IDENTITY, release, {**asdict(config), **splits}, overwrite=True)


def _defend(out: Path, seed: int, progress: Progress) -> Frontier:
    """The last release, defended without torch, attacked again and used again."""
    write_release(DEFENCE.defend(read_release(out / ENCODERS[-1]), DEFENCE.default), out / DEFENDED, overwrite=True)
    return judge_releases(
        out / ENCODERS[-1], (out / DEFENDED,), out / COMPARISON, TrialConfig(seed=seed), progress=progress
    )


def table(audits: dict[str, Results]) -> str:
    """Recall@1 of the published attacker, the same in every cell, with its interval: the study's shape in four rows.

    The best of several attackers in each cell would make noise look like a leak.
    """
    rows = {
        name: {
            (row["protocol"], row["pool"]): row
            for row in results.estimates
            if (row["attacker"], row["metric"], row["direction"], row["group"])
            == ("cosine", "recall@1", "image-to-report", None)
        }
        for name, results in audits.items()
    }
    pools = sorted(next(iter(rows.values())), key=lambda pool: (pool[0] == "hard", pool[1]))
    names = [f"{pool:,} {'matched' if protocol == 'hard' else 'random'}" for protocol, pool in pools]
    lines = [f"{'right report first':<18}" + "".join(f"{name:>24}" for name in names)]
    lines += [f"{name:<18}" + "".join(f"{_cell(found[pool]):>24}" for pool in pools) for name, found in rows.items()]
    guesses = next(iter(rows.values()))
    lines.append(f"{'guessing':<18}" + "".join(f"{guesses[pool]['chance']:>24.2%}" for pool in pools))
    return "\n".join([*lines, "Attacker: cosine. In brackets the 95 % interval; ~ marks one that guessing lies in."])


def _cell(row: Mapping[str, Any]) -> str:
    mark = "~" if row["low"] <= row["chance"] <= row["high"] else ""
    return f"{mark}{row['value']:.2%} ({100 * row['low']:.2f}–{100 * row['high']:.2f})"

"""``leadapron assess``: whatever there is, examined, judged, and written into one dossier that a board can sign."""

from __future__ import annotations

from pathlib import Path

import click

from leadapron.audits.presets import asked_by, whole_policy
from leadapron.cli import shared_options as options
from leadapron.cli.command_line import command_line
from leadapron.cohort.image_set import SIZE
from leadapron.dossier.declaration import ASKED, Declaration, as_toml, read_declaration
from leadapron.dossier.whole_dossier import PAGE, PRINTED, RECORD, Asked, assess, planned
from leadapron.engine import atomic_path, terminal
from leadapron.errors import ConfigError
from leadapron.trials import TrialConfig


@click.command()
@click.argument("inputs", type=options.existing, nargs=-1, required=True)
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), required=True, help="The dossier's folder.")
@click.option(
    "--declaration",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A TOML file that says to whom it would go, what for, and who signs; `--ask` writes one.",
)
@click.option("--ask", is_flag=True, help="Ask for what the declaration lacks, and write it down there.")
@options.policies
@click.option("--title", default="", help="What is decided on, above page 1. [default: what the files say]")
@click.option("--dry-run", is_flag=True, help="Print the plan with its estimated time, and stop.")
@click.option("--size", type=int, default=SIZE, show_default=True, help="Of cohorts: rows and columns of images.")
@click.option("--encoder", help="Of cohorts with images: whose features attackers look at. [default: phantom-reports]")
@click.option("--networks", is_flag=True, help="Of cohorts with images: train networks as attackers, too.")
@options.split_by
@options.no_verify
@options.seed
@options.overwrite
@click.pass_context
def command(
    ctx: click.Context,
    inputs: tuple[Path, ...],
    out: Path,
    declaration: Path | None,
    ask: bool,
    policies: tuple[str, ...],
    title: str,
    dry_run: bool,
    size: int,
    encoder: str | None,
    networks: bool,
    split_by: str | None,
    no_verify: bool,
    seed: int,
    overwrite: bool,
) -> None:
    """Examine INPUTS, judge them, and write one dossier with a page that a board can sign.

    INPUTS are what you have: a cohort, a release, several releases (before and after a defence), a folder of reports or
    of DICOM files, signals of models, a model, a federated run. The same command goes on after a kill. Exit code 0:
    within the limits, 1: over one or too close to call, 2: wrong usage, 3: not known.
    """
    if (out / RECORD).is_file() and not (overwrite or dry_run):
        fix = "Choose another place, or pass --overwrite: audits of the same files are not run again."
        raise ConfigError("there is a dossier already", where=out, fix=fix)
    said = _declared(declaration, ask=ask)
    if title:
        said = Declaration(**{**said.model_dump(), "title": title})
    asked_for = asked_by(policies)
    config = TrialConfig(seed=seed, size=size, encoder=encoder, networks=networks, split_by=split_by, asked=asked_for)
    asked = Asked(said, whole_policy(policies), config, verify=not no_verify, command=command_line())
    if dry_run:
        click.echo(planned(inputs, out, asked))
        return
    with terminal() as progress:
        dossier = assess(inputs, out, asked, progress=progress)
    click.echo(repr(dossier))
    click.echo(f"\n{out / PAGE}\n{out / RECORD}")
    if not (out / PRINTED).is_file():
        click.echo(f"No {PRINTED}: Chromium is not installed. Print {PAGE} from any browser.")
    ctx.exit(dossier.exit_code)


def _declared(path: Path | None, *, ask: bool) -> Declaration:
    """The file's, with what it lacks asked for."""
    there = path is not None and path.is_file()
    if path is not None and not there and not ask:
        raise ConfigError("the declaration does not exist", where=path, fix="Pass --ask, and it is written.")
    said = read_declaration(path) if path is not None and there else Declaration()
    if not ask:
        return said
    if path is None:
        raise ConfigError("where is the declaration to be written?", where="--ask", fix="Pass --declaration FILE.")
    told = said.model_dump()
    for name in ASKED:
        if not told[name]:
            question = Declaration.model_fields[name].description or name
            told[name] = click.prompt(question.partition(" [")[0].rstrip("."), default="", show_default=False)
    said = Declaration(**told)
    with atomic_path(path) as partial:
        partial.write_text(as_toml(said), encoding="utf-8")
    return said

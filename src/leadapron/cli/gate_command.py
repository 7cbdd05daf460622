"""``leadapron gate``: results and policies -> a verdict, and the exit code that a pipeline stops at."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from leadapron.audits.gate import gate
from leadapron.audits.junit import render_verdict
from leadapron.cli import shared_options as options
from leadapron.engine import atomic_path
from leadapron.errors import ConfigError


@click.command()
@click.argument("results", type=options.existing, nargs=-1, required=True)
@click.option(
    "--policy",
    "policies",
    multiple=True,
    metavar="NAME|FILE",
    help="A policy that ships (`leadapron policy list`) or a TOML file of your own; several are judged together. "
    "[default: starting-point, of which that is judged which such a subject calls for: no authority]",
)
@click.option(
    "--subject",
    metavar="NAME|ID",
    help="Which release or other subject is judged, where the results are of several. [default: of versions of one "
    "subject the last, that is the defended one]",
)
@click.option("--json", "as_json", is_flag=True, help="The verdict as JSON.")
@click.option(
    "--junit",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.xml",
    help="Write the verdict as JUnit XML, too: a test case for each limit and each control.",
)
@click.pass_context
def command(
    ctx: click.Context,
    results: tuple[Path, ...],
    policies: tuple[str, ...],
    subject: str | None,
    as_json: bool,
    junit: Path | None,
) -> None:
    """Judge RESULTS: the folders of audits of one subject, or folders that hold them, such as that of a trial.

    Exit code 0: met, 1: broken or too close to call, 2: wrong usage, 3: incomplete.
    """
    if junit is not None and junit.suffix != ".xml":
        raise ConfigError("JUnit is XML", where="--junit", got=junit.name, allowed="a name that ends in .xml")
    verdict = gate(results, policies, subject=subject)
    if junit is not None:
        with atomic_path(junit) as partial:
            partial.write_text(render_verdict(verdict), encoding="utf-8")
    click.echo(json.dumps(asdict(verdict), indent=1, allow_nan=False) if as_json else repr(verdict))
    ctx.exit(verdict.exit_code)

"""``leadapron gate``: results and a policy -> a verdict, and the exit code that a pipeline stops at."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from leadapron.audits import default_policy, default_policy_text, judge, read_policy
from leadapron.audits.bound_subject import attacks_asked
from leadapron.audits.junit import render_verdict
from leadapron.cli import shared_options as options
from leadapron.engine import atomic_path
from leadapron.errors import ConfigError
from leadapron.results import read_results


def print_default_policy(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    if wanted:
        click.echo(default_policy_text(), nl=False)
        ctx.exit()


@click.command()
@click.argument("results", type=options.existing, nargs=-1, required=True)
@click.option(
    "--policy",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A TOML file of limits, all of which are judged. Without it, those that such a release calls for in the "
    "default that ships: a starting point and no authority.",
)
@click.option("--json", "as_json", is_flag=True, help="The verdict as JSON.")
@click.option(
    "--junit",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.xml",
    help="Write the verdict as JUnit XML, too: a test case for each limit and each control.",
)
@click.option(
    "--print-default-policy",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=print_default_policy,
    help="Print the default policy, to be edited and owned, and exit.",
)
@click.pass_context
def command(
    ctx: click.Context, results: tuple[Path, ...], policy: Path | None, as_json: bool, junit: Path | None
) -> None:
    """Judge RESULTS: the results.json or the folder of each audit of one release, and of models trained on it.

    Exit code 0: met, 1: broken or too close to call, 2: wrong usage, 3: incomplete.
    """
    if junit is not None and junit.suffix != ".xml":
        raise ConfigError("JUnit is XML", where="--junit", got=junit.name, allowed="a name that ends in .xml")
    found = [read_results(path) for path in results]
    verdict = judge(found, read_policy(policy) if policy else default_policy().only(attacks_asked(found)))
    if junit is not None:
        with atomic_path(junit) as partial:
            partial.write_text(render_verdict(verdict), encoding="utf-8")
    click.echo(json.dumps(asdict(verdict), indent=1, allow_nan=False) if as_json else repr(verdict))
    ctx.exit(verdict.exit_code)

"""``leadapron gate``: results and a policy -> a verdict, and the exit code that a pipeline stops at."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from leadapron.cli import options
from leadapron.report import Verdict, default_policy, default_policy_text, judge, read_policy, read_results

IN_WORDS = {0: "The policy is met", 1: "The policy is BROKEN", 3: "The audit is INCOMPLETE"}


def print_default_policy(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    if wanted:
        click.echo(default_policy_text(), nl=False)
        ctx.exit()


@click.command()
@click.argument("results", type=options.existing, nargs=-1, required=True)
@click.option(
    "--policy",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A TOML file of thresholds, all of which are judged. Without it, those for the attacks of RESULTS in the "
    "default that ships: a starting point and no authority.",
)
@click.option("--json", "as_json", is_flag=True, help="The verdict as JSON.")
@click.option(
    "--print-default-policy",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=print_default_policy,
    help="Print the default policy, to be edited and owned, and exit.",
)
@click.pass_context
def command(ctx: click.Context, results: tuple[Path, ...], policy: Path | None, as_json: bool) -> None:
    """Judge RESULTS: the results.json or the folder of each audit of one release.

    Exit code 0: met, 1: broken, 2: wrong usage, 3: incomplete.
    """
    found = [read_results(path) for path in results]
    whole = read_policy(policy) if policy else default_policy().only({one.content["attack"] for one in found})
    verdict = judge(found, whole)
    click.echo(json.dumps(asdict(verdict), indent=1, allow_nan=False) if as_json else in_words(verdict))
    ctx.exit(verdict.exit_code)


def in_words(verdict: Verdict) -> str:
    """A line for each judgement with its reason below, the verdict last."""
    width = max(len(judgement.id) for judgement in verdict.judgements)
    lines = [f"Policy: {verdict.policy}", ""]
    for judgement in verdict.judgements:
        line = f"{judgement.outcome:<7}  {judgement.id:<{width}}"
        if judgement.threshold is not None:
            number = "not judged" if judgement.number is None else f"{judgement.number:.4g}"
            line += f"  {number:>10}  at most {judgement.threshold:g}"
        lines += [line.rstrip(), f"         {judgement.reason}"]
    return "\n".join([*lines, "", f"{IN_WORDS[verdict.exit_code]} ({verdict.outcome}); exit code {verdict.exit_code}."])

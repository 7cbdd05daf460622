"""What every audit leaves behind: results, the page for people, and a few lines on the terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path

import click

from leadapron.attacks.risk import Risk
from leadapron.cli.command_line import command_line
from leadapron.release import Release
from leadapron.release.provenance import inputs_of, versions
from leadapron.report import Results, words, write_results
from leadapron.report.kinds import kind_of
from leadapron.report.numerals import NBSP
from leadapron.report.render import write_page

WIDTH = 110


def save(
    risk: Risk,
    path: Path,
    out: Path,
    release: Release,
    config: Mapping[str, object],
    *,
    overwrite: bool,
) -> Results:
    """An audit of a release."""
    return save_with(risk, path, out, inputs_of(path, release), config, overwrite=overwrite)


def save_with(
    risk: Risk,
    path: Path,
    out: Path,
    inputs: Mapping[str, object],
    config: Mapping[str, object],
    *,
    overwrite: bool,
) -> Results:
    """The results with all that is needed to run the audit again, and the page for people."""
    return write_results(
        risk,
        out,
        title=f"{risk.attack.capitalize()} audit of {path.resolve().name}",
        command=command_line(),
        seed=int(str(config["seed"])),
        config=config,
        inputs=inputs,
        versions=versions(),
        overwrite=overwrite,
        complete=write_page,
    )


INCOMPLETE = 3
"""The exit code of an audit whose controls went wrong: what it measured is written, and is not to be relied on."""


def conclude(results: Results, summary: str, out: Path) -> None:
    """The last lines of an audit on the terminal, and its exit code."""
    click.echo(summary)
    click.echo(f"\n{out / 'report.html'}\n{out / 'results.json'}")
    worst, standing = words.standing(results)
    if worst in ("error", "fail"):
        click.echo(f"\n{standing}", err=True)
        raise click.exceptions.Exit(INCOMPLETE)


def closing_lines(results: Results) -> list[str]:
    """Below the table of an audit: the verdict with what it stands on, and how the checks ended."""
    verdict = words.marked(results, kind_of(results).verdict(results)).replace(NBSP, " ")
    seen = kind_of(results).could_see(results).replace(NBSP, " ")
    return ["", textwrap.fill(f"{verdict} {seen}".strip(), WIDTH), "", *_outcome_lines(results)]


def _outcome_lines(results: Results) -> list[str]:
    return [f"{row['outcome']:>8}  {row['check']}: {row['reason']}" for row in results.content["outcomes"]]

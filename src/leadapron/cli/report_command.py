"""``leadapron report``: results -> a page, a model-card section, JUnit XML or JSON; nothing is run again."""

from __future__ import annotations

from pathlib import Path

import click

from leadapron.audits.render import PAGE, RENDERERS, write_report
from leadapron.cli import shared_options as options
from leadapron.engine.ours import claim
from leadapron.errors import ConfigError
from leadapron.results import read_results


@click.command()
@click.argument("results", type=options.existing)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help=f"Where to write; the suffix chooses the format: {', '.join(RENDERERS)}. Default: report.html beside RESULTS.",
)
def command(results: Path, output: Path | None) -> None:
    """Render RESULTS (results.json, or the folder that holds it) again, without a rerun."""
    found = read_results(results)
    assert found.folder is not None
    target = output or found.folder / PAGE
    source = results / "results.json" if results.is_dir() else results
    if target.resolve() == source.resolve():
        raise ConfigError("the report would replace the results", where=target, fix="Choose another place.")
    if output is None:
        claim(found.folder, PAGE)
    write_report(found, target)
    click.echo(f"{found.title} -> {target}")

"""``leadapron compare``: two results of the same records -> what changed, and whether chance alone would do it."""

from __future__ import annotations

from pathlib import Path

import click

from leadapron.cli import options
from leadapron.compare import RENDERERS, as_table, compare
from leadapron.engine import atomic_path
from leadapron.errors import ConfigError
from leadapron.report import read_results


@click.command()
@click.argument("before", type=options.existing)
@click.argument("after", type=options.existing)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the comparison; the suffix picks the form: .html, .md or .json.",
)
@options.seed
def command(before: Path, after: Path, output: Path | None, seed: int) -> None:
    """Compare the audits BEFORE and AFTER (results.json or its folder) of the same records."""
    if output is not None:
        check_output(output, before, after)
    comparison = compare(read_results(before), read_results(after), seed=seed)
    click.echo(as_table(comparison))
    if output is not None:
        with atomic_path(output) as partial:
            partial.write_text(RENDERERS[output.suffix](comparison), encoding="utf-8")
        click.echo(f"\n-> {output}")


def check_output(output: Path, *inputs: Path) -> None:
    """Before the work begins: the form is known, and the file is none of those that are compared."""
    if output.suffix not in RENDERERS:
        raise ConfigError("unknown suffix", where=output, got=output.suffix, allowed=", ".join(RENDERERS))
    files = [path / "results.json" if path.is_dir() else path for path in inputs]
    if output.resolve() in [file.resolve() for file in files]:
        raise ConfigError("the comparison would replace the results", where=output, fix="Choose another place.")

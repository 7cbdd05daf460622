"""``leadapron compare``: two audits of the same records, before and after."""

from __future__ import annotations

from pathlib import Path

import click

from leadapron.cli import shared_options as options
from leadapron.comparisons import RENDERERS, as_table, compare
from leadapron.errors import ConfigError
from leadapron.results import read_results


@click.command()
@click.argument("before", type=options.existing)
@click.argument("after", type=options.existing)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the comparison; the suffix picks the form: .html, .md or .json.",
)
@options.title
@options.seed
@click.pass_context
def command(ctx: click.Context, before: Path, after: Path, output: Path | None, title: str, seed: int) -> None:
    """Compare two audits of the same kind and of the same records: results.json, or its folder.

    Exit code 1 says that the risk after is higher (or the use lower): all of the 95 % interval of the paired difference
    at the headline is on that side, or another use is clearly lost.
    """
    for path in (before, after):
        if path.is_dir() and not (path / "results.json").is_file():
            fix = "Releases are tried by `leadapron trial BEFORE AFTER --out DIR`."
            raise ConfigError("this is no folder of an audit", where=path, fix=fix)
    if output is not None:
        check_output(output, before, after)
    comparison = compare(read_results(before), read_results(after), seed=seed, title=title)
    click.echo(as_table(comparison))
    if output is not None:
        comparison.save(output)
        click.echo(f"\n-> {output}")
    if comparison.warning:
        click.echo(f"leadapron: {comparison.warning}", err=True)
    ctx.exit(comparison.exit_code)


def check_output(output: Path, *inputs: Path) -> None:
    """Before the work begins: the form is known, and the file is none of those that are compared."""
    if output.suffix not in RENDERERS:
        raise ConfigError("unknown suffix", where=output, got=output.suffix, allowed=", ".join(RENDERERS))
    files = [path / "results.json" if path.is_dir() else path for path in inputs]
    if output.resolve() in [file.resolve() for file in files]:
        raise ConfigError("the comparison would replace the results", where=output, fix="Choose another place.")

"""``leadapron defend vectors``: a release in, a release with other vectors out, and what is promised about it."""

from __future__ import annotations

import textwrap
from pathlib import Path

import click

from leadapron.cli import options
from leadapron.defences.vectors import VECTOR_DEFENCES, find_vector_defence
from leadapron.release import Release, read_release, write_release

METHODS = "\n\n".join(
    f"  {name}: {defence.summary}. Strength: {defence.strength} [default: {defence.default:g}]"
    for name, defence in VECTOR_DEFENCES.items()
)


@click.command(
    help=f"""Change the vectors of RELEASE so that they are harder to pair; no training, no torch.

    Features and heads are left out of the new release. The methods:\n\n{METHODS}"""
)
@click.argument("release", type=options.existing)
@click.option("--method", type=click.Choice(list(VECTOR_DEFENCES)), required=True)
@click.option("--strength", type=float, help="What it means depends on the method. [default: the method's own]")
@options.out
@click.option(
    "--fitted-on",
    type=options.existing,
    help="Another release of the same encoder to fit directions or levels on. [default: the training patients]",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    help="Draw noise from a seed, for experiments: whoever knows it takes the noise off. [default: secret noise]",
)
@options.no_verify
@options.overwrite
def vectors(
    release: Path,
    method: str,
    strength: float | None,
    out: Path,
    fitted_on: Path | None,
    seed: int | None,
    no_verify: bool,
    overwrite: bool,
) -> None:
    inputs = [release] if fitted_on is None else [release, fitted_on]
    options.check_out(out, *inputs, overwrite=overwrite)
    defence = find_vector_defence(method)
    strength = defence.default if strength is None else strength
    source, *other = (read_release(path, verify=not no_verify) for path in inputs)
    defended = defence.defend(source, strength, seed=seed, fitted_on=other[0] if other else None)
    write_release(defended, out, overwrite=overwrite)
    click.echo(f"{method} at strength {strength:g}: {defence.summary}")
    click.echo(f"{_shapes(defended)} -> {out}")
    options.tell_kept_back(out)
    click.echo(f"\n{_statement(defended)}")


def _shapes(release: Release) -> str:
    return ", ".join(f"{name} {array.shape[0]:,} x {array.shape[1]}" for name, array in release.arrays.items())


def _statement(release: Release) -> str:
    """The guarantee's own words, as the card holds them."""
    said = release.card["defence"]
    assert isinstance(said, dict)
    return textwrap.fill(said["guarantee"]["statement"], 110)

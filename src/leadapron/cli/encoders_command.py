"""``leadapron encoders``: what ``leadapron encode --encoder`` takes."""

from __future__ import annotations

import click

from leadapron.encoders import ENCODERS


@click.command()
def command() -> None:
    """List the encoders: pixels a side, words read, dimensions of the shared space, what they are."""
    width = max(map(len, ENCODERS))
    click.echo(f"{'encoder':<{width}}  pixels  tokens  dimension  what")
    for name, spec in ENCODERS.items():
        click.echo(f"{name:<{width}}  {spec.image_size:>6}  {spec.text_length:>6}  {spec.dimension:>9}  {spec.summary}")

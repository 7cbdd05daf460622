"""``leadapron encoders``: what ``leadapron encode --encoder`` takes."""

from __future__ import annotations

import click

from leadapron.encoders import encoder_names, find_encoder


@click.command()
def command() -> None:
    """List the encoders: pixels a side, words read, dimensions of the shared space, what they are."""
    names = encoder_names()
    width = max(map(len, names))
    click.echo(f"{'encoder':<{width}}  pixels  tokens  dimension  what")
    for name in names:
        spec = find_encoder(name)
        click.echo(f"{name:<{width}}  {spec.image_size:>6}  {spec.text_length:>6}  {spec.dimension:>9}  {spec.summary}")

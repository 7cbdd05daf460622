"""``leadapron defend``: a release in, a release that is harder to pair out."""

from __future__ import annotations

import click

from leadapron.cli.defend_heads import heads
from leadapron.cli.defend_vectors import vectors


@click.group()
def command() -> None:
    """Make a release harder to pair back with a patient, and say what is promised about it."""


command.add_command(heads)
command.add_command(vectors)

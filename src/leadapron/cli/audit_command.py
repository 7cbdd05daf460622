"""``leadapron audit``: a release in, results and a report out."""

from __future__ import annotations

import click

from leadapron.cli.audit_identity import identity
from leadapron.cli.audit_linkage import linkage
from leadapron.cli.audit_membership import membership


@click.group()
def command() -> None:
    """Attack a release: how well can it be paired back with a patient?"""


command.add_command(linkage)
command.add_command(identity)
command.add_command(membership)

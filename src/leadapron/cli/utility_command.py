"""``leadapron utility release RELEASE --out DIR``: what is still got out of what was released."""

from __future__ import annotations

from pathlib import Path

import click

from leadapron.audits.audit_registry import every_audit, find_audit
from leadapron.cli.audit_command import audit_command

SUBJECTS = {"utility": "release", "run-utility": "run", "report-writing": "reports"}
"""How a use is called here; others go by their own names."""


class UseGroup(click.Group):
    """The audits of use, each by what it is asked of."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return [SUBJECTS.get(audit.name, audit.name) for audit in every_audit() if audit.about == "use"]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """``leadapron utility RELEASE``, as it was called: it runs, and says how it is called now."""
        if args[0] not in self.list_commands(ctx) and Path(args[0]).exists():
            click.echo("leadapron: `utility RELEASE` is now called `utility release RELEASE`", err=True)
            args = ["release", *args]
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in self.list_commands(ctx):
            names = {command: name for name, command in SUBJECTS.items()}
            return audit_command(find_audit(names.get(cmd_name, cmd_name)), named=cmd_name)
        return None


@click.group(cls=UseGroup)
def command() -> None:
    """Measure what a release, or the model of a federated run, is good for."""

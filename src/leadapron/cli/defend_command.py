"""``leadapron defend METHOD``: every defence of the registry as a command of its own, listed by groups."""

from __future__ import annotations

import click

from leadapron.cli.defend_method import method_command
from leadapron.defences.defence_registry import defence_names, find_defence
from leadapron.errors import LeadapronError

FORMER = {"vectors": None, "heads": "private"}
"""Commands that took the method as an option, and the method that they took by default."""
TOGETHER = {"images": "structured"}
"""Groups that are a command, too, because they are what a user looks for; and the method that it takes by default."""


class Methods(click.Group):
    """The defences by name. One of another package that cannot be loaded is listed with the reason."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return defence_names()

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command:
        if cmd_name in FORMER or cmd_name in TOGETHER:
            return group_command(cmd_name)
        return method_command(find_defence(cmd_name))

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for group, methods in _by_group().items():
            with formatter.section(group.capitalize()):
                formatter.write_dl(list(methods.items()))


@click.group(cls=Methods)
def command() -> None:
    """Make a cohort, a release or a model harder to pair back with a patient, and say what is promised about it.

    `leadapron defend images COHORT --method METHOD` runs the methods for images, too.
    """


def _by_group() -> dict[str, dict[str, str]]:
    """The summaries of all methods, by group and name."""
    groups: dict[str, dict[str, str]] = {}
    for name in defence_names():
        try:
            defence = find_defence(name)
            groups.setdefault(defence.group, {})[name] = defence.summary
        except LeadapronError as error:
            groups.setdefault("not available", {})[name] = str(error)
    return groups


def group_command(group: str) -> click.Command:
    """``defend images COHORT --method structured``: the same as ``defend structured COHORT``.

    A former command runs, too, and says what it is called now.
    """
    methods, former = _by_group()[group], group in FORMER
    listed = "\n".join(f"  {name:<12} {summary}" for name, summary in methods.items())
    named = "It is now called `leadapron defend METHOD`, with the same options."
    ours = f"Defend {group} by a method.\n\n\b\n{listed}\n\n`leadapron defend METHOD --help` lists all options."

    @click.command(
        group,
        context_settings={"ignore_unknown_options": True},
        help=named if former else ours,
        options_metavar="[--method METHOD] [OPTIONS OF THE METHOD]",
    )
    @click.option(
        "--method",
        type=click.Choice(list(methods)),
        default=FORMER[group] if former else TOGETHER[group],
        show_default=not former,
    )
    @click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
    @click.pass_context
    def run(context: click.Context, method: str | None, arguments: tuple[str, ...]) -> None:
        if group == "heads" and "--fitted-on" in arguments:
            method = "transfer"
        if method is None:
            raise click.MissingParameter(ctx=context, param=context.command.params[0])
        found = method_command(find_defence(method))
        with found.make_context(method, list(arguments), parent=context.parent) as inner:
            found.invoke(inner)
        if former:
            click.echo(f"leadapron: `defend {group} --method {method}` is now called `defend {method}`", err=True)

    return run

"""``leadapron policy list|show|check``: policies that ship, to be copied, and what a policy would judge."""

from __future__ import annotations

import click

from leadapron.audits.policy_words import in_words, origin_in_words
from leadapron.audits.presets import find_policy, preset_names, preset_text, preset_title
from leadapron.pages.terminal_text import wrapped


@click.group()
def command() -> None:
    """Policies: limits with their reasons and sources, for `leadapron gate --policy`."""


@command.command("list")
def list_policies() -> None:
    """List the policies that ship. None of them is law, and only starting-point judges attacks."""
    names = preset_names()
    width = max(map(len, names))
    for name in names:
        click.echo(f"{name:<{width}}  {preset_title(name)}")


@command.command()
@click.argument("name")
def show(name: str) -> None:
    """Print the policy NAME as TOML: to be copied, edited and owned."""
    click.echo(preset_text(name), nl=False)


@command.command()
@click.argument("policy", metavar="FILE|NAME")
def check(policy: str) -> None:
    """Say in plain words what a policy would judge, and where each of its limits comes from; or what is wrong in it."""
    found = find_policy(policy)
    click.echo(found.title)
    for entry in found.entries:
        click.echo(f"\n{entry.id}")
        for told in (in_words(entry), entry.why, origin_in_words(entry)):
            click.echo(wrapped(told, indent="  "))
    if found.controls:
        checks = [f"{one.check} ({one.attack})" if one.attack else one.check for one in found.controls]
        click.echo(f"\n{wrapped('These checks of the audits must have passed: ' + ', '.join(checks) + '.')}")

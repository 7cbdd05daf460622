"""``leadapron federation invite``, ``fill`` and ``admit``: hospitals that make their folders from their own records."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from leadapron.cli import shared_options as options
from leadapron.cli.config_options import config_options
from leadapron.cli.train_federated import gather, plan_of
from leadapron.engine import terminal
from leadapron.federated import Plan
from leadapron.federated.federate import need_torch
from leadapron.federated.federation_folder import SERVER

folder = click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
weights = click.option(
    "--weights", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Of the plan's published encoders."
)


@click.command()
@click.argument("source", metavar="RELEASE", type=options.existing)
@options.out
@click.option("--plan", "file", type=options.existing, help="A TOML file with any of the options of the plan.")
@weights
@options.cache
@options.no_verify
def invite(
    source: Path,
    out: Path,
    file: Path | None,
    cache: Path | None,
    weights: Path | None,
    no_verify: bool,
    **chosen: Any,  # noqa: ANN401 (the plan's fields)
) -> None:
    """Invite hospitals that bring their own records. RELEASE is the server's: public, validation and test patients.

    OUT gets the server's folder and one for each hospital of the plan, with everything but its records.
    """
    need_torch()
    from leadapron.federated.invitations import invite as make

    plan = plan_of(file, chosen)
    with terminal() as progress:
        names = make(out, plan, gather(source, plan, cache, weights, verify=not no_verify, progress=progress))
    click.echo(
        f"{SERVER} and invitations for {len(names)} hospitals ({names[0]} to {names[-1]}) -> {out}\n"
        "Send each hospital its folder in secret: it holds the key under which patients are hashed."
    )


invite.params.extend(config_options(Plan))


@click.command()
@folder
@click.argument("source", metavar="RELEASE", type=options.existing)
@weights
@options.cache
@options.no_verify
def fill(folder: Path, source: Path, cache: Path | None, weights: Path | None, no_verify: bool) -> None:
    """Put a hospital's own records into FOLDER, its invitation: those of RELEASE with split 'train'.

    What the plan says that the hospital does not hold is not read.
    """
    need_torch()
    from leadapron.federated.federation_folder import read_card
    from leadapron.federated.invitations import MEMBER
    from leadapron.federated.invitations import fill as put

    plan = read_card(folder).plan
    with terminal() as progress:
        member = put(folder, gather(source, plan, cache, weights, verify=not no_verify, progress=progress))
    click.echo(
        f"{member.name} ({member.holds}): {member.records:,} records of {member.patients:,} patients -> {folder}\n"
        f"Send {folder / MEMBER} to the server: it holds these numbers and nothing else."
    )


@click.command()
@folder
@click.argument("members", type=options.existing, nargs=-1, required=True)
def admit(folder: Path, members: tuple[Path, ...]) -> None:
    """Admit hospitals. FOLDER is the server's own, MEMBERS are the member.json files that hospitals sent."""
    from leadapron.federated.invitations import admit as note

    missing = note(folder, members)
    click.echo("All hospitals are admitted." if not missing else f"Still missing: {', '.join(missing)}.")

"""``leadapron federation``: hospitals and a server that train together, each in a process of its own."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import click

from leadapron.cli import shared_options as options
from leadapron.cli.config_options import config_options
from leadapron.cli.federation_invitations import admit, fill, folder, invite, weights
from leadapron.cli.train_federated import Teller, gather, plan_of, told
from leadapron.engine import terminal
from leadapron.errors import ConfigError
from leadapron.federated import Plan
from leadapron.federated.federate import deal_into, need_torch
from leadapron.federated.federation_folder import SERVER
from leadapron.training.devices import device as torch_device

keys_of_place = click.option(
    "--keys",
    "key_folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    required=True,
    help="The folder that `leadapron federation keys` made here.",
)


class Address(click.ParamType[tuple[str, int]]):
    """HOST:PORT."""

    name = "host:port"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, int]:  # noqa: ANN401
        host, colon, port = str(value).rpartition(":")
        if not (colon and host and port.isdecimal() and 0 < int(port) < 1 << 16):
            self.fail(f"{value!r} is not a host and a port, such as 127.0.0.1:9092", param, ctx)
        return host.strip("[]"), int(port)


@click.group()
def command() -> None:
    """Train one model between hospitals that share no records, over Flower, with TLS and a key for every hospital."""


@command.command()
@click.argument("source", metavar="RELEASE", type=options.existing)
@options.out
@click.option("--plan", "file", type=options.existing, help="A TOML file with any of the options of the plan.")
@weights
@options.cache
@options.no_verify
def deal(
    source: Path,
    out: Path,
    file: Path | None,
    cache: Path | None,
    weights: Path | None,
    no_verify: bool,
    **chosen: Any,  # noqa: ANN401 (the plan's fields)
) -> None:
    """Deal the patients of RELEASE to hospitals: OUT gets a folder per hospital and one for the server.

    To try a deployment on one machine, or to hand each folder to the hospital whose records it holds.
    """
    need_torch()
    plan = plan_of(file, chosen)
    with terminal() as progress:
        deal_into(out, plan, gather(source, plan, cache, weights, verify=not no_verify, progress=progress))
    places = sorted(path.name for path in out.iterdir() if path.is_dir() and path.name != SERVER)
    click.echo(f"{len(places)} hospitals ({places[0]} to {places[-1]}) and {SERVER} -> {out}")


deal.params.extend(config_options(Plan))
for inviting in (invite, fill, admit):
    command.add_command(inviting)


@command.command()
@options.out
@click.option(
    "--server",
    "hosts",
    metavar="HOST",
    multiple=True,
    help="Keys of the server, which hospitals reach by this name or address. Give it again for further names.",
)
@click.option("--hospital", metavar="NAME", help="Keys of the hospital of this name, such as hospital-00.")
def keys(out: Path, hosts: tuple[str, ...], hospital: str | None) -> None:
    """Make the keys of a server or of a hospital. A private key stays in the place where it is made.

    The server gives its ca.pem to every hospital; every hospital gives its .pub file to the server.
    """
    from leadapron.federated.flower.flower_process import need_flower

    need_flower("cryptography")
    from leadapron.federated.flower.node_keys import AUTHORITY, HOSPITALS, write_hospital_keys, write_server_keys

    if bool(hosts) == (hospital is not None):
        raise ConfigError("whose keys are they?", allowed="either --server HOST or --hospital NAME")
    if hospital is not None:
        write_hospital_keys(out, hospital)
        click.echo(
            f"keys of {hospital} -> {out}\nGive {hospital}.pub to the server. Put the server's {AUTHORITY} here."
        )
    else:
        write_server_keys(out, hosts)
        click.echo(
            f"keys of the server -> {out}\nGive {AUTHORITY} to every hospital. Put the hospitals' .pub files into "
            f"{out / HOSPITALS}."
        )


@command.command()
@folder
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The run's folder; a run there goes on.")
@keys_of_place
@click.option("--address", type=Address(), default="127.0.0.1:9092", show_default=True, help="Where to listen.")
@click.option(
    "--patience",
    type=click.FloatRange(min=1),
    default=3600.0,
    show_default=True,
    help="Seconds to wait for hospitals to connect, and for their answers in a round.",
)
@click.option("--updates/--no-updates", "keep_updates", default=True, help="Keep every update that the server sees.")
@weights
@options.device
def server(
    folder: Path,
    out: Path,
    key_folder: Path,
    address: tuple[str, int],
    patience: float,
    keep_updates: bool,
    weights: Path | None,
    device: str,
) -> None:
    """Run the server of a federation. FOLDER is the server's own, as it was dealt.

    It waits for the hospitals, trains, and ends after the last round. If it is interrupted, the same command goes on.
    """
    from leadapron.federated.flower.deployment import run_server
    from leadapron.federated.flower.deployment_jobs import ServerJob
    from leadapron.federated.flower.flower_process import interrupted_by_terminate
    from leadapron.federated.flower.followed_run import FollowedRun

    with tempfile.TemporaryDirectory(prefix="leadapron-") as home, interrupted_by_terminate(), terminal() as progress:
        job = ServerJob(
            folder=folder.resolve(),
            out=out.resolve(),
            device=str(torch_device(device)),
            weights=weights and weights.resolve(),
            patience=patience,
            keep_updates=keep_updates,
            error=Path(home) / "error.json",
        )
        followed = FollowedRun(out, Teller(), progress)
        run = run_server(job, key_folder.resolve(), *address, say=partial(click.echo, err=True), watch=followed.look)
    click.echo(told(run, out))


@command.command()
@folder
@click.option("--server", "address", type=Address(), default="127.0.0.1:9092", show_default=True, help="The server.")
@keys_of_place
@weights
@options.device
def hospital(folder: Path, key_folder: Path, address: tuple[str, int], weights: Path | None, device: str) -> None:
    """Take part as a hospital. FOLDER is its own, and the only one that it opens.

    It waits for the server, answers it, and ends when the server says that all is done. Ctrl-C ends it at any time, and
    the same command joins again.
    """
    from leadapron.federated.flower.deployment_jobs import HospitalJob
    from leadapron.federated.flower.flower_process import interrupted_by_terminate
    from leadapron.federated.flower.hospital_node import run_hospital

    job = HospitalJob(folder=folder.resolve(), device=str(torch_device(device)), weights=weights and weights.resolve())
    with interrupted_by_terminate():
        run_hospital(job, key_folder.resolve(), *address, click.echo)

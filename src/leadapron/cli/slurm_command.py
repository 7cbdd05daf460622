"""``leadapron slurm``: the batch file that runs a long command on a cluster."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import click

from leadapron.cli.main import cli
from leadapron.cli.slurm_script import Allocation, slurm_script
from leadapron.engine import atomic_path
from leadapron.errors import ConfigError

CHOSEN_HERE = ("--executor", "--address", "--nodes", "--jobs", "--part")
WORDS = re.compile(r"[\w.,:@+-]+")


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), required=True, help="The file; must not exist.")
@click.option("--nodes", type=click.IntRange(1), default=1, show_default=True, help="Machines in the allocation.")
@click.option("--cpus", type=click.IntRange(1), default=1, show_default=True, help="Cores of each of them.")
@click.option("--gpus", type=click.IntRange(0), default=0, show_default=True, help="GPUs of each of them.")
@click.option("--time", metavar="TIME", help="Slurm's --time, such as 8:00:00.")
@click.option("--partition", metavar="NAME", help="Slurm's --partition.")
@click.option("--account", metavar="NAME", help="Slurm's --account.")
@click.option(
    "--array",
    type=click.IntRange(2, 100_000),
    help="Where Ray may not run: so many tasks of a plain array, each with --cpus and --gpus of its own.",
)
@click.option(
    "--scratch", default="/tmp", show_default=True, metavar="FOLDER", help="A short path that is each node's own."
)
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- COMMAND...")
def command(
    out: Path,
    nodes: int,
    cpus: int,
    gpus: int,
    time: str | None,
    partition: str | None,
    account: str | None,
    array: int | None,
    scratch: str,
    command: tuple[str, ...],
) -> None:
    """Write an sbatch file that runs COMMAND, the words after `leadapron`, on the nodes of a Slurm allocation.

    It starts Ray inside the allocation, with a token of its own and without telemetry, and runs COMMAND on it, in the
    folder where you are now and by this Python. Both must be there on every node, under the same name.
    """
    if out.exists():
        raise ConfigError("the output exists already", where=out, fix="Choose another place.")
    _check_command(command)
    for option, value in (("--time", time), ("--partition", partition), ("--account", account)):
        if value is not None and not WORDS.fullmatch(value):
            raise ConfigError(
                "not a name that Slurm takes", where=option, got=value, allowed="letters, digits, .,:@+-_"
            )
    if array is not None and nodes > 1:
        raise ConfigError("every task of an array has a node of its own", where="--nodes", got=nodes, allowed="1")
    if not re.fullmatch(r"/[\w./-]{0,40}", scratch):
        raise ConfigError("not a folder for sockets", where="--scratch", got=scratch, allowed="a short absolute path")
    allocation = Allocation(nodes, cpus, gpus, time, partition, account, array)
    text = slurm_script(command, allocation, out, Path.cwd(), sys.executable, scratch)
    with atomic_path(out) as path:
        path.write_text(text)
    click.echo(f"{out}\n\nNext:")
    for line in text.splitlines()[1:3] if array else text.splitlines()[1:2]:
        click.echo(f"  {line.removeprefix('# ')}")


def _check_command(words: tuple[str, ...]) -> None:
    """It is one of ours that can be done in pieces, and leaves to the file who does them."""
    context, found = click.Context(cli), 0
    one: click.Command | None = cli
    while isinstance(one, click.Group) and found < len(words):
        one = one.get_command(context, words[found])
        found += 1
    if one is None or "by" not in {parameter.name for parameter in one.params}:
        raise ConfigError(
            "not a command whose work can be dealt out",
            where="COMMAND",
            got=" ".join(words[:found]),
            allowed="one with the option --executor, such as encode or train targets",
        )
    for word in words:
        if word.partition("=")[0] in CHOSEN_HERE:
            raise ConfigError("the file says who does the work", where="COMMAND", got=word, fix=f"Leave out {word}.")

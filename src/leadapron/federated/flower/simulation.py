"""The engine ``flower`` on one machine: Flower's simulation, in which Ray's processes are the hospitals.

It runs in a process of its own, because Flower and Ray leave their marks on the one that they run in: on its
environment, its signals and its threads.
"""

from __future__ import annotations

import logging
import os
import shutil
import signal
import tempfile
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from leadapron.engine import Progress
from leadapron.engine.parallel import worker_count
from leadapron.engine.processes import INTERRUPTED, run_processes
from leadapron.errors import LeadapronError
from leadapron.federated.federation_folder import SERVER, read_card
from leadapron.federated.flower.flower_process import flower_environment, need_flower
from leadapron.federated.flower.followed_run import FollowedRun
from leadapron.federated.run_card import Run, read_run
from leadapron.training.devices import device

if TYPE_CHECKING:
    from leadapron.federated.federate import Machine, Tell
    from leadapron.federated.hospital import Hospital

ENGINE, NAME = "flower", "name"
FOREVER = 1e9
"""Seconds. A simulated hospital answers or fails; it is never late."""


def simulate(folder: Path, out: Path, machine: Machine, *, tell: Tell, progress: Progress) -> Run:
    """All rounds that are left."""
    need_flower("ray")
    if not read_card(folder / SERVER).members:  # nothing to simulate
        from leadapron.federated.in_process import run_in_process

        return run_in_process(folder, out, machine, tell=tell, progress=progress)
    followed = FollowedRun(out, tell, progress)
    short = "/tmp" if os.name == "posix" else None  # Ray's sockets lie below it, and their names must be short
    with tempfile.TemporaryDirectory(prefix="leadapron-", dir=short, ignore_cleanup_errors=True) as home:
        task = partial(_simulate, folder, out, machine, Path(home), worker_count())
        if not run_processes(task, 1, watch=followed.look):
            raise LeadapronError("Flower's simulation was killed", fix="Run the same command again: it goes on.")
    followed.look()
    return read_run(out)


def _simulate(folder: Path, out: Path, machine: Machine, home: Path, cores: int) -> None:
    """Flower and Ray read their environment when they are imported, so they are imported here."""
    os.environ.update(flower_environment(home))
    from flwr.app import ConfigRecord, Context, Message, MessageType, RecordDict
    from flwr.serverapp import Grid, ServerApp
    from flwr.simulation import run_simulation
    from flwr.supercore.logger import update_console_handler

    from leadapron.federated.coordinator import Coordinator
    from leadapron.federated.flower.flower_client import client_app
    from leadapron.federated.flower.flower_line import Line
    from leadapron.federated.flower.flower_server import serve

    on = str(device(machine.device))
    coordinator = Coordinator(
        folder / SERVER, out, engine=ENGINE, device=on, weights=machine.weights, keep_updates=machine.keep_updates
    )
    names = sorted(member.name for member in coordinator.run.members)
    nodes: dict[str, int] = {}

    def name(context: Context) -> str:
        return names[int(context.node_config["partition-id"])]

    clients = client_app(
        lambda context: _hospital(folder / name(context), on, machine.weights),
        secure=coordinator.plan.secure,
        simulated=True,
    )

    @clients.query()
    def introduce(message: Message, context: Context) -> Message:
        return Message(RecordDict({NAME: ConfigRecord({NAME: name(context)})}), reply_to=message)

    def introduced(grid: Grid) -> dict[str, int]:
        """Flower numbers simulated hospitals by chance, so each is asked for its name."""
        asked = [Message(RecordDict(), node, MessageType.QUERY) for node in grid.get_node_ids()]
        if not nodes and len(asked) == len(names):
            for reply in grid.send_and_receive(asked):
                nodes[str(reply.content.config_records[NAME][NAME])] = reply.metadata.src_node_id
        return nodes

    server = ServerApp()

    @server.main()
    def main(grid: Grid, context: Context) -> None:
        serve(coordinator, Line(grid, introduced, FOREVER), context)

    signal.signal(signal.SIGINT, partial(_end_at_once, home))
    update_console_handler("ERROR", timestamps=False, colored=False)
    run_simulation(
        server,
        clients,
        len(names),
        backend_config={
            "init_args": {
                "num_cpus": min(cores, len(names)),
                "include_dashboard": False,
                "log_to_driver": False,
                "logging_level": logging.ERROR,
                "_node_ip_address": "127.0.0.1",  # nothing listens to the network
                "_temp_dir": str(home),
            },
            "client_resources": {"num_cpus": 1, "num_gpus": 0.0},
        },
    )


@cache
def _hospital(folder: Path, on: str, weights: Path | None) -> Hospital:
    """Once per process: to open a folder and build a model takes longer than a round of a small one."""
    from leadapron.federated.hospital import Hospital

    return Hospital(folder, on, weights)


def _end_at_once(home: Path, *_: object) -> None:
    """Flower's threads would go on to the end of the round, and complain of what is missing."""
    import ray

    logging.getLogger("flwr").disabled = True
    ray.shutdown()
    shutil.rmtree(home, ignore_errors=True)
    os._exit(INTERRUPTED)

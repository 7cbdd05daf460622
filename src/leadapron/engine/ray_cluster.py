"""A running Ray cluster: found, entered with its token, and looked at before anything long is begun on it.

Nothing is started here, and nothing is sent anywhere else. Whoever can talk to a cluster can run programs on it, so one
without a token is not used.
"""

from __future__ import annotations

import os
import socket
import time
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any
from uuid import uuid4

import numpy as np

from leadapron import __version__
from leadapron.engine.extras import need
from leadapron.engine.ours import hidden_beside
from leadapron.engine.private import private_file
from leadapron.errors import UnfinishedError

AUTO = "auto"
TOKEN_FILE = Path("~/.ray/auth_token")
TO_ANSWER, TO_APPEAR, TO_LOOK, TO_JOIN = 5.0, 60.0, 120.0, 300.0
"""Seconds that are waited for a port, for a file that was written on another node, for what a node says, and for nodes
that are still starting."""
POLL = 1.0


def enter(address: str, nodes: int) -> ModuleType:
    """Ray, connected to the cluster, with so many nodes or more in it. The process stays connected until it ends."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # no telemetry; Ray reads it when it is imported
    ray = need("ray", "--executor ray", "distributed")
    if not ray.is_initialized():
        place = _found(address)
        _check_token(place)
        _check_port(place)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", FutureWarning)  # of what Ray will do with GPUs that were not asked for
                ray.init(address=place, log_to_driver=False, logging_level="ERROR")
        except Exception as error:  # of many kinds: another token, another version of Ray or Python, no node here
            raise UnfinishedError(
                f"the Ray cluster does not let this process in ({_first_line(error)})",
                where=place,
                fix="Token and versions of Ray and Python must be the cluster's, and this machine one of its nodes.",
            ) from error
    _await_nodes(ray, nodes)
    return ray


def alive(ray: ModuleType) -> dict[str, str]:
    """The names of the nodes, by their ids."""
    return {node["NodeID"]: node["NodeManagerHostname"] for node in ray.nodes() if node["Alive"]}


def check_nodes(ray: ModuleType, folder: Path) -> None:
    """Every node has this version of leadapron, and reads and writes the same ``folder`` as this process."""
    asked, words = hidden_beside(folder / "shared"), uuid4().hex
    nodes = alive(ray)
    answers = [hidden_beside(folder / f"shared-{at}") for at in range(len(nodes))]
    affinity = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy
    look = ray.remote(num_cpus=0, max_retries=0)(_look())
    try:
        private_file(asked).write_text(words)
        told = [
            look.options(scheduling_strategy=affinity(node, soft=False)).remote(str(asked), str(answer))
            for node, answer in zip(nodes, answers, strict=True)
        ]
        for (node, name), answer, reference in zip(nodes.items(), answers, told, strict=True):
            try:
                said = ray.get(reference, timeout=TO_LOOK)
            except Exception as error:
                if node not in alive(ray):  # it was gone already
                    continue
                raise UnfinishedError(f"the node does not answer ({_first_line(error)})", where=name) from error
            _check_node(name, said, folder, shared=said["read"] == words and _comes(answer))
    finally:
        for path in (asked, *answers):
            path.unlink(missing_ok=True)


def _look() -> Callable[[str, str], dict[str, Any]]:
    """What a node is asked. The function is sent as it is, because the package need not be there."""

    def look(asked: str, answer: str) -> dict[str, Any]:
        import importlib
        import pathlib

        said: dict[str, Any] = {"read": None, "leadapron": None, "numpy": None}
        for name in ("leadapron", "numpy"):
            try:
                said[name] = importlib.import_module(name).__version__
            except ImportError as error:
                said[f"no {name}"] = str(error)
        try:
            said["read"] = pathlib.Path(asked).read_text()
            pathlib.Path(answer).touch(0o600)
        except OSError as error:
            said["no folder"] = str(error)
        return said

    return look


def _check_node(name: str, said: Mapping[str, Any], folder: Path, *, shared: bool) -> None:
    for package, here in (("leadapron", __version__), ("numpy", np.__version__)):
        if said[package] != here:
            raise UnfinishedError(
                f"the node has another version of {package}, or none",
                where=name,
                got=said[package] or said[f"no {package}"],
                allowed=here,
                fix="Install the same environment on every node.",
            )
    if not shared:
        raise UnfinishedError(
            "the node does not see the folder of this process, or may not write to it",
            where=name,
            got=said.get("no folder", f"other files in {folder}"),
            fix="Give a folder on a file system that all nodes share, under the same name.",
        )


def _comes(path: Path) -> bool:
    """Whether the file is seen here; a network file system may take its time."""
    return until(lambda: path.name in os.listdir(path.parent), TO_APPEAR)  # noqa: PTH208 (listing looks anew)


def until(true: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL / 10)
    return True


def _found(address: str) -> str:
    """HOST:PORT; of the cluster that Ray itself would find, for ``auto``."""
    if address != AUTO:
        return address
    last = Path(os.environ.get("RAY_TMPDIR", "/tmp")) / "ray" / "ray_current_cluster"
    found = os.environ.get("RAY_ADDRESS") or (last.read_text().strip() if last.exists() else "")
    if not found:
        raise UnfinishedError(
            "there is no Ray cluster that this machine is a node of",
            where="--address auto",
            fix="Start one as docs/scale.md says, or give --address HOST:PORT.",
        )
    return found


def _check_token(place: str) -> None:
    file = Path(os.environ.get("RAY_AUTH_TOKEN_PATH", TOKEN_FILE)).expanduser()
    if os.environ.get("RAY_AUTH_MODE") != "token" or not (os.environ.get("RAY_AUTH_TOKEN") or file.is_file()):
        raise UnfinishedError(
            "a cluster is entered with a token, and none was given",
            where=place,
            fix="Set RAY_AUTH_MODE=token, and the cluster's token in RAY_AUTH_TOKEN or the file RAY_AUTH_TOKEN_PATH.",
        )


def _check_port(place: str) -> None:
    """Ray itself would try for hours."""
    host, _, port = place.rpartition(":")
    if not host or not port.isdecimal():
        raise UnfinishedError("not an address", where="--address", got=place, allowed="auto, or HOST:PORT")
    try:
        socket.create_connection((host.strip("[]"), int(port)), TO_ANSWER).close()
    except (OSError, OverflowError) as error:
        raise UnfinishedError(
            f"no Ray cluster answers there ({getattr(error, 'strerror', None) or error})",
            where=place,
            fix="Give the address that `ray start --head` printed.",
        ) from error


def _await_nodes(ray: ModuleType, nodes: int) -> None:
    if not until(lambda: len(alive(ray)) >= nodes, TO_JOIN):
        raise UnfinishedError(
            f"only {len(alive(ray))} of {nodes} nodes have joined the cluster in {TO_JOIN:.0f} seconds",
            where="--nodes",
            got=", ".join(sorted(alive(ray).values())),
        )


def _first_line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0].rstrip(".") or type(error).__name__

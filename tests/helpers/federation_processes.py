"""A deployed federation of two hospitals, each place a process of its own, by the commands that people type."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import federated_data as fed
import leadapron
from leadapron.federated import Plan, read_run
from leadapron.federated.federate import deal_into
from leadapron.federated.flower.node_keys import HOSPITALS, write_hospital_keys, write_server_keys

NAMES = ("hospital-00", "hospital-01")
SECONDS = 300


class Deployment:
    """Folders and keys of all places in ``root``, as they would be handed out."""

    def __init__(self, root: Path, plan: Plan) -> None:
        self.root, self.out = root, root / "run"
        self.folder = deal_into(root / "fed", plan, fed.gathered())
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{free.getsockname()[1]}"
        write_server_keys(root / "server-keys", ["127.0.0.1"])
        for name in NAMES:
            write_hospital_keys(root / f"{name}-keys", name)
            shutil.copy(root / f"{name}-keys" / f"{name}.pub", root / "server-keys" / HOSPITALS)
            shutil.copy(root / "server-keys" / "ca.pem", root / f"{name}-keys")

    def server(self, *more: str) -> subprocess.Popen[str]:
        return self._start("server", "--out", self.out, "--address", self.address, *more)

    def hospital(self, name: str) -> subprocess.Popen[str]:
        return self._start(name, "--server", self.address)

    def _start(self, place: str, *options: object) -> subprocess.Popen[str]:
        kind = "server" if place == "server" else "hospital"
        words = [kind, self.folder / place, "--keys", self.root / f"{place}-keys", "--device", "cpu", *options]
        return subprocess.Popen(
            [sys.executable, "-m", "leadapron", "federation", *map(str, words)],
            env=environment(self.root),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def wait_for_round(self, number: int, server: subprocess.Popen[str]) -> None:
        end = time.monotonic() + SECONDS
        while not (self.out / "run.json").exists() or len(read_run(self.out).rounds) < number:
            assert server.poll() is None, server.communicate()[0]
            assert time.monotonic() < end
            time.sleep(0.1)

    def ended(self, process: subprocess.Popen[str]) -> tuple[int, str]:
        """How a process ended, and what it said."""
        said, _ = process.communicate(timeout=SECONDS)
        return process.returncode, said

    def wait_until_gone(self) -> None:
        wait_until_gone(self.root)


def environment(mark: Path) -> dict[str, str]:
    """That of a process which runs this leadapron, and by which it is found again."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    source = str(Path(leadapron.__file__).parents[1])
    return {**os.environ, "PATH": path, "PYTHONPATH": source, "TMPDIR": str(mark), "LEADAPRON_TEST": str(mark)}


def wait_until_gone(mark: Path, seconds: float = 180) -> None:
    """Until no process has the mark in its environment."""
    end = time.monotonic() + seconds
    while left := [one for one in Path("/proc").glob("[0-9]*") if f"LEADAPRON_TEST={mark}" in _environment_of(one)]:
        assert time.monotonic() < end, [(one / "cmdline").read_text() for one in left]
        time.sleep(0.5)


def _environment_of(process: Path) -> list[str]:
    try:
        return (process / "environ").read_text(errors="replace").split("\0")
    except OSError:
        return []

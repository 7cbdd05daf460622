"""A Ray cluster of several nodes in a network and a space of processes of its own, and what is to be seen on it.

    unshare --net --pid --fork --kill-child --mount --mount-proc python ray_scenario.py FOLDER SHORT_FOLDER CLINIC

It prints a line of JSON for each thing that was done. When it ends, all that it started ends with it.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

PORT, TOKEN = 6399, secrets.token_hex(32)
ADDRESS = f"127.0.0.1:{PORT}"
os.environ.update(
    RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=TOKEN, RAY_USAGE_STATS_ENABLED="0", RAY_enable_open_telemetry="0",
    PYTHONPATH=os.pathsep.join(filter(None, (str(Path(__file__).parent), os.environ.get("PYTHONPATH")))),
)  # fmt: skip
RAY = [sys.executable, "-m", "ray.scripts.scripts", "start", "--block", "--node-ip-address=127.0.0.1", "--num-cpus=1"]
RAY += ["--object-store-memory=80000000", "--disable-usage-stats"]
COMMANDS = (
    "encode {clinic} --encoder phantom-general --out {place}/release",
    "train targets {place}/release --kind linear --models 8 --epochs 1 --out {place}/study",
)


def node(*arguments: str, before: str = "", **environment: str) -> subprocess.Popen[bytes]:
    """``before`` is done in a space of mounts of the node's own."""
    command = [*RAY, *arguments]
    if before:
        command = ["unshare", "--mount", "sh", "-c", f'{before} && exec "$@"', "sh", *command]
    with Path(sys.argv[1], "ray.log").open("ab") as log:
        return subprocess.Popen(command, env={**os.environ, **environment}, stdout=log, stderr=log)


def family(process: subprocess.Popen[bytes]) -> list[int]:
    """A node with all that belongs to it: the raylet, its agents and its workers."""
    children: dict[int, list[int]] = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parent = int(file.read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(file.parent.name))
    found, waiting = [], [process.pid]
    while waiting:
        found.append(waiting.pop())
        waiting += children.get(found[-1], [])
    return found


def end(process: subprocess.Popen[bytes]) -> None:
    for number in family(process):
        with suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)
    process.wait()


def tell(name: str, said: object) -> None:
    print(json.dumps({name: said}), flush=True)


def refused(name: str, run) -> None:
    from leadapron.errors import LeadapronError

    try:
        run()
    except LeadapronError as error:
        tell(name, [error.exit_code, str(error)])
    else:
        tell(name, "nothing was refused")


def main(place: Path) -> None:
    from leadapron.engine.on_ray import OnRay
    from leadapron.engine.ray_cluster import alive, enter
    from piece_tasks import logged, read_squares, squaring

    began = time.monotonic()
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    refused("nobody is there", lambda: OnRay(ADDRESS).run(squaring(place / "none", 2)))
    node("--head", f"--port={PORT}", "--include-dashboard=false", f"--temp-dir={sys.argv[2]}")
    while True:
        try:
            refused("wrong token", lambda: outsider(place))
            break
        except ConnectionError:
            time.sleep(0.5)
    second = node(f"--address={ADDRESS}")
    seen = []
    work = squaring(place / "plain", 6, together=2)
    OnRay(ADDRESS, nodes=2).run(work, progress=lambda *said: seen.append(said))
    tell("plain", [read_squares(work), sorted(logged(place / "plain")), sorted({stage for stage, _, _ in seen})])
    tell("seconds", round(time.monotonic() - began))
    for line in COMMANDS:
        command = line.format(clinic=sys.argv[3], place=place).split()
        done = subprocess.run(
            [sys.executable, "-m", "leadapron", *command, "--executor", "ray", "--address", ADDRESS],
            env={**os.environ, "LEADAPRON_PROGRESS": "lines"}, capture_output=True, text=True, timeout=200, check=False,
        )  # fmt: skip
        tell(" ".join(command[:2]), [done.returncode, done.stdout, done.stderr])
    refused("an error of a piece", lambda: OnRay(ADDRESS).run(squaring(place / "refused", 4, refuse=2)))
    refused("a full disk", lambda: OnRay(ADDRESS).run(squaring(place / "full", 4, full=2)))
    refused("too large", lambda: OnRay(ADDRESS, gpus=0.5).run(squaring(place / "gpu", 2)))
    ray = enter(ADDRESS, 1)

    killed = squaring(place / "killed", 6, seconds=2.0)
    thread = threading.Thread(target=OnRay(ADDRESS).run, args=(killed,))
    thread.start()
    while not set(logged(place / "killed", "log.begun")) & set(family(second)):
        time.sleep(0.05)
    end(second)
    thread.join(120)
    tell("node killed", [read_squares(killed), len(logged(place / "killed", "log.begun"))])
    lost = squaring(place / "lost", 3, **{"kill always": 1})
    refused("a piece that kills", lambda: OnRay(ADDRESS, retries=1).run(lost))
    tell("kept", 3 - len(lost.missing()))

    while len(alive(ray)) > 1:
        time.sleep(0.2)
    (place / "other").mkdir()
    (place / "other" / "leadapron.py").write_text("__version__ = '0.0.9'\n")
    third = node(f"--address={ADDRESS}", PYTHONPATH=str(place / "other"))
    refused("another version", lambda: OnRay(ADDRESS, nodes=2).run(squaring(place / "version", 2)))
    end(third)
    while len(alive(ray)) > 1:
        time.sleep(0.2)
    (place / "apart").mkdir()
    node(f"--address={ADDRESS}", before=f"mount -t tmpfs none {place / 'apart'}")
    refused("not shared", lambda: OnRay(ADDRESS, nodes=2).run(squaring(place / "apart", 2)))
    tell("seconds", round(time.monotonic() - began))


def outsider(place: Path) -> None:
    """With another token, in a process of its own."""
    code = (
        "import sys; from pathlib import Path; from leadapron.engine.on_ray import OnRay\n"
        "from leadapron.errors import LeadapronError\nfrom piece_tasks import squaring\n"
        "try:\n    OnRay(sys.argv[2]).run(squaring(Path(sys.argv[1]), 2))\n"
        "except LeadapronError as error:\n    print(error.exit_code, error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, place / "outsider", ADDRESS],
        env={**os.environ, "RAY_AUTH_TOKEN": "0" * 64}, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    if "no Ray cluster answers" in done.stdout:
        raise ConnectionError
    from leadapron.errors import UnfinishedError

    raise UnfinishedError(done.stdout.strip() or done.stderr[-800:])


if __name__ == "__main__":
    main(Path(sys.argv[1]))

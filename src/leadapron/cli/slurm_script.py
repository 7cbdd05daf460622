"""The batch file of a long command for Slurm: Ray inside the allocation, or the tasks of a plain array."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ON_RAY = r"""
export LEADAPRON_PROGRESS=lines RAY_USAGE_STATS_ENABLED=0 RAY_AUTH_MODE=token
RAY_AUTH_TOKEN=$("$python" -c 'import secrets; print(secrets.token_hex(32))')
# The address by which Slurm itself reaches a node.
address_of() {
    getent ahostsv4 "$(scontrol show node "$1" | sed -n 's/.*NodeAddr=\([^ ]*\).*/\1/p')" | awk 'NR == 1 { print $1 }'
}
head=$(address_of "$SLURMD_NODENAME")
# Two that are free: other jobs may have a cluster on this node, too.
read -r port other < <("$python" -c '
import socket
two = [socket.create_server(("", 0)) for _ in range(2)]
print(*(one.getsockname()[1] for one in two))')
home=$scratch/leadapron-$SLURM_JOB_ID
answers() { (exec 3<> "/dev/tcp/$head/$port") 2> /dev/null; }
start() {
    mkdir -m 700 "$home"
    if [ "$SLURM_NODEID" = 0 ]; then
        at="--head --port=$port --ray-client-server-port=$other --include-dashboard=false --temp-dir=$home"
    else
        until answers; do sleep 1; done
        at="--address=$head:$port"
    fi
    trap 'rm -rf "$home"; exit 0' TERM
    # shellcheck disable=SC2086 # several words
    "$python" -m ray.scripts.scripts start $at --node-ip-address="$(address_of "$SLURMD_NODENAME")" \
        --num-cpus="$SLURM_CPUS_PER_TASK" --disable-usage-stats --block > "$home/started.log" 2>&1 &
    ray=$!
    wait "$ray" || true
    tail -n 20 "$home/started.log" >&2
    rm -rf "$home"
    exit 3
}
export -f address_of answers start
export RAY_AUTH_TOKEN head port other home python

on_each_node=(srun --quiet "--ntasks=$SLURM_NNODES" --ntasks-per-node=1 "--cpus-per-task=$SLURM_CPUS_PER_TASK")
"${on_each_node[@]}" --export=ALL bash -c start &
cluster=$!
trap 'kill "$cluster" || true; wait "$cluster" || true; "${on_each_node[@]}" rm -rf "$home"' EXIT
until answers; do
    kill -0 "$cluster" || { echo "the cluster did not start" >&2; exit 3; }
    sleep 1
done
"""

IN_PARTS = """
export LEADAPRON_PROGRESS=lines LEADAPRON_THREADS=$SLURM_CPUS_PER_TASK
part=()
if [ -n "${SLURM_ARRAY_TASK_ID:-}" ]; then part=(--part "$SLURM_ARRAY_TASK_ID/$parts"); fi
"""


@dataclass(frozen=True)
class Allocation:
    """What is asked of Slurm, for each job or, with ``parts``, for each task of an array."""

    nodes: int = 1
    cpus: int = 1
    gpus: int = 0
    time: str | None = None
    partition: str | None = None
    account: str | None = None
    parts: int | None = None


def slurm_script(
    command: Sequence[str], allocation: Allocation, file: Path, folder: Path, python: str, scratch: str
) -> str:
    """``command`` are the words after ``leadapron``, to be run in ``folder`` by the interpreter ``python``."""
    asked = {
        "job-name": "leadapron",
        "chdir": str(folder),
        "nodes": None if allocation.parts else allocation.nodes,
        "ntasks-per-node": 1,
        "cpus-per-task": allocation.cpus,
        "gpus-per-node": allocation.gpus or None,
        "time": allocation.time,
        "partition": allocation.partition,
        "account": allocation.account,
        "output": f"{file.stem}-%j.log",
        "open-mode": "append",
    }
    lines = ["#!/bin/bash", *_told(file, allocation)]
    lines += [f"#SBATCH --{name}={shlex.quote(str(value))}" for name, value in asked.items() if value is not None]
    lines += ["set -euo pipefail", "umask 077", f"python={shlex.quote(python)}"]
    words = shlex.join(command)
    if allocation.parts:
        lines += [f"parts={allocation.parts}", IN_PARTS.strip(), "", f'"$python" -m leadapron {words} "${{part[@]}}"']
    else:
        lines += [
            f"scratch={shlex.quote(scratch)}  # of each node its own; Ray's sockets lie there",
            ON_RAY.strip(),
            "",
        ]
        lines += [f'"$python" -m leadapron {words} --executor ray --address "$head:$port" --nodes "$SLURM_NNODES"']
    return "\n".join(lines) + "\n"


def _told(file: Path, allocation: Allocation) -> list[str]:
    name = shlex.quote(file.name)
    if not allocation.parts:
        return [f"# sbatch {name}", "# Killed, or out of time? Submit it again: what is finished is not done again."]
    return [
        f"# round=$(sbatch --parsable --array=1-{allocation.parts} {name})",
        f"# sbatch --dependency=afterok:$round {name}",
        "# The last job is no array: it makes what is missing, and puts all together. A command of several stages",
        "# takes a round of the array for each: encode decodes images first. Failed tasks can be submitted again.",
    ]

"""A Slurm of two nodes in a network and a space of processes of its own, and jobs by the files of `leadapron slurm`.

    unshare --net --pid --fork --kill-child --mount --mount-proc python slurm_scenario.py FOLDER CLINIC

It prints a line of JSON for each thing that was done. When it ends, all that it started ends with it.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import time
from pathlib import Path

CONFIGURATION = """ClusterName=here
SlurmctldHost={host}(10.77.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={place}/munge.socket
CredType=cred/munge
StateSaveLocation={place}/state
SlurmdSpoolDir={place}/spool-%n
SlurmctldPidFile={place}/slurmctld.pid
SlurmdPidFile={place}/slurmd-%n.pid
SlurmctldLogFile={place}/slurmctld.log
SlurmdLogFile={place}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
NodeName=n[1-2] NodeHostname={host} NodeAddr=10.77.0.[1-2] Port=[17001-17002] CPUs=2 RealMemory=2000 State=UNKNOWN
PartitionName=all Nodes=n[1-2] Default=YES MaxTime=INFINITE State=UP
"""
SCRATCH, NODES = "/mnt", ("n1", "n2")


def ran(*command: object, **environment: str) -> str:
    done = subprocess.run(
        [str(word) for word in command], env={**os.environ, **environment},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"{command}: {done.stdout} {done.stderr}")
    return done.stdout.strip()


def start(place: Path) -> None:
    """The daemons, which go to the background by themselves."""
    for words in ("link set lo up", "link add inside type bridge", "link set inside up"):
        ran("ip", *words.split())
    for number in (1, 2):
        ran("ip", "address", "add", f"10.77.0.{number}/24", "dev", "inside")
    place.mkdir(mode=0o755)
    (place / "state").mkdir()
    key = place / "munge.key"
    key.write_bytes(secrets.token_bytes(1024))
    key.chmod(0o400)
    names = {"key-file": key, "socket": place / "munge.socket", "pid-file": place / "munged.pid"}
    names |= {"log-file": place / "munged.log", "seed-file": place / "munged.seed"}
    ran("munged", "--force", *(f"--{name}={file}" for name, file in names.items()))
    (place / "slurm.conf").write_text(CONFIGURATION.format(host=socket.gethostname(), place=place))
    os.environ["SLURM_CONF"] = str(place / "slurm.conf")
    ran("slurmctld")
    for node in NODES:  # each with a scratch of its own
        ran("unshare", "--mount", "sh", "-c", f"mount -t tmpfs none {SCRATCH} && exec slurmd -N {node}")


def wait_for(job: str, seconds: float = 240) -> str:
    """The state in which the job ended."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        said = ran("scontrol", "--oneliner", "show", "job", job)
        states = {word.partition("=")[2] for word in said.split() if word.startswith("JobState=")}
        if not states & {"PENDING", "RUNNING", "CONFIGURING", "COMPLETING"}:
            return ",".join(sorted(states))
        time.sleep(0.5)
    raise RuntimeError(said)


def tell(name: str, said: object) -> None:
    print(json.dumps({name: said}), flush=True)


def log_of(folder: Path) -> str:
    return "\n".join(file.read_text(errors="replace") for file in sorted(folder.glob("*.log")))


def main(folder: Path, clinic: str) -> None:
    start(folder / "slurm")
    leadapron = [sys.executable, "-m", "leadapron"]
    encode = ["encode", clinic, "--encoder", "phantom-general", "--cache"]
    began = time.monotonic()

    for name in ("array", "ray"):
        (folder / name).mkdir()
        os.chdir(folder / name)
        words = [*encode, folder / name / "pixels", "--out", "release"]
        how = ["--array", 2] if name == "array" else ["--nodes", 2, "--scratch", SCRATCH]
        ran(*leadapron, "slurm", "--out", "job.sh", *how, "--", *words)
        if name == "array":
            tell("parts", wait_for(ran("sbatch", "--parsable", "--array=1-2", "job.sh")))
        tell(name, wait_for(ran("sbatch", "--parsable", "job.sh")))
        tell(f"{name} log", log_of(folder / name))
    left = [
        wait_for(ran("sbatch", "--parsable", "-w", node, "-o", f"left-{node}", "--wrap", f"ls {SCRATCH}"))
        for node in NODES
    ]
    tell("left", [left, *(Path(f"left-{node}").read_text() for node in NODES)])
    tell("seconds", round(time.monotonic() - began))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])

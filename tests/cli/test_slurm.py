"""Batch files for Slurm: what stands in them, what is refused, and what they do in a real Slurm of two nodes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

import slurm_scenario
from command_line import refusal, run
from leadapron.release import read_folder

ENCODE = ("encode", "a cohort", "--encoder", "clip", "--out", "release")
APART = ["unshare", "--net", "--pid", "--fork", "--kill-child", "--mount", "--mount-proc"]
NEEDED = ("sbatch", "slurmctld", "slurmd", "munged", "ip", "unshare")


def script(folder, *options, command=ENCODE) -> str:
    done = run("slurm", "--out", folder / "job.sh", *options, "--", *command)
    assert done.code == 0, done.err
    return (folder / "job.sh").read_text()


def test_ray_is_started_in_the_allocation_with_a_token_and_without_telemetry(tmp_path):
    text = script(tmp_path, "--nodes", 3, "--cpus", 8, "--gpus", 2, "--time", "8:00:00", "--partition", "gpu")
    for line in ("nodes=3", "cpus-per-task=8", "gpus-per-node=2", "time=8:00:00", "partition=gpu", "output=job-%j.log"):
        assert f"#SBATCH --{line}\n" in text
    assert "RAY_AUTH_MODE=token" in text
    assert "RAY_USAGE_STATS_ENABLED=0" in text
    assert "--node-ip-address" in text
    assert "ray stop" not in text, "it would end the user's other clusters"
    last = text.splitlines()[-1]
    assert last.startswith("\"$python\" -m leadapron encode 'a cohort' --encoder clip --out release --executor ray")
    assert f"#SBATCH --chdir={os.getcwd()}\n" in text  # noqa: PTH109


def test_an_array_needs_no_ray(tmp_path):
    text = script(tmp_path, "--array", 8)
    assert "ray" not in text.lower().replace("array", "")
    assert "round=$(sbatch --parsable --array=1-8 job.sh)" in text
    assert "#SBATCH --array" not in text, "the last job is no array"


@pytest.mark.parametrize("options", [(), ("--array", 2)])
def test_a_shell_reads_the_file(tmp_path, options):
    script(tmp_path, *options)
    subprocess.run(["bash", "-n", tmp_path / "job.sh"], check=True)


@pytest.mark.parametrize(
    ("options", "command", "said"),
    [
        ((), ("audit", "linkage", "r"), "COMMAND: not a command whose work can be dealt out; got 'audit linkage'"),
        ((), ("encod", "r"), "not a command whose work can be dealt out; got 'encod'"),
        ((), (*ENCODE, "--jobs", "2"), "COMMAND: the file says who does the work; got '--jobs'"),
        ((), (*ENCODE, "--executor=ray"), "the file says who does the work"),
        (("--partition", "a\nrm"), ENCODE, "--partition: not a name that Slurm takes"),
        (("--array", 2, "--nodes", 2), ENCODE, "--nodes: every task of an array has a node of its own"),
        (("--scratch", "here"), ENCODE, "--scratch: not a folder for sockets"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path, options, command, said):
    assert said in refusal("slurm", "--out", tmp_path / "job.sh", *options, "--", *command)
    assert not (tmp_path / "job.sh").exists()


def test_a_file_that_is_there_is_not_replaced(tmp_path):
    script(tmp_path)
    assert "job.sh: the output exists already" in refusal("slurm", "--out", tmp_path / "job.sh", "--", *ENCODE)


# In a real Slurm


@pytest.fixture(scope="module")
def seen(tmp_path_factory, small_clinic_folder):
    """What the scenario told."""
    missing = [name for name in NEEDED if not shutil.which(name)]
    if missing or os.geteuid() or subprocess.run([*APART, "true"], capture_output=True, check=False).returncode:
        pytest.skip(f"not run: no Slurm can be started here ({', '.join(missing) or 'this takes root'})")
    pytest.importorskip("ray", reason="not run: Ray is not installed")
    place = tmp_path_factory.mktemp("slurm")
    done = subprocess.run(
        [*APART, sys.executable, slurm_scenario.__file__, place, small_clinic_folder],
        capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip
    assert done.returncode == 0, (done.stdout, done.stderr[-2000:])
    told = [json.loads(line) for line in done.stdout.splitlines()]
    return {"place": place, **{name: said for one in told for name, said in one.items()}}


@pytest.mark.study
@pytest.mark.parametrize("way", ["array", "ray"])
def test_jobs_make_the_release_that_one_machine_makes(seen, way, small_clinic_folder, tmp_path):
    assert seen[way] == "COMPLETED", seen[f"{way} log"]
    alone = run("encode", small_clinic_folder, "--encoder", "phantom-general", "--out", tmp_path / "release")
    assert alone.code == 0, alone.err
    read_folder(seen["place"] / way / "release")
    for name in ("image.npy", "text.npy"):
        assert np.array_equal(np.load(seen["place"] / way / "release" / name), np.load(tmp_path / "release" / name))


@pytest.mark.study
def test_the_log_of_a_job_tells_how_far_it_is(seen):
    assert "encoding images · 2 nodes: " in seen["ray log"]
    assert "decoding images: part 2 of 2 is done" in seen["array log"]


@pytest.mark.study
def test_nothing_is_left_on_the_nodes(seen):
    states, *listed = seen["left"]
    assert states == ["COMPLETED"] * 2
    assert listed == ["", ""]

"""The page for hospitals, followed to the letter: its blocks, and one shell for each command that is shown with a $."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from federation_processes import SECONDS, environment
from leadapron.federated import read_run

pytestmark = pytest.mark.study

PAGE = Path(__file__).resolve().parents[2] / "docs" / "federated-deployment.md"


def test_three_shells_give_the_weights_of_one_process_from_the_page_alone(tmp_path):
    pytest.importorskip("flwr", reason="not run: Flower is not installed")
    text = PAGE.read_text()
    around = {"cwd": tmp_path, "env": environment(tmp_path), "text": True}
    for block in re.findall(r"^```sh\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL):
        subprocess.run(["bash", "-euc", block], check=True, stdout=subprocess.DEVNULL, **around)
    shells = re.findall(r"^\$ leadapron (federation (?:server|hospital) .*)$", text, flags=re.MULTILINE)
    assert len(shells) == 3
    running = [subprocess.Popen([sys.executable, "-m", "leadapron", *one.split()], **around) for one in shells]
    assert [shell.wait(SECONDS) for shell in running] == [0, 0, 0]
    together, alone = read_run(tmp_path / "run"), read_run(tmp_path / "alone")
    assert (together.engine, alone.engine) == ("flower deployment", "in-process")
    assert [one.weights for one in together.rounds] == [one.weights for one in alone.rounds]

"""Docs that cannot rot: blocks are run, the command line's reference is the one the commands give."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(python|sh)\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_blocks_of_a_page_run(page, tmp_path):
    """The blocks of a page are one story: they run in order, in one folder. `make` is not run inside the tests."""
    for language, block in BLOCK.findall(page.read_text()):
        if language == "python":
            subprocess.run([sys.executable, "-c", block], cwd=tmp_path, check=True)
        else:
            commands = [line for line in block.splitlines() if not line.startswith("make ")]
            script = "\n".join(["set -eu", f'export PATH="{Path(sys.executable).parent}:$PATH"', *commands])
            subprocess.run(["bash", "-c", script], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)


@pytest.mark.parametrize("page", [*PAGES, *ROOT.glob("*.md")], ids=lambda page: page.stem)
def test_links_and_pictures_of_a_page_exist(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target


def test_the_command_line_reference_is_current():
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    assert (ROOT / "docs" / "cli.md").read_text() == generate.cli_reference(), "run `make docs`"

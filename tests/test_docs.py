"""Docs that cannot rot: blocks are run, the command line's reference is the one the commands give."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from command_line import run
from leadapron.audits import AUDITS
from leadapron.defences import DEFENCES

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(python|sh)\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)
FIRST_READ = ("README", "python")
"""Pages whose blocks run with every test; those of all others take minutes together."""
SHELL = re.compile(r"[|&;<>$*`]")


@pytest.fixture
def _registered_for_a_page():
    """What a page registers is gone after it."""
    before = [dict(AUDITS), dict(DEFENCES)]
    yield
    for known, names in zip((AUDITS, DEFENCES), before, strict=True):
        for name in known.keys() - names.keys():
            del known[name]


@pytest.mark.usefixtures("_registered_for_a_page")
@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=() if page.stem in FIRST_READ else pytest.mark.study, id=page.stem) for page in PAGES],
)
def test_the_blocks_of_a_page_run(page, tmp_path, monkeypatch):
    """The blocks of a page are one story: they run in order, in one folder. `make` is not run inside the tests."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    for language, block in BLOCK.findall(page.read_text()):
        if language == "python":
            exec(block, {"__name__": "__main__"})
        else:
            for line in block.replace("\\\n", "").splitlines():
                run_line(line)


def run_line(line):
    """A line of a shell: what calls ``leadapron`` alone is run in this process, which has loaded everything."""
    if not line or line.startswith("make "):
        return
    if line.startswith("leadapron ") and not SHELL.search(line):
        outcome = run(*shlex.split(line, comments=True)[1:])
        assert outcome.code == 0, f"{line}: {outcome.err}"
    else:
        subprocess.run(["bash", "-euc", line], check=True, stdout=subprocess.DEVNULL)


@pytest.mark.parametrize("page", [*PAGES, *ROOT.glob("*.md")], ids=lambda page: page.stem)
def test_links_and_pictures_of_a_page_exist(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target


def test_the_references_are_current():
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    assert (ROOT / "docs" / "cli.md").read_text() == generate.cli_reference(), "run `make docs`"
    assert (ROOT / "docs" / "api.md").read_text() == generate.api_reference(), "run `make docs`"


def test_the_pictures_of_the_federated_study_are_drawn_from_its_results(tmp_path):
    subprocess.run([sys.executable, ROOT / "bench" / "federated_pictures.py", tmp_path], check=True)
    drawn = sorted(path.name for path in tmp_path.iterdir())
    assert drawn == sorted(path.name for path in (ROOT / "docs" / "pictures").glob("federated-*.svg"))
    page = (ROOT / "docs" / "federated.md").read_text()
    for name in drawn:
        picture = ET.parse(tmp_path / name).getroot()
        assert "car-mfl" in set(picture.itertext())
        assert f"(pictures/{name})" in page

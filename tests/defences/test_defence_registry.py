"""The registry: what is listed loads when it is asked for, and packages of others bring their own defences."""

from __future__ import annotations

import subprocess
import sys

import pytest

from command_line import refusal, run
from leadapron.cli.config_options import config_options
from leadapron.defences import DEFENCES, find_defence
from leadapron.defences.defence_registry import defence_names
from leadapron.defences.heads import METHODS
from leadapron.errors import ConfigError
from leadapron.release import write_release
from utility_releases import made


@pytest.mark.parametrize("name", DEFENCES)
def test_every_entry_is_a_defence_of_its_name_whose_options_all_have_a_help_text(name):
    defence = find_defence(name)
    assert defence.name == name
    assert all(option.help for option in config_options(defence.config, without=defence.fixed))
    page = run("defend", name, "--help")
    assert page.code == 0
    assert "--out PATH" in page.out


def test_every_method_that_trains_heads_is_listed():
    assert set(METHODS) < set(DEFENCES)


def test_methods_are_imported_when_they_are_asked_for():
    code = (
        "import sys, leadapron.defences.defence_registry as r; assert not [m for m in sys.modules if 'vectors.' in m]; "
    )
    code += "r.find_defence('quantise'); assert 'leadapron.defences.vectors.quantise' in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_defences_are_listed_by_group_and_an_unknown_one_is_answered_with_the_nearest():
    said = run("defend", "--help").out
    assert said.index("Vectors:") < said.index("quantise") < said.index("Heads:") < said.index("private")
    assert "did you mean 'quantise'" in refusal("defend", "quantize", "release")


# ---------------------------------------------------------------- the former names


def test_the_former_commands_run_and_say_what_they_are_called_now(tmp_path):
    write_release(made(2.0, patients=40), tmp_path / "release")
    said = run(
        "defend", "vectors", tmp_path / "release", "--method", "quantise", "--strength", 2, "--out", tmp_path / "a"
    )
    assert said.code == 0, said.err
    assert said.err == "leadapron: `defend vectors --method quantise` is now called `defend quantise`\n"
    same = run("defend", "quantise", tmp_path / "release", "--bits", 2, "--out", tmp_path / "b")
    assert said.out.replace("/a", "/b") == same.out
    assert (tmp_path / "a" / "image.npy").read_bytes() == (tmp_path / "b" / "image.npy").read_bytes()
    assert "--with-features" in refusal("defend", "heads", tmp_path / "release", "--out", tmp_path / "c")
    fitted = ("--fitted-on", tmp_path / "a", "--out", tmp_path / "c")
    assert "there are no heads in it" in refusal("defend", "heads", tmp_path / "release", *fitted)
    assert "Missing option '--method'" in run("defend", "vectors", tmp_path / "release", "--out", tmp_path / "c").err
    wrong = run("defend", "heads", tmp_path / "release", "--method", "entropy", "--bank", tmp_path / "a").err
    assert "Usage: leadapron defend entropy [OPTIONS] RELEASE" in wrong  # there is no bank in its loss
    assert "No such option" in wrong
    assert "now called `leadapron defend METHOD`" in " ".join(run("defend", "vectors", "--help").out.split())


# ---------------------------------------------------------------- packages of others

THEIRS = """
from leadapron.defences import Defence
from leadapron.privacy import Guarantee
from leadapron.engine.documents import Config

def run(release, config, progress):
    return release, THEIRS.card(config, Guarantee("none", statement="No guarantee: nothing is done."))

THEIRS = Defence("theirs", "do nothing", "release", Config, run)
NUMBER = 3
"""


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Packages as an installer leaves them: a module, and the list of what it offers."""

    def install(package, module, **offers):
        (tmp_path / f"{package}.py").write_text(module)
        info = tmp_path / f"{package}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        lines = "".join(f"{name} = {package}:{thing}\n" for name, thing in offers.items())
        (info / "entry_points.txt").write_text(f"[leadapron.defences]\n{lines}")
        monkeypatch.syspath_prepend(tmp_path)

    yield install
    for path in tmp_path.glob("*.py"):
        sys.modules.pop(path.stem, None)


def test_a_defence_of_another_package_runs_like_ours(installed, tmp_path):
    installed("strangers", THEIRS, theirs="THEIRS")
    assert "theirs" in defence_names()
    write_release(made(2.0, patients=40), tmp_path / "release")
    said = run("defend", "theirs", tmp_path / "release", "--out", tmp_path / "out")
    assert said.code == 0, said.err
    assert "No guarantee: nothing is done." in said.out


def test_a_broken_package_is_named_and_breaks_nothing_else(installed, tmp_path):
    installed("broken", "import nowhere_to_be_found", ruined="X")
    said = refusal("defend", "ruined", tmp_path, "--out", tmp_path / "out")
    assert "the defence 'ruined' of the package broken cannot be loaded (ModuleNotFoundError" in said
    listed = " ".join(run("defend", "--help").out.split())
    assert "Not available: ruined the defence 'ruined' of the package broken cannot be loaded" in listed
    assert "Vectors: subspace" in listed
    assert run("--help").code == 0
    assert run("defend", "quantise", "--help").code == 0


def test_what_is_no_defence_or_not_of_this_name_is_refused(installed):
    installed("odd", THEIRS, number="NUMBER", other="THEIRS")
    with pytest.raises(ConfigError, match="of the package odd is another thing; got 'int'"):
        find_defence("number")
    with pytest.raises(ConfigError, match="got 'theirs'; allowed: an object of type Defence named 'other'"):
        find_defence("other")


def test_a_name_that_is_ours_stays_ours_and_two_packages_cannot_share_one(installed):
    installed("first", THEIRS, theirs="THEIRS", quantise="THEIRS")
    installed("second", THEIRS, theirs="THEIRS")
    assert find_defence("quantise").group == "vectors"
    assert defence_names().count("quantise") == 1
    with pytest.raises(
        ConfigError, match=r"several packages offer the defence 'theirs'; got '(first, second|second, first)'"
    ):
        find_defence("theirs")

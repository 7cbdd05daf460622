"""Packages of other people offer audits, defences and encoders by entry points; a broken one breaks nothing else."""

from __future__ import annotations

import sys

import pytest

from command_line import refusal, run
from leadapron.audits import audit_names, find_audit
from leadapron.encoders import encoder_names, find_encoder
from leadapron.errors import ConfigError

AUDIT = """
from leadapron.audits import Audit, AuditConfig, Measure
THEIRS = Audit(name="theirs", question="what of it?", config=AuditConfig, run=None, measures=(Measure("m", "M", "m"),))
"""
ENCODER = """
from dataclasses import replace
from leadapron.encoders import find_encoder
THEIRS = replace(find_encoder("phantom-general"), summary="somebody else's")
"""


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A package that is installed: its module, and the entry points that it announces."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def install(package, source, group, **points):
        (tmp_path / f"{package}.py").write_text(source)
        info = tmp_path / f"{package}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        lines = [f"{name} = {package}:{member}" for name, member in points.items()]
        (info / "entry_points.txt").write_text("\n".join([f"[{group}]", *lines]))

    yield install
    for path in tmp_path.glob("*.py"):
        sys.modules.pop(path.stem, None)


def test_an_audit_of_another_package_is_a_command(installed):
    installed("auditors", AUDIT, "leadapron.audits", theirs="THEIRS")
    assert "theirs" in audit_names()
    assert find_audit("theirs").question == "what of it?"
    assert "What of it?" in run("audit", "theirs", "--help").out
    assert "theirs" in run("audit", "--help").out


def test_an_encoder_of_another_package_is_listed(installed):
    installed("encoding", ENCODER, "leadapron.encoders", theirs="THEIRS")
    assert "theirs" in encoder_names()
    assert find_encoder("theirs").summary == "somebody else's"
    assert "somebody else's" in run("encoders").out


def test_a_broken_audit_is_named_and_breaks_nothing_else(installed, tmp_path):
    installed("broken", "import nowhere_to_be_found", "leadapron.audits", ruined="X")
    said = refusal("audit", "ruined", tmp_path, "--out", tmp_path / "out")
    assert "the audit 'ruined' of the package broken cannot be loaded (ModuleNotFoundError" in said
    assert run("audit", "linkage", "--help").code == 0
    assert run("audit", "--help").code == 0
    assert run("policy", "show", "starting-point").code == 0


def test_something_else_than_an_audit_is_refused(installed):
    installed("odd", "NUMBER = 1", "leadapron.audits", number="NUMBER")
    with pytest.raises(
        ConfigError, match="is another thing; got 'int'; allowed: an object of type Audit named 'number'"
    ):
        find_audit("number")

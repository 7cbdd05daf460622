"""Running the command line inside the test, through the very function that the script ``leadapron`` calls."""

from __future__ import annotations

import contextlib
import io
import sys
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from leadapron.cli import main


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str


def run(*arguments: object, typed: str = "") -> Outcome:
    """``leadapron ARGUMENTS``: the exit code and what was written; ``typed`` is what a person answers."""
    out, err = io.StringIO(), io.StringIO()
    argv, keyboard = ["leadapron", *map(str, arguments)], io.StringIO(typed)
    with (
        mock.patch.object(sys, "argv", argv),
        mock.patch.object(sys, "stdin", keyboard),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as exit_:
            return Outcome(int(exit_.code or 0), out.getvalue(), err.getvalue())
    raise AssertionError("main() must end with an exit code")


def refusal(*arguments: object) -> str:
    """What is said of bad input: exit code 2, nothing on standard output, one paragraph."""
    outcome = run(*arguments)
    assert outcome.code == 2, outcome
    assert outcome.out == ""
    assert outcome.err.startswith("leadapron: ")
    assert outcome.err.count("\n") == 1, outcome.err
    assert "Traceback" not in outcome.err
    return outcome.err


def everything_in(folder: Path) -> set[str]:
    """All files and folders, hidden ones too."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}

"""METEOR 1.5 as its authors' Java program computes it, with synonyms, paraphrases and words that count less.

The program is a file of the package ``pycocoevalcap``. It is given all pairs at once and answers with 23 counts a pair;
its value is a function of six weighted sums of them.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from leadapron.errors import DataError
from leadapron.writing.scores.meteor import PlainMeteor, meteor_value
from leadapron.writing.scores.report_score import Doubles, ReportScore, paired
from leadapron.writing.scores.report_words import STATED, report_words

CONTENT = 0.75
"""What a word counts that tells something; a function word counts the rest."""
WEIGHTS = np.array([1.0, 0.6, 0.8, 0.6])
"""Matches of equal words, of stems, of synonyms and of paraphrases."""
COUNTS = 23
MEMORY = "-Xmx2G"


def meteor() -> ReportScore:
    """METEOR's own program where it can be run, or else words and stems alone."""
    whole = JavaMeteor()
    why = whole.missing()
    return PlainMeteor(because=f"{why} So this is not METEOR itself.") if why else whole


@dataclass(frozen=True)
class JavaMeteor:
    """METEOR 1.5 in Java."""

    @property
    def name(self) -> str:
        return "meteor"

    @property
    def how(self) -> str:
        return f"of the corpus, METEOR 1.5 in Java with synonyms and paraphrases; {STATED}"

    def missing(self) -> str:
        if shutil.which("java") is None:
            return "METEOR's own program takes Java, which is not installed."
        if program() is None:
            return "METEOR's own program is in the package pycocoevalcap, which is not installed."
        return ""

    def statistics(self, written: Sequence[str], truth: Sequence[str]) -> Doubles:
        pairs = paired(written, truth)
        asked = [f"SCORE ||| {_line(other)} ||| {_line(one)}" for one, other in pairs]
        told = _ask(asked)
        counts = np.array([line.split() for line in told if line.strip()], dtype=np.float64).reshape(-1, COUNTS)
        if len(counts) != len(pairs):
            raise DataError("METEOR's program did not answer for every report", got=f"{len(counts)} of {len(pairs)}")
        return _six(counts)

    def value(self, sums: Doubles) -> Doubles:
        return meteor_value(sums)


def program() -> Path | None:
    """Where METEOR lies, if it is installed."""
    spec = importlib.util.find_spec("pycocoevalcap")
    if spec is None or not spec.submodule_search_locations:
        return None
    jar = Path(spec.submodule_search_locations[0], "meteor", "meteor-1.5.jar")
    return jar if jar.is_file() else None


def _line(text: str) -> str:
    """Words with spaces between; bars part the reports of a line and cannot stand in one."""
    return " ".join(word for word in report_words(text) if word != "|")


def _ask(lines: list[str]) -> list[str]:
    jar = program()
    assert jar is not None
    command = ["java", MEMORY, "-jar", str(jar), "-", "-", "-stdio", "-l", "en", "-norm"]
    asked = "".join(f"{line}\n" for line in lines).encode()
    done = subprocess.run(command, input=asked, capture_output=True, check=False)
    if done.returncode:
        said = " ".join(done.stderr.decode(errors="replace").split())[:300]
        raise DataError(f"METEOR's program failed ({said})", where=jar)
    return done.stdout.decode().splitlines()


def _six(counts: Doubles) -> Doubles:
    """From METEOR's counts to the sums that its value is made of, each linear in the counts.

    The counts: words and function words of both reports; of each kind of match, content and function words of both;
    rows of neighbours; matched words of both. The written report always comes first.
    """
    length, function = counts[:, 0:2], counts[:, 2:4]
    matched = counts[:, 4:20].reshape(-1, 4, 4)  # kind of match, then content of both, then function words of both
    every = CONTENT * (length - function) + (1 - CONTENT) * function
    found = np.einsum("k,nkr->nr", WEIGHTS, CONTENT * matched[:, :, :2] + (1 - CONTENT) * matched[:, :, 2:])
    columns = [found[:, 0], every[:, 0], found[:, 1], every[:, 1], counts[:, 20], counts[:, 21:23].mean(axis=1)]
    return np.stack(columns, axis=1)

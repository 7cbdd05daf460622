"""What every audit leaves behind: results, the page for people, and a few lines on the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from leadapron.attacks.risk import Risk
from leadapron.cli.command_line import command_line
from leadapron.release import Release
from leadapron.release.provenance import inputs_of, versions
from leadapron.report import Results, write_results
from leadapron.report.render import write_page


def save(
    risk: Risk,
    path: Path,
    out: Path,
    release: Release,
    config: Mapping[str, object],
    *,
    overwrite: bool,
) -> Results:
    """An audit of a release."""
    return save_with(risk, path, out, inputs_of(path, release), config, overwrite=overwrite)


def save_with(
    risk: Risk,
    path: Path,
    out: Path,
    inputs: Mapping[str, object],
    config: Mapping[str, object],
    *,
    overwrite: bool,
) -> Results:
    """The results with all that is needed to run the audit again, and the page for people."""
    return write_results(
        risk,
        out,
        title=f"{risk.attack.capitalize()} audit of {path.resolve().name}",
        command=command_line(),
        seed=int(str(config["seed"])),
        config=config,
        inputs=inputs,
        versions=versions(),
        overwrite=overwrite,
        complete=write_page,
    )


def outcome_lines(results: Results) -> list[str]:
    return [f"{row['outcome']:>8}  {row['check']}: {row['reason']}" for row in results.content["outcomes"]]

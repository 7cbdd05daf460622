"""``results.json``: the single truth that every report, gate and comparison is made from."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import polars as pl

from leadapron import __version__
from leadapron.attacks.risk import Risk
from leadapron.engine import atomic_folder, atomic_path, sha256
from leadapron.engine.files import inside
from leadapron.engine.private import private_folder
from leadapron.errors import DataError
from leadapron.report.consistency import find_contradiction, no_key_twice
from leadapron.report.schema import find_violation

FORMAT = 1


@dataclass(frozen=True)
class Results:
    """The content of a results file, and where its evidence lies."""

    content: Mapping[str, Any]
    folder: Path

    @property
    def estimates(self) -> list[dict[str, Any]]:
        return list(self.content["estimates"])

    @property
    def patients_named(self) -> bool:
        """Whether records are known to be a patient's; if not, every record counts as one, and is called a record."""
        return bool(self.content.get("patients_named", True))

    def evidence(self, name: str) -> pl.DataFrame | None:
        """A table of evidence, if it lies beside the file; one that was changed is refused."""
        entry = self.content["evidence"].get(name)
        if entry is None or not (path := inside(self.folder, entry["file"])).is_file():
            return None
        if sha256(path) != entry["sha256"]:
            raise DataError("the evidence is not the one that the results were written with", where=path)
        return pl.read_parquet(path)


def write_results(
    risk: Risk,
    folder: Path,
    *,
    title: str,
    command: str,
    seed: int,
    config: Mapping[str, object],
    inputs: Mapping[str, object],
    versions: Mapping[str, str],
    overwrite: bool = False,
    complete: Callable[[Results], None] | None = None,
) -> Results:
    """``results.json`` and ``evidence/*.parquet``, and what ``complete`` adds to the folder, whole or not at all."""
    with atomic_folder(folder, overwrite=overwrite) as partial:
        private_folder(partial / "evidence")
        evidence = {}
        for name, table in risk.evidence.items():
            path = partial / "evidence" / f"{name}.parquet"
            with atomic_path(path, private=True) as whole:
                table.write_parquet(whole)
            evidence[name] = {"file": f"evidence/{name}.parquet", "sha256": sha256(path)}
        content = {
            "format": FORMAT,
            "leadapron": __version__,
            "attack": risk.attack,
            "title": title,
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "command": command,
            "seed": seed,
            "config": dict(config),
            "inputs": dict(inputs),
            "versions": dict(versions),
            **risk.facts,
            "estimates": [asdict(estimate) for estimate in risk.estimates],
            "outcomes": [asdict(outcome) for outcome in risk.outcomes],
            "timings": dict(risk.timings),
            "evidence": evidence,
        }
        text = json.dumps(content, indent=1, allow_nan=False)
        content = json.loads(text)  # as it will be read
        check_content(content, "the results of this audit")
        (partial / "results.json").write_text(text)
        if complete:
            complete(Results(content, partial))
    return Results(content, folder)


def read_results(path: Path) -> Results:
    """A results file, or the folder that holds one, checked against the schema and against itself."""
    file = path / "results.json" if path.is_dir() else path
    try:
        content = json.loads(file.read_text(), parse_constant=_refuse, object_pairs_hook=no_key_twice)
    except (OSError, ValueError) as error:
        raise DataError(f"the results cannot be read ({error})", where=file) from error
    check_content(content, str(file))
    for entry in content["evidence"].values():
        inside(file.parent, entry["file"])
    return Results(content, file.parent)


def _refuse(constant: str) -> None:
    """Python reads NaN and Infinity in JSON, but neither is JSON nor a risk."""
    raise ValueError(f"{constant} is not a number")


def check_content(content: object, where: str) -> None:
    if violation := find_violation(content, schema()):
        place, what = violation
        raise DataError(f"{place}: {what}", where=where, fix="See results.schema.json in leadapron.report.")
    assert isinstance(content, dict)  # the schema says so
    if contradiction := find_contradiction(content):
        place, what = contradiction
        raise DataError(f"{place}: {what}", where=where, fix="The file was changed or cut: audit again.")


@cache
def schema() -> dict[str, Any]:
    """The JSON Schema that ships with the package."""
    text = files("leadapron.report").joinpath("results.schema.json").read_text()
    loaded: dict[str, Any] = json.loads(text)
    return loaded

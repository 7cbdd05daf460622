"""A measurement as files: ``utility.json`` and ``evidence/*.parquet``, whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl

from leadapron import __version__
from leadapron.engine import atomic_folder, atomic_path, sha256
from leadapron.engine.files import inside
from leadapron.engine.private import private_folder
from leadapron.errors import DataError
from leadapron.stats import OUTCOMES, Outcome
from leadapron.utility.utility import Utility, UtilityConfig, UtilityEstimate

FORMAT = 1
FILE = "utility.json"
CARD = ("leadapron", "title", "created", "command", "inputs", "versions")
WANTED = ("config", "facts", "estimates", "outcomes", "timings", "evidence", *CARD)


def write_utility(
    utility: Utility,
    folder: Path,
    *,
    title: str,
    command: str,
    inputs: Mapping[str, object],
    versions: Mapping[str, str],
    overwrite: bool = False,
) -> Utility:
    """The measurement with all that is needed to run it again; returned with the card that was written."""
    card = {
        "leadapron": __version__,
        "title": title,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": command,
        "inputs": dict(inputs),
        "versions": dict(versions),
    }
    with atomic_folder(folder, overwrite=overwrite) as partial:
        private_folder(partial / "evidence")
        evidence = {}
        for name, table in utility.evidence.items():
            path = partial / "evidence" / f"{name}.parquet"
            with atomic_path(path, private=True) as whole:
                table.write_parquet(whole)
            evidence[name] = {"file": f"evidence/{name}.parquet", "sha256": sha256(path)}
        content = {
            "format": FORMAT,
            **card,
            "seed": utility.config.seed,
            "config": asdict(utility.config),
            "facts": dict(utility.facts),
            "estimates": [asdict(estimate) for estimate in utility.estimates],
            "outcomes": [asdict(outcome) for outcome in utility.outcomes],
            "timings": dict(utility.timings),
            "evidence": evidence,
        }
        (partial / FILE).write_text(json.dumps(content, indent=1, allow_nan=False))
    return Utility(
        utility.config,
        utility.estimates,
        utility.outcomes,
        utility.facts,
        utility.evidence,
        utility.timings,
        card,
    )


def read_utility(path: Path) -> Utility:
    """The measurement that was written to this folder, or to this file in it; evidence that was changed is refused."""
    file = path / FILE if path.is_dir() else path
    try:
        content = json.loads(file.read_text(), parse_constant=_refuse)
    except (OSError, ValueError) as error:
        raise DataError(f"the utility cannot be read ({error})", where=file) from error
    version = content.get("format") if isinstance(content, dict) else None
    if version != FORMAT:
        raise DataError("unknown format of a utility", where=file, got=version, allowed=str(FORMAT))
    missing = [name for name in WANTED if name not in content]
    if missing:
        raise DataError(f"{missing[0]!r} is missing", where=file, got=", ".join(content))
    try:
        config = dict(content["config"])
        config["strengths"] = tuple(config["strengths"])
        return Utility(
            UtilityConfig(**config),
            tuple(UtilityEstimate(**estimate) for estimate in content["estimates"]),
            tuple(_outcome(**outcome) for outcome in content["outcomes"]),
            content["facts"],
            {name: _evidence(file.parent, entry) for name, entry in content["evidence"].items()},
            content["timings"],
            {name: content[name] for name in CARD},
        )
    except (TypeError, KeyError, AttributeError, ValueError) as error:
        raise DataError(f"an entry is not what it must be ({error})", where=file) from error


def _outcome(check: str, outcome: str, reason: str, attackers: None = None) -> Outcome:
    """No attacker has a part in it."""
    if outcome not in OUTCOMES:
        raise ValueError(f"unknown outcome {outcome!r}")
    return Outcome(check, outcome, reason, attackers)


def _evidence(folder: Path, entry: Mapping[str, Any]) -> pl.DataFrame:
    path = inside(folder, entry["file"])
    if not path.is_file() or sha256(path) != entry["sha256"]:
        raise DataError("the evidence is not the one that the utility was written with", where=path)
    return pl.read_parquet(path)


def _refuse(constant: str) -> None:
    """Python reads NaN and Infinity in JSON, but neither is JSON."""
    raise ValueError(f"{constant} is not a number")

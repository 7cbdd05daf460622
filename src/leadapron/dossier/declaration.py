"""The declaration, a small TOML: what no file can tell. To whom it would go, what for, and who signs."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Collection
from pathlib import Path
from typing import Annotated

from pydantic import Field

from leadapron.engine.documents import Config
from leadapron.errors import ConfigError, did_you_mean

PARTS = ("images", "reports", "image vectors", "report vectors", "table", "model")
SIGNATORIES = ("Data protection officer (advice)", "Head of radiology", "Chair of the board")
MOST_SIGNATORIES = 4


class Declaration(Config):
    """What is declared, and not measured. Every field may be left out; page 1 then says that nobody has said it."""

    title: str = Field(default="", max_length=90, description="What is decided on. [default: what the files say]")
    institution: str = Field(default="", max_length=60, description="Who would release it.")
    recipient: str = Field(default="", max_length=60, description="Who would get it.")
    purpose: str = Field(default="", max_length=140, description="What they want to do with it.")
    means: str = Field(
        default="", max_length=140, description="What they hold that could help an attacker, and what they have signed."
    )
    leaves: tuple[str, ...] = Field(
        default=(), description=f"What would leave the house, checked against the files: {', '.join(PARTS)}."
    )
    conditions: tuple[Annotated[str, Field(max_length=60)], ...] = Field(
        default=(), max_length=3, description="Conditions that you consider."
    )
    signatories: tuple[Annotated[str, Field(max_length=40)], ...] = Field(
        default=SIGNATORIES, min_length=1, max_length=MOST_SIGNATORIES, description="Who signs."
    )


ASKED = ("institution", "recipient", "purpose", "means")
"""What `--ask` asks for: the rest has a default or can be found out."""


def read_declaration(path: Path) -> Declaration:
    """The declaration in a TOML file; a key that it does not know, it refuses."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"the declaration cannot be read ({error})", where=path) from error
    for key in content:
        if key not in Declaration.model_fields:
            allowed = did_you_mean(key, Declaration.model_fields)
            raise ConfigError("unknown key in the declaration", where=path, got=key, allowed=allowed)
    declared = Declaration(**content)
    for part in declared.leaves:
        if part not in PARTS:
            raise ConfigError("unknown part", where=f"{path}: leaves", got=part, allowed=", ".join(PARTS))
    return declared


def as_toml(declared: Declaration) -> str:
    """The file, every key with its meaning above it, so that it can be filled in."""
    lines = ["# What would be released, to whom and for what. Page 1 of the dossier shows it.", ""]
    for name, field in Declaration.model_fields.items():
        value = getattr(declared, name)
        written = json.dumps(value if isinstance(value, str) else list(value), ensure_ascii=False)
        lines += [f"# {field.description}", f"{name} = {written}", ""]
    return "\n".join(lines)


def refuse_contradictions(declared: Declaration, found: Collection[str], where: str) -> None:
    """A declaration that says less than the files hold would let something out unseen, and one that says more errs."""
    if not declared.leaves:
        return
    unsaid = [part for part in PARTS if part in found and part not in declared.leaves]
    absent = [part for part in declared.leaves if part not in found]
    if unsaid or absent:
        told = [f"it does not name {', '.join(unsaid)}, and {where} holds them"] if unsaid else []
        told += [f"it names {', '.join(absent)}, and {where} holds none"] if absent else []
        raise ConfigError(
            f"the declaration contradicts the data: {'; '.join(told)}",
            where="leaves",
            got=", ".join(declared.leaves),
            fix="Correct the declaration, or leave out of the release what is not meant to go.",
        )

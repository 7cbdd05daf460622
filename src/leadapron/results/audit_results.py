"""Results: what an audit found, and where it comes from. The same frozen type in memory and on disk."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, Self

import polars as pl
from pydantic import ConfigDict, Field, PrivateAttr, model_validator

from leadapron import __version__
from leadapron.engine.documents import Document
from leadapron.engine.file_ids import id_of_files
from leadapron.errors import DataError
from leadapron.results.evidence import Evidence
from leadapron.results.measured import GroupTest, Measured, Spot
from leadapron.stats import Outcome

About = Literal["risk", "use"]
"""What the numbers of an audit are about. Guessing always gives some risk, and need not give any use."""


class FittedOn(Document):
    """A part of the release that was fitted on patients of these splits."""

    part: str
    method: str
    splits: tuple[str, ...]


class Attacked(Document):
    """The splits of the records under attack, none where the release has none, and what was fitted on which."""

    splits: tuple[str, ...]
    fitted_on: tuple[FittedOn, ...] = ()


class Findings(Document):
    """What an audit found: numbers, checks, counts and limits."""

    model_config = ConfigDict(serialize_by_alias=True, validate_by_name=True, validate_by_alias=True)

    audit: str
    about: About = "risk"
    spot: Spot = Field(alias="headline", description="where the verdict is read off")
    estimates: tuple[Measured, ...]
    outcomes: tuple[Outcome, ...] = ()
    counts: Mapping[str, int | None] = Field(default={}, description="None: withheld, fewer than ten and not none")
    patients_named: bool = Field(default=True, description="false: every record counts as a patient")
    attacked: Attacked | None = None
    group_tests: tuple[GroupTest, ...] = ()
    limits: tuple[str, ...] = ()
    details: dict[str, Any] = Field(default={}, description="what only the page of this audit reads")
    timings: dict[str, float] = Field(default={}, description="seconds by stage")
    _evidence: Evidence = PrivateAttr(default_factory=Evidence)

    @model_validator(mode="after")
    def _has_its_headline(self) -> Self:
        if self.estimates and not any(row.is_at(self.spot) for row in self.estimates):
            raise ValueError("the headline is not among the estimates")
        return self

    @model_validator(mode="after")
    def _can_be_guessed(self) -> Self:
        for at, row in enumerate(self.estimates):
            if self.about == "risk" and row.chance == 0:
                raise ValueError(f"estimates[{at}]: the chance level must be above zero")
        return self

    def with_evidence(self, tables: Mapping[str, pl.DataFrame] | Evidence) -> Self:
        """The same, and the tables that the numbers were counted from."""
        self._evidence = tables if isinstance(tables, Evidence) else Evidence(tables)
        return self

    @property
    def headline(self) -> Measured:
        """The estimate of which the verdict speaks: value, low, high and chance."""
        row = next((row for row in self.estimates if row.is_at(self.spot)), None)
        if row is None:
            raise DataError("the audit measured nothing", got=self.audit)
        return row

    @property
    def tables(self) -> Evidence:
        return self._evidence

    def evidence(self, name: str) -> pl.DataFrame | None:
        """A table of evidence; None where the audit keeps none of this name, or it does not lie beside the results."""
        return self._evidence.table(name)

    @property
    def fields(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in type(self).model_fields}

    def updated(self, **fields: object) -> Self:
        """The same with other fields, checked again."""
        return type(self)(**{**self.fields, **fields}).with_evidence(self.tables)


class Subject(Document):
    """What was audited: the gate binds results to one subject, and to what it was made from."""

    kind: str
    id: str
    made_from: tuple[str, ...] = Field(default=(), description="ids, the nearest first")
    holds: tuple[str, ...] = Field(default=(), description="the arrays of a release, and its table")
    mates: bool | None = Field(default=None, description="a patient has two images; None: not known")


class Inputs(Document):
    """The files that were read."""

    release: str
    encoder: str | None = None
    cohort: str | None = None
    defence: dict[str, Any] | None = None
    before: dict[str, str] = Field(default={}, description="hashes of the undefended release, in a trial")
    sha256: dict[str, str]
    verified: bool | Literal["nothing recorded to verify"] = "nothing recorded to verify"
    subject: Subject

    @model_validator(mode="after")
    def _names_its_subject(self) -> Self:
        if not self.sha256:
            raise ValueError("no file is named that was audited")
        if self.subject.id != id_of_files(self.sha256):
            raise ValueError("the id of the subject is not that of the files named beside it")
        return self


class EvidenceFile(Document):
    file: str
    sha256: str


FORMAT: Literal[2] = 2
"""Of ``results.json``."""


def _presenting() -> Any:  # noqa: ANN401
    """Pages know results and not the other way round: they are sought when somebody looks."""
    return importlib.import_module("leadapron.audits.presenting")


class Results(Findings):
    """Findings with all that is needed to run the audit again."""

    format: Literal[2] = FORMAT
    leadapron: str
    title: str
    created: str
    command: str
    seed: int
    config: dict[str, Any]
    inputs: Inputs
    versions: dict[str, str]
    evidence_files: dict[str, EvidenceFile] = Field(default={}, alias="evidence")
    seal: str | None = Field(default=None, description="SHA-256 of all else, so that a change by hand is seen")
    _folder: Path | None = PrivateAttr(default=None)

    @classmethod
    def of(cls, findings: Findings, **origin: Any) -> Results:  # noqa: ANN401
        """Findings, and where they come from: the fields below."""
        created = datetime.now(UTC).isoformat(timespec="seconds")
        made = cls(**findings.fields, leadapron=__version__, created=created, **origin)
        return made.with_evidence(findings.tables)

    def placed(self, folder: Path) -> Results:
        """The same, known to lie in this folder."""
        self._folder = folder
        return self

    @property
    def folder(self) -> Path | None:
        """Where the results lie; None for those that were not saved."""
        return self._folder

    def table(self) -> pl.DataFrame:
        """Every estimate as a row: metric, attacker, group, the audit's coordinates, value, low, high and the rest."""
        names = list(dict.fromkeys(name for row in self.estimates for name in row.at))
        first = ["metric", "attacker", "group", *names, "value", "low", "high", "chance", "enrichment", "n", "patients"]
        of_chance = [row.enrichment if row.chance else None for row in self.estimates]
        rows = [row.model_dump() | {"enrichment": times} for row, times in zip(self.estimates, of_chance, strict=True)]
        return pl.DataFrame(rows, schema=first, infer_schema_length=None)

    def save(self, folder: Path | str, *, overwrite: bool = False) -> Results:
        """Writes results.json, its evidence and the page for people to a folder; returns what lies there."""
        saved: Results = _presenting().save(self, Path(folder), overwrite=overwrite)
        return saved

    def __repr__(self) -> str:
        return str(_presenting().in_lines(self))

    __str__ = __repr__

    def _repr_html_(self) -> str:
        return str(_presenting().in_html(self))

    @property
    def was_read(self) -> bool:
        """Whether they come from a folder, where anybody may have changed them."""
        return self._folder is not None

    @property
    def where(self) -> str:
        """What an error message calls the results."""
        return self.title if self._folder is None else str(self._folder)

"""The table audit: which columns of a table single out how many patients, and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Self

import numpy as np
from pydantic import Field, PlainSerializer, model_validator

from leadapron.attacks.table.table_attackers import Lookers, look_at, released_ids
from leadapron.attacks.table.table_columns import advice, by_columns
from leadapron.attacks.table.table_controls import direct_identifiers, found_in_population, run_controls
from leadapron.attacks.table.table_gathering import TableGathering
from leadapron.attacks.table.table_measures import (
    MEASURES,
    NEVER,
    ONE_VISIT,
    PLAIN,
    POPULATION,
    WITH_FINDINGS,
)
from leadapron.attacks.table.table_page import PAGE
from leadapron.attacks.table.table_subject import load_table, read_population
from leadapron.audits.audit import NOTHING, Audit, AuditConfig, Knowledge
from leadapron.audits.release_subject import ALL, WholeConfig
from leadapron.engine import Progress, silent
from leadapron.errors import ConfigError, DataError
from leadapron.release.provenance import TABLE as TABLE_HELD
from leadapron.results import Findings
from leadapron.results.withheld import told
from leadapron.stats import Outcome
from leadapron.tables.alike import Ints, classes_in
from leadapron.tables.column_roles import PATIENT, names_in
from leadapron.tables.least_coarsening import Coarsening

USUAL = (5, 11, 20)


class TableConfig(AuditConfig):
    """What is asked of a table."""

    columns: tuple[str, ...] = Field(
        default=(),
        description="What others may know: names of columns, with commas between them. [default: all but ids, split, "
        "labels, texts and vectors]",
    )
    k: tuple[int, ...] = Field(
        default=USUAL, description="Count patients in classes smaller than this. May be given several times."
    )
    reach: int = Field(default=11, ge=2, description="The smallest class that the advice is to reach.")
    left: float = Field(
        default=0.05, ge=0, lt=1, description="The share of the patients whose values may be left empty instead."
    )
    patient: str | None = Field(default=None, description="The column that says whose a row is. [default: patient_id]")
    population: Annotated[Path, PlainSerializer(lambda file: file.name)] | None = Field(
        default=None,
        description="A table (CSV or Parquet) of all people among whom an attacker would look, with the same columns: "
        "classes are counted there, too (k-map).",
    )

    @model_validator(mode="after")
    def _is_possible(self) -> Self:
        for k in self.k:
            if k < 2:
                raise ConfigError("no class is that small", where="--k", got=k, allowed="2 or more")
        return self


def audit_table(subject: Any, config: TableConfig | None = None, *, progress: Progress = silent) -> Findings:  # noqa: ANN401
    """The whole audit of whatever has ``records``, a ``card`` and a place. Nothing is drawn but the controls."""
    config = config or TableConfig()
    ks = tuple(sorted({*USUAL, *config.k}))
    seen = look_at(subject, names_in(config.columns), config.patient)
    own, linked = seen.knows[seen.strongest], seen.linked

    def counted(sizes: Mapping[str, Ints]) -> TableGathering:
        gathering = TableGathering.of(TABLE, seen.records, seen.table, config.seed)
        for name, classes in sizes.items():
            gathering.add_classes(classes, ks, attacker=name)
        return gathering

    progress("counting", 0, 3)
    found = counted(seen.sizes())
    if seen.roles.findings:
        for name, classes in seen.sizes(seen.roles.findings).items():
            found.add_values(WITH_FINDINGS, classes == 1, attacker=name, chance=NEVER)
    ids = released_ids(subject.card, seen.roles)
    outcomes = [direct_identifiers(ids)]
    if config.population is not None:
        classes, outcome = _in_population(config.population, seen)
        found.add_classes(classes, ks, attacker=ONE_VISIT, prefix=POPULATION)
        outcomes.append(outcome)
    progress("counting", 1, 3)
    with found.stage("columns"):
        columns = by_columns(seen.table, own, linked=linked)
    progress("counting", 2, 3)
    with found.stage("advice"):
        coarsening = Coarsening(seen.records, own, seen.patient, config.reach, linked=linked)
        columns["advice"] = advice(coarsening, config.left)
    with found.stage("controls"):
        controls = run_controls(seen, lambda sizes: counted(sizes).estimates, config.seed)
    progress("counting", 3, 3)
    details = {"roles": asdict(seen.roles), "ids": ids, "linked": linked, **columns}
    limits = _limits(seen, config)
    findings = found.findings(outcomes=[*controls, *outcomes], limits=limits, **details)
    patients = told(len(seen.table.patients))
    counts = {"rows": len(seen.records), "patients": patients, "columns": len(own)}
    return findings.updated(counts=counts, patients_named=seen.patient is not None)


def _in_population(file: Path, seen: Lookers) -> tuple[Ints, Outcome]:
    """Everybody of the table is somebody of the population, so a class is never smaller there than here."""
    columns = seen.knows[ONE_VISIT]
    population = read_population(file)
    for name in columns:
        if name not in population.columns:
            fix = "Give a table with the same columns, or name those that it has with --columns."
            raise DataError(
                "the population lacks a column", where=file, got=name, allowed=", ".join(population.columns), fix=fix
            )
    there = PATIENT if PATIENT in population.columns else None
    classes = classes_in(population, seen.records, columns, (there, seen.patient))
    return np.maximum(classes, seen.sizes()[ONE_VISIT]), found_in_population(float((classes == 0).mean()))


def _limits(seen: Lookers, config: TableConfig) -> tuple[str, ...]:
    limits = [
        "The attacker is taken to know that somebody is in the table, and to know these columns without error. That is "
        "the strongest case (prosecutor risk); who must guess whether somebody is in it is right less often.",
        "The numbers are counts of this table. A larger table of the same clinic has fewer patients who stand alone.",
        "A missing value counts as a value of its own.",
        "Who is hidden in a class may still share a secret with all of it: what columns tell beyond identity is not "
        "measured here.",
    ]
    if seen.linked:
        limits.append(
            "Rows of a patient are linked by an id in the table. How many rows a patient has with the same values is "
            "not counted as known."
        )
    else:
        limits.append(
            "The table does not say which rows are of one patient. Where images do (`leadapron audit identity`), all "
            "visits together tell more than the one visit counted here."
        )
    if seen.roles.findings:
        limits.append("Findings are not among the columns of the headline; with them known, too, see beside it.")
    if config.population is None:
        limits.append(
            "No population was given. Who stands alone in the table need not stand alone in town: for an attacker who "
            "does not know who is in the table the numbers are an upper bound."
        )
    return tuple(limits)


def _run(subject: Any, config: TableConfig, _known: Knowledge = NOTHING, progress: Progress = silent) -> Findings:  # noqa: ANN401
    return audit_table(subject, config, progress=progress)


TABLE = Audit(
    name="table",
    question="whom do the columns of its table single out?",
    config=TableConfig,
    run=_run,
    measures=MEASURES,
    attackers=PLAIN,
    risk="patients who stand alone in the table",
    takes=frozenset({TABLE_HELD}),
    reads=WholeConfig,
    load=load_table,
    split=ALL,
    policy=files("leadapron.attacks.table").joinpath("table_policy.toml").read_text(),
    page=PAGE,
)

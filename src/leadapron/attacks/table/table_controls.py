"""Controls of a table audit: where all patients look the same none stands alone, and who was set apart is found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.table.table_attackers import Lookers
from leadapron.attacks.table.table_measures import ONE_VISIT, UNIQUE
from leadapron.audits.vouching import FEWEST, null_outcome, planted_outcome
from leadapron.results import Measured
from leadapron.stats import Outcome
from leadapron.tables.alike import Coded, Ints

NULL, PLANTED = "null control (everybody alike)", "planted patients who stand alone"
DIRECT = "ids in the table"
FOUND_IN = "patients are in the population"
MANY = 0.01


def everybody_alike(table: Coded) -> Coded:
    return table.replaced(**{name: np.zeros_like(column) for name, column in table.columns.items()})


def some_apart(table: Coded, column: str, seed: int) -> tuple[Coded, NDArray[np.bool_]]:
    """The same, but that half of the patients, and one at least, have a value of their own in a column."""
    patients = len(table.patients)
    value = np.zeros(patients, dtype=np.int64)
    chosen = np.random.default_rng(seed).permutation(patients)[: max(1, patients // 2)]
    value[chosen] = 1 + np.arange(len(chosen))
    # who is left over alone would stand alone, too
    apart = (value > 0) | (patients - len(chosen) == 1)
    return everybody_alike(table).replaced(**{column: value[table.patient]}), apart


def run_controls(
    seen: Lookers, counted: Callable[[Mapping[str, Ints]], Sequence[Measured]], seed: int
) -> list[Outcome]:
    """``counted`` makes the audit's own numbers of classes."""
    alike = replace(seen, table=everybody_alike(seen.table))
    rows = [row for row in counted(alike.sizes()) if row.metric == UNIQUE]
    off = [row for row in rows if row.value > 0 and len(seen.table.patients) > 1]
    null = null_outcome(NULL, rows, off, "the same values in every row")
    table, chosen = some_apart(seen.table, (seen.knows[ONE_VISIT] or seen.roles.known)[-1], seed)
    apart = replace(seen, table=table)
    right = {name: float(((sizes == 1) == chosen).mean()) for name, sizes in apart.sizes().items()}
    world = "the same values in every row, but half of the patients set apart by one column"
    few = chosen.sum() < FEWEST
    return [null, planted_outcome(PLANTED, right, seen.strongest, world, least=1.0, few=few)]


def direct_identifiers(names: Sequence[str]) -> Outcome:
    """Ids are no count, but a name by themselves."""
    if not names:
        return Outcome(DIRECT, "pass", "none")
    reason = f"{', '.join(names)}: each is a name by itself. `leadapron handover` leaves them out"
    return Outcome(DIRECT, "warn", reason)


def found_in_population(missing: float) -> Outcome:
    """Those who are not there cannot have been drawn from it, and their class was counted in the table instead."""
    reason = f"{missing:.1%} of the patients have a visit that is not in it" if missing else "all of them are"
    return Outcome(FOUND_IN, "pass" if missing == 0 else "warn" if missing <= MANY else "error", reason)

"""Results of a few made-up numbers, for the gate and the comparison."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from leadapron.audits import Audit, AuditConfig, Measure, default_policy_text
from leadapron.audits.policy import Requirement
from leadapron.engine.file_ids import id_of_files
from leadapron.results import Findings, Measured, Results, Spot, save_results
from leadapron.stats import Outcome

NULL, PLANTED = "null control (shuffled pairs)", "planted leak"
TRIED = ("cosine", "csls", "realigned", "learned", "joint")
CONTROLS = (Outcome(NULL, "pass", "At chance.", TRIED), Outcome(PLANTED, "pass", "Found.", TRIED))
HASHES = {"image.npy": "ab" * 32, "text.npy": "cd" * 32}


def inputs_of(
    hashes=HASHES,
    *,
    release="release",
    kind="release",
    made_from=(),
    holds=("image", "text"),
    mates=True,
    describes=(),
    **more,
):
    """What an audit says of the release that it is of, whose table says nothing of patients."""
    subject = {
        "kind": kind,
        "id": id_of_files(hashes),
        "made_from": list(made_from),
        "holds": list(holds),
        "mates": mates,
        "describes": describes,
    }
    return {"release": release, "sha256": dict(hashes), "subject": subject, **more}


def estimate(value=0.004, *, low=None, high=None, n=2000, chance=0.001, detectable=None, **keys):
    """An estimate of the headline's kind, but for what is said; without an interval, one of no width."""
    place = {
        "direction": "image-to-report",
        "attacker": "cosine",
        "group": None,
        "protocol": "random",
        "pool": 1000,
        "metric": "recall@1",
    }
    return Measured(
        **{**place, **keys},
        value=value,
        low=value if low is None else low,
        high=value if high is None else high,
        sd=0.0,
        chance=chance,
        n=n,
        detectable=detectable,
    )


GOOD = [
    estimate(0.004),
    estimate(0.003, direction="report-to-image"),
    estimate(0.008, metric="patient-linked", n=800),
    *(
        estimate(0.004, metric="tpir@fpir=0.01", chance=1e-5, direction=direction)
        for direction in ("image-to-report", "report-to-image")
    ),
]


def require(limit=0.01, *, kind="at_most", limits=None, **select):
    place = {"attack": "linkage", "metric": "recall@1", "group": "everybody", **select}
    return Requirement("rule", place, limits or {kind: limit}, "because", "the board")


def records(recall, patients, *, direction="image-to-report", attacker="cosine"):
    """The evidence of each record, as an audit writes it."""
    count = len(recall)
    return pl.DataFrame(
        {
            "record_id": [f"r{number}" for number in range(count)],
            "patient_id": [f"p{number}" for number in patients],
            "direction": [direction] * count,
            "attacker": [attacker] * count,
            "above": np.zeros(count, np.int64),
            "ties": np.zeros(count, np.int64),
            "recall": np.asarray(recall, np.float64),
        }
    )


def write(
    folder: Path,
    estimates,
    *,
    outcomes=CONTROLS,
    evidence=None,
    title="a tiny audit",
    attack="linkage",
    inputs=None,
):
    first = estimates[0]
    findings = Findings(
        audit=attack,
        headline=Spot(metric=first.metric, attacker=first.attacker, **first.at),
        estimates=tuple(estimates),
        outcomes=tuple(outcomes),
        counts={"records": 2000, "patients": 800, "reports": 1500, "distinct_reports": 1400},
        details={"selective": []},
    ).with_evidence(evidence or {})
    results = Results.of(
        findings,
        title=title,
        command="leadapron audit linkage release",
        seed=0,
        config={},
        inputs=inputs or inputs_of(),
        versions={},
    )
    return save_results(results, folder)


def starting_point(folder, *attacks):
    """A file with what the starting point asks of these attacks, and of no others."""
    head, *entries = default_policy_text().split("\n[[")
    kept = [entry for entry in entries if any(f'attack = "{attack}"' in entry for attack in attacks)]
    file = folder / "ours.toml"
    file.write_text("\n[[".join([head, *kept]))
    return file


TABLE = Audit(
    name="table",
    question="can a patient be picked out by the columns of the table?",
    config=AuditConfig,
    run=lambda *_: None,
    measures=(
        Measure("risk-max", "Smallest group", "one of the smallest group is picked out", scale="percent"),
        Measure("small-cells@k", "In groups of fewer than {of}", "fewer than {of} look alike", units="patients"),
    ),
    takes=frozenset(),
)
"""The audit of tables, as far as a policy must know it."""


def of_table(folder, *, smallest=12, few=0.0, **more):
    """Results of the audit of a table: exact counts, so intervals have no width."""
    place = {"attacker": "exact", "group": None, "sd": 0.0, "n": 600}
    sizes = {5: 0.0, 11: few, 15: few, 20: few}
    rows = [Measured(metric="risk-max", value=1 / smallest, low=1 / smallest, high=1 / smallest, chance=0.01, **place)]
    rows += [
        Measured(metric=f"small-cells@k={k}", value=share, low=share, high=share, chance=0.01, **place)
        for k, share in sizes.items()
    ]
    return write(folder, rows, attack="table", outcomes=(), **more)

"""What the model of a federated run is good for: the AUROC that the run recorded, to be compared with others."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np

from leadapron.attacks.federation.asked_people import count_patients
from leadapron.attacks.federation.run_subject import FederatedRun, RunConfig, load_run
from leadapron.audits.audit import NOTHING, Audit, AuditConfig, Knowledge
from leadapron.audits.gathering import Gathering
from leadapron.audits.measure import Measure
from leadapron.cohort.truth import Labels
from leadapron.engine import Progress, silent
from leadapron.results import Findings, Spot
from leadapron.results.withheld import told
from leadapron.stats import FAR, Estimate, Outcome
from leadapron.uses.finding_scores import Redrawing, Scores, to_table
from leadapron.uses.utility_pairing import paired_use

METHOD, CHECK = "model", "the recorded AUROC comes out again"
METRICS = {"both": "auroc", "image": "auroc-image", "text": "auroc-text"}
"""By what the model is shown of a test patient."""
CLOSE = 1e-6


def use_run(
    subject: FederatedRun, config: AuditConfig, _knowledge: Knowledge = NOTHING, _progress: Progress = silent
) -> Findings:
    """The numbers are those of run.json; the scores of the test records are evidence, to pair two runs by."""
    found = Gathering(RUN_UTILITY)
    records, patients = len(subject.test), count_patients(subject.test)
    for one in subject.run.test:
        sd = (one.high - one.low) / (2 * FAR)
        estimate = Estimate(one.value, one.low, one.high, sd, records, patients)
        found.add(METRICS[one.view], estimate, attacker=METHOD, chance=0.5)
    scores, again = _scored(subject)
    return Findings(
        audit=RUN_UTILITY.name,
        about="use",
        headline=Spot(metric=METRICS["both"], attacker=METHOD),
        estimates=tuple(found.estimates),
        outcomes=(_as_recorded(again, subject.run.tested("both").value),),
        counts={"patients": told(patients), "records": records},
        limits=("The patients are of the same source as the hospitals' own. Elsewhere a model may do worse.",),
        details={"redrawn": asdict(Redrawing(seed=config.seed))},
        timings=found.timings,
    ).with_evidence({"records": to_table(scores)})


def _scored(subject: FederatedRun) -> tuple[Scores, float]:
    """What the model says of the test records, and its macro AUROC."""
    from leadapron.federated.fusion_model import load_weights
    from leadapron.federated.local_training import one_thread
    from leadapron.federated.scoring import logits, macro_auroc

    model, test = subject.seen.new_model(), subject.test
    with one_thread():
        load_weights(model, subject.seen.final)
        said, again = logits(model, test, "both"), macro_auroc(model, test, "both")
    labels = Labels(subject.run.labels, np.asarray(test.truth))
    judged = [at for at, both in enumerate(labels.both_classes()) if both]
    rows, patients = ([f"test/{one}" for one in numbers] for numbers in (range(len(test)), test.patients))
    probe = {labels.names[at]: np.ascontiguousarray(said[:, at]) for at in judged}
    return Scores(np.array(rows), np.array(patients), labels, probe, {}, {}, {}), again


def _as_recorded(again: float, recorded: float) -> Outcome:
    agree = abs(again - recorded) < CLOSE
    reason = f"the model has {again:.6f}, and {recorded:.6f} is recorded"
    return Outcome(CHECK, "pass" if agree else "error", reason, (METHOD,))


def _auroc(view: str, title: str, shown: str, **more: object) -> Measure:
    event = f"the model, shown {shown}, scores a test record with a finding above one without it"
    return Measure(METRICS[view], title, event, "records", scale="auc", higher_is="better", **more)  # type: ignore[arg-type]


RUN_UTILITY = Audit(
    name="run-utility",
    question="how well does the model of a federated training find what is to be found?",
    about="use",
    config=AuditConfig,
    run=use_run,
    measures=(
        _auroc("both", "AUROC", "image and report", paired=paired_use),
        _auroc("image", "AUROC, image alone", "the image alone"),
        _auroc("text", "AUROC, report alone", "the report alone"),
    ),
    attackers={METHOD: "the model of the round that validation patients chose"},
    split="test",
    subject="run",
    takes=frozenset(),
    reads=RunConfig,
    load=load_run,
)

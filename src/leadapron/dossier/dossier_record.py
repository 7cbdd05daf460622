"""``dossier.json``: the decision page for machines, and what it rests on (SATRE 3.3.09: a machine-readable record)."""

from __future__ import annotations

import json
from typing import Any

from leadapron import __version__
from leadapron.dossier.assessment import Assessment, GroupAssessment
from leadapron.dossier.board_rows import BoardRow, board_rows
from leadapron.dossier.judged_risks import Risk
from leadapron.dossier.unexamined import everything_unexamined
from leadapron.pages.decision import DecisionPage

FORMAT = 1


def as_record(found: Assessment, front: DecisionPage, made: str) -> str:
    content = {
        "format": FORMAT,
        "leadapron": __version__,
        "made": made,
        "title": front.title,
        "status": str(found.status),
        "exit_code": found.exit_code,
        "declaration": found.declaration.model_dump(mode="json"),
        "policy": found.policy.title,
        "leaves": found.parts,
        "questions": [_question(row) for row in board_rows(found)],
        "costs": [
            {"use": row.title, "outcome": row.words, **{bar.label: bar.value for bar in row.bars}}
            for row in front.costs
        ],
        "not_examined": [f"{few} {why}" for few, why in everything_unexamined(found)],
        "options": {box.title: box.fits for box in front.boxes},
        "subjects": [_subject(one) for one in found.groups],
        "command": found.command,
        "seed": found.seed,
    }
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _question(row: BoardRow) -> dict[str, Any]:
    question = row.question
    told = {"key": question.key, "criterion": row.criterion, "disclosure": question.disclosure}
    shown = None if row.after is None else _risk(row.after)
    before = None if row.before is None else _risk(row.before)
    return {**told, "question": question.words, "status": str(row.status), "residual": shown, "initial": before}


def _risk(risk: Risk) -> dict[str, Any]:
    return {
        "audit": risk.scenario.audit.name,
        "scenario": risk.scenario.key,
        "entry": risk.entry,
        "status": str(risk.status),
        "reason": risk.reason,
        "limit": risk.limit,
        "source": risk.source,
        "measured": None if risk.row is None else risk.row.model_dump(),
    }


def _subject(one: GroupAssessment) -> dict[str, Any]:
    versions = [
        {
            "name": trial.entrant.name,
            "role": trial.entrant.role,
            "id": trial.entrant.inputs.subject.id,
            "sha256": trial.entrant.inputs.sha256,
            "defence": trial.entrant.inputs.defence,
            "audits": sorted(trial.results),
            "not_run": dict(trial.absent),
            "risks": [_risk(risk) for risk in one.risks[trial.entrant.name]],
        }
        for trial in one.trials
    ]
    return {"kind": one.group.kind, "released": one.shown.entrant.name, "versions": versions}

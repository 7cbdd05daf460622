"""The output of the study: aggregates alone, so that the folder may leave the house that holds the data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from leadapron import __version__
from leadapron.cohort import Funnel
from leadapron.engine import atomic_folder
from leadapron.pages.html import render_html
from leadapron.pages.markdown import render_markdown
from leadapron.release import read_release
from leadapron.release.provenance import versions
from leadapron.reproductions.study_config import HOME
from leadapron.reproductions.study_page import page_of
from leadapron.reproductions.study_steps import Study
from leadapron.results.withheld import told

DIGITS = 4
"""Of a percentage. All of them would tell the very counts that it was made from."""
TOLD_OF_HEADS = ("summary", "done", "settings", "guarantee")
TABLE, RECORD, PAGE, MARKDOWN = "tables.csv", "study.json", "report.html", "report.md"


def write_study(study: Study, rows: pl.DataFrame, out: Path, *, phantom: bool, overwrite: bool) -> None:
    rows = rows.with_columns(pl.selectors.float().round(DIGITS))
    made = how_it_was_made(study, phantom=phantom)
    page = page_of(study, rows, made, phantom=phantom)
    with atomic_folder(out, overwrite=overwrite) as partial:
        rows.write_csv(partial / TABLE)
        (partial / RECORD).write_text(json.dumps({**made, "numbers": rows.to_dicts()}, indent=1) + "\n")
        (partial / PAGE).write_text(render_html(page), encoding="utf-8")
        (partial / MARKDOWN).write_text(render_markdown(page), encoding="utf-8")


def how_it_was_made(study: Study, *, phantom: bool) -> dict[str, Any]:
    """Settings, funnels, weights and versions; no path, no id, and no count of a few."""
    cards: list[Mapping[str, Any]] = [
        read_release(study.place(site, encoder, "release")).card for site in study.cohorts for encoder in study.specs
    ]
    weights: dict[str, Any] = {}
    for card in cards:
        weights |= card["encoder"].get("weights", {})
    heads = {arm: _told_of_heads(read_release(study.place(HOME, arm, "release")).card) for arm in study.trained}
    return {
        "leadapron": __version__,
        "phantom": phantom,
        "settings": study.config.kept_with_work() | {"encoders": ", ".join(study.specs)},
        "heads": heads,
        "funnels": {site: told_steps(cohort.funnel) for site, cohort in study.cohorts.items()},
        "weights": weights,
        "versions": versions(),
    }


def told_steps(funnel: Funnel) -> list[tuple[str, int]]:
    """What was kept, step by step. Where a step dropped fewer than ten, what stood before it is left out.

    The table of the cohort tells how many were left at the end.
    """
    found: list[tuple[str, int]] = []
    for step in reversed(funnel.steps):
        if told(step.kept - (found[-1][1] if found else 0)) is not None:
            found.append((step.what, step.kept))
    return found[::-1]


def _told_of_heads(card: Mapping[str, Any]) -> dict[str, Any]:
    return {name: card["defence"][name] for name in TOLD_OF_HEADS}

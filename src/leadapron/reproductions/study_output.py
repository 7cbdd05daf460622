"""The output of the study: aggregates alone, so that the folder may leave the house that holds the data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from leadapron import __version__
from leadapron.engine import atomic_folder
from leadapron.pages.html import render_html
from leadapron.pages.markdown import render_markdown
from leadapron.release import read_release
from leadapron.release.provenance import versions
from leadapron.reproductions.study_page import page_of
from leadapron.reproductions.study_steps import Study
from leadapron.results.withheld import told

TABLE, RECORD, PAGE, MARKDOWN = "tables.csv", "study.json", "report.html", "report.md"


def write_study(study: Study, rows: pl.DataFrame, out: Path, *, phantom: bool, overwrite: bool) -> None:
    made = how_it_was_made(study, phantom=phantom)
    page = page_of(study, rows, made, phantom=phantom)
    with atomic_folder(out, overwrite=overwrite) as partial:
        rows.write_csv(partial / TABLE, float_precision=4)
        (partial / RECORD).write_text(json.dumps({**made, "numbers": rows.to_dicts()}, indent=1) + "\n")
        (partial / PAGE).write_text(render_html(page), encoding="utf-8")
        (partial / MARKDOWN).write_text(render_markdown(page), encoding="utf-8")


def how_it_was_made(study: Study, *, phantom: bool) -> dict[str, Any]:
    """Settings, funnels, weights and versions; no path, no id, and no count of fewer than ten."""
    cards: list[Mapping[str, Any]] = [
        read_release(study.place(site, encoder, "release")).card for site in study.cohorts for encoder in study.specs
    ]
    weights: dict[str, Any] = {}
    for card in cards:
        weights |= card["encoder"].get("weights", {})
    funnels = {
        site: [(step.what, told(step.kept)) for step in cohort.funnel.steps if told(step.kept)]
        for site, cohort in study.cohorts.items()
    }
    heads = {
        name: config.model_dump(mode="json", exclude_none=True, exclude={"work"})
        for name, config in study.trained.items()
    }
    return {
        "leadapron": __version__,
        "phantom": phantom,
        "settings": study.config.kept_with_work() | {"encoders": ", ".join(study.specs)},
        "heads": heads,
        "funnels": funnels,
        "weights": weights,
        "versions": versions(),
    }

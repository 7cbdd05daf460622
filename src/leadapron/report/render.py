"""Results for people and machines: the suffix of the file chooses the format."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from leadapron.engine import atomic_path
from leadapron.errors import ConfigError
from leadapron.report.html import render_html
from leadapron.report.junit import render_junit
from leadapron.report.markdown import render_markdown
from leadapron.report.results import Results


def render_json(results: Results) -> str:
    """The same content again, for a place beside other files."""
    return json.dumps(dict(results.content), indent=1, allow_nan=False) + "\n"


RENDERERS: dict[str, Callable[[Results], str]] = {
    ".html": render_html,
    ".md": render_markdown,
    ".xml": render_junit,
    ".json": render_json,
}

PAGE = "report.html"


def render(results: Results, suffix: str) -> str:
    """The results as HTML, Markdown, JUnit XML or JSON."""
    if suffix not in RENDERERS:
        raise ConfigError("a report of this kind cannot be written", got=suffix, allowed=", ".join(RENDERERS))
    return RENDERERS[suffix](results)


def write_report(results: Results, path: Path) -> None:
    """The report that the suffix asks for, whole or not at all."""
    text = render(results, path.suffix.lower())
    with atomic_path(path) as partial:
        partial.write_text(text, encoding="utf-8")


def write_page(results: Results) -> None:
    """The page for people, beside its results."""
    write_report(results, results.folder / PAGE)

"""Results for people and machines: the suffix of the file chooses the format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from leadapron.audits.audit_page import card_of, page_of
from leadapron.audits.declared_rows import audit_of
from leadapron.audits.junit import render_junit
from leadapron.engine import atomic_path
from leadapron.errors import ConfigError, DataError
from leadapron.pages.html import render_html
from leadapron.pages.markdown import render_markdown
from leadapron.results import Results
from leadapron.results.results_folder import as_json

RENDERERS: dict[str, Callable[[Results], str]] = {
    ".html": lambda results: render_html(page_of(results)),
    ".md": lambda results: render_markdown(card_of(results)),
    ".xml": render_junit,
    ".json": as_json,
}

PAGE = "report.html"


def render(results: Results, suffix: str) -> str:
    """The results as HTML, Markdown, JUnit XML or JSON."""
    if suffix not in RENDERERS:
        raise ConfigError("a report of this kind cannot be written", got=suffix, allowed=", ".join(RENDERERS))
    audit_of(results)
    try:
        return RENDERERS[suffix](results)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        if not results.was_read:  # made by this very process: the fault is ours, and must be seen
            raise
        what = f"$.details: what the page of {results.audit} tells is not there ({type(error).__name__}: {error})"
        raise DataError(what, where=results.where, fix="Run the audit again.") from error


def write_report(results: Results, path: Path) -> None:
    """The report that the suffix asks for, whole or not at all."""
    text = render(results, path.suffix.lower())
    with atomic_path(path) as partial:
        partial.write_text(text, encoding="utf-8")


def write_page(results: Results, folder: Path) -> None:
    """The page for people, beside its results."""
    write_report(results, folder / PAGE)

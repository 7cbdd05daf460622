"""Results as a notebook and a prompt show them, and as a folder holds them."""

from __future__ import annotations

from pathlib import Path

from leadapron.audits.audit_page import page_of
from leadapron.audits.render import write_page
from leadapron.audits.standard_words import certainty, marked_verdict, standing
from leadapron.pages.html import SYMBOLS, framed, render_html
from leadapron.pages.terminal_text import wrapped
from leadapron.results import Results, save_results


def in_lines(results: Results) -> str:
    """The verdict, how sure it is, and the checks."""
    checks = [f"{SYMBOLS[row.outcome]} {row.outcome:<8} {row.check}" for row in results.outcomes]
    worst, said = standing(results)
    return "\n".join(
        [
            results.title,
            wrapped(marked_verdict(results)),
            wrapped(certainty(results)),
            *checks,
            wrapped(f"{SYMBOLS[worst]} {said}"),
        ]
    )


def in_html(results: Results) -> str:
    return framed(render_html(page_of(results)), results.audit)


def save(results: Results, folder: Path, *, overwrite: bool) -> Results:
    """The results and the page for people, whole or not at all."""
    return save_results(results, folder, overwrite=overwrite, complete=write_page)

"""A page as HTML: one file that opens by a double click, prints, asks the network for nothing, and can be signed."""

from __future__ import annotations

import base64
import hashlib
import html
from functools import cache
from importlib.resources import files

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from leadapron.pages.decision import DecisionPage
from leadapron.pages.numerals import clean
from leadapron.pages.page import Chapter, Page

SYMBOLS = {"pass": "✓", "warn": "!", "fail": "✗", "error": "⚠", "not-run": "○"}


def render_html(page: Page) -> str:
    """The whole page. Everything that comes from data is escaped."""
    return _rendered("page.html", "style.css", page=page, sign_off=_shipped("sign-off.html"))


def render_dossier(title: str, front: DecisionPage, chapters: tuple[Chapter, ...], footer: str) -> str:
    """The decision page in front, and behind it chapters in which whole pages are folded."""
    told = {"title": title, "front": front, "sections": chapters, "footer": footer}
    return _rendered("dossier.html", "style.css", "decision.css", **told)


def framed(page: str, title: str) -> str:
    """A page inside another one, such as a notebook: in a frame, so that its style stays inside."""
    inside, name = html.escape(page), html.escape(title)
    return f'<iframe srcdoc="{inside}" style="width: 100%; height: 40em; border: 0" title="{name}"></iframe>'


def _rendered(template: str, *styles: str, **told: object) -> str:
    script = _shipped("print.js").strip()
    style = "".join(map(_shipped, styles))
    return (
        _templates()
        .get_template(template)
        .render(symbols=SYMBOLS, policy=_policy(script), script=script, style=style, **told)
    )


@cache
def _templates() -> Environment:
    surroundings = Environment(
        loader=FunctionLoader(_shipped),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_cleaned,
        keep_trailing_newline=True,
    )
    surroundings.filters["drawn"] = surroundings.filters["shipped"] = Markup
    return surroundings


def _cleaned(value: object) -> object:
    """Without the characters that HTML cannot hold."""
    return value if isinstance(value, Markup) else clean(value)


@cache
def _shipped(name: str) -> str:
    return files("leadapron.pages").joinpath(name).read_text(encoding="utf-8")


def _policy(script: str) -> str:
    """The browser itself refuses every request and every script but the one that ships with the page."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{digest}'; "
        "base-uri 'none'; form-action 'none'"
    )

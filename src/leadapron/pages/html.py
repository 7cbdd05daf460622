"""A page as HTML: one file that opens by a double click, prints, asks the network for nothing, and can be signed."""

from __future__ import annotations

import base64
import hashlib
import html
from functools import cache
from importlib.resources import files

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup

from leadapron.pages.numerals import clean
from leadapron.pages.page import Page

SYMBOLS = {"pass": "✓", "warn": "!", "fail": "✗", "error": "⚠", "not-run": "○"}


def render_html(page: Page) -> str:
    """The whole page. Everything that comes from data is escaped."""
    script = _shipped("print.js").strip()
    return _template().render(
        page=page,
        symbols=SYMBOLS,
        policy=_policy(script),
        script=script,
        style=_shipped("style.css"),
        sign_off=_shipped("sign-off.html"),
    )


def framed(page: str, title: str) -> str:
    """A page inside another one, such as a notebook: in a frame, so that its style stays inside."""
    inside, name = html.escape(page), html.escape(title)
    return f'<iframe srcdoc="{inside}" style="width: 100%; height: 40em; border: 0" title="{name}"></iframe>'


@cache
def _template() -> Template:
    surroundings = Environment(
        autoescape=True, undefined=StrictUndefined, finalize=_cleaned, keep_trailing_newline=True
    )
    surroundings.filters["drawn"] = surroundings.filters["shipped"] = Markup
    return surroundings.from_string(_shipped("page.html"))


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

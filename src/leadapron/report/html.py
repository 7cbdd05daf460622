"""``report.html``: one file that opens by a double click, prints, asks the network for nothing, and can be signed."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from importlib.resources import files
from string import Template
from typing import Any

from leadapron.report import apart, basis, glossary, tables, words
from leadapron.report.figures import Figure
from leadapron.report.kind import Kind
from leadapron.report.kinds import kind_of
from leadapron.report.numerals import escape
from leadapron.report.results import Results
from leadapron.report.selection import attackers

FILES = {True: "as recorded when they were made (hashes verified)", False: "NOT compared with their recorded hashes"}


def render_html(results: Results) -> str:
    """The whole page. Whatever comes from the results is escaped."""
    content, kind = results.content, kind_of(results)
    script = _shipped("print.js").strip()
    worst, standing = words.standing(results)
    verdict, stands_on = basis.apart(words.marked(results, kind.verdict(results)))
    support = [
        *filter(None, [stands_on]),
        f"{kind.certainty(results)} {kind.strongest(results)}",
        *filter(None, [kind.could_see(results)]),
        *kind.support(results),
    ]
    return Template(_shipped("report.html")).substitute(
        policy=_policy(script),
        style=_shipped("style.css"),
        script=script,
        title=escape(content["title"]),
        kind=escape(kind.name),
        question=escape(kind.question),
        verdict=escape(verdict),
        support="\n".join(f"<p>{escape(sentence)}</p>" for sentence in support),
        badges="\n".join(_badge(row) for row in content["outcomes"]),
        worst=worst,
        standing=f"{words.SYMBOLS[worst]} {escape(standing)}",
        counts=_counts(results, kind),
        facts=_definitions(_facts(results, kind)),
        apart=apart.as_html(kind.apart(results)),
        figures="\n".join(_figure(number, draw(results)) for number, draw in enumerate(kind.figures, start=1)),
        tables=_tables(results, kind),
        outcomes=tables.outcomes(results),
        limits=_list(content["limits"]) or "<p>The audit names no limits of its own.</p>",
        glossary=glossary.as_html(kind.glossary),
        command=escape(content["command"]),
        provenance=_provenance(content),
        sign_off=_shipped("sign-off.html"),
        footer=f"Made by leadapron {escape(content['leadapron'])} on {escape(content['created'])}. "
        "This page holds no patient number, no image and no text of a report.",
    )


def _shipped(name: str) -> str:
    return files("leadapron.report").joinpath(name).read_text(encoding="utf-8")


def _policy(script: str) -> str:
    """The browser itself refuses every request and every script but the one that ships with the page."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{digest}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _badge(row: Mapping[str, str]) -> str:
    outcome = row["outcome"]
    return (
        f'<li class="badge {escape(outcome)}"><span class="symbol" aria-hidden="true">{words.SYMBOLS[outcome]}</span> '
        f"<strong>{escape(outcome)}</strong> {escape(row['check'])}</li>"
    )


def _counts(results: Results, kind: Kind) -> str:
    counts = dict(results.content["counts"])
    if not results.patients_named:  # the number would be that of the records again
        counts.pop("patients", None)
    told = {name: f"{count:,}" if name in kind.things else words.counted(count) for name, count in counts.items()}
    tiles = (
        f"<div><dt>{escape(kind.count_names.get(name, name.replace('_', ' ')))}</dt><dd>{escape(count)}</dd></div>"
        for name, count in told.items()
    )
    return f'<dl class="counts">{"".join(tiles)}</dl>'


def _facts(results: Results, kind: Kind) -> dict[str, object]:
    inputs = results.content["inputs"]
    known = [name for name in ("encoder", "cohort") if name in inputs]
    return {
        "Release": inputs["release"],
        **{name.capitalize(): inputs[name] or "not given" for name in known},
        **({"Files": FILES.get(inputs["verified"], inputs["verified"])} if "verified" in inputs else {}),
        "Attackers": ", ".join(attackers(results)),
        **kind.facts(results),
    }


def _figure(number: int, figure: Figure) -> str:
    heading = f'<h3 id="{figure.key}">{number}. {escape(figure.title)}</h3>'
    picture = f'<div class="scroll">{figure.svg}</div>'
    if not figure.svg:
        picture = f'<p class="missing"><strong>Not available.</strong> {escape(figure.missing)}</p>'
    note = f"<p>{escape(figure.note)}</p>" if figure.note else ""
    return (
        f'<figure aria-labelledby="{figure.key}">\n{heading}\n{picture}\n'
        f"<figcaption><p><strong>How to read:</strong> {escape(figure.reading)}</p>{note}</figcaption>\n</figure>"
    )


def _tables(results: Results, kind: Kind) -> str:
    folded = [
        f"<details><summary>{escape(name)}</summary>\n{body}</details>"
        for name, body in kind.folded_tables(results).items()
        if body
    ]
    return "\n".join([*kind.tables(results), *folded])


def _provenance(content: Mapping[str, Any]) -> str:
    hashes = list(content["inputs"]["sha256"].items())
    hashes += [(entry["file"], entry["sha256"]) for entry in content["evidence"].values()]
    settings = [(key, json.dumps(value, ensure_ascii=False)) for key, value in content["config"].items()]
    timings = [(stage, f"{seconds:.2f}") for stage, seconds in content["timings"].items()]
    return "\n".join(
        [
            _definitions(
                {
                    "Audited, by id": content["inputs"].get("subject", {}).get("id", "not given"),
                    "Seed": content["seed"],
                    "Made on": content["created"],
                    "Results format": content["format"],
                }
            ),
            '<div class="pair">',
            tables.table("Versions", ("Package", "Version"), content["versions"].items()),
            tables.table("Time taken", ("Stage", "Seconds"), timings, numbers=1),
            "</div>",
            tables.table("Configuration", ("Setting", "Value"), settings) if settings else "",
            tables.table("Hashes of the inputs and of the evidence", ("File", "SHA-256"), hashes),
        ]
    )


def _definitions(entries: Mapping[str, object]) -> str:
    rows = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in entries.items())
    return f'<dl class="facts">{rows}</dl>'


def _list(sentences: list[str]) -> str:
    return "<ul>" + "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences) + "</ul>" if sentences else ""

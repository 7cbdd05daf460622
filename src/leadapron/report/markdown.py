"""A section for a model card: the verdict, the numbers, the limits and the command, in Markdown."""

from __future__ import annotations

import re

from leadapron.report import words
from leadapron.report.numerals import NBSP, clean, interval, percent, round_percent, times
from leadapron.report.results import Results
from leadapron.report.selection import METRICS, select


def render_markdown(results: Results) -> str:
    content = results.content
    spot = content["headline"]
    worst, standing = words.standing(results)
    rows = [
        row
        for metric in METRICS
        for row in select(results, direction=spot["direction"], attacker=spot["attacker"], metric=metric)
    ]
    rows.sort(key=lambda row: (row["protocol"] == "hard", row["pool"]))
    lines = [
        f"## Linkage risk: {plain(content['title'])}",
        "",
        f"**{plain(words.verdict(results))}** {plain(words.certainty(results))}",
        "",
        *(f"- {plain(sentence)}" for sentence in words.patient_sentences(results)),
        f"- Checks: {words.SYMBOLS[worst]} {worst}. {standing}",
        "",
        f"Measured on `{_code(content['inputs']['release'])}`, {words.ARROWS[spot['direction']]}, attacker "
        f"{plain(spot['attacker'])}:",
        "",
        f"| Pools | Pool | Measure | Measured | 95{NBSP}% interval | Guessing | Enrichment |",
        "|---|---:|---|---:|---:|---:|---:|",
        *(
            f"| {words.PROTOCOLS[row['protocol']]} | {row['pool']:,} | {plain(row['metric'])} "
            f"| {percent(row['value'])} | {interval(row['low'], row['high'])} | {round_percent(row['chance'])} "
            f"| {times(row['enrichment'])} |"
            for row in rows
        ),
        "",
        "Limits:",
        "",
        *(f"- {plain(limit)}" for limit in content["limits"] or ["The audit names none of its own."]),
        "",
        f"Reproduce (seed {content['seed']}, leadapron {plain(content['leadapron'])}):",
        "",
        *_fenced(clean(content["command"])),
    ]
    return "\n".join(lines) + "\n"


def plain(value: object) -> str:
    """Text that Markdown takes as it is: no markup, no HTML, on one line."""
    one_line = " ".join(clean(value).split(" ")).replace("\n", " ").replace("\r", " ")
    return re.sub(r"([\\`*_\[\]<>|#&])", r"\\\1", one_line)


def _code(value: object) -> str:
    return clean(value).replace("`", "'").replace("\n", " ").replace("|", "/")


def _fenced(code: str) -> list[str]:
    longest = max((len(run) for run in re.findall("`+", code)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}sh", code, fence]

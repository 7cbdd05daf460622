"""A section for a model card: the verdict, the numbers, the limits and the command, in Markdown."""

from __future__ import annotations

import re

from leadapron.report import apart, words
from leadapron.report.kinds import kind_of
from leadapron.report.numerals import clean
from leadapron.report.results import Results


def render_markdown(results: Results) -> str:
    content, kind = results.content, kind_of(results)
    spot = content["headline"]
    worst, standing = words.standing(results)
    lines = [
        f"## {kind.name.capitalize()} risk: {plain(content['title'])}",
        "",
        f"**{plain(words.marked(results, kind.verdict(results)))}** {plain(kind.certainty(results))}",
        "",
        *(f"- {plain(sentence)}" for sentence in filter(None, [kind.could_see(results)])),
        *(f"- {plain(sentence)}" for sentence in (*kind.support(results), *apart.in_words(kind.apart(results)))),
        f"- Checks of the audit itself: {words.SYMBOLS[worst]} {worst}. {standing}",
        "",
        f"Measured on `{_code(content['inputs']['release'])}`, {words.ARROWS[spot['direction']]}, attacker "
        f"{plain(spot['attacker'])}:",
        "",
        f"| {' | '.join(kind.card_columns)} |",
        f"|---|---:|---|{'---:|' * (len(kind.card_columns) - 3)}",
        *(f"| {' | '.join(map(plain, row))} |" for row in kind.card_rows(results)),
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

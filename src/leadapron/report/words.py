"""Sentences that every report has: how sure the verdict is, who attacked, and what the checks mean together."""

from __future__ import annotations

from leadapron.attacks.measures import as_risk
from leadapron.attacks.withheld import told
from leadapron.report.attackers import in_words
from leadapron.report.numerals import NBSP, out_of, percent, so_many, times
from leadapron.report.results import Results
from leadapron.report.selection import SMALLEST_CELL, Estimate, attackers, covered, headline, select, uncovered

SYMBOLS = {"pass": "✓", "warn": "!", "fail": "✗", "error": "⚠", "not-run": "○"}
WORST_FIRST = ("error", "fail", "not-run", "warn", "pass")

ARROWS = {
    "image-to-report": f"radiograph{NBSP}→{NBSP}report",
    "report-to-image": f"report{NBSP}→{NBSP}radiograph",
    "image-to-image": f"radiograph{NBSP}→{NBSP}radiograph",
    "model-to-record": f"model{NBSP}→{NBSP}record",
}


def certainty(results: Results) -> str:
    """How sure the verdict is, and whether it differs from guessing at all."""
    row = headline(results)
    size = out_of(row["chance"], row["n"])
    range_ = f"(95{NBSP}% interval: {so_many(row['low'], size)} to {so_many(row['high'], size)} of {size:,})"
    if row["low"] > row["chance"]:
        return f"That is {times(row['enrichment']).removesuffix('×')} times as often as guessing {range_}."
    if row["high"] < row["chance"]:
        return f"That is less often than guessing {range_}: look at the checks before trusting it."
    return f"That cannot be told from guessing {range_}."


def could_see(results: Results) -> str:
    """The smallest leak that the audit could have seen; nothing where the results do not tell."""
    seen = headline(results).get("detectable")
    if seen is None:
        return ""
    return (
        f"A true rate of {percent(seen)} or more would have been told from guessing in at least 8 of 10 audits of "
        "this size; a smaller leak may go unseen."
    )


def strongest(results: Results) -> str:
    known = attackers(results)
    if len(known) == 1:
        return f"One attacker was tried: {in_words(results, known[0])}."
    shown = in_words(results, known[0])
    if better := _better(results, known[1:]):
        size = out_of(headline(results)["chance"], headline(results)["n"])  # as the verdict counts
        return (
            f"Shown is the strongest of the attackers who rank candidates one query at a time: {shown}. "
            f"Stronger still is {in_words(results, better['attacker'])}, with {so_many(better['value'], size)} "
            f"of {size:,}. An even stronger one may exist."
        )
    return f"The strongest of {len(known)} attackers is shown: {shown}. A stronger one may exist."


def _better(results: Results, others: list[str]) -> Estimate | None:
    """An attacker that has no ranks, and so cannot be the headline, may do better in the very same place."""
    row = headline(results)
    trusted = [name for name in others if name in covered(results)]
    rivals = [
        rival for name in trusted for rival in select(results, **results.content["headline"] | {"attacker": name})
    ]
    best = max(rivals, key=lambda rival: as_risk(rival["metric"], rival["value"]), default=row)
    return best if as_risk(best["metric"], best["value"]) > as_risk(row["metric"], row["value"]) else None


def counted(count: int | None) -> str:
    """A count that may be told; fewer than the smallest cell are not counted out."""
    shown = told(count)
    return f"< {SMALLEST_CELL}" if shown is None else f"{shown:,}"


def standing(results: Results) -> tuple[str, str]:
    """The worst outcome of the audit's own checks, and what it means. Error and not-run never count as a pass.

    They tell whether the measurement is sound and nothing of how large the risk is, and must not be read as praise.
    """
    outcomes = [row["outcome"] for row in results.content["outcomes"]]
    worst = next((name for name in WORST_FIRST if name in outcomes), "not-run")
    if worst in ("warn", "pass") and results.content["headline"]["attacker"] in uncovered(results):
        worst = "not-run"
    said = {
        "error": "A control of the audit went wrong: the numbers must not be relied on until that is explained.",
        "fail": "A check of the audit failed: see below which one, and why.",
        "not-run": "The audit is incomplete: not every check was run.",
        "warn": "The audit's own checks ended with a warning: read it before deciding.",
        "pass": "The audit's own controls passed: the measurement can be relied on. Whether this risk is acceptable is "
        "for you to decide.",
    }[worst]
    left = uncovered(results)
    return worst, f"{said} No control covers {', '.join(left)}: do not rely on those numbers." if left else said


def marked(results: Results, verdict: str) -> str:
    """The verdict; where a control went wrong, behind a warning that nobody can miss."""
    wrong = standing(results)[0] in ("error", "fail")
    return f"Not reliable, a control of this audit went wrong. {verdict}" if wrong else verdict

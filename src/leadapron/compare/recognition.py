"""Whether patients are still recognised by their images: the identity audit, before and after."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from leadapron.compare.excess import Share, excess_cut
from leadapron.compare.pairing import pair_records
from leadapron.report import Results
from leadapron.stats import Estimate


@dataclass(frozen=True)
class Recognition:
    """What the strongest attacker who knows other patients makes of a release's images.

    ``first``: how often a patient's own image comes first in the gallery. ``cut`` is the share of its excess over
    guessing that the defence takes. ``auc`` is over all pairs, ``auc_matched`` over strangers with the same attributes.
    """

    attacker: str
    pool: int
    chance: float
    first: Estimate
    auc: Estimate
    auc_matched: Estimate | None
    cut: Share | None


def recognition_of(before: Results | None, after: Results | None, seed: int) -> Recognition | None:
    """None where no patient has two images to be recognised by."""
    if before is None or after is None:
        return None
    spot = after.content["headline"]
    first = _row(after, spot["attacker"], spot["protocol"], spot["metric"], spot["pool"])
    auc, matched = (_row(after, spot["attacker"], protocol, "auc") for protocol in ("all-pairs", "matched"))
    assert first is not None
    assert auc is not None
    pairs = next(pair_records(before, after))
    return Recognition(
        attacker=spot["attacker"],
        pool=spot["pool"],
        chance=first["chance"],
        first=_estimate(first),
        auc=_estimate(auc),
        auc_matched=None if matched is None else _estimate(matched),
        cut=excess_cut(pairs, first["chance"], seed),
    )


def _row(audit: Results, attacker: str, protocol: str, metric: str, pool: int | None = None) -> dict[str, Any] | None:
    for row in audit.estimates:
        found = row["attacker"], row["protocol"], row["metric"], row["group"]
        if found == (attacker, protocol, metric, None) and pool in (None, row["pool"]):
            return row
    return None


def _estimate(row: dict[str, Any]) -> Estimate:
    return Estimate(*(row[key] for key in ("value", "low", "high", "sd", "n")))

"""Whether patients are still recognised by their images: the identity audit, before and after."""

from __future__ import annotations

from dataclasses import dataclass

from leadapron.compare.excess import Share, excess_cut
from leadapron.compare.pairing import pair_records
from leadapron.compare.rows import estimate_of, find_row, row_of
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


def recognition_of(before: Results | None, after: Results | None) -> Recognition | None:
    """None where no patient has two images to be recognised by."""
    if before is None or after is None:
        return None
    spot = after.content["headline"]
    attacker = spot["attacker"]
    first = row_of(after, **{key: spot[key] for key in ("attacker", "protocol", "metric", "pool")})
    auc = row_of(after, attacker=attacker, protocol="all-pairs", metric="auc")
    matched = find_row(after, attacker=attacker, protocol="matched", metric="auc")
    pairs = next(pair_records(before, after))
    return Recognition(
        attacker=attacker,
        pool=spot["pool"],
        chance=first["chance"],
        first=estimate_of(first),
        auc=estimate_of(auc),
        auc_matched=None if matched is None else estimate_of(matched),
        cut=excess_cut(pairs, first["chance"]),
    )

"""The attacks that a report can be made of."""

from __future__ import annotations

from leadapron.errors import DataError, did_you_mean
from leadapron.report.identity import IDENTITY
from leadapron.report.kind import Kind
from leadapron.report.linkage import LINKAGE
from leadapron.report.membership import MEMBERSHIP
from leadapron.report.results import Results

KINDS: dict[str, Kind] = {"linkage": LINKAGE, "identity": IDENTITY, "membership": MEMBERSHIP}


def kind_of(results: Results) -> Kind:
    attack = results.content["attack"]
    if attack not in KINDS:
        allowed = did_you_mean(attack, KINDS)
        raise DataError("there is no report for this attack", where=results.folder, got=attack, allowed=allowed)
    return KINDS[attack]

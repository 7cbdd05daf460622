"""Heads that were trained on one release, applied to another as they are: nothing of the latter is learned."""

from __future__ import annotations

from leadapron.defences.guarantee import Guarantee
from leadapron.defences.heads.bank import check_features
from leadapron.defences.heads.defend import apply_heads
from leadapron.errors import ConfigError, DataError
from leadapron.release import Release
from leadapron.release.fitting import OTHER
from leadapron.release.heads import SIDES

NOBODY_HERE = (
    "The heads were trained on another release and applied to this one as they are. To the patients of this one "
    "nothing is promised. Of the heads, and for those who were trained on in the other release, this was said: "
)


def transfer_heads(release: Release, fitted: Release) -> Release:
    """``release`` with the heads of ``fitted``, which ``defend_heads`` has made; its card says whom they protect."""
    card = fitted.card.get("defence")
    if not (fitted.heads and isinstance(card, dict) and card.get("kind") == "heads"):
        raise ConfigError(
            "there are no heads in it that were trained as a defence",
            where=fitted.where,
            got=f"{'heads' if fitted.heads else 'no heads'}, {'defended' if card else 'not defended'}",
            fix="Take a release that `leadapron defend heads` has written.",
        )
    check_features(release)
    for side in SIDES:
        width, right = release.arrays[f"{side}_features"].shape[1], fitted.heads[side].inputs
        if width != right:
            raise DataError(
                "it was encoded by another backbone than the heads were trained on",
                where=f"{release.where}: {side}_features",
                got=f"{width} features",
                allowed=f"{right}, as in {fitted.where}",
            )
    said = card["guarantee"]
    # No epsilon of its own: that one would be read as a promise to the patients who are in this release.
    promised = Guarantee("none", statement=NOBODY_HERE + said["statement"], details={"of_the_heads": said})
    described = {**card, "fitted_on": OTHER, "guarantee": promised.as_dict()}
    own = [one for one in release.fitted if one.part == "encoder"]
    brought = [one.for_release(release.records) for one in fitted.fitted if one.part != "encoder"]
    return apply_heads(release, fitted.heads, described, (*own, *brought))

"""Heads that were trained on one release, applied to another as they are: nothing of the latter is learned."""

from __future__ import annotations

from pydantic import Field

from leadapron.defences.defence import DefenceCard
from leadapron.defences.heads.defend import GROUP, apply_heads, done
from leadapron.defences.heads.strangers import check_features
from leadapron.defences.subjects import OtherRelease, card_of
from leadapron.engine import Progress
from leadapron.engine.documents import Config
from leadapron.errors import ConfigError, DataError
from leadapron.privacy.guarantee import Guarantee
from leadapron.release import Release
from leadapron.release.fitting import OTHER
from leadapron.release.heads import SIDES

NOBODY_HERE = (
    "The heads were trained on another release and applied to this one as they are. To the patients of this one "
    "nothing is promised. Of the heads, and for those who were trained on in the other release, this was said: "
)


class TransferConfig(Config):
    fitted_on: OtherRelease = Field(
        description="A release whose heads a defence has trained; its card says by which method and whom they protect."
    )


def transfer_heads(release: Release, config: TransferConfig, _progress: Progress) -> tuple[Release, DefenceCard]:
    """``release`` with the heads of another. The card is that of their training, without its promise."""
    fitted = config.fitted_on
    card = card_of(fitted)
    if not fitted.heads or card is None or card.group != GROUP:
        raise ConfigError(
            "there are no heads in it that were trained as a defence",
            where=fitted.where,
            got=f"{'heads' if fitted.heads else 'no heads'}, {'defended' if card else 'not defended'}",
            fix="Take a release that was made by a method which trains heads, such as `leadapron defend private`.",
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
    # No epsilon of its own: that one would be read as a promise to the patients who are in this release.
    promised = Guarantee(
        "none",
        statement=NOBODY_HERE + card.guarantee.statement,
        details={"of_the_heads": card.guarantee.as_dict()},
    )
    facts = {**card.facts, "fitted_on": OTHER}
    own = [one for one in release.fitted if one.part == "encoder"]
    brought = [one.for_release(release.records) for one in fitted.fitted if one.part != "encoder"]
    update = {"facts": facts, "done": done(facts), "guarantee": promised}
    return apply_heads(release, fitted.heads, (*own, *brought)), card.model_copy(update=update)

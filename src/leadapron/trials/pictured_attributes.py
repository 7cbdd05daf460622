"""Attributes of pictures: whether sex, age or race can be read off released radiographs that have no vectors.

The attacker sees every picture as the numbers that attackers of images look at, and knows those of other patients.
"""

from __future__ import annotations

from typing import Any

from leadapron.attacks.attributes import AttributesConfig, strongest_attribute
from leadapron.attacks.images.image_features import numbers_of
from leadapron.attacks.images.image_sides import sides_of
from leadapron.audits.audit import NOTHING
from leadapron.audits.audit_registry import find_audit
from leadapron.audits.images_subject import ReleasedImages, images_inputs
from leadapron.cohort.image_set import ImageSet
from leadapron.engine import Progress
from leadapron.errors import LeadapronError
from leadapron.release import Release
from leadapron.trials.located_scenarios import NO_IMAGES, said_of
from leadapron.trials.scenario import Ready, Scenario
from leadapron.trials.trial_config import TrialConfig
from leadapron.trials.trial_kinds import Located

NOT_RELEASED = ("report", "image_path")
ATTRIBUTES, SEES = "attributes", "image-identity"
"""The audit that is run, and the one whose encoder looks at the pictures."""


def _prepare(subject: Located, before: Located, config: TrialConfig, progress: Progress) -> Ready | str:
    if subject.records["image_path"].is_null().all() and not isinstance(subject.content, ImageSet):
        return NO_IMAGES
    try:
        pair = ReleasedImages(subject.images, before.images)
        seen = _as_release(pair, config, progress)
        undefended = _as_release(ReleasedImages(before.images, before.images), config, progress)
    except LeadapronError as error:
        return said_of(error, subject.path)
    options: dict[str, Any] = {"seed": config.seed, **config.asked.get(ATTRIBUTES, {})}
    headline = strongest_attribute(undefended, AttributesConfig(**options))
    asked = AttributesConfig(headline=headline, **options)
    return Ready(seen, NOTHING, asked, {"split": "test"}, images_inputs(pair.released, "images"))


def _as_release(pair: ReleasedImages, config: TrialConfig, progress: Progress) -> Release:
    """The truth is that of the source: what a defence leaves out of the table stays true."""
    records = pair.source.records
    encoder = config.encoder or find_audit(SEES).config().encoder  # type: ignore[attr-defined]
    learnt = sides_of(records, pair.source.where).learnt
    seen = numbers_of(pair.released.images, pair.source.images, learnt, encoder, config.seed, progress=progress)
    return Release(records.drop(NOT_RELEASED, strict=False), {"image": seen.released_mixed})


PICTURED = Scenario(
    ATTRIBUTES,
    find_audit(ATTRIBUTES),
    "Do the pictures tell sex, age or other attributes?",
    "Pictures are seen as some hundred numbers. Attackers learn from others' released pictures.",
    _prepare,
)

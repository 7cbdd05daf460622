"""The image-identity audit: can a released image be recognised as a patient's, by who holds real images of them?

The test that counterparts are published with is a classifier of 50 patients that has never seen a counterpart. It is
run here, too, beside attackers that know more: what it does not find, they may.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Literal

import numpy as np
from pydantic import Field

from leadapron.attacks.images.image_attackers import ADAPTIVE, ANOTHER, CLASSIFIER, PLAIN, STATIC, Seen
from leadapron.attacks.images.image_features import numbers_of
from leadapron.attacks.images.image_gathering import ImageGathering
from leadapron.attacks.images.image_identity_attack import Attack, add_attackers
from leadapron.attacks.images.image_identity_controls import controls
from leadapron.attacks.images.image_identity_measures import COORDINATES, FIRST, MEASURES, PLACE
from leadapron.attacks.images.image_identity_page import PAGE
from leadapron.attacks.images.image_networks import Embedded, embed_by_networks, lacking
from leadapron.audits.images_subject import ReleasedImages, image_audit
from leadapron.audits.pooled import PooledConfig
from leadapron.engine import Progress, silent
from leadapron.results import Findings
from leadapron.training.devices import AUTO, HELP, refuse_absent

USUAL = 50
"""The pool of the headline: what such images are published with."""
LIMITS = (
    "The attackers are models of Gaussians on some hundred numbers an image, and small networks. One with more images, "
    "a larger network or the generator itself may do better.",
    "The headline is the attacker that did best on these very data; its interval does not allow for that choice.",
    "Findings recur in a patient. What is recognised may be the findings that were to be kept: on a phantom, audit "
    "`leadapron phantom --counterparts said`, too, which keeps nothing else.",
    "A released image whose patient has no real image of another study is asked about only where its source is held.",
    "A pool holds one image of the patient and images of strangers; an attacker who holds several may do better.",
)


class ImageIdentityConfig(PooledConfig):
    """Among how many, and by whom."""

    pools: tuple[int, ...] = Field(
        default=(),
        description="Real images that the right one is looked for among. [default: 50, 100, 1000, as far as they go]",
        json_schema_extra={"option": "--pool"},
    )
    networks: Literal["auto", "on", "off"] = Field(
        default="auto",
        description="Train networks to recognise patients. auto: where torch is there and 1,000 patients are known.",
    )
    epochs: int = Field(default=6, ge=1, description="Epochs of each network.")
    encoder: str = Field(
        default="phantom-reports", description="The encoder whose features attackers look at beside pixels; or none."
    )
    device: str = Field(default=AUTO, description=HELP)


def audit_image_identity(
    subject: ReleasedImages, config: ImageIdentityConfig | None = None, *, progress: Progress = silent
) -> Findings:
    """The whole audit: patients of split ``test`` are attacked by one who knows all others."""
    config = config or ImageIdentityConfig()
    refuse_absent(config.device)
    found, sides = ImageGathering.of(IMAGE_IDENTITY, subject, config.seed)
    pools = sides.pools(config.pools, len(sides.attacked), config.judged)
    why = {"on": "", "off": "switched off"}.get(config.networks, lacking(sides))
    with found.stage("looking"):
        pixels = subject.released.images, subject.source.images
        numbers = numbers_of(
            *pixels, sides.learnt, config.encoder, config.seed, device=config.device, progress=progress
        )
    networks: Embedded = {}
    if not why:
        with found.stage("networks"):
            networks = embed_by_networks(
                subject, sides, epochs=config.epochs, seed=config.seed, device=config.device, progress=progress
            )
    attack = Attack(Seen(numbers, networks), sides, pools, config.seed)
    with found.stage("attack"):
        judges = attack.judges()
        add_attackers(found, attack, judges)
    usual = max(config.judged(pools[-1]), default=USUAL if USUAL in pools else pools[0])
    headline = found.strongest(FIRST, (ADAPTIVE, STATIC, CLASSIFIER), holds=ANOTHER, pool=usual)
    with found.stage("controls"):
        outcomes = controls(IMAGE_IDENTITY, found, attack, judges, headline, defended=subject.defended)
    trained = f"{config.epochs} epochs each" if not why else f"not trained: {why}"
    known = np.concatenate([sides.learnt, sides.weighed])
    counts = {
        "records": len(sides.attacked),
        "patients": len(np.unique(sides.patient[sides.attacked])),
        "known_records": len(known),
        "known_patients": len(np.unique(sides.patient[known])),
    }
    details = {"networks": trained, "defended": subject.defended}
    limits = LIMITS if not why else (*LIMITS, f"No network was trained to recognise patients: {why}.")
    return found.findings(headline, outcomes=outcomes, limits=limits, counts=counts, details=details)


IMAGE_IDENTITY = image_audit(
    audit_image_identity,
    name="image-identity",
    answers="recognised",
    question="can a released image be recognised as a patient's?",
    config=ImageIdentityConfig,
    measures=MEASURES,
    attackers=PLAIN,
    coordinates=COORDINATES,
    place=PLACE,
    beside=("holds",),
    risk="recognition of patients in released images",
    policy=files("leadapron.attacks.images").joinpath("image_identity_policy.toml").read_text(),
    page=PAGE,
)

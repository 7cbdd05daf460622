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
from leadapron.attacks.images.image_features import look, numbers_of, on_axes_of
from leadapron.attacks.images.image_gathering import ImageGathering
from leadapron.attacks.images.image_identity_attack import Attack, add_attackers
from leadapron.attacks.images.image_identity_controls import controls
from leadapron.attacks.images.image_identity_measures import COORDINATES, FIRST, MEASURES, PLACE
from leadapron.attacks.images.image_identity_page import PAGE
from leadapron.attacks.images.image_networks import embed_by_networks, lacking
from leadapron.attacks.images.image_sides import Sides, sides_of
from leadapron.audits.audit import NOTHING, Audit, AuditConfig, Knowledge
from leadapron.audits.images_subject import ImagesReads, ReleasedImages, load_images
from leadapron.engine import Progress, silent
from leadapron.errors import ConfigError, DataError
from leadapron.results import Findings

POOLS = (50, 100, 1000)
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


class ImageIdentityConfig(AuditConfig):
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


def audit_image_identity(
    subject: ReleasedImages, config: ImageIdentityConfig | None = None, *, progress: Progress = silent
) -> Findings:
    """The whole audit: patients of split ``test`` are attacked by one who knows all others."""
    config = config or ImageIdentityConfig()
    records = subject.source.records
    sides = sides_of(records, subject.source.where)
    found = ImageGathering(IMAGE_IDENTITY, seed=config.seed, records=records, patient=sides.patient)
    pools = _pools(config.pools, sides)
    why = {"on": "", "off": "switched off"}.get(config.networks, lacking(sides))
    with found.stage("looking"):
        seen = look_at(subject, sides, config, progress)
    if not why:
        with found.stage("networks"):
            networks = embed_by_networks(subject, sides, epochs=config.epochs, seed=config.seed, progress=progress)
            seen = Seen(seen.released, seen.real, seen.released_mixed, seen.real_mixed, networks)
    attack = Attack(seen, sides, pools, config.seed)
    with found.stage("attack"):
        judges = attack.judges()
        add_attackers(found, attack, judges)
    usual = USUAL if USUAL in pools else pools[0]
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


def look_at(subject: ReleasedImages, sides: Sides, config: ImageIdentityConfig, progress: Progress) -> Seen:
    """Released and real images as numbers; what is found on real images is found on known patients alone."""
    encoder = None if config.encoder == "none" else config.encoder
    real = look(subject.source.images, encoder, progress=progress)
    if not subject.defended:
        own = numbers_of(real, sides.learnt, config.seed)[0]
        return Seen(own, own, own, own, {})
    released = look(subject.released.images, encoder, progress=progress)
    plain = on_axes_of(real, sides.learnt, config.seed, released)
    mixed = numbers_of(real, sides.learnt, config.seed, released)
    return Seen(plain[1], plain[0], mixed[1], mixed[0], {})


def _pools(asked: tuple[int, ...], sides: Sides) -> list[int]:
    """Those that can be filled whoever is looked for."""
    own = np.bincount(sides.patient[sides.attacked])
    most = 1 + len(sides.attacked) - int(own.max())
    if too_large := [pool for pool in asked if not 2 <= pool <= most]:
        raise ConfigError("not a pool that can be filled", where="--pool", got=too_large[0], allowed=f"2 to {most:,}")
    if most < 2:
        raise DataError("there are no strangers to tell a patient from")
    return sorted(asked) or [pool for pool in POOLS if pool <= most] or [most]


def _run(
    subject: ReleasedImages, config: ImageIdentityConfig, _: Knowledge = NOTHING, progress: Progress = silent
) -> Findings:
    return audit_image_identity(subject, config, progress=progress)


IMAGE_IDENTITY = Audit(
    name="image-identity",
    question="can a released image be recognised as a patient's?",
    config=ImageIdentityConfig,
    run=_run,
    measures=MEASURES,
    attackers=PLAIN,
    coordinates=COORDINATES,
    place=PLACE,
    beside=("holds",),
    risk="recognition of patients in released images",
    subject="images",
    takes=frozenset(),
    reads=ImagesReads,
    load=load_images,
    split="test",
    policy=files("leadapron.attacks.images").joinpath("image_identity_policy.toml").read_text(),
    page=PAGE,
)

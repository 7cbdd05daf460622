"""The image-membership audit: was a patient among those whom a generator was trained on?

The attacker holds the patient's real images and looks for signs of them in released ones. Those of other records tell
of what the generator remembers; the patient's own counterparts lie nearer where it was trained on their sources.
"""

from __future__ import annotations

from importlib.resources import files

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import Field

from leadapron.attacks.images.flagged import area, flagged
from leadapron.attacks.images.image_gathering import ImageGathering
from leadapron.attacks.images.image_membership_page import AUC, MEASURES, OTHERS, OWN, PAGE, PLAIN, TPR
from leadapron.attacks.images.image_sides import Sides
from leadapron.attacks.images.nearest_images import nearest, whole_rows
from leadapron.audits.audit import AuditConfig
from leadapron.audits.images_subject import ReleasedImages, image_audit
from leadapron.audits.record_gathering import key_of
from leadapron.audits.vouching import null_outcome, off_half, planted_outcome
from leadapron.engine import Progress, silent
from leadapron.engine.remembered import content, remembered
from leadapron.results import Findings, Measured
from leadapron.stats import Outcome

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]
Scores = dict[str, Doubles]

RATE = 0.01
PLANTED_SHARE = 0.5
"""Of the members, whose images are given out again in the place of somebody else's counterpart."""
NULL, PLANTED = "null control (members drawn at random)", "planted copies of members"
FOUND = 0.7
LIMITS = (
    "Members are the patients of split train. Where the generator was trained on others, the audit says nothing.",
    "The attacker compares images by whitened components. One who can ask the generator itself may tell more.",
    "Undefended images were made by no generator: nobody was learnt from, and guessing is all there is.",
)


class ImageMembershipConfig(AuditConfig):
    """How many patients are asked about."""

    most: int = Field(default=1000, ge=20, description="Members, and as many others, that are asked about, at most.")


def audit_image_membership(
    subject: ReleasedImages, config: ImageMembershipConfig | None = None, *, progress: Progress = silent
) -> Findings:
    """Members are patients of ``train``, the others those of ``test``."""
    config, records = config or ImageMembershipConfig(), subject.source.records
    found, sides = ImageGathering.of(IMAGE_MEMBERSHIP, subject, config.seed)
    rng, training = np.random.default_rng(config.seed), records["split"].eq("train").arg_true().to_numpy()
    asked = [_patients(rng, sides.patient[rows], config.most) for rows in (training, sides.attacked)]
    rows = np.flatnonzero(np.isin(sides.patient, np.concatenate(asked)))
    with found.stage("looking"):
        progress("asking about patients", 0, 2)
        released = subject.released.images if subject.defended else None
        real, made = whole_rows(subject.source.images, training, config.seed, released)
        scores = _scores(real, made, rows, sides)
    for attacker, own in scores.items():
        _add(found, attacker, own, asked, records, sides)
    headline = found.strongest(AUC, tuple(PLAIN))
    with found.stage("controls"):
        progress("asking about patients", 1, 2)
        planted = _with_copies(real, made, asked[0], sides, rng)
        outcomes = [_null(scores, asked, config.seed), _power(_scores(real, planted, rows, sides), asked, headline)]
    progress("asking about patients", 2, 2)
    counts = {"members": len(asked[0]), "others": len(asked[1]), "released": len(subject.released)}
    return found.findings(
        headline, outcomes=outcomes, limits=LIMITS, counts=counts, details={"defended": subject.defended}
    )


def _patients(rng: np.random.Generator, patient: Ints, most: int) -> Ints:
    return np.sort(rng.permutation(np.unique(patient))[:most])


def _scores(real: Floats, made: Floats, rows: Ints, sides: Sides) -> Scores:
    """A score a patient, by number; NaN of those who were not asked about. Higher speaks for a member.

    Nearness is told in units of how near real images of other patients lie: an ordinary image is near to everything.
    """
    owner = sides.patient[rows], sides.patient
    usual = remembered(real, ("usual", content(rows, sides.patient)), lambda: nearest(real[rows], real, owner)[0])
    others = nearest(real[rows], made, owner)[0]
    own = np.sqrt(((real[rows] - made[rows]) ** 2).sum(axis=1)).astype(np.float64)
    found = {}
    for name, distance in ((OTHERS, others), (OWN, own)):
        best = np.full(int(sides.patient.max()) + 1, np.nan)
        np.fmax.at(best, sides.patient[rows], -np.log(np.maximum(distance / np.maximum(usual, 1e-6), 1e-6)))
        found[name] = best
    return found


def _with_copies(real: Floats, made: Floats, members: Ints, sides: Sides, rng: np.random.Generator) -> Floats:
    """An image of every other member stands in the place of a counterpart of somebody else, nearly as it was."""
    some = rng.permutation(members)[: max(1, round(PLANTED_SHARE * len(members)))]
    first = np.array([np.flatnonzero(sides.patient == one)[0] for one in some])
    place = rng.permutation(np.flatnonzero(~np.isin(sides.patient, some)))[: len(first)]
    planted = made.copy()
    noise = 0.1 * rng.standard_normal((len(place), real.shape[1]))
    planted[place] = real[first[: len(place)]] + noise.astype(np.float32)
    planted[first[: len(place)]] = real[first[: len(place)]] + noise.astype(np.float32)
    return planted


def _add(
    found: ImageGathering, attacker: str, scores: Doubles, asked: list[Ints], records: pl.DataFrame, sides: Sides
) -> None:
    members, others = (scores[patients] for patients in asked)
    estimate, placed = area(others, members)
    row = found.add(AUC, estimate, attacker=attacker, chance=0.5)
    first = np.unique(sides.patient, return_index=True)[1][asked[0]]
    names = records[first].select(record_id=pl.col("patient_id"), patient_id=pl.col("patient_id"))
    found.units.append(names.with_columns(row=pl.lit(key_of(row)), value=pl.Series(placed)))
    rate, _ = flagged(others, asked[1], members, asked[0], RATE)
    found.add(f"{TPR}={RATE:g}", rate, attacker=attacker, chance=RATE)


def _null(scores: Scores, asked: list[Ints], seed: int) -> Outcome:
    """The same scores, and who is called a member is drawn."""
    null = ImageGathering(IMAGE_MEMBERSHIP)
    drawn = np.random.default_rng(seed).permutation(np.concatenate(asked))
    for attacker, own in scores.items():
        estimate, _ = area(own[drawn[len(asked[0]) :]], own[drawn[: len(asked[0])]])
        null.add(AUC, estimate, attacker=attacker, chance=0.5)
    off = [row for row in null.estimates if off_half(row)]
    return null_outcome(NULL, null.estimates, off, "members drawn among all patients")


def _power(scores: Scores, asked: list[Ints], headline: Measured) -> Outcome:
    found = {name: area(own[asked[1]], own[asked[0]])[0].value for name, own in scores.items()}
    world = "images of half of the members given out again, nearly as they were; the AUC is then 0.75 at best"
    return planted_outcome(PLANTED, found, headline.attacker, world, least=FOUND)


IMAGE_MEMBERSHIP = image_audit(
    audit_image_membership,
    name="image-membership",
    answers="member",
    question="was a patient among those a generator was trained on?",
    config=ImageMembershipConfig,
    measures=MEASURES,
    attackers=PLAIN,
    risk="membership in a generator's training",
    split="train",
    policy=files("leadapron.attacks.images").joinpath("image_membership_policy.toml").read_text(),
    page=PAGE,
)

"""The image-copies audit: are released images copies of images that the generator was trained on?

A smooth image lies near to many. So nearness is not judged by itself, but by how near real images of other patients,
whom no generator has seen, come to the same training images; and by its tail, because copies are few.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from scipy.ndimage import gaussian_filter

from leadapron.attacks.images.flagged import flagged, threshold_at
from leadapron.attacks.images.image_copies_page import COORDINATES, FLAGGED, HELD_OUT, MEASURES, PAGE, PLAIN, TRAINING
from leadapron.attacks.images.image_gathering import ImageGathering
from leadapron.attacks.images.image_sides import sides_of
from leadapron.attacks.images.nearest_images import nearest, patch_distances, whole_rows
from leadapron.audits.audit import NOTHING, Audit, AuditConfig, Knowledge
from leadapron.audits.images_subject import ImagesReads, ReleasedImages, load_images
from leadapron.audits.vouching import null_outcome, off_chance, planted_outcome
from leadapron.engine import Progress, silent
from leadapron.results import Findings, Measured
from leadapron.stats import Outcome

Bytes = NDArray[np.uint8]
Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]

RATE, WIDER = 0.01, 0.05
FEWEST_ALARMS = 3.7
"""With fewer expected alarms none at all would be no surprise: then the wider share of real images is allowed."""
PUBLISHED_SHARE = 0.95
"""Dar et al. 2024 (arXiv 2402.01054): a copy is nearer to a training image than these are to validation images."""
PLANTED = 200
MOVED = 128
"""Duplicates are moved by a pixel in so many."""
NULL_CHECK, PLANTED_CHECK = "null control (real images of other patients)", "planted duplicates"
FOUND = 0.5
LIMITS = (
    "Copies are looked for among whole images and patches at the same place. A copy that was turned over, moved far or "
    "pasted elsewhere may be missed.",
    "The threshold is set by the nearest hundredth of real images of the test patients; the interval allows for that.",
    "A record's counterpart shares its findings, and so lies a little nearer to its source than chance has it: read "
    "those of training records beside those of held-out records.",
    "Undefended training images are their own copies, all of them.",
)


class ImageCopiesConfig(AuditConfig):
    """How many are looked at."""

    most: int = Field(default=2500, ge=50, description="Released images of each kind that are looked at, at most.")


@dataclass(frozen=True)
class _Sets:
    """Scores, higher is nearer to a training image, of real held-out images and of released ones, by attacker."""

    held: dict[str, Doubles]
    released: dict[str, Doubles]


def audit_image_copies(
    subject: ReleasedImages, config: ImageCopiesConfig | None = None, *, progress: Progress = silent
) -> Findings:
    """``train`` is what a generator was trained on, ``test`` the patients that it has not seen."""
    config, records = config or ImageCopiesConfig(), subject.source.records
    sides = sides_of(records, subject.source.where)
    found = ImageGathering(IMAGE_COPIES, seed=config.seed, records=records, patient=sides.patient)
    rng, training = np.random.default_rng(config.seed), records["split"].eq("train").arg_true().to_numpy()
    some = {TRAINING: _some(rng, training, config.most), HELD_OUT: _some(rng, sides.attacked, config.most)}
    asked = np.concatenate([*some.values()])
    planted, of = _planted(subject, rng, training)
    held_owner = sides.patient[sides.attacked]
    rate = RATE if RATE * len(np.unique(held_owner)) >= FEWEST_ALARMS else WIDER
    metric = f"{FLAGGED}={rate:g}"
    with found.stage("looking"):
        progress("looking for copies", 0, 2)
        others = np.concatenate([subject.released.images[asked], planted])
        sets, own = _compare(subject.source.images, training, sides.attacked, others, rate, config.seed)
        progress("looking for copies", 2, 2)
    for attacker, null in sets.held.items():
        start = 0
        for kind, rows in some.items():
            scores = sets.released[attacker][start : start + len(rows)]
            start += len(rows)
            estimate, above = flagged(null, held_owner, scores, sides.patient[rows], rate)
            row = found.add(metric, estimate, attacker=attacker, chance=rate, records=kind)
            found.keep(row, rows, above)
    published = _published(subject, sides.patient, training, some, found, config.seed)
    headline = found.strongest(metric, tuple(sets.held), records=TRAINING)
    outcomes = [_null(sets, held_owner, rate, config.seed), _power(sets, rate, len(asked), headline)]
    is_own = sides.patient[training][own[: len(some[TRAINING])]] == sides.patient[some[TRAINING]]
    counts = {"training": len(training), "held_out": len(sides.attacked), "records": len(asked)}
    details = {"own": float(is_own.mean()), "published": published, "planted": int(of), "defended": subject.defended}
    return found.findings(headline, outcomes=outcomes, limits=LIMITS, counts=counts, details=details)


def _some(rng: np.random.Generator, rows: Ints, most: int) -> Ints:
    return np.sort(rng.permutation(rows)[:most])


def _planted(subject: ReleasedImages, rng: np.random.Generator, training: Ints) -> tuple[Bytes, int]:
    """Training images, moved a little, softened and with noise: what a generator that remembers gives out."""
    chosen = _some(rng, training, PLANTED)
    by = subject.source.size // MOVED
    moved = np.roll(subject.source.images[chosen], (by, -by), axis=(1, 2)).astype(np.float64)
    soft = gaussian_filter(moved, (0, 0.6, 0.6)) + rng.normal(0, 4, moved.shape)
    return np.clip(soft, 0, 255).astype(np.uint8), len(chosen)


def _compare(images: Bytes, training: Ints, held: Ints, others: Bytes, rate: float, seed: int) -> tuple[_Sets, Ints]:
    """The scores, and which training image each of ``others`` is nearest to as a whole."""
    own, theirs = whole_rows(images, training, seed, others)
    known = own[training]
    near, _ = nearest(own[held], known)
    found, place = nearest(theirs, known)
    usual, made = patch_distances(images[training], [images[held], others], seed)
    patches = usual.scores(usual, rate), made.scores(usual, rate)
    return _Sets({"whole": -near, "patches": patches[0]}, {"whole": -found, "patches": patches[1]}), place


def _published(
    subject: ReleasedImages,
    patient: Ints,
    training: Ints,
    some: dict[str, Ints],
    found: ImageGathering,
    seed: int,
) -> float | None:
    """The published rule beside ours, and how often it takes a real image of somebody else for a copy."""
    validate = subject.source.records["split"].eq("validate").arg_true().to_numpy()
    if len(validate) < PLANTED // 10:
        return None
    held = subject.source.records["split"].eq("test").arg_true().to_numpy()
    rows = np.concatenate([*some.values()])
    others = subject.released.images[rows]
    own, theirs = (_at_length_one(part) for part in whole_rows(subject.source.images, training, seed, others))
    known = own[training]
    threshold = threshold_at(-nearest(known, own[validate])[0], 1 - PUBLISHED_SHARE)
    false_alarms = float((-nearest(own[held], known)[0] > threshold).mean())
    start = 0
    for kind, mine in some.items():
        above = (-nearest(theirs[start : start + len(mine)], known)[0] > threshold).astype(np.float64)
        start += len(mine)
        estimate = found.means(above[:, None], patient[mine])[0]
        found.add("flagged", estimate, attacker="published", chance=max(false_alarms, 1e-6), records=kind)
    return false_alarms


def _at_length_one(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Distances of such rows go by their correlation, which the published rule looks at."""
    unit: NDArray[np.float32] = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    return unit


def _null(sets: _Sets, owner: Ints, rate: float, seed: int) -> Outcome:
    """Half of the held-out patients set the threshold, and the other half is looked at."""
    patients = np.unique(owner)
    half = np.isin(owner, np.random.default_rng(seed).permutation(patients)[: len(patients) // 2])
    null = ImageGathering(IMAGE_COPIES)
    for attacker, scores in sets.held.items():
        estimate, _ = flagged(scores[half], owner[half], scores[~half], owner[~half], rate)
        null.add(f"{FLAGGED}={rate:g}", estimate, attacker=attacker, chance=rate, records=HELD_OUT)
    off = [row for row in null.estimates if off_chance(row) and not row.low <= rate <= row.high]
    return null_outcome(NULL_CHECK, null.estimates, off, "real images of patients whom no generator has seen")


def _power(sets: _Sets, rate: float, released: int, headline: Measured) -> Outcome:
    found = {
        attacker: float((sets.released[attacker][released:] > threshold_at(null, rate)).mean())
        for attacker, null in sets.held.items()
    }
    world = "training images, moved a little, softened and with noise"
    return planted_outcome(PLANTED_CHECK, found, headline.attacker, world, least=FOUND)


def _run(
    subject: ReleasedImages, config: ImageCopiesConfig, _: Knowledge = NOTHING, progress: Progress = silent
) -> Findings:
    return audit_image_copies(subject, config, progress=progress)


IMAGE_COPIES = Audit(
    name="image-copies",
    question="are released images copies of training images?",
    config=ImageCopiesConfig,
    run=_run,
    measures=MEASURES,
    attackers=PLAIN,
    never_headline=frozenset({"published"}),
    coordinates=COORDINATES,
    place="counterparts of {records}",
    beside=("records",),
    risk="copies of training images",
    subject="images",
    takes=frozenset(),
    reads=ImagesReads,
    load=load_images,
    split="test",
    page=PAGE,
)

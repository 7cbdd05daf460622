"""The image-linkage audit: does a released image lead to the report of its source, or to another released image?"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import Field

from leadapron.attacks.identity.plda import fit_plda
from leadapron.attacks.images.image_attackers import ADAPTIVE, STATIC
from leadapron.attacks.images.image_features import Numbers, numbers_of
from leadapron.attacks.images.image_gathering import ImageGathering
from leadapron.attacks.images.image_identity_attack import dealt_anew
from leadapron.attacks.images.image_linkage_page import COORDINATES, COUNTERPART, FIRST, MEASURES, PAGE, PLAIN, REPORT
from leadapron.attacks.images.image_sides import Sides
from leadapron.attacks.images.likeness import Likeness, Mates, by_plda, weigh, weighed
from leadapron.attacks.images.paired_gaussian import fit_pairs
from leadapron.attacks.images.ranked_mates import other_studies, rank_mates
from leadapron.audits.images_subject import ReleasedImages, image_audit
from leadapron.audits.pooled import PooledConfig
from leadapron.audits.vouching import null_outcome, off_chance, planted_outcome
from leadapron.engine import Progress, silent
from leadapron.engine.remembered import remembered
from leadapron.reports.report_vectors import report_vectors
from leadapron.results import Findings, Measured, Results
from leadapron.stats import Outcome
from leadapron.training.devices import AUTO, HELP, refuse_absent

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

NUMBERS = 128
"""Of a report."""
NULL, PLANTED = "null control (released images dealt at random)", "planted marks"
FOUND = 0.5
NO_REPORTS = "There are no reports to link to, or some records have none."
LIMITS = (
    "The attackers compare some hundred numbers of an image with words. Ones with a language model may do better.",
    "A report says the findings that a counterpart was made to show: some of this link is what was to be kept.",
    "Reports in the same words are one and the same to the attacker; ties are broken at random.",
)


class ImageLinkageConfig(PooledConfig):
    """Among how many."""

    pools: tuple[int, ...] = Field(
        default=(),
        description="Reports or images that the right one is looked for among. [default: 50, 100, 1000, as far as "
        "they go]",
        json_schema_extra={"option": "--pool"},
    )
    encoder: str = Field(
        default="phantom-reports", description="The encoder whose features attackers look at beside pixels; or none."
    )
    device: str = Field(default=AUTO, description=HELP)


@dataclass(frozen=True)
class Search:
    """What is sought: its rows, whose mates they are, and how alike each attacker finds it to a released image."""

    sought: str
    held: Ints
    mates: Mates
    judges: dict[str, Likeness]


def audit_image_linkage(
    subject: ReleasedImages, config: ImageLinkageConfig | None = None, *, progress: Progress = silent
) -> Findings:
    """Patients of split ``test`` are attacked by one who knows all others."""
    config = config or ImageLinkageConfig()
    refuse_absent(config.device)
    found, sides = ImageGathering.of(IMAGE_LINKAGE, subject, config.seed)
    with found.stage("looking"):
        pixels = subject.released.images, subject.source.images
        seen = numbers_of(*pixels, sides.learnt, config.encoder, config.seed, device=config.device, progress=progress)
        reports = _report_rows(subject.source.records, seen.real)
    with found.stage("attack"):
        searches = [counterparts(seen, sides, config.seed)]
        if reports is not None:
            searches.insert(0, of_reports(seen, reports, sides, config.seed))
        pools = sides.pools(config.pools, min(len(search.held) for search in searches), config.judged)
        for search in searches:
            _add(found, search, sides, pools)
    headline = found.strongest(FIRST, (ADAPTIVE, STATIC), sought=searches[0].sought, pool=pools[-1])
    with found.stage("controls"):
        outcomes = [_null(found, searches, sides, pools, config.seed)]
        outcomes.append(_planted(found, searches[0], seen.released_mixed, sides, headline, config.seed))
    if reports is None:
        outcomes.append(Outcome("reports", "not-run", "there are no reports to link to"))
    counts = {"records": len(sides.attacked), "patients": len(np.unique(sides.patient[sides.attacked]))}
    details = {"defended": subject.defended}
    return found.findings(headline, outcomes=outcomes, limits=LIMITS, counts=counts, details=details)


def _report_rows(records: pl.DataFrame, real: Floats) -> Floats | None:
    """Every record's report as numbers; None where some records have none."""
    texts = records["report"]
    if texts.null_count() or not texts.n_unique() > 1:
        return None
    what = ("reports", hashlib.sha256("\0".join(texts).encode()).hexdigest())
    return remembered(real, what, lambda: report_vectors(texts.to_list(), NUMBERS))


def of_reports(seen: Numbers, reports: Floats, sides: Sides, seed: int) -> Search:
    """A report stands once a study. The adaptive attacker has learnt from released images and their reports."""
    first = np.unique(sides.study, return_index=True)[1][sides.study]

    def mates(rows: Ints) -> Mates:
        return Mates(rows, first[rows])

    static = fit_pairs(seen.real, reports, mates(sides.learnt), seed).likeness(seen.released, reports)
    mixed = seen.released_mixed
    parts = {
        "static": static,
        "pairs": fit_pairs(mixed, reports, mates(sides.learnt), seed).likeness(mixed, reports),
    }
    weights = weigh(parts, mates(sides.weighed), (sides.patient, sides.patient), seed)
    judges = {ADAPTIVE: weighed(parts, weights), STATIC: static}
    return Search(REPORT, np.unique(first[sides.attacked]), mates(sides.attacked), judges)


def counterparts(seen: Numbers, sides: Sides, seed: int) -> Search:
    """Another released image of the patient, of another study: identity among released images alone."""

    def mates(rows: Ints) -> Mates:
        return other_studies(rows, sides.patient, sides.study)

    learnt, patient = sides.learnt, sides.patient[sides.learnt]
    real, released, mixed = seen.real, seen.released, seen.released_mixed
    static = fit_pairs(real, real, mates(learnt), seed).likeness(released, released)
    if (known := fit_plda(real[learnt], patient)) is not None:
        static = by_plda(known, released, released)
    parts = {"static": static, "pairs": fit_pairs(mixed, mixed, mates(learnt), seed).likeness(mixed, mixed)}
    if (plda := fit_plda(mixed[learnt], patient)) is not None:
        parts["plda"] = by_plda(plda, mixed, mixed)
    weights = weigh(parts, mates(sides.weighed), (sides.patient, sides.patient), seed)
    judges = {ADAPTIVE: weighed(parts, weights), STATIC: static}
    return Search(COUNTERPART, sides.attacked, mates(sides.attacked), judges)


def _add(found: ImageGathering, search: Search, sides: Sides, pools: Sequence[int], dealt: Ints | None = None) -> None:
    owner = (sides.patient, sides.patient)
    for attacker, likeness in search.judges.items():
        asked = likeness if dealt is None else likeness.with_left(dealt)
        ranked = rank_mates(asked, search.mates, search.held, owner, pools)
        for pool, values in ranked.first.items():
            at = {"sought": search.sought, "pool": pool}
            found.add_values(FIRST, ranked.query, values, attacker=attacker, chance=1 / pool, **at)


def _null(found: ImageGathering, searches: list[Search], sides: Sides, pools: list[int], seed: int) -> Outcome:
    null = ImageGathering(IMAGE_LINKAGE, records=found.records, patient=found.patient)
    for search in searches:
        _add(null, search, sides, pools[:1], dealt_anew(sides, seed))
    off = [row for row in null.estimates if off_chance(row)]
    return null_outcome(NULL, null.estimates, off, "released images dealt to other patients")


def _planted(
    found: ImageGathering, search: Search, mixed: Floats, sides: Sides, headline: Measured, seed: int
) -> Outcome:
    """A mark of its own for every study, in its released images and in what is sought: the link must be found."""
    rng = np.random.default_rng(seed)
    marks = rng.standard_normal((int(sides.study.max()) + 1, 8)).astype(np.float32)
    marked = np.concatenate([mixed, 3 * marks[sides.study]], axis=1)
    sought = 3 * marks[sides.study]
    likeness = fit_pairs(marked, sought, Mates(sides.learnt, sides.learnt), seed).likeness(marked, sought)
    planted = ImageGathering(IMAGE_LINKAGE, records=found.records, patient=found.patient)
    first = np.unique(sides.study, return_index=True)[1][sides.study]
    mates, held = Mates(sides.attacked, first[sides.attacked]), np.unique(first[sides.attacked])
    judges = dict.fromkeys(search.judges, likeness)
    _add(planted, Search(search.sought, held, mates, judges), sides, [headline.pool])
    share = {row.attacker: row.value for row in planted.estimates}
    return planted_outcome(PLANTED, share, headline.attacker, "a mark a study, in images and reports", least=FOUND)


def _without_reports(results: Results, select: Mapping[str, str | int]) -> tuple[str, str] | None:
    """A limit for links to reports says nothing where there are none."""
    reports = any(row.has(sought=REPORT) for row in results.estimates)
    return ("not-applicable", NO_REPORTS) if select.get("sought") == REPORT and not reports else None


IMAGE_LINKAGE = image_audit(
    audit_image_linkage,
    name="image-linkage",
    answers="joined",
    answers_at={COUNTERPART: "recognised"},
    question="does a released image lead to a report, or to another released image?",
    config=ImageLinkageConfig,
    measures=MEASURES,
    attackers=PLAIN,
    coordinates=COORDINATES,
    place="among {pool:,} {many}",
    beside=("sought",),
    risk="links from released images",
    policy=files("leadapron.attacks.images").joinpath("image_linkage_policy.toml").read_text(),
    lacks=_without_reports,
    page=PAGE,
)

"""Codes: an image is released as one of a few points, each shared by many patients, that say what it may show.

Whoever holds the reports in words is not bound by what was done to the reports' vectors, so the images themselves have
to say little. A network tells how likely each finding is; the points are means of images for which that is alike. How
severe a finding is, and whatever else image and report share, is not in them. Reports become points of the same kind.
"""

from __future__ import annotations

import numpy as np
from pydantic import Field
from scipy.special import logit

from leadapron.defences.defence import Defence, DefenceCard
from leadapron.defences.subjects import OtherRelease
from leadapron.defences.vectors.defended import (
    FITTED_ON,
    GROUP,
    Doubles,
    Floats,
    defended,
    fitting_part,
    vectors_of,
)
from leadapron.defences.vectors.finding_directions import fit_findings, standardised_labels
from leadapron.defences.vectors.finding_network import fit_networks
from leadapron.defences.vectors.lift import lift, typical_length
from leadapron.defences.vectors.microaggregate import check_k, numbered_patients
from leadapron.defences.vectors.shared_codes import nearest_code, shared_codes
from leadapron.defences.vectors.sharing import count_sharing
from leadapron.engine import Progress
from leadapron.engine.documents import Config
from leadapron.errors import DataError
from leadapron.privacy import Guarantee
from leadapron.release import Release
from leadapron.release.fitting import grouped
from leadapron.release.rows import distinct_rows

ROUNDS = 30
SEED = 0
SUREST = 1e-3
STATEMENT = (
    "k-anonymity of a vector with k = {k}: an image's is one of {count}, and so is a report's, each shared by at least "
    "{k} patients. {limits} So of N reports with one image each, an attacker who is shown one image's vector at a time "
    "finds at most {count}, whatever they know of the reports. Nothing is promised about several images of one patient "
    "taken together, about what all patients with a vector have in common, nor about the table of records beside the "
    "vectors. It is not differential privacy."
)


class CodesConfig(Config):
    codes: int = Field(
        1024,
        ge=2,
        description="Points of which each image becomes one, at most; fewer protect more.",
        json_schema_extra={"option": ["--codes", "--strength"]},
    )
    k: int = Field(10, ge=2, description="Fewest patients that share a point.")
    fitted_on: OtherRelease | None = FITTED_ON


def codes(release: Release, config: CodesConfig, _progress: Progress) -> tuple[Release, DefenceCard]:
    """Images as the nearest of ``codes`` points, reports as the same, each shared by ``k`` patients.

    Points are found where each label's likelihood is standardised as the label is: there a distance is what is lost of
    the labels' variance, and rare findings count as much as common ones.
    """
    vectors = vectors_of(release)
    if "image" not in vectors:
        raise DataError("codes need images", where=release.where, got=", ".join(vectors))
    patient, k = numbered_patients(release), config.k
    check_k(k, int(patient.max()) + 1, release.where)
    release, part, fittings = fitting_part(release, config.fitted_on, "codes")
    labels, names = standardised_labels(part)
    learnt_from = vectors_of(part)
    truth = np.where(np.isnan(labels), np.nan, labels > 0)
    networks, by_others = fit_networks(learnt_from["image"], truth, numbered_patients(part), SEED)
    share = np.nanmean(truth, axis=0)

    def standardised(likely: Doubles) -> Doubles:
        moved: Doubles = (likely - share) / np.sqrt(share * (1 - share))
        return moved

    def evidence(points: Doubles) -> Doubles:
        """What is released of points: log odds beyond those of the label, which a linear probe reads as they stand."""
        likely = np.clip(points * np.sqrt(share * (1 - share)) + share, SUREST, 1 - SUREST)
        moved: Doubles = logit(likely) - logit(share)
        return moved

    seen = standardised(networks(vectors["image"]))
    if config.fitted_on is None:  # those who taught the networks, by the one that has not seen them
        seen[(release.records["split"] == "train").fill_null(value=False).to_numpy()] = standardised(by_others)
    candidates = _means_of_the_alike(standardised(by_others), config.codes)
    kept, chosen = shared_codes(seen, np.arange(len(seen)), candidates, patient, k)
    constant = typical_length(evidence(kept))
    released, groups = {"image": lift(evidence(kept), constant)[chosen]}, {"image": chosen}
    prompts = None
    if "text" in vectors:
        texts = learnt_from["text"].astype(np.float64)
        middle, directions = texts.mean(axis=0), fit_findings(texts, labels)

        def said(rows: Floats) -> Doubles:
            told: Doubles = (rows - middle) @ directions
            return told

        def prompts(rows: Floats) -> Floats:
            return lift(evidence(said(rows)), constant)

        first, number = distinct_rows(vectors["text"])
        points, nearest = shared_codes(said(vectors["text"][first]), number, kept, patient, k)
        released["text"], groups["text"] = lift(evidence(points), constant)[nearest[number]], nearest[number]
    sharing = count_sharing(groups, patient, release.records)
    guarantee = Guarantee(
        "k-anonymity",
        "vector",
        statement=STATEMENT.format(k=k, count=len(kept), limits=sharing.limits()),
        details={"k": k, "codes": len(kept), **sharing.details()},
    )
    card = CODES.card(config, guarantee, fitted_on=fittings[-1].on, labels=list(names), codes=len(kept))
    return defended(
        release,
        released,
        prompts,
        card.model_copy(update={"done": DONE.format(k=k, count=len(kept))}),
        (*fittings, grouped("codes", release.records)),
    )


DONE = "numbers of X-rays and reports replaced by one of {count} points, each shared by {k} patients or more."
CODES = Defence(
    "codes",
    "release, for each image, one of a few points that say its findings: k-anonymity",
    "release",
    CodesConfig,
    codes,
    group=GROUP,
    strength="codes",
)


def _means_of_the_alike(points: Doubles, codes: int) -> Doubles:
    """At most so many means (k-means, begun at points that lie apart by chance and by distance)."""
    rng = np.random.default_rng(SEED)
    begun = [points[rng.integers(len(points))]]
    apart = np.square(points - begun[0]).sum(axis=1)
    while len(begun) < codes and apart.max() > 0:
        begun.append(points[rng.choice(len(points), p=apart / apart.sum())])
        apart = np.minimum(apart, np.square(points - begun[-1]).sum(axis=1))
    means = np.stack(begun)
    for _ in range(ROUNDS):
        group = np.unique(nearest_code(points, means), return_inverse=True)[1]  # a mean of none is given up
        moved = np.stack([np.bincount(group, column) for column in points.T], axis=1) / np.bincount(group)[:, None]
        if moved.shape == means.shape and np.allclose(moved, means):
            break
        means = moved
    return means

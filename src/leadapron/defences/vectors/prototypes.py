"""Prototypes: a report is released as a stand-in for all reports that say the same findings.

The reports' vectors are replaced by those of a few prototypes, each shared by at least k patients, and the images keep
what they say about the findings and nothing else. So whoever uses the images for the findings loses little, and whoever
links released vectors ends among k patients' reports. Whoever holds the reports' words and the encoder is not bound by
what was done to the reports' vectors: against them it is ``subspace`` with all labels.
"""

from __future__ import annotations

import numpy as np
from pydantic import Field

from leadapron.defences.defence import Defence, DefenceCard
from leadapron.defences.subjects import OtherRelease
from leadapron.defences.vectors.defended import (
    FITTED_ON,
    GROUP,
    Doubles,
    Floats,
    Ints,
    defended,
    fitting_part,
    vectors_of,
)
from leadapron.defences.vectors.finding_directions import fit_findings, standardised_labels
from leadapron.defences.vectors.lift import lift, typical_length
from leadapron.defences.vectors.microaggregate import check_k, numbered_patients
from leadapron.defences.vectors.shared_codes import shared_codes
from leadapron.defences.vectors.sharing import count_sharing
from leadapron.engine import Progress
from leadapron.engine.documents import Config
from leadapron.errors import ConfigError, DataError
from leadapron.privacy import Guarantee
from leadapron.release import Release
from leadapron.release.fitting import grouped
from leadapron.release.rows import distinct_rows, mapped

STATEMENT = (
    "k-anonymity of a report's vector with k = {k}: it is one of {count} stand-ins, each shared by at least {k} "
    "patients. {limits} Images are not grouped: each keeps {labels} numbers that say how much it looks like the "
    "labelled findings, and nothing else. Nothing is promised about the table of records beside the vectors, nor that "
    "an image cannot be told from another. It is not differential privacy."
)


class PrototypesConfig(Config):
    k: int = Field(
        20,
        ge=2,
        description="Fewest patients that share a stand-in; more protect more.",
        json_schema_extra={"option": ["--k", "--strength"]},
    )
    fitted_on: OtherRelease | None = FITTED_ON


def prototypes(release: Release, config: PrototypesConfig, _progress: Progress) -> tuple[Release, DefenceCard]:
    """Images as their predicted findings, reports as the nearest prototype that ``k`` patients share.

    A linear map predicts the standardised labels from each side. A prototype is the mean prediction of the training
    reports with one set of findings; sets of too few patients have none, and reports go to the nearest that is left.
    """
    vectors = vectors_of(release)
    if set(vectors) != {"image", "text"}:
        raise DataError("prototypes need images and reports", where=release.where, got=", ".join(vectors))
    patient, k = numbered_patients(release), config.k
    check_k(k, int(patient.max()) + 1, release.where)
    release, part, fittings = fitting_part(release, config.fitted_on, "prototypes")
    labels, names = standardised_labels(part)
    training = {side: rows.astype(np.float64) for side, rows in vectors_of(part).items()}
    means = {side: rows.mean(axis=0) for side, rows in training.items()}
    maps = {side: fit_findings(rows, labels) for side, rows in training.items()}

    def findings(side: str, rows: Floats) -> Doubles:
        predicted: Doubles = (rows - means[side]) @ maps[side]
        return predicted

    candidates = _sets_of_findings(findings("text", vectors_of(part)["text"]), labels, numbered_patients(part), k)
    first, number = distinct_rows(vectors["text"])
    said = findings("text", vectors["text"][first])
    kept, chosen = shared_codes(said, number, candidates, patient, k)
    constant = typical_length(findings("image", vectors_of(part)["image"]))
    stand_ins = lift(kept, constant)
    sharing = count_sharing({"text": chosen[number]}, patient, release.records)
    guarantee = Guarantee(
        "k-anonymity",
        "vector",
        statement=STATEMENT.format(k=k, count=len(kept), labels=len(names), limits=sharing.limits("report vectors")),
        details={"k": k, "prototypes": len(kept), "side": "text", **sharing.details()},
    )
    card = PROTOTYPES.card(config, guarantee, fitted_on=fittings[-1].on, labels=list(names), prototypes=len(kept))
    return defended(
        release,
        {
            "image": mapped(vectors["image"], lambda rows: lift(findings("image", rows), constant)),
            "text": stand_ins[chosen][number],
        },
        lambda rows: lift(findings("text", rows), constant),
        card.model_copy(update={"done": DONE.format(k=k, count=len(kept))}),
        (*fittings, grouped("prototypes", release.records)),
    )


DONE = (
    "numbers of reports replaced by {count} stand-ins, each shared by {k} patients or more; those of X-rays cut to "
    "findings."
)
PROTOTYPES = Defence(
    "prototypes",
    "release, for each report, a stand-in that many patients share: k-anonymity of reports",
    "release",
    PrototypesConfig,
    prototypes,
    group=GROUP,
    strength="k",
)


def _sets_of_findings(said: Doubles, labels: Doubles, patient: Ints, k: int) -> Doubles:
    """The mean of what the reports say, for each set of findings that at least k patients have."""
    code = (np.nan_to_num(labels, nan=-1.0) > 0) @ (1 << np.arange(labels.shape[1]))
    _, group = np.unique(code, return_inverse=True)
    patients = np.array([len(np.unique(patient[group == number])) for number in range(group.max() + 1)])
    common = np.flatnonzero(patients >= k)
    if not len(common):
        raise ConfigError(
            "no set of findings is shared by so many patients",
            where="k",
            got=k,
            allowed=f"2 to {patients.max()}, the patients of the commonest set",
        )
    return np.stack([said[group == number].mean(axis=0) for number in common])

"""What the attack on one model does not tell, in sentences for people."""

from __future__ import annotations

import polars as pl

from leadapron.attacks.membership.as_found_reading import AsFound
from leadapron.attacks.membership.as_found_scores import REFERENCE_RECORDS
from leadapron.attacks.membership.tail import TAIL


def limits_of(found: AsFound, slopes: pl.DataFrame, slope: float) -> list[str]:
    references = found.signals.models - 1
    limits = [
        "This is one attack on one model. That it finds little does not show that the model is safe: an audit of many "
        "models is far more sensitive.",
        f"How sure models usually are was learned from {references} reference{'s' if references > 1 else ''}. "
        "References that were trained otherwise, or on some of these records, make the attack weaker.",
    ]
    if len(found.signals) > REFERENCE_RECORDS:
        limits.append(
            f"rmia-500 is the published score, against {REFERENCE_RECORDS} random records: it has steps of "
            f"{1 / REFERENCE_RECORDS:g}, and where few false alarms are allowed they cost it most of its success."
        )
    if found.truth is None:
        alike = float(slopes["rank_correlation"].to_numpy().min())
        limits.append(
            "Success was not measured. A high rank is a suspicion, and how often it would be right is not known."
        )
        limits.append(
            f"The slope is {slope:g}; with any other from 0 to 1 ranks correlate with these by {alike:.2f} or more."
        )
        limits.append(
            f"Groups are those of the top {TAIL:.0%} of all records by score: of the suspected, not of the exposed."
        )
        return limits
    aucs = slopes["auc"].to_numpy()
    limits += [
        f"The slope is {slope:g}, a constant; with others from 0 to 1 the AUC is between {aucs.min():.3f} and "
        f"{aucs.max():.3f}.",
        "Intervals are over patients. Another model, trained again on the same patients, would expose others.",
        "Members and others may differ in ways that the references do not show: part of the success can be that.",
        "Precision holds for the share of members in this collection. Among the public it is smaller.",
        f"Groups are those of the top {TAIL:.0%} of the members' records by score.",
    ]
    return limits

"""Identity in sentences: the verdict in natural frequencies, what is left of it in fairer comparisons, and copies."""

from __future__ import annotations

from leadapron.report.basis import basis
from leadapron.report.numerals import out_of, round_percent, so_many
from leadapron.report.results import Results
from leadapron.report.selection import SMALLEST_CELL, Estimate, few, headline, select

CASES = 1000

PAIRS = {"all-pairs": "all pairs", "apart": "taken apart", "matched": "alike strangers"}
"""Which pairs of one patient are told from which pairs of strangers."""
GALLERIES = {"random": "any strangers", "apart": "taken apart", "matched": "alike strangers"}
METRIC_NAMES = {
    "auc": "Pair of one patient scores higher (AUC)",
    "eer": "Equal error rate",
    "accuracy": "Right (accuracy)",
    "specificity": "Strangers told apart (specificity)",
    "recall": "One patient recognised (recall)",
    "precision": "Right when saying “one patient” (precision)",
    "f1": "F1",
    "precision@1": "Right patient first (precision@1)",
    "map@r": "Mean average precision (mAP@R)",
    "r-precision": "R-precision",
    "patient-recognised": "Patient recognised at least once",
}
COUNT_NAMES = {
    "records": "radiographs",
    "patients": "patients",
    "patients_with_two": "patients with two or more",
    "without_mate": "radiographs without a mate",
    "same_patient_pairs": "pairs of one patient",
    "same_day_pairs": "of them on one day",
    "same_picture_pairs": "of them one picture",
    "strangers_same_picture": "strangers' pairs, one picture",
    "unknown_age": "of unknown age",
    "unknown_sex": "of unknown sex",
    "unknown_view": "of unknown view",
}
ATTRIBUTES = {"age": "age (ten years)"}


def verdict(results: Results) -> str:
    row = headline(results)
    size = out_of(row["chance"], row["n"])
    return (
        f"Of {size:,} radiographs whose patient has another one in the release, an attacker finds that patient's image "
        f"first, ahead of {_strangers(results, row)}, for {so_many(row['value'], size)}; "
        f"guessing would for {so_many(row['chance'], size)}. {basis(results, row, 'radiographs')}"
    )


def _strangers(results: Results, row: Estimate) -> str:
    """Whom a gallery holds beside the patient's own other images; the largest holds everybody."""
    if row["pool"] >= results.content["counts"].get("records", 0) - 1:
        return "all strangers' in the release"
    return f"{row['pool'] - 1:,} strangers'"


def support(results: Results) -> list[str]:
    """What belongs to the verdict: patients, pairs, alike strangers, pairs taken apart, copies, and who is left out."""
    return [
        *_patients(results),
        *_pairs(results),
        _matched(results),
        _apart(results),
        _copies(results),
        _left_out(results),
    ]


def of_attacker(results: Results, protocol: str, metric: str) -> Estimate | None:
    """The headline's attacker by another measure, in the largest gallery; None where it was not measured."""
    found = select(results, attacker=results.content["headline"]["attacker"], protocol=protocol, metric=metric)
    told = [row for row in found if row["n"] >= SMALLEST_CELL]
    return max(told, key=lambda row: int(row["pool"]), default=None)


def _patients(results: Results) -> list[str]:
    row = of_attacker(results, "random", "patient-recognised")
    if row is None:
        return []
    size = out_of(row["chance"], row["n"])
    return [
        f"Of {size:,} patients with two radiographs or more, {so_many(row['value'], size)} are recognised by at least "
        f"one of them; guessing would recognise {so_many(row['chance'], size)}."
    ]


def _pairs(results: Results) -> list[str]:
    row = of_attacker(results, "all-pairs", "auc")
    if row is None:
        return []
    return [
        f"Given a pair of radiographs of one patient and a pair of strangers', the former scores higher in "
        f"{_cases(row)} cases; guessing would get {CASES // 2}."
    ]


def _matched(results: Results) -> str:
    """What is left when the strangers look like the patient on paper."""
    attributes = results.content.get("matched_on", [])
    pairs, first = (of_attacker(results, "matched", metric) for metric in ("auc", "precision@1"))
    if not attributes:
        return "Strangers of the same age, sex, view and findings were not compared: the release does not know them."
    alike = f"strangers of the same {matched_on(results)}"
    if pairs is None:
        return f"What is left against {alike} was not measured: too few of them agree."
    sentence = f"Against {alike}, the pair of one patient scores higher in {_cases(pairs)} cases"
    if first is None:
        return f"{sentence}."
    ahead = f"ahead of {first['pool'] - 1:,} of them"
    return f"{sentence}, and the right patient comes first, {ahead}, for {_cases(first)}{_else(results, first)}."


def matched_on(results: Results) -> str:
    return listed([ATTRIBUTES.get(name, name) for name in results.content.get("matched_on", [])])


def listed(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


def _apart(results: Results) -> str:
    """What is left without pairs that are alike because they were taken together."""
    counts = results.content["counts"]
    pairs, first = (of_attacker(results, "apart", metric) for metric in ("auc", "precision@1"))
    if pairs is None:
        if counts.get("same_day_pairs", 0) == counts.get("same_picture_pairs", 0) == 0:
            return "As far as is known, no two radiographs of a patient are of one day or one and the same picture."
        return "What is left without repeats of one day and copies was not measured: too few pairs are left."
    sentence = f"Without repeats of one day and copies, the pair of one patient scores higher in {_cases(pairs)} cases"
    if first is None:
        return f"{sentence}."
    return f"{sentence}, and the right patient comes first of all images for {_cases(first)}{_else(results, first)}."


def _cases(row: Estimate) -> str:
    return f"{so_many(row['value'], CASES)} of {CASES:,}"


def _else(results: Results, row: Estimate) -> str:
    """The same attacker in a gallery as large, of all pairs and any strangers: what a number is to be compared with."""
    spot = {key: row[key] for key in ("attacker", "pool", "metric")}
    plain = select(results, **spot, protocol="random")
    return f" (otherwise {so_many(plain[0]['value'], CASES)})" if plain else ""


def _copies(results: Results) -> str:
    """Near-duplicates are recognised by anybody; how many there are is told apart from the risk."""
    counts = results.content["counts"]
    told = (
        f"Of the {few(counts.get('same_patient_pairs', 0))} pairs of one patient, "
        f"{few(counts.get('same_day_pairs', 0))} are of one day or study and "
        f"{few(counts.get('same_picture_pairs', 0))} are one and the same picture."
    )
    if "strangers_same_picture" not in counts:
        return told
    strangers = counts["strangers_same_picture"]
    if strangers == 0:
        return f"{told} Of the strangers' pairs none is."
    return f"{told} Of the strangers' pairs {few(strangers)} are: look whether one patient goes by two names there."


def _left_out(results: Results) -> str:
    alone = results.content["counts"].get("without_mate", 0)
    if alone == 0:
        return "Every radiograph has another one of its patient in the release; none is left out."
    return (
        f"Left out: {few(alone)} radiographs without another one of their patient in the release. An attacker who "
        "holds one from elsewhere may still recognise them."
    )


def metric_name(metric: str) -> str:
    if metric.startswith("tpr@fpr="):
        return f"Recognised at {round_percent(float(metric.partition('=')[2]))} false alarms"
    return METRIC_NAMES.get(metric, metric)


def facts(results: Results) -> dict[str, str]:
    spot = results.content["headline"]
    return {
        "Headline": f"right patient first ({spot['metric']}), {spot['attacker']}, gallery of all other images of the "
        f"patient and {_strangers(results, headline(results))}",
        "Strangers alike in": matched_on(results) or "nothing: the release has no attributes",
        "Threshold set on": results.content.get("threshold", "not given"),
    }

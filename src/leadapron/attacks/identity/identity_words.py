"""Identity in sentences: what is left of the verdict in fairer comparisons, and copies."""

from __future__ import annotations

from leadapron.attacks.identity.identity_measures import COORDINATES
from leadapron.attacks.open_world import METRIC
from leadapron.attacks.open_world_words import before_sentences
from leadapron.audits.audit_registry import find_audit
from leadapron.audits.wording import named, sentence
from leadapron.pages.numerals import so_many
from leadapron.results import Measured, Results
from leadapron.results.selection import SMALLEST_CELL, few, first, headline, select

CASES = 1000

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


def support(results: Results) -> list[str]:
    """What belongs to the verdict: patients, pairs, alike strangers, pairs taken apart, copies, and who is left out."""
    return [
        *_patients(results),
        *_open_world(results),
        *_pairs(results),
        _matched(results),
        _apart(results),
        _copies(results),
        _left_out(results),
    ]


def of_attacker(results: Results, protocol: str, metric: str) -> Measured | None:
    """The headline's attacker by another measure, in the largest gallery; None where it was not measured."""
    found = select(results, attacker=results.spot.attacker, protocol=protocol, metric=metric)
    told = [row for row in found if row.n >= SMALLEST_CELL]
    return max(told, key=lambda row: int(row.pool), default=None)


def _patients(results: Results) -> list[str]:
    row = of_attacker(results, "random", "patient-recognised")
    return [] if row is None else [f"{sentence(find_audit('identity'), row)}."]


def _open_world(results: Results) -> list[str]:
    row = first(results, **{**results.spot.keys, "metric": METRIC})
    here = [] if row is None else [f"{sentence(find_audit('identity'), row)}."]
    return [*here, *before_sentences(results, "precision@1")]


def _pairs(results: Results) -> list[str]:
    row = of_attacker(results, "all-pairs", "auc")
    if row is None:
        return []
    return [
        f"Given a pair of radiographs of one patient and a pair of strangers', the former scores higher in "
        f"{_cases(row)} cases; by guessing, in {CASES // 2}."
    ]


def _matched(results: Results) -> str:
    """What is left when the strangers look like the patient on paper."""
    attributes = results.details.get("matched_on", [])
    pairs, first = (of_attacker(results, "matched", metric) for metric in ("auc", "precision@1"))
    if not attributes:
        return "Strangers of the same age, sex, view and findings were not compared: the release does not know them."
    alike = f"strangers of the same {matched_on(results)}"
    if pairs is None:
        return f"What is left against {alike} was not measured: too few of them agree."
    sentence = f"Against {alike}, the pair of one patient scores higher in {_cases(pairs)} cases"
    if first is None:
        return f"{sentence}."
    ahead = f"ahead of {first.pool - 1:,} of them"
    return f"{sentence}, and the right patient comes first, {ahead}, for {_cases(first)}{_else(results, first)}."


def matched_on(results: Results) -> str:
    return listed([ATTRIBUTES.get(name, name) for name in results.details.get("matched_on", [])])


def listed(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


def _apart(results: Results) -> str:
    """What is left without pairs that are alike because they were taken together."""
    counts = results.counts
    pairs, first = (of_attacker(results, "apart", metric) for metric in ("auc", "precision@1"))
    if pairs is None:
        if counts.get("same_day_pairs", 0) == counts.get("same_picture_pairs", 0) == 0:
            return "As far as is known, no two radiographs of a patient are of one day or one and the same picture."
        return "What is left without repeats of one day and copies was not measured: too few pairs are left."
    sentence = f"Without repeats of one day and copies, the pair of one patient scores higher in {_cases(pairs)} cases"
    if first is None:
        return f"{sentence}."
    return f"{sentence}, and the right patient comes first of all images for {_cases(first)}{_else(results, first)}."


def _cases(row: Measured) -> str:
    return f"{so_many(row.value, CASES)} of {CASES:,}"


def _else(results: Results, row: Measured) -> str:
    """The same attacker in a gallery as large, of all pairs and any strangers: what a number is to be compared with."""
    plain = select(results, attacker=row.attacker, pool=row.pool, metric=row.metric, protocol="random")
    return f" (otherwise {so_many(plain[0].value, CASES)})" if plain else ""


def _copies(results: Results) -> str:
    """Near-duplicates are recognised by anybody; how many there are is told apart from the risk."""
    counts = results.counts
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
    alone = results.counts.get("without_mate", 0)
    if alone == 0:
        return "Every radiograph has another one of its patient in the release; none is left out."
    return (
        f"Left out: {few(alone)} radiographs without another one of their patient in the release. An attacker who "
        "holds one from elsewhere may still recognise them."
    )


def against(protocol: str) -> str:
    return str(COORDINATES["protocol"].words_of(protocol)["against"])


def _gallery(results: Results, row: Measured) -> str:
    """The largest gallery holds everybody."""
    if row.pool >= (results.counts.get("records") or 0) - 1:
        return "all other images of the release"
    return f"all other images of the patient and {row.pool - 1:,} strangers'"


def facts(results: Results) -> dict[str, str]:
    row = headline(results)
    return {
        "Headline": f"{named(find_audit('identity'), row)} in a gallery of {_gallery(results, row)}, by {row.attacker}",
        "Strangers alike in": matched_on(results) or "nothing: the release has no attributes",
        "Threshold set on": results.details.get("threshold", "not given"),
    }

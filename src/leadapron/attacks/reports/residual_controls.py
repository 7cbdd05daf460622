"""Controls of every residual audit: where nothing is left nothing must be found, and what was left on purpose must be.

Both run the whole audit again. For the first, reports are made in which exactly the identifiers of the truth are gone,
and other patients' cells are sought. For the second, one identifier of every patient is left, and every patient's
first report ends with a cell of the own row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from leadapron.attacks.reports.against_truth import Compared, compare_cases
from leadapron.attacks.reports.copied_stretches import merged
from leadapron.attacks.reports.open_words import open_parts
from leadapron.attacks.reports.other_recogniser import PACKAGE, Recogniser, finds_names
from leadapron.attacks.reports.report_cases import Case, by_patient
from leadapron.attacks.reports.report_subject import ReleasedReports
from leadapron.attacks.reports.residual_measures import ALL, TABLE, TRUTH
from leadapron.attacks.reports.residual_rows import ResidualGathering, add_truth
from leadapron.attacks.reports.table_search import add_null, search, with_planted
from leadapron.attacks.reports.true_spans import Span
from leadapron.audits.audit import Audit
from leadapron.audits.vouching import FEWEST, null_outcome, off_chance, planted_outcome
from leadapron.stats import Outcome

NULL, PLANTED = "null control (nothing is left)", "planted identifiers"
ALIGNED, REPLACED = "reports are the source with the spans replaced", "what was found was replaced"
SOUND = "other recogniser finds invented people"
LEAST = 0.95
MANY = 0.5
"""The share of a category's spans that may stand unchanged; a stand-in is the same by coincidence now and then."""
TAG = "[GONE]"
PATIENTS = 1000


def null_control(audit: Audit, subject: ReleasedReports, seed: int) -> Outcome:
    """What is found where there is nothing to find."""
    cases, table, reports = some_patients(subject.cases or (), seed), subject.table, subject.reports
    found = ResidualGathering(audit, seed=seed)
    if cases:
        add_truth(found, compare_cases([without(case, case.truth) for case in cases]))
    if table is not None:
        add_null(found, table, reports, seed)
    rows = [row for row in found.estimates if row.has(metric="leak", category=ALL)]
    missed = [row for row in found.estimates if row.has(metric="recall-strict", category=ALL) and row.value < 1]
    worlds = ["every identifier of the truth cut out"] if cases else []
    worlds += [] if table is None else ["cells of other patients sought"]
    return null_outcome(NULL, rows, [row for row in rows if off_chance(row)] + missed, " and ".join(worlds))


def planted_control(subject: ReleasedReports, relied_on: str, seed: int) -> Outcome:
    """The share of the patients with something left on purpose who are found."""
    cases, table, reports = some_patients(subject.cases or (), seed), subject.table, subject.reports
    found: dict[str, float] = {}
    counts = []
    if cases:
        left, planted = with_one_left(cases, seed)
        leaking = set(compare_cases(left).identifiers.filter("leaks")["patient_id"])
        found[TRUTH] = len(leaking & planted) / max(len(planted), 1)
        counts.append(len(planted))
    if table is not None:
        own = {patient for patient in by_patient(reports) if patient in table.samples}
        found[TABLE] = len(search(table, with_planted(table, reports))[ALL] & own) / max(len(own), 1)
        counts.append(len(own))
    world = "an identifier of every patient left in a report on purpose"
    return planted_outcome(PLANTED, found, relied_on, world, least=LEAST, few=min(counts, default=0) < FEWEST)


def some_patients(cases: Sequence[Case], seed: int) -> list[Case]:
    """All reports of at most so many patients: a control shows no more with more of them."""
    names = list(by_patient(cases))
    drawn = {names[at] for at in np.random.default_rng(seed).permutation(len(names))[:PATIENTS]}
    return [case for case in cases if case.patient in drawn]


def without(case: Case, gone: Sequence[Span]) -> Case:
    """The report as a perfect de-identifier would release it that cuts exactly these."""
    parts, at = [], 0
    for span in merged(gone):
        parts += [case.source[at : span.start], TAG]
        at = span.end
    return replace(case, released="".join([*parts, case.source[at:]]), found=tuple(gone))


def with_one_left(cases: Sequence[Case], seed: int) -> tuple[list[Case], set[str]]:
    """All identifiers cut but one of each patient, and the patients of whom one could be left.

    One that overlaps another is not taken: it would be cut with the other.
    """
    rng, left, planted = np.random.default_rng(seed), {}, set()
    for patient, places in by_patient(cases).items():
        free = [(at, span) for at in places for span in _alone(cases[at])]
        if free:
            at, span = free[int(rng.integers(len(free)))]
            left[at] = span
            planted.add(patient)
    made = [without(case, [span for span in case.truth if span != left.get(at)]) for at, case in enumerate(cases)]
    return made, planted


def _alone(case: Case) -> list[Span]:
    nothing = bytearray(len(case.source))
    return [
        span
        for span in case.truth
        if open_parts(span, case.source, nothing)
        and not any(other != span and other.start < span.end and span.start < other.end for other in case.truth)
    ]


def alignment_checks(compared: Compared, reports: int) -> list[Outcome]:
    """Whether the released reports are what the spans say: nothing else changed, and what was found is gone."""
    share = compared.apart / max(reports, 1)
    said = f"{compared.apart:,} of {reports:,} reports are not" if compared.apart else "all of them are"
    aligned = Outcome(ALIGNED, "pass" if share == 0 else "warn" if share <= 0.01 else "error", said)
    known = compared.found.drop_nulls("unchanged")
    by_category = {str(name): rows["unchanged"] for (name,), rows in known.group_by("category", maintain_order=True)}
    judged = {name: column for name, column in by_category.items() if len(column) >= FEWEST}
    if known.height and not judged:
        judged = {ALL: known["unchanged"]}
    kept = [name for name, column in judged.items() if float(column.mean() or 0.0) > MANY]  # type: ignore[arg-type]
    reason = (
        f"most spans of {', '.join(kept)} still stand in their places"
        if kept
        else "stand-ins differ from what stood there"
    )
    return [aligned, Outcome(REPLACED, "error" if kept else "pass", reason)]


def recogniser_check(recogniser: Recogniser | None) -> Outcome:
    """Nothing more vouches for what merely looks like a name than that invented people are found."""
    if recogniser is None:
        missed = f"the model {PACKAGE} is not installed: nobody marked what looks like a name"
        return Outcome(SOUND, "not-run", missed)
    sound = finds_names(recogniser)
    return Outcome(SOUND, "pass" if sound else "warn", "it does" if sound else "it does not")

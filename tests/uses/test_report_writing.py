"""Report writing: what can be learnt from real pairs, nothing from shuffled ones, and what is refused or said."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from image_data import audited, audited_anew, images_of
from leadapron.audits.audit_registry import find_audit
from leadapron.audits.images_subject import ReleasedImages
from leadapron.errors import ConfigError, DataError
from leadapron.results.selection import only, select
from leadapron.stats import redrawn_means
from leadapron.uses.image_blind import dealt_to_others, most_frequent, shuffled, with_same_labels
from leadapron.uses.report_writing_audit import ReportWritingConfig, audit_report_writing
from leadapron.uses.report_writing_checks import collapsed, cut_short, planted_control
from leadapron.uses.writing_task import (
    CONTROLS,
    RELEASED,
    SAME_LABELS,
    SHUFFLED,
    WritingTask,
    task_of_images,
    with_mixed,
)
from leadapron.uses.written_scores import scored
from leadapron.writing import Trained
from leadapron.writing.scores.finding_f1 import LEADING, FindingF1
from written_pairs import EFFUSION, PNEUMOTHORAX, easy_pairs

LEAD, SIDES = "findings-f1", "sides-f1"


@pytest.fixture(scope="module")
def real():
    return audited("report-writing", "real", writer="ridge")


def with_reports(change):
    """The clinic with other reports of its training records."""
    images = images_of("real")
    records = images.records
    told = [change(row) if row["split"] == "train" else row["report"] for row in records.iter_rows(named=True)]
    cohort = replace(images.cohort, records=records.with_columns(pl.Series("report", told, dtype=pl.String)))
    return replace(images, cohort=cohort)


def easy_task(**changes):
    test = easy_pairs(40, seed=3, name="t")
    records = pl.DataFrame({"record_id": [f"r{row}" for row in range(40)], "patient_id": test.patients})
    given = {"regimes": {"other": easy_pairs(40)}, "test": test, "records": records, **changes}
    return WritingTask(**given)


# ---------------------------------------------------------------- and that it works


def test_a_writer_of_real_pairs_is_above_guessing_and_one_of_shuffled_pairs_is_not(real):
    assert real.headline.metric == LEAD
    assert real.headline.low > real.headline.chance
    blind = only(real, metric=LEAD, attacker=SHUFFLED)
    assert blind.value < 0.5 * real.headline.value
    gain = only(real, metric=f"{LEAD}-gain", attacker=RELEASED, over=SHUFFLED)
    assert gain.low > 0
    assert gain.value == pytest.approx(real.headline.value - blind.value)
    assert [one.outcome for one in real.outcomes[:2]] == ["pass", "pass"]
    assert set(real.outcomes[0].attackers) == {RELEASED, *CONTROLS}


def test_all_that_can_be_seen_is_written_and_nothing_is_uninformative():
    found = audit_report_writing(easy_task(), ReportWritingConfig(writer="ridge"))
    assert found.headline.value == 1.0
    assert only(found, metric=SIDES, attacker="other").value == 1.0
    assert LEAD not in found.details["reached"]
    told = next(one for one in found.outcomes if one.check == "different reports")
    assert "wrote 2 different reports, where 2 are true" in told.reason


def test_reports_of_other_patients_teach_nothing():
    """A released cohort whose reports were dealt anew: what a writer learns from it is at guessing."""
    reports = images_of("real").records
    dealt = dealt_to_others(reports["patient_id"].to_numpy().astype(str), 0)
    strange = dict(zip(reports["record_id"], reports["report"].gather(dealt), strict=True))
    found = audited_anew(
        "report-writing",
        ReleasedImages(with_reports(lambda row: strange[row["record_id"]]), images_of("real")),
        writer="ridge",
    )
    assert abs(found.headline.value - found.headline.chance) < 4 * found.headline.sd


def test_the_page_marks_scores_that_a_control_reaches(real, tmp_path):
    assert SAME_LABELS in real.details["reached"]["bleu-4"]
    assert SAME_LABELS not in real.details["reached"].get(LEAD, [])  # it is told the findings
    page = (real.save(tmp_path / "out").folder / "report.html").read_text()
    assert "BLEU-4 ‡" in page
    assert "F1 of written findings ‡" not in page
    assert "control: shuffled pairs" in page
    assert "not-run: Give its weights by --radgraph FOLDER." in page


def test_two_audits_are_compared_on_the_same_patients(real):
    other = audited("report-writing", "said", writer="ridge")
    audit = find_audit("report-writing")
    for metric in (LEAD, SIDES, "bleu-4"):
        row = only(real, metric=metric, attacker=RELEASED)
        change = audit.measure_of(metric).paired(real, other, row)
        assert change.before == pytest.approx(row.value)
        assert change.after == pytest.approx(only(other, metric=metric, attacker=RELEASED).value)
        assert change.low <= change.difference <= change.high
    gain = select(real, metric=f"{LEAD}-gain")[0]
    assert audit.measure_of(LEAD).paired(real, other, gain) is None


def test_intervals_are_those_of_redrawn_patients():
    """Against reports copied as often as their patient was drawn."""
    pairs = easy_pairs(12)
    written = [EFFUSION if row % 3 else PNEUMOTHORAX for row in range(12)]
    records = pl.DataFrame({"record_id": [str(row) for row in range(12)], "patient_id": pairs.patients})
    found = scored({"one": written}, pairs.reports, {LEAD: FindingF1()}, records, 5)
    names, owner = np.unique(pairs.patients, return_inverse=True)
    shares = redrawn_means(np.eye(len(names))[owner], pairs.patients, redraws=3, seed=5)
    for draw, fast in zip(np.round(shares * len(names)).astype(int), found.redrawn("one", LEAD)[:3], strict=True):
        rows = [row for row in range(12) for _ in range(draw[owner[row]])]
        slow = FindingF1().statistics([written[row] for row in rows], [pairs.reports[row] for row in rows])
        assert fast == pytest.approx(float(FindingF1().value(slow.sum(axis=0))))


# ---------------------------------------------------------------- controls


def test_controls_without_an_image():
    assert most_frequent(["a", "b", "b"], 2) == ["b", "b"]
    drawn, exact = with_same_labels([EFFUSION, PNEUMOTHORAX], [PNEUMOTHORAX, EFFUSION, "Pneumonia. Effusion."], 0)
    assert drawn == [PNEUMOTHORAX, EFFUSION, EFFUSION]
    assert exact == pytest.approx(2 / 3)
    pairs = easy_pairs()
    dealt = dealt_to_others(pairs.patients, 1)
    assert sorted(dealt) == list(range(24))
    assert not (pairs.patients[dealt] == pairs.patients).any()
    assert np.array_equal(shuffled(pairs, 1).images, pairs.images)
    assert planted_control([EFFUSION, PNEUMOTHORAX], ["one"]).outcome == "pass"
    assert planted_control(["Nothing."], ["one"]).outcome == "error"
    assert [score.name for score in LEADING[:2]] == [LEAD, SIDES]


def test_a_writer_that_collapsed_or_was_cut_is_told_of():
    truth = [f"Report {row}" for row in range(100)]
    assert collapsed({"one": ["a"] * 100}, truth).outcome == "warn"
    assert "one wrote 1 different reports" in collapsed({"one": ["a"] * 100}, truth).reason
    assert collapsed({"one": truth}, truth).outcome == "pass"
    assert collapsed({"one": [f"Report {row % 13}" for row in range(100)]}, truth).outcome == "warn"
    assert cut_short({"one": Trained(None)}) is None
    assert cut_short({"one": Trained(None, 0, 64)}).outcome == "pass"
    told = cut_short({"one": Trained(None, 40, 64)})
    assert (told.outcome, "cut at 64 tokens: 40 of one" in told.reason) == ("warn", True)


def test_cohorts_of_other_patients_are_mixed_and_versions_of_one_are_not():
    raw, local = easy_pairs(8), easy_pairs(4, name="q")
    mixed = with_mixed({"raw": raw, "clean": raw, "local": local})
    assert list(mixed) == ["raw", "clean", "local", "raw + local", "clean + local"]
    assert len(mixed["raw + local"]) == 12


# ---------------------------------------------------------------- bad input


def test_tasks_that_cannot_be_are_refused():
    with pytest.raises(DataError, match=r"a patient is learnt from and tested on.*20 patients, such as t0"):
        easy_task(regimes={"other": easy_pairs(40, name="t")})
    with pytest.raises(DataError, match="fewer than 10 test patients"):
        easy_task(test=easy_pairs(8, name="t"))
    other = replace(easy_pairs(40), reports=("The heart is enlarged.",) * 40)
    with pytest.raises(DataError, match=r"no finding in common.*Cardiomegaly against Pleural Effusion"):
        audit_report_writing(easy_task(regimes={"other": other}), ReportWritingConfig(writer="ridge"))
    quiet = replace(easy_pairs(40, name="t"), reports=("Normal.",) * 40)
    with pytest.raises(DataError, match="reads no finding in any test report"):
        audit_report_writing(easy_task(test=quiet), ReportWritingConfig(writer="ridge"))
    with pytest.raises(DataError, match="no record of split train has a report"):
        audited_anew("report-writing", ReleasedImages(with_reports(lambda _row: None), images_of("real")))
    with pytest.raises(ConfigError, match="unknown writer"):
        audit_report_writing(easy_task(), ReportWritingConfig(writer="novelist"))


def test_records_without_a_report_are_counted_and_left_out():
    some = with_reports(lambda row: None if row["record_id"].endswith("s1-1") else row["report"])
    task = task_of_images(ReleasedImages(some, images_of("real")))
    assert task.left_out > 10
    assert len(task.regimes[RELEASED]) + task.left_out == (some.records["split"] == "train").sum()

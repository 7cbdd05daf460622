"""The recital audit: a writer that knows its lessons by heart is found, one that does not is at chance."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import polars as pl
import pytest

from command_line import run
from leadapron.attacks.recital import RecitalConfig, TaughtCohort, audit_recital
from leadapron.attacks.recital.recital_audit import RECITAL
from leadapron.attacks.recital.recital_controls import DIFFERENT, NULL, PLANTED, Dealt, null_control
from leadapron.attacks.recital.recital_measures import HELD_IMAGES, TAUGHT_IMAGES
from leadapron.audits.audit import NOTHING, Loaded
from leadapron.audits.images_subject import ReleasedImages, images_inputs
from leadapron.audits.run_audit import run_audit
from leadapron.cohort.image_set import ImageSet
from leadapron.errors import DataError
from leadapron.phantoms import Dials, build_clinic
from leadapron.results.selection import only, select
from leadapron.writing import Trained
from recital_writers import ByHeart, Teacher, registered_writers


@pytest.fixture(scope="module", autouse=True)
def writers():
    with registered_writers():
        yield


@lru_cache
def clinic():
    return build_clinic(Dials(patients=120, seed=5, identifiers="plain"))


@lru_cache
def subject() -> TaughtCohort:
    made = clinic()
    images = ImageSet(made.cohort, made.radiographs(32), made.cohort.card)
    own = made.identifiers.filter(~pl.col("category").is_in(["staff", "hospital"]))
    texts: dict[str, tuple[str, ...]] = {}
    for record, study, report in made.cohort.records.select("record_id", "study_id", "report").iter_rows():
        spans = own.filter(study_id=study).select("start", "end").iter_rows()
        texts[record] = tuple(report[start:end] for start, end in spans)
    return TaughtCohort(images, texts)


@lru_cache
def audited(writer: str, **options):
    loaded = Loaded(subject(), NOTHING, images_inputs(subject().images, "clinic"))
    return run_audit(RECITAL, loaded, RecitalConfig(writer=writer, **options), command="test")


def outcome_of(found, check: str) -> str:
    return next(one.outcome for one in found.outcomes if one.check == check)


class TestByHeart:
    def test_every_training_report_is_recited_and_no_other(self):
        found = audited("by-heart")
        for attacker in ("shown", "forced"):
            for metric in ("own-run", "own-number", "own-identifier"):
                row = only(found, metric=metric, attacker=attacker, images=TAUGHT_IMAGES)
                assert row.value == 1.0
                assert row.low > 0.75
                assert row.chance < 1e-3
            for metric in ("own-run", "own-identifier", "any-number"):
                assert only(found, metric=metric, attacker=attacker, images=HELD_IMAGES).value == 0.0
        assert found.headline.metric == "own-run"
        assert found.details["others"]["shown"]["own-run"] == 0.0

    def test_controls(self):
        """Even a writer that learns by heart does not know the report that was dealt to somebody else's image."""
        found = audited("by-heart")
        assert all(set(one.attackers) == {"shown", "forced"} for one in found.outcomes if one.check != DIFFERENT)
        assert outcome_of(found, NULL) == outcome_of(found, PLANTED) == outcome_of(found, DIFFERENT) == "pass"

    def test_reports_that_were_cut_are_told(self):
        assert any("3 of " in limit and "80 tokens" in limit for limit in audited("by-heart").limits)

    def test_numbers_are_of_the_planted_patients(self):
        found = audited("by-heart", planted=0.5)
        patients = subject().records.filter(split="train")["patient_id"].n_unique()
        row = only(found, metric="own-number", attacker="shown", images=TAUGHT_IMAGES)
        assert row.patients == found.counts["planted"] == -(-patients // 2)

    def test_without_numbers_nobody_is_forced_unless_words_are_given(self):
        assert {row.attacker for row in audited("by-heart", planted=0.0).estimates} == {"shown"}
        forced = audited("by-heart", planted=0.0, begin="PATIENT:")
        assert {row.attacker for row in forced.estimates} == {"shown", "forced"}
        assert not select(forced, metric="own-number")
        assert forced.details["begin"] == "PATIENT:"

    def test_its_page_tells_what_was_recited(self, tmp_path):
        page = (audited("by-heart").save(tmp_path / "out").folder / "report.html").read_text()
        assert "in nobody else" in page
        assert "the number that was planted" in page
        assert "PATIENT NUMBER:" in page


class TestMixer:
    def test_what_it_says_has_nothing_to_do_with_the_image(self):
        found = audited("mixer")
        row = only(found, metric="own-run", attacker="shown", images=TAUGHT_IMAGES)
        assert row.value < 0.06
        assert row.low <= found.details["others"]["shown"]["own-run"] <= row.high
        assert outcome_of(found, NULL) == "pass"
        assert "It mixes." in found.details["notes"]

    def test_planted_numbers_that_it_mixes_in_are_somebodys(self):
        row = only(audited("mixer", planted=1.0), metric="any-number", attacker="shown", images=HELD_IMAGES)
        assert row.value > 0.9
        assert row.chance < 1e-3


def test_a_null_control_that_finds_something_is_an_error():
    """A trainer that deals the reports back again knows what it was not taught."""

    class Cheat(Teacher):
        def train(self, pairs, **_settings):
            own = np.roll(np.array(pairs.reports, dtype=object), -1)
            return Trained(ByHeart({image.tobytes(): one for image, one in zip(pairs.images, own, strict=True)}))

    outcome = null_control(RECITAL, subject(), Dealt(Cheat("cheat"), {"shown": ""}, 8, 0), lambda *_: None)
    assert outcome.outcome == "error"


def test_a_writer_of_one_sentence_is_said_to_have_collapsed():
    class Mute(Teacher):
        def train(self, _pairs, **_settings):
            return Trained(ByHeart({}))

    from leadapron.writing import WriterSpec
    from leadapron.writing.writer_registry import KNOWN

    KNOWN.listed["mute"] = WriterSpec("says nothing", lambda _name, _settings: Mute("mute"))
    try:
        found = audited("mute")
    finally:
        del KNOWN.listed["mute"]
    assert outcome_of(found, DIFFERENT) == "warn"
    assert found.headline.value == 0.0


def test_released_images_are_taken_as_they_are():
    images = subject().images
    found = audit_recital(ReleasedImages(images, images), RecitalConfig(writer="by-heart"))
    assert not [row for row in found.estimates if row.metric == "own-identifier"]
    assert found.estimates[0].n == select(audited("by-heart"), metric="own-run")[0].n


def test_the_same_seed_gives_the_same_numbers():
    again = audit_recital(subject(), RecitalConfig(writer="mixer"))
    assert again.estimates == audited("mixer").estimates


class TestBadInput:
    def test_too_few_patients(self):
        images = subject().images
        few = images.at(images.records["split"].eq("train").arg_true().to_numpy())
        with pytest.raises(DataError, match="too few patients in split 'test'"):
            TaughtCohort(few)

    def test_no_reports(self):
        images = subject().images
        silent = replace(images.cohort, records=images.records.with_columns(report=pl.lit(None, dtype=pl.String)))
        with pytest.raises(DataError, match="too few patients in split 'train' have a radiograph with a report"):
            TaughtCohort(replace(images, cohort=silent))

    def test_nobody_has_words_of_their_own(self):
        images = subject().images
        same = replace(images.cohort, records=images.records.with_columns(report=pl.lit("the lungs are clear .")))
        with pytest.raises(DataError, match=r"a run of 8 words that nobody else has\. Look for shorter ones"):
            audit_recital(TaughtCohort(replace(images, cohort=same)), RecitalConfig(writer="mixer"))


def test_on_the_command_line(tmp_path):
    from leadapron.phantoms import write_clinic

    write_clinic(clinic(), tmp_path / "clinic", 32)
    options = ("--writer", "by-heart", "--size", "32", "--out", tmp_path / "out")
    told = run("audit", "recital", tmp_path / "clinic", *options)
    assert told.code == 0, told.err
    assert "Words of the own report alone" in told.out
    assert (tmp_path / "out" / "report.html").is_file()

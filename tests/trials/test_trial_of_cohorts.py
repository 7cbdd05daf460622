"""Cohorts, reports, models and what models say, before and after a defence: one frontier for each kind."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from pydantic import Field

import leadapron as la
from command_line import refusal, run
from deid_reports import key_file
from leadapron.audits import AUDITS, Audit, AuditConfig, Measure, RecordGathering, kept_units
from leadapron.audits import register as register_audit
from leadapron.audits.measure import Coordinate
from leadapron.audits.vouching import null_outcome, planted_outcome
from leadapron.cohort import read_cohort, write_cohort
from leadapron.cohort.image_set import read_images
from leadapron.defences import DEFENCES, Defence
from leadapron.defences import register as register_defence
from leadapron.defences.model_folder import Model, write_model
from leadapron.engine.documents import Config
from leadapron.errors import ConfigError
from leadapron.phantoms import Dials, build_clinic, write_clinic
from leadapron.privacy import Guarantee
from leadapron.trials.entrants import read_entrants
from leadapron.trials.scenarios import scenarios_of
from membership_data import drawn

NOTHING = Guarantee("none", statement="No guarantee: it is a toy.")
SIZE = 32
WRITING = "report-writing"

# ---------------------------------------------------------------- a stranger's audits and defences, one place each


class DarkConfig(Config):
    share: float = Field(0.0, ge=0, le=1, description="How bright images stay.")


def darken(images, config, _progress):
    made = images.with_images((images.images * config.share).astype(np.uint8))
    return made, DARK.card(config, NOTHING)


DARK = Defence("dark", "turn the light down", "images", DarkConfig, darken, group="images", strength="share")


def recognise(pair, config, knowledge, progress):  # noqa: ARG001
    """The nearest source image of somebody is that of the record, or a patient's other one."""
    test = [side.of_splits("test") for side in (pair.released, pair.source)]
    found = RecordGathering(NEAREST, seed=config.seed, release=test[0])
    released, source = (side.images.reshape(len(side), -1).astype(np.float64) for side in test)
    apart = ((released[:, None] - source[None]) ** 2).sum(axis=2)
    patient = test[1].records["patient_id"].to_numpy()
    found.add_values("own", patient[apart.argmin(axis=1)] == patient, attacker="pixels", chance=1 / len(source))
    row = found.estimates[0]
    outcomes = [
        null_outcome("null", [row], [], "nothing"),
        planted_outcome("planted", {"pixels": 1.0}, "pixels", "a copy", least=0.5),
    ]
    return found.findings(outcomes=outcomes, limits=["A toy."])


NEAREST = Audit(
    name="nearest",
    question="is the nearest image the patient's own?",
    config=AuditConfig,
    run=recognise,
    measures=(Measure("own", "Own image nearest", "the nearest image is the patient's own", per_unit=kept_units),),
    attackers={"pixels": "one who compares pixels"},
    subject="images",
)


def shine(pair, config, knowledge, progress):  # noqa: ARG001
    """How bright the upper and the lower half of images are: a use of which every number has its place."""
    test = pair.released.of_splits("test")
    found = RecordGathering(LIGHT, seed=config.seed, release=test)
    for half, rows in (("upper", slice(0, SIZE // 2)), ("lower", slice(SIZE // 2, None))):
        found.add_values("bright", test.images[:, rows].mean(axis=(1, 2)) / 255, attacker="eye", chance=0.01, half=half)
    return replace_about(found.findings(outcomes=[], limits=["A toy."]))


def replace_about(findings):
    return findings.model_copy(update={"about": "use"}).with_evidence({"units": findings.evidence("units")})


LIGHT = Audit(
    name="light",
    question="how bright are images?",
    config=AuditConfig,
    run=shine,
    measures=(Measure("bright", "Brightness", "a pixel is bright", higher_is="better", per_unit=kept_units),),
    attackers={"eye": "one who looks"},
    coordinates={"half": Coordinate("Half", {"upper": {}, "lower": {}})},
    about="use",
    subject="images",
)


def largest(model, config, knowledge, progress):  # noqa: ARG001
    rows = pl.DataFrame({"record_id": [f"w{at}" for at in range(40)], "patient_id": [f"w{at}" for at in range(40)]})
    found = RecordGathering(LARGE, seed=config.seed, release=Model_(rows))
    found.add_values("large", np.abs(model.tensors["weight"]) > 0.5, attacker="reader", chance=0.1)
    row = found.estimates[0]
    return found.findings(outcomes=[null_outcome("null", [row], [], "nothing")], limits=["A toy."])


class Model_:  # noqa: N801
    def __init__(self, records):
        self.records = records


LARGE = Audit(
    name="large-weights",
    question="are weights large?",
    config=AuditConfig,
    run=largest,
    measures=(Measure("large", "Large weight", "the weight is large", units="weights", per_unit=kept_units),),
    attackers={"reader": "one who reads the weights"},
    subject="model",
)


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    for name, audit in list(AUDITS.items()):  # ours of images have tests of their own, and are slow
        if name.startswith(("image-", WRITING)):
            monkeypatch.delitem(AUDITS, name, raising=False)
            assert audit
    register_audit(NEAREST)
    register_audit(LARGE)
    register_defence(DARK)
    yield
    del AUDITS["nearest"], AUDITS["large-weights"], DEFENCES["dark"]


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cohorts") / "clinic"
    write_clinic(build_clinic(Dials(patients=140, seed=4, identifiers="plain")), folder, SIZE)
    return folder


# ---------------------------------------------------------------- and that it works


def test_images_of_a_cohort_are_defended_and_tried_and_only_they_are_attacked(clinic, tmp_path):
    done = run("defend", "dark", clinic, "--size", SIZE, "--out", tmp_path / "dark")
    assert done.code == 0, done.out + done.err
    done = run("trial", clinic, tmp_path / "dark", "--size", SIZE, "--out", tmp_path / "out")
    assert done.code == 0, done.out + done.err
    told = json.loads((tmp_path / "out" / "frontier.json").read_text())
    before, after = told["points"]
    assert (told["risk"], told["use"]) == ("nearest", None)
    assert set(before["answers"]) == {"nearest"}  # the reports are as they were
    assert before["answers"]["nearest"]["headline"]["value"] == 1.0
    assert after["answers"]["nearest"]["headline"]["value"] < 0.2
    assert (after["method"], after["strength"]) == ("dark", 0.0)
    page = (tmp_path / "out" / "report.html").read_text()
    assert "A cohort, defended, attacked again and used again" in page
    assert "each release" not in page.partition("<main>")[2].partition('id="glossary"')[0]


@pytest.mark.study
def test_identity_and_report_writing_stand_on_one_page(clinic, tmp_path, monkeypatch):
    monkeypatch.setitem(AUDITS, WRITING, "leadapron.uses.report_writing_audit:REPORT_WRITING")
    assert run("defend", "dark", clinic, "--size", SIZE, "--out", tmp_path / "dark").code == 0
    done = run("trial", clinic, tmp_path / "dark", "--size", SIZE, "--out", tmp_path / "out")
    assert done.code == 0, done.out + done.err
    assert "of the F1 of written findings" in done.out
    told = json.loads((tmp_path / "out" / "frontier.json").read_text())
    before, after = (point["answers"][WRITING] for point in told["points"])
    assert told["use"] == WRITING
    assert before["headline"]["value"] > 2 * after["headline"]["value"]  # nothing is to be learnt from the dark
    assert after["change"]["difference"] < 0
    page = (tmp_path / "out" / "report.html").read_text()
    assert "F1 of finding and side" in page
    assert "control: shuffled pairs" in page
    assert "BLEU-4 ‡" in page
    assert "dark − clinic" in page


def test_writing_is_asked_where_only_the_reports_changed(clinic, tmp_path, monkeypatch):
    monkeypatch.setitem(AUDITS, WRITING, "leadapron.uses.report_writing_audit:REPORT_WRITING")
    cohort = read_cohort(clinic)
    short = cohort.records.with_columns(report=pl.lit("Normal."))
    write_cohort(replace(cohort, records=short), tmp_path / "short")
    asked = [one.key for one in scenarios_of(read_entrants(clinic, (tmp_path / "short",)))]
    assert WRITING in asked
    assert NEAREST.name not in asked


def test_a_use_with_places_stands_place_by_place_and_a_risk_beside_is_a_ring(clinic, tmp_path, monkeypatch):
    monkeypatch.setitem(AUDITS, "light", LIGHT)
    monkeypatch.setitem(AUDITS, "nearest", replace(NEAREST, ring="nearer than others"))
    images = la.read_images(clinic, size=SIZE)
    la.trial(images, la.defend(images, "dark", share=0.1), out=tmp_path / "out")
    page = (tmp_path / "out" / "report.html").read_text()
    section = page.partition('id="light"')[2].partition("</section>")[0]
    assert [name in section for name in ("Upper", "Lower", "dark-0.1")] == [True] * 3
    assert "Ring: nearer than others." in page
    assert page.count("<title>nearer than others</title>") == 1  # nobody is found in the dark


def test_an_encoder_that_was_asked_for_reaches_the_audits_of_images(clinic, tmp_path, monkeypatch):
    asked = []

    class LookConfig(AuditConfig):
        encoder: str = "usual"

    def look(pair, config, knowledge, progress):
        asked.append(config.encoder)
        return recognise(pair, config, knowledge, progress)

    monkeypatch.setitem(AUDITS, "nearest", replace(NEAREST, config=LookConfig, run=look))
    images = la.read_images(clinic, size=SIZE)
    la.trial(images, la.defend(images, "dark"), out=tmp_path / "out", encoder="none")
    assert asked == ["none", "none"]


def test_images_in_memory_are_tried_too(clinic, tmp_path):
    images = la.read_images(clinic, size=SIZE)
    frontier = la.trial(images, la.defend(images, "dark"), out=tmp_path / "out")
    assert [point.name for point in frontier.points] == ["images", "dark-0"]
    assert frontier.points[0].answers["nearest"].row.value == 1.0


def test_what_a_defence_of_images_wrote_is_read_as_the_same_records(clinic, tmp_path):
    images = read_images(clinic, size=SIZE)
    assert run("defend", "dark", clinic, "--share", 1, "--size", SIZE, "--out", tmp_path / "same").code == 0
    again = read_images(tmp_path / "same", size=SIZE)
    assert again.records.drop("image_path").equals(images.records.drop("image_path"))
    assert np.abs(again.images.astype(int) - images.images).mean() < 4  # equalised twice
    assert again.card["defence"]["method"] == "dark"
    assert again.cohort.card["made_from"]


@pytest.mark.study
def test_reports_of_a_cohort_are_tried_with_the_truth_that_lies_beside_them(clinic, tmp_path):
    key = key_file(tmp_path)
    assert run("defend", "reports", clinic, "--key", key, "--out", tmp_path / "cleaned").code == 0
    done = run("trial", clinic, tmp_path / "cleaned", "--out", tmp_path / "out")
    assert done.code == 0, done.out + done.err
    told = json.loads((tmp_path / "out" / "frontier.json").read_text())
    before, after = told["points"]
    assert told["risk"] == "residual"
    assert "nearest" not in before["answers"]  # the images are as they were
    assert before["answers"]["residual"]["headline"]["value"] == 1.0
    assert after["answers"]["residual"]["headline"]["value"] < 0.7
    assert after["answers"]["residual"]["change"]["difference"] < 0
    assert {"report-identity"} <= set(before["answers"])
    assert "parrot" in before["absent"]


def test_tables_of_reports_are_tried_by_what_can_be_asked_of_them(clinic, tmp_path):
    cohort = pl.read_parquet(clinic / "records.parquet").unique("study_id", maintain_order=True)
    cohort.select("record_id", "patient_id", "report").write_csv(tmp_path / "reports.csv")
    key = key_file(tmp_path)
    assert run("defend", "reports", tmp_path / "reports.csv", "--key", key, "--out", tmp_path / "cleaned").code == 0
    done = run("trial", tmp_path / "reports.csv", tmp_path / "cleaned", "--out", tmp_path / "out")
    assert done.code == 0, done.out + done.err
    assert "It takes the truth" in " ".join(done.out.split())
    assert json.loads((tmp_path / "out" / "frontier.json").read_text())["risk"] == "report-identity"


def test_models_are_tried_by_audits_of_models(tmp_path):
    weight = np.linspace(-1, 1, 40, dtype=np.float32)
    write_model(Model({"weight": weight}), tmp_path / "model")
    write_model(Model({"weight": weight.clip(-0.5, 0.5)}), tmp_path / "clipped")
    frontier = la.trial(tmp_path / "model", tmp_path / "clipped", out=tmp_path / "out")
    assert [point.answers["large-weights"].row.value for point in frontier.points] == [0.5, 0.0]
    assert "A model, defended" in (tmp_path / "out" / "report.html").read_text()


def test_what_models_say_is_tried_before_and_after(tmp_path):
    for name, shift in (("plain", 2.0), ("private", 0.0)):
        values, members, who = drawn(150, 16, seed=3, shift=shift)
        (tmp_path / name).mkdir()
        np.save(tmp_path / name / "signals.npy", values)
        np.save(tmp_path / name / "members.npy", members)
        records = {"record_id": [f"r{at}" for at in range(len(who))], "patient_id": [f"p{number}" for number in who]}
        pl.DataFrame(records).write_parquet(tmp_path / name / "records.parquet")
    frontier = la.trial(tmp_path / "plain", tmp_path / "private", out=tmp_path / "out")
    plain, private = (point.answers["membership"].row for point in frontier.points)
    assert frontier.kind == "signals"
    assert plain.low > private.high


def test_what_does_not_fit_is_refused_before_anything_is_attacked(clinic, tmp_path):
    write_model(Model({"weight": np.ones(40, dtype=np.float32)}), tmp_path / "model")
    said = refusal("trial", clinic, tmp_path / "model", "--out", tmp_path / "out")
    assert "a trial compares what is of one kind" in said
    assert "a cohort, and model, a model" in said
    other = tmp_path / "other"
    write_clinic(build_clinic(Dials(patients=5, seed=4)), other, SIZE)
    said = refusal("trial", clinic, other, "--out", tmp_path / "out")
    assert "the cohort is not of the same records" in said
    said = refusal("trial", clinic, clinic.parent / "clinic", "--pool", 9, "--out", tmp_path / "out")
    assert "two entrants have the same name" in said
    images = la.read_images(clinic, size=SIZE)
    dark = replace(images, images=images.images // 2)
    with pytest.raises(
        ConfigError, match="takes no option but --seed, --title, --size, --encoder, --networks and --writer"
    ):
        la.trial(images, dark, out=tmp_path / "out", pool=9)
    assert not (tmp_path / "out").exists()

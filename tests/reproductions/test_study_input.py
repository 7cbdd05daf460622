"""What the study is given is looked at before any work: what lacks is named, and nothing is left behind."""

from __future__ import annotations

import shutil
from pathlib import Path

import polars as pl
import pytest
import torch

import tiny_models
from command_line import everything_in, refusal
from leadapron.cohort import LABEL_COLUMNS, Funnel
from leadapron.phantoms import Dials, build_clinic
from leadapron.phantoms.published_layouts import as_chexpert_plus, as_mimic_cxr
from leadapron.reproductions.study_output import told_steps
from leadapron.reproductions.study_tables import described, prevalences


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Both data sets with a dozen patients each, and the weights of one model."""
    folder = tmp_path_factory.mktemp("given")
    clinic = build_clinic(Dials(patients=12, seed=1))
    as_mimic_cxr(clinic, folder / "mimic", 32)
    as_chexpert_plus(clinic, folder / "chexpert", 32)
    (folder / "weights" / "clip").mkdir(parents=True)
    tiny_models.save_clip(folder / "weights" / "clip")
    (folder / "weights" / "biovil-t").mkdir()
    tiny_models.save_biovil_t(folder / "weights" / "biovil-t")
    return folder


@pytest.fixture
def given(made, tmp_path, monkeypatch):
    """A copy that a test may spoil."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(given, *more, model="clip"):
    before = everything_in(given)
    asked = ("--mimic", "mimic", "--chexpert-plus", "chexpert", "--weights", "weights", "--model", model)
    message = refusal("reproduce", "linkage", *asked, "--out", "out", *more)
    assert everything_in(given) == before
    return message


def remove(path: Path) -> None:
    shutil.rmtree(path) if path.is_dir() else path.unlink()


@pytest.mark.parametrize(
    ("lacks", "said"),
    [
        ("mimic/mimic-cxr-2.0.0-chexpert.csv", "mimic: the table of labels of mimic-cxr is not there"),
        ("mimic/mimic-cxr-2.0.0-metadata.csv", "mimic: the table of images of mimic-cxr is not there"),
        ("mimic/mimic-cxr-reports.zip", "mimic: the reports of mimic-cxr are not there"),
        ("mimic/files", "mimic: the images of mimic-cxr are not there"),
        ("chexpert/df_chexpert_plus_240401.csv", "chexpert: the table of images and reports of chexpert-plus is not"),
        ("chexpert/chexbert_labels", "chexpert: the file of labels of chexpert-plus is not there"),
        ("chexpert/PNG", "chexpert: the images of chexpert-plus are not there"),
        ("weights/clip", "weights/clip: this weights folder of the encoder 'clip' lacks config.json"),
        ("weights/clip/config.json", "lacks config.json"),
        ("weights/clip/preprocessor_config.json", "lacks preprocessor_config.json"),
        ("weights/clip/vocab.json", "lacks tokenizer.json or vocab.json"),
        ("weights/clip/model.safetensors", "lacks model.safetensors or pytorch_model.bin"),
    ],
)
def test_what_lacks_is_named(given, lacks, said):
    remove(given / lacks)
    message = refused(given)
    assert said in message
    assert "--allow-download" not in message


@pytest.mark.parametrize("lacks", ["biovil_t_image_model_proj_size_128.pt", "vocab.txt", "pytorch_model.bin"])
def test_a_part_of_biovil_t_that_lacks_is_named(given, lacks):
    remove(given / "weights" / "biovil-t" / lacks)
    message = refused(given, model="biovil-t")
    assert lacks in message
    assert "hf download microsoft/BiomedVLP-BioViL-T --local-dir weights/biovil-t` and carry that folder in" in message


@pytest.mark.parametrize(
    ("file", "head"),
    [("biovil_t_image_model_proj_size_128.pt", "projector.model"), ("pytorch_model.bin", "cls_projection_head")],
)
def test_biovil_t_without_a_head_is_named(given, file, head):
    path = given / "weights" / "biovil-t" / file
    tensors = {name: value for name, value in torch.load(path).items() if not name.startswith(head)}
    torch.save(tensors, path)
    assert file in refused(given, model="biovil-t")


def test_weights_are_looked_at_before_data(given):
    remove(given / "weights" / "clip")
    remove(given / "mimic" / "files")
    assert "weights/clip" in refused(given)


def test_the_official_split_is_not_asked_for(given):
    """With everything there but that table, the study stops at the patients, who are too few."""
    remove(given / "mimic" / "mimic-cxr-2.0.0-split.csv")
    asked = ("--mimic", "mimic", "--weights", "weights", "--model", "clip", "--out", "out")
    message = refusal("reproduce", "linkage", *asked)
    assert "mimic: too few patients fall to split 'test'" in message
    assert "got 'fewer than 10 of 12 patients'; allowed: 10 or more" in message
    assert not (given / "out").exists()


def test_labels_of_other_studies_are_no_labels(given):
    file = given / "mimic" / "mimic-cxr-2.0.0-chexpert.csv"
    table = pl.read_csv(file, infer_schema=False)
    table.with_columns(study_id=pl.lit("9") + pl.col("study_id")).write_csv(file)
    asked = ("--mimic", "mimic", "--weights", "weights", "--model", "clip", "--out", "out")
    assert "mimic: no record has a label" in refusal("reproduce", "linkage", *asked)


def test_options_that_do_not_fit(given):
    linkage = ("reproduce", "linkage", "--out", "out")
    assert "the study needs --mimic and --weights" in refusal(*linkage)
    assert "the study needs --weights" in refusal(*linkage, "--mimic", "mimic")
    assert "the study needs --mimic." in refusal(*linkage, "--weights", "weights", "--chexpert-plus", "chexpert")
    assert "--mimic: phantom clinics take the place" in refusal(*linkage, "--mimic", "mimic", "--phantom")
    assert "--patients: phantom patients without" in refusal(*linkage, "--patients", 200)
    assert "would lie in the output" in refusal(*linkage, "--phantom", "--work", "out/work")
    (given / "out").mkdir()
    assert "the output exists already" in refusal(*linkage, "--phantom")
    assert "out.work-not-for-release" not in everything_in(given)


# What would tell of a few


def cohort(patients: int, *, women: int, positives: int, unknown: int = 0):
    sexes = ["F"] * women + [None] * unknown + ["M"] * (patients - women - unknown)
    columns = {name: [0] * patients for name in LABEL_COLUMNS}
    columns["label_edema"] = [1] * positives + [0] * (patients - positives)
    who = {"patient_id": [f"p{number}" for number in range(patients)], "sex": sexes}
    return pl.DataFrame({**who, "view": ["AP"] * patients, "age": [50.0] * patients, **columns})


@pytest.mark.parametrize(
    ("women", "unknown", "told"), [(40, 0, True), (9, 0, False), (91, 0, False), (40, 5, False), (40, 10, True)]
)
def test_no_share_tells_of_fewer_than_ten_nor_does_what_is_left(women, unknown, told):
    found = described(cohort(100, women=women, positives=50, unknown=unknown))
    assert (found["sex: F"] is not None) == (found["sex: M"] is not None) == told
    assert found["view: AP"] == 100.0


def test_many_records_of_a_few_patients_are_a_few():
    one = cohort(100, women=50, positives=0)
    few = one.head(9).with_columns(label_edema=pl.lit(1, pl.Int64))
    others = pl.concat([one, *[few] * 10])
    assert prevalences(others)["edema"] is None
    assert prevalences(others)["fracture"] == 0.0
    assert prevalences(cohort(100, women=50, positives=30))["edema"] == 30.0


def test_a_step_that_dropped_a_few_does_not_tell_how_many():
    funnel = Funnel.start("rows", 500).then("view", 495).then("report", 400).then("labels", 397)
    assert told_steps(funnel) == [("view", 495), ("labels", 397)]
    assert told_steps(Funnel.start("rows", 9)) == []
    assert told_steps(Funnel.start("rows", 500).then("view", 500)) == [("rows", 500), ("view", 500)]

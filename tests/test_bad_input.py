"""Bad input through the command line: exit code 2, one paragraph that says what and where, nothing left behind."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from command_line import everything_in, refusal, run
from leadapron.encoders import ENCODERS, Weights, find_encoder
from leadapron.release import read_folder

HEADER = "record_id,patient_id,report,view,image_path,label_edema,split"
GENERAL = "phantom-general"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused_table(here, lines, *options, header=HEADER):
    """What `cohort table` says of these lines; nothing but the file itself is there afterwards."""
    (here / "ours.csv").write_text("\n".join([header, *lines]) + "\n")
    message = refusal("cohort", "table", "ours.csv", "--out", "cohort", *options)
    assert everything_in(here) == {"ours.csv"}
    assert "ours.csv" in message
    return message


@pytest.fixture
def clinic(small_clinic_folder, here):
    """A copy of the clinic that a test may spoil."""
    shutil.copytree(small_clinic_folder, here / "clinic")
    return here / "clinic"


def refused_encoding(here, *arguments):
    before = everything_in(here)
    message = refusal("encode", "clinic", "--out", "release", "--cache", "cache", *arguments)
    assert {name for name in everything_in(here) - before if not name.startswith("cache")} == set()
    return message


# Tables


def test_a_missing_column(here):
    message = refused_table(here, ["r1,No edema."], header="record_id,report")
    assert "no column 'patient_id'" in message
    assert "got 'record_id, report'" in message
    message = refused_table(here, ["r1,p1"], "--column", "report=txt", header="record_id,patient_id")
    assert "column 'txt' is missing; got 'record_id, patient_id'" in message


def test_a_column_that_is_not_ours_to_map(here):
    (here / "ours.csv").write_text(f"{HEADER}\nr1,p1,,AP,,0,train\n")
    message = refusal("cohort", "table", "ours.csv", "--out", "cohort", "--column", "patient=p")
    assert "got 'patient'" in message
    assert "did you mean 'patient_id'?" in message
    assert everything_in(here) == {"ours.csv"}


def test_a_record_id_that_stands_twice(here):
    message = refused_table(here, ["r1,p1,,AP,,0,train", "r2,p1,,AP,,0,train", "r1,p2,,AP,,0,train"])
    assert (
        "column 'record_id' holds the same id more than once (2 rows); got 'rows 1 and 3'; allowed: unique ids"
        in message
    )


def test_a_patient_in_two_splits(here):
    lines = ["r1,p1,,AP,,0,train", "r2,p2,,AP,,0,test", "r3,p2,,AP,,0,train"]
    message = refused_table(here, lines, "--official-split")
    assert "column 'split': the patient of row 2 stands in more than one split (1 patients do)" in message
    assert "got 'test, train'; allowed: one split a patient" in message


def test_an_unknown_split(here):
    message = refused_table(here, ["r1,p1,,AP,,0,training"], "--official-split")
    assert "column 'split' holds an unknown split in row 1 (1 rows do); got 'training'; allowed: train" in message


@pytest.mark.parametrize(("label", "got"), [("2", "2.0"), ("0.5", "0.5"), ("-2", "-2.0")])
def test_a_label_of_another_value(here, label, got):
    message = refused_table(here, ["r1,p1,,AP,,-1,train", f"r2,p1,,AP,,{label},train"])
    assert "column 'label_edema' holds an unknown label" in message
    assert f"got {got}; allowed: 1, 0, -1 or null" in message


def test_a_label_in_words(here):
    message = refused_table(here, ["r1,p1,,AP,,1,train", "r2,p1,,AP,,yes,train"])
    assert "column 'label_edema' holds a value that is no number in row 2 (1 rows do)" in message
    assert "got 'yes'" in message


def test_a_label_column_that_is_misspelt(here):
    message = refused_table(here, ["r1,p1,1"], header="record_id,patient_id,label_edma")
    assert "unknown label column; got 'label_edma'; allowed: label_atelectasis" in message
    assert "did you mean 'label_edema'?" in message


def test_a_table_of_which_no_row_is_left(here):
    message = refused_table(here, ["r1,p1,,LATERAL,,1,train"])
    assert "no record is left: rows of ours.csv: 1 kept, 0 dropped; view known: 1 kept, 0 dropped" in message
    assert "view AP or PA: 0 kept, 1 dropped (any view but AP or PA)" in message


def test_an_empty_id(here):
    assert "column 'patient_id' is empty in row 2" in refused_table(here, ["r1,p1,,AP,,1,", "r2,,,AP,,0,"])


def test_the_official_split_of_a_table_without_one(here):
    message = refused_table(here, ["r1,p1"], "--official-split", header="record_id,patient_id")
    assert "no official split" in message


# Cohort folders


def test_a_folder_that_is_no_cohort(here):
    (here / "clinic").mkdir()
    message = refused_encoding(here, "--encoder", GENERAL)
    assert "clinic: this is not a cohort folder: it has no cohort.json" in message
    assert "leadapron cohort SOURCE PATH --out FOLDER" in message


@pytest.mark.parametrize(
    ("file", "content"),
    [("cohort.json", "{"), ("cohort.json", "{}"), ("records.parquet", "text"), ("records.parquet", None)],
)
def test_a_cohort_that_cannot_be_read(here, clinic, file, content):
    (clinic / file).unlink()
    if content is not None:
        (clinic / file).write_text(content)
    assert "clinic: the cohort cannot be read" in refused_encoding(here, "--encoder", GENERAL)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda table: table.drop("image_path"), "column 'image_path' is missing"),
        (lambda table: pl.concat([table, table[:1]]), "holds the same id more than once (2 rows)"),
        (lambda table: table.with_columns(label_edema=pl.lit(3, dtype=pl.Int8)), "got 3; allowed: 1, 0 or null"),
        (lambda table: table.with_columns(split=pl.lit("val")), "got 'val'; allowed: train, validate, test"),
        (lambda table: table.with_columns(image_path=pl.lit(None, dtype=pl.String)), "there is no image_path in row 1"),
    ],
)
def test_a_cohort_that_was_tampered_with(here, clinic, change, said):
    change(pl.read_parquet(clinic / "records.parquet")).write_parquet(clinic / "records.parquet")
    assert said in refused_encoding(here, "--encoder", GENERAL)


# Images


def test_unreadable_images_are_named_and_counted_and_the_run_goes_on(here, clinic):
    records = pl.read_parquet(clinic / "records.parquet")
    spoilt = [clinic / path for path in records["image_path"][[0, 3, 5]]]
    spoilt[0].write_bytes(spoilt[0].read_bytes()[:200])
    spoilt[1].write_bytes(b"")
    spoilt[2].unlink()
    outcome = run("encode", "clinic", "--encoder", GENERAL, "--out", "release")
    assert outcome.code == 0
    complaints = outcome.err.splitlines()
    assert len(complaints) == 3
    for complaint, path, why in zip(complaints, spoilt, ["cannot be decoded", "empty", "does not exist"], strict=True):
        assert complaint.startswith(f"not read: {path}: ")
        assert why in complaint
    assert "3 images not readable -> release" in outcome.out
    release = read_folder(here / "release", verify=True)
    kept = [row for row in range(len(records)) if row not in (0, 3, 5)]
    assert release.records["record_id"].to_list() == records["record_id"][kept].to_list()
    assert ["readable image", len(kept), 3, "3 files cannot be decoded"] in release.card["funnel"]

    whole = run("encode", "clinic", "--encoder", GENERAL, "--out", "again")  # from the cache of pixels
    assert whole.err == outcome.err


def test_not_one_readable_image(here, clinic):
    for image in (clinic / "images").iterdir():
        image.write_bytes(b"not an image")
    message = refused_encoding(here, "--encoder", GENERAL)
    first = pl.read_parquet(clinic / "records.parquet")["image_path"][0]
    assert f"images can be read; the first: {clinic / first}" in message


# Encoders


def test_an_unknown_encoder(here, small_clinic_folder):
    message = refusal("encode", small_clinic_folder, "--encoder", "phantom-report", "--out", "release")
    assert "unknown encoder; got 'phantom-report'; allowed: biomedclip" in message
    assert "did you mean 'phantom-reports'?" in message
    assert everything_in(here) == set()


def test_missing_weights(here, small_clinic_folder):
    (here / "weights").mkdir()
    message = refusal(
        "encode", small_clinic_folder, "--encoder", "clip", "--weights", "weights", "--out", "release"
    )  # fmt: skip
    assert "weights: this weights folder of the encoder 'clip' lacks config.json" in message
    assert "hf download openai/clip-vit-base-patch32" in message
    assert everything_in(here) == {"weights"}


@pytest.mark.parametrize("command", [["demo", "--out"], ["encode", "{clinic}", "--encoder", "phantom-labels", "--out"]])
def test_missing_weights_of_our_own(here, small_clinic_folder, monkeypatch, command):
    monkeypatch.setattr("leadapron.encoders.phantom_network.WEIGHTS", here / "nowhere")
    message = refusal(*(part.format(clinic=small_clinic_folder) for part in command), "out")
    assert f"{here / 'nowhere' / 'labels.safetensors'}: the weights of the encoder 'phantom-labels'" in message
    assert "make encoders" in message
    assert everything_in(here) == set()


def break_encoder(monkeypatch, **backbones):
    good = find_encoder(GENERAL).load(Weights())
    monkeypatch.setitem(ENCODERS, "broken", replace(find_encoder(GENERAL), load=lambda _: replace(good, **backbones)))


@pytest.mark.usefixtures("clinic")
def test_embeddings_that_are_not_numbers(here, monkeypatch):
    def image_backbone(pixels):
        features = np.ones((len(pixels), 256), np.float32)
        features[7] = np.nan
        return features

    break_encoder(monkeypatch, image_backbone=image_backbone)
    message = refused_encoding(here, "--encoder", "broken")
    assert "image: row 7 holds a value that is not finite (NaN or infinity); got nan; allowed: finite" in message


@pytest.mark.usefixtures("clinic")
def test_row_counts_that_differ(here, monkeypatch):
    break_encoder(monkeypatch, text_backbone=lambda texts: np.ones((len(texts) - 1, 256), np.float32))
    message = refused_encoding(here, "--encoder", "broken")
    assert "encoding reports: features: the row counts differ; got '" in message


def test_too_few_pairs_for_an_encoder_without_heads(here, clinic, monkeypatch):
    break_encoder(monkeypatch, heads=None)
    few = pl.read_parquet(clinic / "records.parquet").filter(pl.col("split") == "test")
    few.write_parquet(clinic / "records.parquet")
    message = refused_encoding(here, "--encoder", "broken")
    assert "too few training pairs to fit one; got 0; allowed: 20 or more" in message


# The configuration file


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ("[encode]\nencodr = 'clip'", "unknown key in [encode]; got 'encodr'; allowed: .*did you mean 'encoder'?"),
        ("[encde]\nencoder = 'clip'", "unknown table [encde]; got 'encde'; allowed: .*did you mean 'encode'?"),
        ("encode = 3", "[encode] must be a table; got 3"),
        ("[encode\n", "the file is not valid TOML (.*line 1"),
        (b"[encode]\nout = '\xff'", "the file is not valid TOML (.*can't decode byte 0xff"),
    ],
)
def test_a_configuration_that_does_not_fit(here, toml, said):
    (here / "run.toml").write_bytes(toml if isinstance(toml, bytes) else toml.encode())
    message = refusal("--config", "run.toml", "encoders")
    assert message.startswith("leadapron: run.toml: ")
    place = 0
    for piece in said.split(".*"):
        place = message.index(piece, place)
    assert everything_in(here) == {"run.toml"}


# Output


@pytest.mark.parametrize(
    "command",
    [
        ["phantom", "--patients", "2"],
        ["cohort", "table", "ours.csv"],
        ["encode", "{clinic}", "--encoder", GENERAL],
    ],
    ids=lambda command: command[0],
)
def test_an_existing_output_is_kept(here, small_clinic_folder, command):
    (here / "ours.csv").write_text(f"{HEADER}\nr1,p1,,AP,,0,train\n")
    (here / "out").mkdir()
    (here / "out" / "precious").write_text("kept")
    message = refusal(*(part.format(clinic=small_clinic_folder) for part in command), "--out", "out")
    assert message == "leadapron: out: the output exists already. Choose another place or pass --overwrite.\n"
    assert everything_in(here) == {"ours.csv", "out", "out/precious"}


@pytest.mark.parametrize(
    "command",
    [
        ["cohort", "table", "data/ours.csv", "--out", "data"],
        ["encode", "data/clinic", "--encoder", GENERAL, "--out", "data/clinic"],
        ["encode", "data/clinic", "--encoder", GENERAL, "--out", "data"],
        ["phantom", "--patients", "2", "--out", "."],
        ["phantom", "--patients", "2", "--out", ".."],
    ],
    ids=" ".join,
)
def test_overwriting_never_removes_the_input(here, command, small_clinic_folder):
    shutil.copytree(small_clinic_folder, here / "data" / "clinic")
    (here / "data" / "ours.csv").write_text(f"{HEADER}\nr1,p1,,AP,,0,train\n")
    before = everything_in(here)
    message = refusal(*command, "--overwrite")
    assert "to overwrite it would remove the input or the current folder" in message
    assert everything_in(here) == before


@pytest.mark.parametrize(
    "command",
    [
        ["encode", "clinic", "--encoder", GENERAL, "--out", "precious"],
        ["phantom", "--patients", "2", "--out", "precious"],
        ["cohort", "table", "ours.csv", "--out", "precious"],
        ["demo", "--patients", "2", "--out", "."],
    ],
    ids=" ".join,
)
@pytest.mark.usefixtures("clinic")
def test_overwriting_never_removes_what_others_wrote(here, command):
    (here / "ours.csv").write_text(f"{HEADER}\nr1,p1,,AP,,0,train\n")
    for name in ("precious", GENERAL):
        (here / name).mkdir()
        (here / name / "thesis.tex").write_text("years of work")
    before = everything_in(here)
    message = refusal(*command, *([] if command[0] == "demo" else ["--overwrite"]))
    assert ": leadapron did not write all that is in this folder, so it is not overwritten; got 'thesis.tex'" in message
    assert everything_in(here) == before


@pytest.mark.parametrize("inside", ["images", "old-release"])
def test_overwriting_never_removes_a_part_of_the_input(here, clinic, inside):
    """Not even one that we wrote."""
    (clinic / "old-release").mkdir()
    (clinic / "old-release" / "release.json").write_text('{"leadapron": "0.1.0"}')
    before = everything_in(here)
    message = refusal("encode", "clinic", "--encoder", GENERAL, "--out", f"clinic/{inside}", "--overwrite")
    assert f"clinic/{inside}: to overwrite it would remove a part of the input" in message
    assert everything_in(here) == before


def test_a_file_in_the_place_of_the_output(here):
    (here / "out").write_text("notes")
    message = refusal("phantom", "--patients", 2, "--out", "out", "--overwrite")
    assert "out: the output is a file" in message
    assert (here / "out").read_text() == "notes"


def test_a_dial_out_of_range(here):
    message = refusal("phantom", "--patients", 2, "--specificity", 1.5, "--out", "out")
    assert "the dial 'specificity' is out of range; got 1.5; allowed: 0 to 1" in message
    assert everything_in(here) == set()


def test_the_funnel_of_a_release_is_that_of_its_cohort(here, small_clinic_folder):
    """The counterpart of all the above: good input passes, and its funnel comes along."""
    assert run("encode", small_clinic_folder, "--encoder", GENERAL, "--out", "ok", "--cache", "cache").code == 0
    steps = json.loads((small_clinic_folder / "cohort.json").read_text())["funnel"]
    assert json.loads((here / "ok" / "release.json").read_text())["funnel"] == steps

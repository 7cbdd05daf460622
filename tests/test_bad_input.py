"""Bad input through the command line: exit code 2, one paragraph that says what and where, nothing left behind."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import miniatures
from command_line import everything_in, refusal, run
from leadapron.encoders import ENCODERS, Weights, find_encoder
from leadapron.release import Release, read_folder, write_release

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


# Attackers of linkage


@pytest.fixture
def pairs(here):
    """A release of 60 pairs without words, and one of other days of the same encoder."""
    rng = np.random.default_rng(0)
    made = []
    for name in ("new", "old"):
        image, text = (rng.normal(size=(60, 6)).astype(np.float32) for _ in range(2))
        ids = {"record_id": [f"{name}{row}" for row in range(60)], "patient_id": [f"p{row}" for row in range(60)]}
        split = ["test" if row % 3 else "train" for row in range(60)]
        made.append(Release(pl.DataFrame({**ids, "split": split}), {"image": image, "text": text}, where=name))
        write_release(made[-1], here / name)
    return made


@pytest.mark.parametrize(
    ("attacker", "said"),
    [
        ("cosin", "unknown attacker; got 'cosin'; allowed: assignment, composed, cosine"),
        ("cosin+study", "cosin+study: an attacker has no such part; got 'cosin'"),
        ("cosine+studdy", "got 'studdy'; allowed: cosine, csls, linear, none, patient, ranks, sinkhorn, study, towers"),
        ("cosine+studdy", "did you mean 'study'?"),
        ("cosine+", "cosine+: an attacker has no such part; got ''"),
        ("composed+study", "this attacker is whole, and no part of another; got 'composed'"),
        ("study+csls", "in the order similarity, pooling, matching; got 'study+csls'. Write csls+study."),
        ("sinkhorn+study+csls", "Write csls+study+sinkhorn."),
        ("csls+csls", "one similarity, at most one pooling and at most one matching; got 'csls+csls'. Write csls,"),
        ("study+sinkhorn", "an attacker begins with how it compares; got 'study+sinkhorn'"),
        ("study+sinkhorn", "Write cosine+study+sinkhorn, for example."),
        ("words", "'words' cannot be run: the release holds no backbone features of its reports"),
        ("towers", "'towers' cannot be run: it learns from 1,000 known pairs or more, and"),
    ],
)
def test_an_attacker_that_is_misspelt_or_cannot_be_run(here, pairs, attacker, said):
    moved = {name: rows + np.float32(0.1) for name, rows in pairs[0].arrays.items()}
    write_release(replace(pairs[0], arrays=moved), here / "defended")
    for command in (("audit", "linkage", "new"), ("trial", "new", "defended")):
        assert said in refusal(*command, "--attacker", attacker, "--out", "out")
    assert not (here / "out").exists()


@pytest.mark.usefixtures("pairs")
@pytest.mark.parametrize("audit", ["linkage", "identity"])
def test_an_attacker_who_is_given_twice(audit):
    """Both had one name in the tables, and the audit ended in a traceback."""
    said = refusal("audit", audit, "new", "--attacker", "cosine", "--attacker", "cosine", "--out", "out")
    assert "--attacker: an attacker is given twice; got 'cosine'. Name each once." in said


# What was released before


@pytest.mark.parametrize("audit", ["linkage", "identity"])
def test_what_was_released_before_does_not_fit(here, pairs, audit):
    new, old = pairs
    nameless = replace(old, records=old.records.drop("patient_id"))
    strangers = replace(old, records=old.records.with_columns(patient_id=pl.format("x{}", pl.col("patient_id"))))
    narrow = replace(old, arrays={name: rows[:, :4].copy() for name, rows in old.arrays.items()})
    for name, one in (("nameless", nameless), ("strangers", strangers), ("narrow", narrow), ("again", new)):
        write_release(one, here / name)
    shutil.copytree("new", "copy")
    (here / "empty").mkdir()
    for given, said in (
        ("new", "--against new: a release is set against itself"),
        ("copy", "--against copy: a release is set against itself"),
        ("again", "a release is set against itself"),
        ("nameless", "it is not known which patients are in both releases; got 'no patient_id'"),
        ("strangers", "no patient is in both releases"),
        ("narrow", "image embeddings of 4 dimensions, and 6 here"),
        ("nowhere", "--against nowhere: there is no such file or folder"),
        ("empty", "--against empty: there is no release here"),
    ):
        assert said in refusal("audit", audit, "new", "--against", given, "--out", "out")
    assert not (here / "out").exists()


# Heads of another release


def test_heads_that_do_not_fit_are_refused_before_images_are_read(here, small_clinic_folder, monkeypatch):
    def decode(*_, **__):
        raise AssertionError("pixels were read")

    for name, more in (("bare", ()), ("whole", ("--with-features",))):
        encoded = run("encode", small_clinic_folder, "--encoder", "phantom-reports", *more, "--out", name)
        assert encoded.code == 0, encoded.err
    defended = read_folder(here / "whole")
    write_release(replace(defended, card={**defended.card, "defence": {"name": "noise"}}), here / "defended")
    monkeypatch.setattr("leadapron.cli.encode_command.decode", decode)
    for encoder, given, said in (
        ("phantom-reports", "bare", "there are no heads in this release"),
        ("phantom-reports", "defended", "the heads of this release belong to a defence"),
        ("phantom-labels", "whole", "its heads are another encoder's; got 'phantom-reports'; allowed: phantom-labels"),
    ):
        asked = ("encode", small_clinic_folder, "--encoder", encoder, "--heads-from", given, "--out", "out")
        assert said in refusal(*asked)
    assert not (here / "out").exists()


@pytest.mark.usefixtures("here")
def test_a_size_that_the_encoder_does_not_take(small_clinic_folder):
    asked = ("encode", small_clinic_folder, "--encoder", "phantom-reports", "--out", "out", "--image-size")
    assert "phantom-reports: this encoder takes images of one size; got 64; allowed: 128" in refusal(*asked, 64)
    for size, said in ((10, "10 is not in the range 32<=x<=2048"), ("large", "'large' is not a valid integer range")):
        refused = run(*asked, size)
        assert (refused.code, said in refused.err) == (2, True)


# MIMIC-CXR


@pytest.mark.parametrize("missing", ["metadata", "chexpert", "split"])
def test_a_mimic_folder_without_one_of_its_tables(here, monkeypatch, missing):
    """The labels were missed only after all images had been looked for and all reports read."""
    miniatures.mimic_cxr(here / "mimic")
    (here / "mimic" / f"mimic-cxr-2.0.0-{missing}.csv.gz").unlink()

    def read_reports(*_):
        raise AssertionError("reports were read")

    monkeypatch.setattr("leadapron.cohort.sources.mimic_cxr.read_reports", read_reports)
    more = ("--official-split",) if missing == "split" else ()
    said = refusal("cohort", "mimic_cxr", "mimic", *more, "--out", "cohort")
    assert f"mimic-cxr-*-{missing}.csv.gz" in said
    assert not (here / "cohort").exists()

"""The command line: what the commands make, the configuration file, exit codes, interruption, no network."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys

import click
import numpy as np
import polars as pl
import pytest

from command_line import everything_in, refusal, run
from leadapron import __version__
from leadapron.cli.toml_config import read_config
from leadapron.cohort import read_cohort
from leadapron.encoders import ENCODERS
from leadapron.errors import ConfigError
from leadapron.release import read_folder
from leadapron.results import read_results

HEAVY = ["torch", "numba", "polars", "numpy", "scipy", "rich", "PIL", "pydicom", "transformers"]
CSV = """file,mrn,report,view,label_edema,split
a.png,1,No edema.,AP,0,train
b.png,1,Edema.,PA,1,train
c.png,2,,AP,-1,test
d.png,3,Lateral view.,LATERAL,,test
"""


def python(script, *arguments, **environment):
    return subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )


@pytest.fixture
def csv(tmp_path):
    file = tmp_path / "ours.csv"
    file.write_text(CSV)
    return file


# Help and usage


def test_help_imports_nothing_heavy():
    script = f"""
import sys
from leadapron.cli import main
try:
    main()
finally:
    print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr)
"""
    done = python(script, "--help")
    assert (done.returncode, done.stderr) == (0, "[]\n")
    for command in ("cohort", "phantom", "encode", "encoders", "demo"):
        assert f"  {command} " in done.stdout


def test_the_version_is_told():
    assert run("--version").out == f"leadapron, version {__version__}\n"


@pytest.mark.parametrize("command", ["cohort", "phantom", "encode", "encoders", "demo"])
def test_every_command_explains_itself(command):
    outcome = run(command, "--help")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith(f"Usage: leadapron {command}")


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["encode"],
        ["phantom", "--out", "x", "--size", "3"],
        ["phantom", "--out", "x", "--seed", "-1"],
        ["phantom", "--out", "x", "--identity", "2"],
        ["phantom", "--out", "x", "--patients", "0"],
        ["demo", "--out", "x", "--patients", "0"],
        ["cohort", "no-such-source", ".", "--out", "x"],
        ["cohort", "table", "nowhere.csv", "--out", "x"],
        ["cohort", "table", ".", "--out", "x", "--column", "record_id"],
        ["--config", "nowhere.toml", "encoders"],
        [],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_exit_code_2(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    outcome = run(*arguments)
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err
    assert "Traceback" not in outcome.err
    assert everything_in(tmp_path) == set()


# What the commands make


def test_encoders_are_listed():
    outcome = run("encoders")
    assert outcome.code == 0
    lines = outcome.out.splitlines()[1:]
    assert [line.split()[0] for line in lines] == list(ENCODERS)


@pytest.mark.parametrize(
    ("given", "categories"),
    [
        ([], 0),
        (["--identifiers"], 6),
        (["--identifiers", "plain"], 6),
        (["--identifiers", "hard", "--identifiers-part", "tune"], 7),
    ],
)
def test_phantom_plants_what_is_asked_for(tmp_path, given, categories):
    assert run("phantom", *given, "--out", tmp_path / "clinic", "--patients", 6, "--size", 32).code == 0
    found = pl.read_parquet(tmp_path / "clinic" / "identifiers.parquet")["category"].n_unique()
    assert found >= categories if categories > 6 else found == categories


def test_phantom_then_encode(tmp_path):
    built = run("phantom", "--out", tmp_path / "clinic", "--patients", 6, "--seed", 2, "--identifiers")
    assert (built.code, built.err) == (0, "")
    cohort = read_cohort(tmp_path / "clinic")
    assert built.out == f"{len(cohort)} radiographs of 6 patients -> {tmp_path / 'clinic'}\n"
    assert len(list((tmp_path / "clinic" / "images").iterdir())) == len(cohort)
    assert len(pl.read_parquet(tmp_path / "clinic" / "identifiers.parquet"))

    out = tmp_path / "release"
    encoded = run("encode", tmp_path / "clinic", "--encoder", "phantom-general", "--out", out)
    assert (encoded.code, encoded.err) == (0, "")
    assert encoded.out == (
        f"image {len(cohort)} x 128, text {len(cohort)} x 128; 0 images not readable -> {out}\n"
    )  # fmt: skip
    release = read_folder(out, verify=True)
    assert release.records["record_id"].to_list() == cohort.records["record_id"].to_list()
    assert release.card["encoder"]["name"] == "phantom-general"
    assert {path.name for path in tmp_path.iterdir()} == {"clinic", "release"}


def test_encode_options(small_clinic_folder, tmp_path):
    arguments = ["encode", small_clinic_folder, "--encoder", "phantom-general", "--out", tmp_path / "release"]
    before = everything_in(small_clinic_folder)
    outcome = run(*arguments, "--images-only", "--with-features", "--cache", tmp_path / "cache")
    assert outcome.code == 0
    assert list(read_folder(tmp_path / "release").arrays) == ["image", "image_features"]
    assert everything_in(small_clinic_folder) == before
    run(*arguments, "--cache", tmp_path / "cache", "--overwrite")
    assert list(read_folder(tmp_path / "release").arrays) == ["image", "text"]


def test_a_column_is_released_only_if_asked_for(small_clinic_folder, tmp_path):
    shutil.copytree(small_clinic_folder, tmp_path / "clinic")
    table = pl.read_parquet(tmp_path / "clinic" / "records.parquet")
    table.with_columns(ward=pl.lit("west"), mrn=pl.lit("MRN-0815")).write_parquet(
        tmp_path / "clinic" / "records.parquet"
    )
    arguments = ["encode", tmp_path / "clinic", "--encoder", "phantom-general", "--images-only"]
    assert run(*arguments, "--out", tmp_path / "plain").code == 0
    plain = read_folder(tmp_path / "plain")
    assert not {"ward", "mrn"} & set(plain.records.columns)
    assert plain.card["columns_left_out"] == ["report", "image_path", "ward", "mrn"]
    assert run(*arguments, "--out", tmp_path / "asked", "--keep-column", "ward").code == 0
    asked = read_folder(tmp_path / "asked")
    assert set(asked.records["ward"]) == {"west"}
    assert asked.card["columns_left_out"] == ["report", "image_path", "mrn"]


def test_cohort_prints_the_funnel(csv, tmp_path):
    outcome = run(
        "cohort", "table", csv, "--out", tmp_path / "cohort", "--column", "record_id=file",
        "--column", "patient_id=mrn", "--label-policy", "uncertain-positive", "--official-split",
    )  # fmt: skip
    assert (outcome.code, outcome.err) == (0, "")
    assert "rows of ours.csv          4          0" in outcome.out
    assert "view AP or PA             3          1  any view but AP or PA" in outcome.out
    assert ["radiographs", "3", "2", "0", "1"] in [line.split() for line in outcome.out.splitlines()]
    assert outcome.out.endswith(f"3 records of 2 patients -> {tmp_path / 'cohort'}\n")
    records = read_cohort(tmp_path / "cohort").records
    assert records["record_id"].to_list() == ["a.png", "b.png", "c.png"]
    assert records["label_edema"].to_list() == [0, 1, 1]
    assert records["split"].to_list() == ["train", "train", "test"]


def test_cohort_of_one_projection(csv, tmp_path):
    arguments = ["cohort", "table", csv, "--column", "record_id=file", "--column", "patient_id=mrn", "--view", "PA"]
    assert run(*arguments, "--out", tmp_path / "pa").code == 0
    assert set(read_cohort(tmp_path / "pa").records["view"]) == {"PA"}
    both = run(*arguments, "--all-views", "--out", tmp_path / "both")
    assert (both.code, (tmp_path / "both").exists()) == (2, False)
    assert "Leave one of them out" in both.err


DEMO = """
import sys

def closed(event, arguments):
    if event.startswith("socket."):
        raise RuntimeError(f"the network was touched: {event}")

sys.addaudithook(closed)
if sys.argv[1] == "control":
    import socket
    socket.socket()
from leadapron.cli import main
try:
    main()
finally:
    print("torch" in sys.modules)
"""


def test_the_demo_touches_no_network(tmp_path):
    done = python(DEMO, "demo", "--patients", 8, "--out", tmp_path / "demo")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert done.stdout.endswith("False\n"), "the demo does without torch"
    made = {path.name for path in (tmp_path / "demo").iterdir()}
    releases = {"phantom-general", "phantom-labels", "phantom-reports"}
    assert made == {".leadapron", "contact-sheet.png", *releases, *(f"{name}-audit" for name in releases)}
    assert len({len(read_folder(tmp_path / "demo" / name, verify=True)) for name in releases}) == 1
    assert "A phantom clinic: 8 patients" in done.stdout
    for name in releases:
        assert read_results(tmp_path / "demo" / f"{name}-audit").inputs.encoder == name
        assert (tmp_path / "demo" / f"{name}-audit" / "report.html").stat().st_size < 1_000_000


def test_a_touch_of_the_network_would_be_noticed():
    done = python(DEMO, "control")
    assert done.returncode == 1
    assert "the network was touched" in done.stderr


# The configuration file


def test_the_configuration_gives_arguments_and_options_and_the_command_line_wins(csv, tmp_path):
    config = tmp_path / "leadapron.toml"
    config.write_text(
        f"""
[cohort]
source = "table"
path = "{csv}"
out = "{tmp_path / "from-config"}"
label-policy = "uncertain-masked"
all_views = true
columns = {{ record_id = "file", patient_id = "mrn" }}

[phantom]
patients = 3
"""
    )
    assert run("--config", config, "cohort").code == 0
    records = read_cohort(tmp_path / "from-config").records
    assert len(records) == 4
    assert records["label_edema"].to_list() == [0, 1, None, None]

    assert run("--config", config, "cohort", "--label-policy", "positive-only", "--out", tmp_path / "other").code == 0
    assert read_cohort(tmp_path / "other").records["label_edema"].to_list() == [0, 1, 0, None]

    assert "of 3 patients" in run("--config", config, "phantom", "--out", tmp_path / "three").out
    assert "of 2 patients" in run("--config", config, "phantom", "--out", tmp_path / "two", "--patients", 2).out


@pytest.mark.parametrize(
    ("table", "line", "said"),
    [
        ("phantom", 'patients = "many"', "got 'many'; allowed: a whole number"),
        ("phantom", "patients = { a = 1 }", "got {'a': 1}; allowed: a whole number"),
        ("phantom", "patients = 3.7", "got 3.7; allowed: a whole number"),
        ("phantom", "patients = true", "got True; allowed: a whole number"),
        ("phantom", "identity = [0.5]", "got [0.5]; allowed: a number"),
        ("phantom", "out = 3", "got 3; allowed: text in quotes"),
        ("encode", "images_only = 3", "got 3; allowed: true or false"),
        ("encode", 'images-only = "yes"', "got 'yes'; allowed: true or false"),
        ("encode", 'keep_columns = ["age", 3]', "got 3; allowed: text in quotes"),
        ("cohort", "label_policy = 1", "got 1; allowed: text in quotes"),
    ],
)
def test_a_value_of_the_wrong_kind_in_the_configuration_is_exit_code_2(tmp_path, table, line, said):
    (tmp_path / "c.toml").write_text(f"[{table}]\n{line}\n")
    key = line.partition(" ")[0]
    message = refusal("--config", tmp_path / "c.toml", "phantom", "--out", tmp_path / "clinic", "--patients", 2)
    assert message == f"leadapron: {tmp_path / 'c.toml'}: [{table}] {key}: the value is of another kind; {said}.\n"
    assert everything_in(tmp_path) == {"c.toml"}


@pytest.mark.parametrize("columns", ["{ record_id = 3 }", "{ record_id = { a = 1 } }", "3"])
def test_a_mapping_of_the_wrong_kind_in_the_configuration_is_named(csv, tmp_path, columns):
    (tmp_path / "c.toml").write_text(f"[cohort]\ncolumns = {columns}\n")
    message = refusal("--config", tmp_path / "c.toml", "cohort", "table", csv, "--out", tmp_path / "cohort")
    assert "column" in message
    assert not (tmp_path / "cohort").exists()


def test_a_whole_number_will_do_for_a_dial_and_one_name_for_several(small_clinic_folder, tmp_path):
    (tmp_path / "c.toml").write_text('[phantom]\nidentity = 1\npatients = 2\n[encode]\nkeep_columns = "image_pth"\n')
    assert run("--config", tmp_path / "c.toml", "phantom", "--out", tmp_path / "clinic").code == 0
    arguments = ["encode", small_clinic_folder, "--encoder", "phantom-general", "--out", tmp_path / "release"]
    assert "unknown column to keep; got 'image_pth'" in refusal("--config", tmp_path / "c.toml", *arguments)


def test_the_command_of_a_group_has_a_table_inside_the_groups(tmp_path):
    @click.group()
    def group():
        pass

    @group.group()
    def audit():
        pass

    @audit.command()
    @click.option("--pool", "pools", type=int, multiple=True)
    def linkage():
        pass

    (tmp_path / "c.toml").write_text("[audit.linkage]\npools = [10, 20]\n")
    context = click.Context(group)
    assert read_config(tmp_path / "c.toml", context) == {"audit": {"linkage": {"pools": [10, 20]}}}
    (tmp_path / "c.toml").write_text("[audit.linkag]\npools = [10, 20]\n")
    with pytest.raises(ConfigError, match=r"unknown table \[audit\.linkag\]; .*did you mean 'linkage'"):
        read_config(tmp_path / "c.toml", context)


# Interruption


SLOW = """
import importlib, os, sys, time
from dataclasses import replace
from leadapron.cli import main
from leadapron.encoders import ENCODERS, Weights

importlib.import_module("leadapron.encoders.feature_blocks").CHECKPOINT_ROWS = 16
spec = ENCODERS["phantom-general"]
good = spec.load(Weights())

def backbone(pixels):
    print(len(pixels), flush=True)
    if os.environ.get("STOP_AFTER"):
        backbone.calls = getattr(backbone, "calls", 0) + 1
        if backbone.calls > int(os.environ["STOP_AFTER"]):
            print("waiting", flush=True)
            time.sleep(60)
    return good.image_backbone(pixels)

ENCODERS["slow"] = replace(spec, load=lambda _weights: replace(good, image_backbone=backbone))
main()
"""


def test_ctrl_c_leaves_nothing_half_written_and_the_next_run_goes_on(small_clinic_folder, tmp_path):
    arguments = ["encode", small_clinic_folder, "--encoder", "slow", "--out", tmp_path / "release",
                 "--cache", tmp_path / "cache"]  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "STOP_AFTER": "3"},
    )
    with process:
        said = [line.strip() for line in iter(process.stdout.readline, "waiting\n") if line]
        process.send_signal(signal.SIGINT)
        _, complaint = process.communicate(timeout=60)
    assert said == ["16"] * 4
    assert (process.returncode, complaint.strip()) == (130, "leadapron: interrupted")
    assert not (tmp_path / "release").exists()
    assert not [name for name in everything_in(tmp_path) if name.endswith("partial")]

    resumed = python(SLOW, *arguments, STOP_AFTER="")
    assert resumed.returncode == 0, resumed.stderr
    rows = [int(line) for line in resumed.stdout.split("\n") if line.isdigit()]
    release = read_folder(tmp_path / "release", verify=True)
    assert sum(rows) == len(release) - 3 * 16
    assert {path.name for path in tmp_path.iterdir()} == {"release", "cache"}

    assert run("encode", small_clinic_folder, "--encoder", "phantom-general", "--out", tmp_path / "plain",
               "--cache", tmp_path / "cache").code == 0  # fmt: skip
    plain = read_folder(tmp_path / "plain")
    np.testing.assert_allclose(release.image, plain.image, atol=1e-6)
    np.testing.assert_allclose(release.text, plain.text, atol=1e-6)


def test_ctrl_c_while_the_command_line_is_still_being_imported_is_no_traceback():
    script = """
import sys

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == "click":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupt())
from leadapron.cli import main
"""
    done = python(script)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "leadapron: interrupted\n")


def test_an_error_of_the_system_is_a_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    outcome = run("phantom", "--patients", 2, "--out", tmp_path / "file" / "clinic")
    assert outcome.code == 2
    assert outcome.err.startswith(f"leadapron: {tmp_path / 'file'}")
    assert outcome.err.count("\n") == 1


def test_a_reader_that_leaves_early_is_no_traceback():
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as nobody:
        script = "from leadapron.cli import main; main()"
        done = subprocess.run(
            [sys.executable, "-c", script, "encoders"], stdout=nobody, stderr=subprocess.PIPE, text=True
        )
    assert done.stderr == ""

"""Tables and folders of reports through the command line: nothing but the reports changes; bad input writes nothing."""

from __future__ import annotations

import csv
import hashlib
import io

import polars as pl
import pytest

from command_line import everything_in, refusal
from deid_reports import FIRST, ROWS, THIRD, csv_file, defend, key_file, spans_of, written
from leadapron.reports.report_set import read_reports

HEAD = ("note", "text", "id", "äöü ✓", "who", "empty")
ODD = [
    ('say "hi", twice', FIRST, "a", "Ünï✓\u2028x", "p", ""),
    ("two\nlines\r\nand a return", "Lungs clear.\r\nPatient: Amara Okafor.\r\n", "b", " spaces ", "p", ""),
    (",,;\t'", 'He said "no edema", and left.', "c", "0012", "q", ""),
    ("=1+1", THIRD, "d", "1e5", "q", "\\"),
]
NAMED = ("--column", "report=text", "--column", "record_id=id", "--column", "patient_id=who")


def raw_rows(file):
    return list(csv.reader(io.StringIO(file.read_bytes().decode("utf-8"), newline="")))


@pytest.mark.parametrize(
    "how", [{}, {"lineterminator": "\n"}, {"quoting": csv.QUOTE_ALL}], ids=["crlf", "lf", "quoted"]
)
def test_every_other_cell_comes_back_as_it_was(tmp_path, how):
    source = csv_file(tmp_path, ODD, HEAD, **how)
    before = source.read_bytes()
    assert defend(source, tmp_path / "out", "--replace", "tag", *NAMED).code == 0
    assert source.read_bytes() == before
    old, new = raw_rows(source), raw_rows(tmp_path / "out" / "reports.csv")
    assert new[0] == list(HEAD)
    others = [at for at, name in enumerate(HEAD) if name != "text"]
    assert [[row[at] for at in others] for row in new] == [[row[at] for at in others] for row in old]
    assert new[2][1] == "Lungs clear.\r\nPatient: [NAME].\r\n"
    assert new[3][1] == ODD[2][1]


def test_what_was_written_is_read_again_by_its_own_columns(tmp_path):
    assert defend(csv_file(tmp_path, ODD, HEAD), tmp_path / "out", *NAMED).code == 0
    again = read_reports(tmp_path / "out")
    assert again.records["record_id"].to_list() == ["a", "b", "c", "d"]
    assert again.spans.equals(spans_of(tmp_path / "out"))
    assert again.patients == 2


def test_a_byte_order_mark_and_lines_at_the_end_do_no_harm(tmp_path):
    source = csv_file(tmp_path)
    source.write_bytes(b"\xef\xbb\xbf" + source.read_bytes() + b"\r\n\r\n")
    assert defend(source, tmp_path / "out").code == 0
    assert len(written(tmp_path / "out")) == 3


def test_a_folder_of_text_files_is_a_patient_a_folder(tmp_path):
    files = {"lone.txt": FIRST, "anna/1.txt": FIRST, "anna/2.TXT": "\ufeffPatient: Amara Okafor.", ".DS_Store": "x"}
    for name, text in files.items():
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_text(text, encoding="utf-8")
    assert defend(tmp_path / "in", tmp_path / "out").code == 0
    rows = written(tmp_path / "out")
    assert [(row["record_id"], row["patient_id"]) for row in rows] == [
        ("anna/1", "anna"),
        ("anna/2", "anna"),
        ("lone", "lone"),
    ]
    name = rows[1]["report"].removeprefix("Patient: ").rstrip(".")
    assert name in rows[0]["report"]
    assert name not in rows[2]["report"]
    assert "Amara" not in "".join(row["report"] for row in rows)


# Bad input

GOOD = b"record_id,patient_id,report\n"
BAD = {
    "binary garbage": (bytes(range(256)) * 20, ""),
    "a binary header": (bytes(range(128, 256)) * 20, "the file is not text in UTF-8"),
    "UTF-16": ((GOOD + b"a,p,fine\n").decode().encode("utf-16"), "the file is not text in UTF-8"),
    "not UTF-8 in one row": (GOOD + b"a,p,fine\nb,p,caf\xe9\n", "row 3 is not UTF-8"),
    "another encoding elsewhere": (GOOD + b"a,p,fine\nb,Zo\xeb,fine\n", "row 3 is not UTF-8"),
    "RTF": (GOOD + b"a,p, {\\rtf1 Patient}\nb,p,fine\n", "row 2 is RTF"),
    "an empty cell": (GOOD + b"a,p,fine\nb,p,\n", "row 3 has an empty report"),
    "a blank cell": (GOOD + b'a,p,fine\nb,p,"  \n "\n', "row 3 has an empty report"),
    "control characters": (GOOD + b"a,p,fine\nb,p,x\x00y\n", "row 3 holds control characters"),
    "lost characters": (GOOD + "a,p,fine\nb,p,caf\ufffd\n".encode(), "row 3 holds characters that were lost"),
    "a long report": (GOOD + b"a,p," + b"lungs " * 1_700_000 + b"\nb,p,fine\n", "row 2 is longer than 1,000,000"),
    "ids twice": (GOOD + b"a,p,fine\na,p,fine\nb,p,fine\n", "row 2 has a record_id that another row has, too; row 3"),
    "no record id": (GOOD + b"a,p,fine\n,p,fine\n", "row 3 has no record_id"),
    "no patient": (GOOD + b"a,p,fine\nb, ,fine\n", "row 3 has no patient_id"),
    "ragged rows": (GOOD + b"a,p,fine\nb,p\nc,p,fine,x\n", "row 3 has another number of cells than the header; row 4"),
    "an empty line between": (GOOD + b"a,p,fine\n\nb,p,fine\n", "row 3 has another number of cells"),
    "no rows": (GOOD, "a header and no rows"),
    "nothing": (b"", "the file is empty"),
    "a missing column": (b"record_id,report\na,fine\n", "column 'patient_id' is missing"),
    "a column twice": (b"record_id,patient_id,report,x,x\na,p,fine,1,2\n", "column 'x' is there twice"),
    "an open quote": (GOOD + b'a,p,"fine\n', "not CSV"),
}
WHOLE = (
    "a binary header",
    "UTF-16",
    "no rows",
    "nothing",
    "a missing column",
    "a column twice",
    "an open quote",
    "binary garbage",
)
"""Of these, nothing can be left out."""


@pytest.mark.parametrize("what", BAD)
def test_bad_input_is_named_and_nothing_is_written(tmp_path, what):
    content, said = BAD[what]
    source, key = tmp_path / "bad.csv", key_file(tmp_path)
    source.write_bytes(content)
    asked = ("defend", "reports", source, "--key", key, "--out", tmp_path / "out")
    told = refusal(*asked)
    assert said in told
    assert "fine" not in told
    assert everything_in(tmp_path) == {"bad.csv", "our.key"}
    assert hashlib.sha256(source.read_bytes()).digest() == hashlib.sha256(content).digest()
    if what in WHOLE:
        refusal(*asked, "--skip-unreadable")
    else:
        assert "--skip-unreadable" in told


@pytest.mark.parametrize("what", [what for what in BAD if what not in WHOLE])
def test_what_cannot_be_read_is_left_out_on_request_and_told(tmp_path, what):
    content, said = BAD[what]
    source = tmp_path / "bad.csv"
    source.write_bytes(content)
    outcome = defend(source, tmp_path / "out", "--skip-unreadable")
    assert outcome.code == 3
    assert said in outcome.err
    assert {row["report"] for row in written(tmp_path / "out")} == {"fine"}
    assert source.read_bytes() == content


def test_every_row_that_is_left_out_is_told(tmp_path):
    source = csv_file(tmp_path, [*ROWS, *((f"x{at}", "p", "") for at in range(30))])
    assert "and 22 more" in refusal("defend", "reports", source, "--key", key_file(tmp_path), "--out", tmp_path / "out")
    assert defend(source, tmp_path / "out", "--skip-unreadable").err.count("has an empty report") == 30


def test_nothing_is_left_where_no_row_can_be_read(tmp_path):
    source = csv_file(tmp_path, [("a", "p", ""), ("b", "p", "")])
    key = key_file(tmp_path)
    told = refusal("defend", "reports", source, "--key", key, "--out", tmp_path / "out", "--skip-unreadable")
    assert "no row can be read" in told


def test_files_that_cannot_be_read_are_named_by_their_order(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.txt").write_text("fine")
    (folder / "b.txt").write_bytes("Zoë".encode("utf-16"))
    (folder / "c.txt").write_text("{\\rtf1}")
    told = refusal("defend", "reports", folder, "--key", key_file(tmp_path), "--out", tmp_path / "out")
    assert "file 2 in the order of their names is not UTF-8; file 3 in the order of their names is RTF" in told
    (tmp_path / "empty").mkdir()
    asked = ("--key", tmp_path / "our.key", "--out", tmp_path / "out")
    assert "neither a cohort nor reports" in refusal("defend", "reports", tmp_path / "empty", *asked)


def test_other_files_in_a_folder_are_named_and_hidden_ones_are_not(tmp_path):
    folder = tmp_path / "in"
    for name in ("a.pdf", "a.txt", ".cache/b.doc", ".DS_Store", "sub/c.RTF"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("fine")
    told = refusal("defend", "reports", folder, "--key", key_file(tmp_path), "--out", tmp_path / "out")
    assert "2 of 3 rows cannot be read: file 1 in the order of their names is no .txt file; file 3" in told
    assert not (tmp_path / "out").exists()
    outcome = defend(folder, tmp_path / "out", "--skip-unreadable")
    assert (outcome.code, outcome.err.count("is no .txt file")) == (3, 2)
    assert [(row["record_id"], row["report"]) for row in written(tmp_path / "out")] == [("a", "fine")]


def test_the_folder_of_the_reports_is_no_place_for_the_output(tmp_path):
    folder, key = tmp_path / "texts", key_file(tmp_path)
    folder.mkdir()
    (folder / "a.txt").write_text("fine")
    told = refusal("defend", "reports", folder, "--key", key, "--out", folder / "in" / "it")
    assert "lies in the folder of the reports" in told
    assert everything_in(folder) == {"a.txt"}


def test_the_folder_that_one_stands_in_is_no_output(tmp_path, monkeypatch):
    source, key = csv_file(tmp_path), key_file(tmp_path)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert "exists already" in refusal("defend", "reports", source, "--key", key, "--out", ".")


def test_an_output_that_exists_is_not_touched(tmp_path):
    source, out = csv_file(tmp_path), tmp_path / "out"
    assert defend(source, out, "--replace", "tag").code == 0
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    asked = ("defend", "reports", source, "--key", tmp_path / "our.key", "--out", out)
    assert "exists already" in refusal(*asked)
    assert "remove the input" in refusal(*asked, "--overwrite", "--spans", out / "spans.parquet")
    (out / "mine.txt").write_text("not leadapron's")
    assert "did not write all" in refusal(*asked, "--overwrite")
    (out / "mine.txt").unlink()
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before
    assert defend(source, out, "--overwrite").code == 0
    assert "[NAME]" not in written(out)[0]["report"]


def test_columns_are_named_where_there_are_some(tmp_path):
    source, key = csv_file(tmp_path), key_file(tmp_path)
    asked = ("--key", key, "--out", tmp_path / "out")
    assert "column 'text' is missing" in refusal("defend", "reports", source, *asked, "--column", "report=text")
    for wrong in ("report", "repotr=text", "report="):
        assert "not a column" in refusal("defend", "reports", source, *asked, "--column", wrong)
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text("fine")
    told = refusal("defend", "reports", tmp_path / "texts", *asked, "--column", "report=text")
    assert "only the columns of a CSV file" in told


def test_a_cohort_tells_in_its_funnel_what_was_left_out(tmp_path, small_clinic_folder):
    from leadapron.cohort import read_cohort, write_cohort

    cohort = read_cohort(small_clinic_folder)
    spoilt = pl.when(pl.int_range(pl.len()) == 3).then(pl.lit("{\\rtf1}")).otherwise("report").alias("report")
    kept = type(cohort)(cohort.name, cohort.records.with_columns(spoilt).head(8), cohort.funnel)
    write_cohort(kept, tmp_path / "cohort")
    outcome = defend(tmp_path / "cohort", tmp_path / "out", "--skip-unreadable")
    assert outcome.code == 3
    assert "record 4 is RTF" in outcome.err
    made = read_cohort(tmp_path / "out")
    assert len(made) == 7
    assert made.funnel.steps[-1].what == "readable reports"

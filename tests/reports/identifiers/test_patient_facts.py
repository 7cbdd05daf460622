"""What the patient table knows is found in any form, and only what it knows."""

from __future__ import annotations

import polars as pl
import pytest

from leadapron.errors import DataError
from leadapron.reports.identifiers.patient_facts import category_of, facts_of, read_facts
from leadapron.reports.identifiers.tokens import tokenise

FACTS = facts_of(
    {
        "name": "Jae-won Marisol O'Brannigan",
        "birth_date": "1951-04-23",
        "mrn": "4471-902",
        "phone": "(555) 014-2231",
        "address": "12 Main Street, Brannhaven, MA 02139",
        "accession": None,
        "sex": "F",
    }
)


def found(text, facts=FACTS):
    return {(text[one.start : one.end], one.category) for one in facts.find(tokenise(text))}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("O'Brannigan, Marisol was seen.", "O'Brannigan"),
        ("seen with o’brannigan today", "o’brannigan"),
        ("MARISOL O'BRANNIGAN", "O'BRANNIGAN"),
        ("seen with OBrannigan today", "OBrannigan"),
        ("seen with O'Branigan today", "O'Branigan"),
        ("seen with Marsiol today", "Marsiol"),
        ("Marisol's film", "Marisol"),
        ("Jae-won has no edema.", "Jae"),
        ("Jae-won has no edema.", "won"),
        ("film of J. M. O today", "J. M. O"),
        ("film of J.O. today", "J.O"),
        ("film of JMO today", "JMO"),
        ("film of M. O'Brannigan", "M. O'Brannigan"),
        ("film of O'Brannigan, M.", "O'Brannigan, M"),
    ],
)
def test_a_name_is_found_in_any_order_case_and_spelling(text, said):
    assert (said, "name") in found(text)


@pytest.mark.parametrize(
    ("text", "said", "category"),
    [
        ("number 4471902 here", "4471902", "mrn"),
        ("number 4471 902 here", "4471 902", "mrn"),
        ("number 44-71-902 here", "44-71-902", "mrn"),
        ("number 004471902 here", "004471902", "mrn"),
        ("call 555.014.2231 now", "555.014.2231", "phone"),
        ("call (555) 014 - 2231 now", "555) 014 - 2231", "phone"),
        ("call 5550142231 now", "5550142231", "phone"),
        ("post to 02139 soon", "02139", "place"),
        ("lives in brannhaven now", "brannhaven", "place"),
        ("at 12 Main Street Brannhaven MA 02139.", "12 Main Street Brannhaven MA 02139", "place"),
    ],
)
def test_a_number_is_found_with_other_separators(text, said, category):
    assert (said, category) in found(text)


@pytest.mark.parametrize(
    "text",
    [
        "He won, and the heart is normal.",
        "Main bronchus is patent.",
        "The main pulmonary artery is normal.",
        "number 44719025 and 14471902",
        "The lungs are clear. No pneumothorax.",
        "AP and PA views, IV contrast, CT of T12.",
        "Marble bone disease.",
        "J. is the letter.",
    ],
)
def test_nothing_else_is_found(text):
    assert found(text) == set()


def test_a_name_that_is_a_word_counts_by_its_capital():
    facts = facts_of({"PatientName": "LONG^ROSE"})
    assert found("Seen by Long, long bones are normal.", facts) == {("Long", "name")}


@pytest.mark.parametrize(
    ("column", "category"),
    [
        ("name", "name"), ("PatientName", "name"), ("mrn", "mrn"), ("MRN", "mrn"), ("birth_date", "date"),
        ("phone", "phone"), ("home_phone", "phone"), ("address", "place"), ("accession", "accession"),
        ("AccessionNumber", "accession"), ("xyzzy", "id"),
    ],
)  # fmt: skip
def test_columns_are_known_by_their_names(column, category):
    assert category_of(column) == category


def test_a_table_may_be_csv_or_parquet_and_have_several_rows_of_a_patient(tmp_path):
    table = pl.DataFrame(
        {"patient_id": ["p", "p", "q"], "name": ["Amara Okafor", "Amara Lindqvist", None], "mrn": [123456.0, None, 7.0]}
    )
    table.write_parquet(tmp_path / "t.parquet")
    table.with_columns(pl.col("mrn").cast(pl.Int64).cast(pl.String)).write_csv(tmp_path / "t.csv")
    for name in ("t.parquet", "t.csv"):
        facts = read_facts(tmp_path / name)
        assert set(facts) == {"p", "q"}
        assert found("Okafor or Lindqvist, 123456", facts["p"]) == {
            ("Okafor", "name"),
            ("Lindqvist", "name"),
            ("123456", "mrn"),
        }
        assert found("Okafor or Lindqvist, 123456 and 7", facts["q"]) == set()


def test_a_table_that_is_none_is_refused(tmp_path):
    (tmp_path / "a.csv").write_text("who,name\np,Amara\n")
    (tmp_path / "b.parquet").write_text("nonsense")
    (tmp_path / "d.csv").write_bytes(b"\x89PNG\x0d\x1a\xff\xfe,\xc0\x01\n1,2\n")
    for name, said in (
        ("a.csv", "'patient_id' is missing"),
        ("b.parquet", "cannot be read"),
        ("c.csv", "cannot be"),
        ("d.csv", "is not text"),
    ):
        with pytest.raises(DataError, match=said):
            read_facts(tmp_path / name)

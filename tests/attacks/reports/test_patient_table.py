"""The search for what a patient table knows: usual ways to write it, the ends of words, and coincidence."""

from __future__ import annotations

import polars as pl
import pytest

from leadapron.attacks.reports import ReleasedReports, audit_residual
from leadapron.attacks.reports.patient_table import read_table, table_of
from leadapron.attacks.reports.report_cases import Report, reports_of
from leadapron.attacks.reports.residual_controls import NULL
from leadapron.attacks.reports.table_search import dealt, search
from leadapron.errors import DataError
from leadapron.results.selection import covered, only
from report_data import all_but, identifiers, made, released

ROW = {
    "name": "Alma Rosa Holt",
    "birth_date": "1951-04-03",
    "mrn": "1234567",
    "phone": "(555) 010-4321",
    "address": "12 Oak Street, Springfield",
    "accession": None,
    "ward": "B2",
}


def found_in(text, **row):
    table = table_of(pl.DataFrame([{"patient_id": "p", **ROW, **row}]))
    hits = search(table, [Report("r", "p", text)])
    return {column for column, those in hits.items() if those} - {"all"}


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("seen: Holt, Alma", {"name", "part of a name"}),
        ("ALMA R. HOLT", {"name", "part of a name"}),
        ("alma holt", {"name"}),
        ("Alma\nRosa", {"name", "part of a name"}),
        ("Mrs. Holt", {"part of a name"}),
        ("the holt is small", set()),
        ("Holtz, Almas", set()),
        ("born 4/3/1951", {"birth_date"}),
        ("born 04-03-51", {"birth_date"}),
        ("born April 3rd, 1951", {"birth_date"}),
        ("born 3 Apr 1951", {"birth_date"}),
        ("born 19510403", {"birth_date"}),
        ("born 4/30/1951", set()),
        ("number 1234567.", {"mrn"}),
        ("number 12345678", set()),
        ("call 555-010-4321", {"phone"}),
        ("call 5550104321", {"phone"}),
        ("lives at 12 oak street", {"address"}),
        ("ward B2", set()),
    ],
)
def test_a_cell_is_found_in_usual_forms_and_at_the_ends_of_words(text, columns):
    assert found_in(text) == columns


def test_a_patient_may_have_several_rows():
    table = table_of(pl.DataFrame({"patient_id": ["p", "p"], "mrn": ["111222", "333444"]}))
    for number in ("111222", "333444"):
        assert search(table, [Report("r", "p", number)])["mrn"] == {"p"}
    assert search(table, [Report("r", "q", "111222")])["mrn"] == set()


def test_nobody_is_dealt_to_themselves():
    names = [f"p{number}" for number in range(7)]
    for seed in range(20):
        owner = dealt(names, seed)
        assert sorted(owner) == sorted(owner.values()) == names
        assert all(one != other for one, other in owner.items())


def audited(of, found, **how):
    reports = reports_of(released(of, found, **how))
    return audit_residual(ReleasedReports(reports, table=table_of(of.table)))


def test_what_is_left_is_what_a_plain_search_finds():
    of = made(60)
    found = all_but(of, 0.1)
    result = audited(of, found, how="tag")
    texts = released(of, found, how="tag").records.group_by("patient_id").agg(pl.col("report").str.join("\n"))
    text = dict(texts.iter_rows())
    names = {row["patient_id"] for row in of.table.iter_rows(named=True) if row["name"] in text[row["patient_id"]]}
    numbers = {row["patient_id"] for row in of.table.iter_rows(named=True) if row["mrn"] in text[row["patient_id"]]}
    assert only(result, metric="leak", category="name").value == len(names) / 60
    assert only(result, metric="leak", category="mrn").value == len(numbers) / 60
    assert result.headline.attacker == "patient-table"
    assert result.headline.value == len(names | numbers) / 60
    assert covered(result) == {"patient-table"}


def test_coincidence_is_what_guessing_gives():
    """Everybody is called alike: the search finds the name in all reports, and so do cells of others."""
    of = made(30)
    same = of.table.with_columns(name=pl.lit("Nora Quill"))
    reports = [Report(one.record, one.patient, "Nora Quill was seen.") for one in reports_of(of.source)]
    result = audit_residual(ReleasedReports(reports, table=table_of(same)))
    assert result.headline.value == result.headline.chance == 1
    null = next(outcome for outcome in result.outcomes if outcome.check == NULL)
    assert null.outcome == "pass"


def test_nothing_is_found_where_everything_was_replaced():
    of = made(60)
    result = audited(of, identifiers(of), how="stand-in")
    assert result.headline.value == 0
    assert result.headline.chance == pytest.approx(1e-6)


def test_a_table_that_cannot_be_used_is_refused(tmp_path):
    file = tmp_path / "table.csv"
    with pytest.raises(DataError, match="no patient table"):
        read_table(file, ["p"])
    pl.DataFrame({"who": ["p"], "name": ["Alma Holt"]}).write_csv(file)
    with pytest.raises(DataError, match="other columns"):
        read_table(file, ["p"])
    pl.DataFrame({"patient_id": ["q"], "name": ["Alma Holt"]}).write_csv(file)
    with pytest.raises(DataError, match="no patient of the reports"):
        read_table(file, ["p"])

"""Results as a table: a row per estimate, with the coordinates that it has."""

from __future__ import annotations

from leadapron.results import Findings, Measured, Results, Spot
from tiny_results import inputs_of


def results_of(*rows, about="risk"):
    first = rows[0] if rows else Spot(metric="auroc", attacker="probe")
    findings = Findings(
        audit="utility",
        about=about,
        spot=Spot(metric=first.metric, attacker=first.attacker, **first.at),
        estimates=rows,
    )
    return Results.of(findings, title="t", command="c", seed=0, config={}, inputs=inputs_of(), versions={})


def number(chance, **at):
    return Measured(metric="auroc", attacker="probe", value=0.8, low=0.7, high=0.9, sd=0.1, chance=chance, n=50, **at)


def test_a_coordinate_that_a_number_does_not_have_is_null_and_what_cannot_be_guessed_has_no_multiple():
    table = results_of(number(0.5), number(0.0, label="edema"), about="use").table()
    assert table.columns == [
        "metric", "attacker", "group", "label", "value", "low", "high", "chance", "enrichment", "n", "patients",
    ]  # fmt: skip
    assert table["label"].to_list() == [None, "edema"]
    assert table["enrichment"].to_list() == [1.6, None]


def test_the_headline_is_the_number_with_its_coordinates_and_no_others():
    """The mean over findings stands beside the numbers of single ones."""
    labelled, mean = number(0.4, label="edema"), number(0.5)
    assert results_of(mean, labelled).headline.chance == 0.5
    assert results_of(mean, labelled).updated(estimates=(labelled, mean)).headline.chance == 0.5


def test_an_audit_without_numbers_has_an_empty_table():
    assert results_of().table().is_empty()

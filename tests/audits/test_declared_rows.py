"""Only a measure words a number: each text of each audit is whole, and a number that no measure declares is refused."""

from __future__ import annotations

import json
from itertools import product

import pytest

from command_line import refusal, run
from leadapron.audits import find_audit
from leadapron.audits.audit_registry import audit_names
from leadapron.audits.declared_rows import audit_of
from leadapron.audits.wording import (
    change_sentence,
    counted_of,
    event_of,
    named,
    place_of,
    sentence,
    title_of,
    titled,
    units_of,
)
from leadapron.errors import DataError
from leadapron.results import Measured, read_results
from tiny_results import GOOD, estimate, records, write

FREE = {
    "pool": (2, 1000, 43_793),
    "label": ("edema", "label_no_finding"),
    "findings": ("all findings", "edema"),
    "category": ("all", "HIPAA", "birth_date"),
    "over": ("shuffled pairs",),
    "finding": ("Edema",),
    "attribute": ("sex", "insurance_type"),
}
"""Values of the coordinates that have no list of their own; without a label a number is the mean over all."""


def values_of(name, coordinate):
    return tuple(coordinate.words) if coordinate.words and not callable(coordinate.words) else FREE[name]


def rows_of(audit, measure):
    """A row at every place, with each parameter that a family may have, rare and common."""
    family = "{of" in measure.title + measure.event + measure.units
    coordinates = [[(name, value) for value in values_of(name, one)] for name, one in audit.coordinates.items()]
    places = [dict(place) for place in product(*coordinates)] + ([{}] if "label" in audit.coordinates else [])
    for metric, place in product([f"{measure.name}={of}" for of in (0.9, 0.001)] if family else [measure.name], places):
        for value, chance in ((0.0, 0.5), (0.25, 0.001), (1.0, 0.0 if audit.about == "use" else 1e-6)):
            numbers = {"value": value, "low": 0.0, "high": 1.0, "sd": 0.1, "chance": chance, "n": 1200, "patients": 400}
            yield Measured(metric=metric, attacker=next(iter(audit.attackers)), **numbers, **place)


def texts_of(audit, row):
    words = (title_of, units_of, counted_of, event_of, named, titled, sentence)
    return [*(word(audit, row) for word in words), change_sentence(audit, row, 0.3, row.value)]


@pytest.mark.parametrize("name", audit_names())
def test_every_measure_is_worded_at_every_place(name):
    audit = find_audit(name)
    for measure in audit.measures:
        for row in rows_of(audit, measure):
            audit.check(row)
            for text in [*texts_of(audit, row), place_of(audit, row)]:
                assert not [broken for broken in ("{", "}", "None", "  ") if broken in text]
                assert text == text.strip()
            assert all(texts_of(audit, row))
            assert sentence(audit, row)[0].isupper()
            assert "by guessing, " in sentence(audit, row)
            assert " before and " in change_sentence(audit, row, 0.3, row.value)


@pytest.mark.parametrize("name", audit_names())
def test_the_numbers_of_a_trial_and_the_coordinates_beside_the_headline_are_declared(name):
    audit = find_audit(name)
    assert set(audit.beside) <= set(audit.coordinates)
    for one in audit.in_trials:
        audit.measure_of(one["metric"])
        assert set(one) <= {"metric", "attacker", *audit.coordinates}


# What is read from a file


@pytest.fixture
def folder(tmp_path):
    evidence = {"records": records([0.0, 1.0] * 20, range(40))}
    write(tmp_path / "audit", [*GOOD, estimate(pool=100)], evidence=evidence)
    return tmp_path / "audit"


def changed(folder, at=-1, lost=(), **row):
    file = folder / "results.json"
    content = json.loads(file.read_text())
    content["estimates"][at].update(row)
    for name in lost:
        del content["estimates"][at][name]
    file.write_text(json.dumps(content))
    return folder


UNDECLARED = [
    ({"metric": "recall@2"}, "the audit 'linkage' declares no such measure; got 'recall@2'"),
    ({"metric": "auc"}, "the audit 'linkage' declares no such measure; got 'auc'"),
    ({"gallery": "large"}, "the audit 'linkage' declares no such coordinate; got 'gallery'"),
    ({"attack": "linkage"}, "the audit 'linkage' declares no such coordinate; got 'attack'"),
    ({"protocol": "rnadom"}, "the audit 'linkage' has no words for this protocol; got 'rnadom'"),
    ({"pool": "100"}, "a coordinate is not of its kind"),
    ({"value": 1.7, "high": 1.7}, "recall@1 is a fraction; got (1.7, 0.001); allowed: 0 to 1"),
    ({"chance": 20.0}, "recall@1 is a fraction; got (0.004, 20.0); allowed: 0 to 1"),
    ({"lost": ("pool",)}, "the coordinate 'pool' is missing"),
]


@pytest.mark.parametrize(("row", "said"), UNDECLARED)
def test_a_row_that_could_not_be_worded_is_refused_by_its_place(folder, row, said):
    results = read_results(changed(folder, **row))  # reading knows of no audit
    with pytest.raises(DataError) as caught:
        audit_of(results)
    assert f"{folder}: estimates[{len(GOOD)}]: {said}" in str(caught.value)
    assert str(caught.value).endswith("audit again.")


@pytest.mark.parametrize("command", ["report", "compare"])
def test_it_is_refused_for_a_page_and_a_comparison(folder, command):
    changed(folder, metric="recall@2")
    said = refusal(command, *([folder, folder] if command == "compare" else [folder]))
    assert f"estimates[{len(GOOD)}]: the audit 'linkage' declares no such measure" in said
    assert not (folder / "report.html").exists()


def test_a_gate_is_incomplete_with_it(folder):
    done = run("gate", changed(folder, metric="recall@2"))
    assert done.code == 3
    assert f"estimates[{len(GOOD)}]: the audit 'linkage' declares no such measure" in done.out


def test_results_of_an_audit_that_is_not_installed_are_refused(folder):
    (folder / "results.json").write_text((folder / "results.json").read_text().replace('"linkage"', '"palmistry"', 1))
    assert "there is no such audit; got 'palmistry'" in refusal("report", folder)
    with pytest.raises(DataError, match="Install the package that it comes from"):
        audit_of(read_results(folder))

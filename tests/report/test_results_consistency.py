"""A results file that contradicts itself is not read: nobody knows which of its numbers to believe."""

from __future__ import annotations

import json

import pytest

from leadapron.attacks.measurements import Measurements
from leadapron.errors import DataError
from leadapron.report import read_results
from leadapron.stats import Estimate
from tiny_results import estimate, write


@pytest.fixture
def file(tmp_path):
    write(tmp_path / "audit", [estimate(0.004, low=0.001, high=0.02, detectable=0.01), estimate(pool=100)])
    return tmp_path / "audit" / "results.json"


def changed(file, **numbers):
    content = json.loads(file.read_text())
    content["estimates"][1].update(numbers)
    file.write_text(json.dumps(content))
    return file


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ({"enrichment": 1.0}, "an enrichment of 1.0 is not 0.004 over 0.001"),
        ({"chance": 0.5}, "an enrichment of 4.0 is not 0.004 over 0.5"),
        ({"chance": 0.0}, "the chance level must be above zero"),
        ({"high": 0.001}, "the value 0.004 is not within its interval"),
        ({"low": 0.005}, "the value 0.004 is not within its interval"),
        ({"n": 0}, "must be at least 1"),
        ({"attack": "identity"}, "an estimate of 'identity' in an audit of 'linkage'"),
    ],
)
def test_numbers_that_contradict_each_other_are_refused(file, numbers, said):
    with pytest.raises(DataError, match=r"results\.json: \$\.estimates\[1\]") as caught:
        read_results(changed(file, **numbers))
    assert said in str(caught.value)


def test_rounding_is_no_contradiction(file):
    read_results(changed(file, low=0.004 + 1e-12, high=0.004 - 1e-12, enrichment=4.0 * (1 + 1e-9)))


def test_a_key_that_stands_twice_is_refused(file):
    """Python reads the last and others the first: one reader's pass is the next one's breach."""
    file.write_text(file.read_text().replace('"value": 0.004', '"value": 0.9, "value": 0.004', 1))
    with pytest.raises(DataError, match="the key 'value' stands there twice"):
        read_results(file)


@pytest.mark.parametrize("constant", ["NaN", "Infinity"])
def test_what_is_no_number_is_refused(file, constant):
    file.write_text(file.read_text().replace('"high": 0.02', f'"high": {constant}', 1))
    with pytest.raises(DataError, match=f"{constant} is not a number"):
        read_results(file)


def test_an_audit_tells_no_interval_that_misses_its_estimate():
    found = Measurements("linkage", by_patient=True, redraws=0, seed=0)
    found.add("image-to-report", "cosine", 100, "recall@1", 0.01, Estimate(0.3, 0.31, 0.4, 0.1, 50))
    found.add("image-to-report", "cosine", 100, "recall@5", 0.05, Estimate(0.3, 0.1, 0.29, 0.1, 50))
    assert [(row.low, row.high) for row in found.estimates] == [(0.3, 0.4), (0.1, 0.3)]


def test_a_headline_that_is_not_among_the_estimates_is_refused(file):
    content = json.loads(file.read_text())
    content["headline"]["pool"] = 77
    file.write_text(json.dumps(content))
    with pytest.raises(DataError, match=r"\$\.headline: is not among the estimates"):
        read_results(file)

"""A results file that contradicts itself, or is of another format, is not read: none of its numbers can be believed."""

from __future__ import annotations

import json

import pytest

from leadapron.audits import Gathering, find_audit
from leadapron.errors import DataError
from leadapron.results import read_results
from leadapron.results.results_folder import schema
from leadapron.stats import OUTCOMES, Estimate
from sample_results import write_sample
from tiny_results import estimate, write


@pytest.fixture
def file(tmp_path):
    write(tmp_path / "audit", [estimate(0.004, low=0.001, high=0.02, detectable=0.01), estimate(pool=100)])
    return tmp_path / "audit" / "results.json"


def rewritten(file, change):
    content = json.loads(file.read_text())
    change(content)
    file.write_text(json.dumps(content))
    return file


def changed(file, **numbers):
    return rewritten(file, lambda content: content["estimates"][1].update(numbers))


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ({"high": 0.001}, "the value 0.004 is not within its interval"),
        ({"low": 0.005}, "the value 0.004 is not within its interval"),
        ({"n": 0}, "should be greater than or equal to 1"),
        ({"n": 2.5}, "should be a valid integer"),
        ({"sd": -0.1}, "should be greater than or equal to 0"),
        ({"chance": -0.1}, "should be greater than or equal to 0"),
        ({"value": "0.004"}, "should be a valid number"),
        ({"group": 3}, "should be a valid string"),
        ({"direction": ["image-to-report"]}, "$.estimates[1].direction"),
    ],
)
def test_numbers_that_contradict_each_other_are_refused(file, numbers, said):
    with pytest.raises(DataError, match=r"results\.json: \$\.estimates\[1\]") as caught:
        read_results(changed(file, **numbers))
    assert said in str(caught.value)


def test_a_risk_that_nobody_could_guess_is_refused(file):
    """The multiple of chance would be infinite."""
    with pytest.raises(DataError, match=r"estimates\[1\]: the chance level must be above zero"):
        read_results(changed(file, chance=0.0))


def test_rounding_is_no_contradiction(file):
    read_results(changed(file, low=0.004 + 1e-12, high=0.004 - 1e-12))


def test_results_of_the_format_before_are_refused_in_one_sentence(file):
    with pytest.raises(DataError) as caught:
        read_results(rewritten(file, lambda content: content.update(format=1, attack=content.pop("audit"))))
    assert str(caught.value) == (
        f"{file}: the document is of format 1, and this version of leadapron reads 2. "
        "The file was changed or cut, or an earlier version wrote it: audit again."
    )


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda content: content.pop("audit"), "$.audit: field required"),
        (lambda content: content.update(attack="linkage"), "$.attack: extra inputs are not permitted"),
        (lambda content: content["outcomes"][0].update(outcome="passed"), "$.outcomes[0].outcome"),
        (lambda content: content["outcomes"][0].update(attaker="x"), "$.outcomes[0].attaker"),
        (lambda content: content["inputs"].update(verified="yes"), "$.inputs.verified"),
        (lambda content: content.update(counts={"records": 1.5}), "$.counts.records"),
        (lambda content: content.update(evidence={"records": {"file": "x"}}), "$.evidence.records.sha256"),
    ],
)
def test_what_is_missing_unknown_or_of_the_wrong_kind_is_refused_by_its_place(file, change, place):
    with pytest.raises(DataError) as caught:
        read_results(rewritten(file, change))
    assert f"results.json: {place}" in str(caught.value)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"audit": "linkage"'])
def test_what_is_no_document_is_refused(file, text):
    file.write_text(text)
    with pytest.raises(DataError, match=r"results\.json"):
        read_results(file)


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
    found = Gathering(find_audit("linkage"))
    place = {"attacker": "cosine", "direction": "image-to-report", "protocol": "random", "pool": 100}
    found.add("recall@1", Estimate(0.3, 0.31, 0.4, 0.1, 50), chance=0.01, **place)
    found.add("recall@5", Estimate(0.3, 0.1, 0.29, 0.1, 50), chance=0.05, **place)
    assert [(row.low, row.high) for row in found.estimates] == [(0.3, 0.4), (0.1, 0.3)]


def test_a_headline_that_is_not_among_the_estimates_is_refused(file):
    with pytest.raises(DataError, match="the headline is not among the estimates"):
        read_results(rewritten(file, lambda content: content["headline"].update(pool=77)))


def test_a_headline_of_fewer_coordinates_than_its_number_is_refused(file):
    with pytest.raises(DataError, match="the headline is not among the estimates"):
        read_results(rewritten(file, lambda content: content["headline"].pop("direction")))


# The schema that others check with


def test_the_schema_comes_from_the_types_and_the_sample_keeps_it(tmp_path):
    """By a validator where one is installed, else by the few words of JSON Schema that ours is written in."""
    written = schema()
    write_sample(tmp_path / "audit")
    content = json.loads((tmp_path / "audit" / "results.json").read_text())
    assert content["format"] == 2
    assert kept(content, written, written["$defs"])
    assert not kept({**content, "attack": "linkage"}, written, written["$defs"])
    assert written["$defs"]["Outcome"]["properties"]["outcome"]["enum"] == list(OUTCOMES)
    try:
        import jsonschema
    except ImportError:
        return
    jsonschema.validate(content, written)


KINDS = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool,
         "null": type(None)}  # fmt: skip


def kept(value, rule, types) -> bool:
    """Whether a value keeps a rule: types, what is required, what is unknown, and what may stand for it."""
    if "$ref" in rule:
        return kept(value, types[rule["$ref"].rpartition("/")[2]], types)
    if "anyOf" in rule:
        return any(kept(value, one, types) for one in rule["anyOf"])
    if "const" in rule or "enum" in rule:
        return value in rule.get("enum", [rule.get("const")])
    if "type" in rule and not isinstance(value, KINDS[rule["type"]]):
        return False
    if isinstance(value, list):
        return all(kept(one, rule.get("items", {}), types) for one in value)
    if not isinstance(value, dict):
        return True
    named, others = rule.get("properties", {}), rule.get("additionalProperties", True)
    if not set(rule.get("required", ())) <= set(value) or (others is False and not set(value) <= set(named)):
        return False
    rest = others if isinstance(others, dict) else {}
    return all(kept(one, named.get(name, rest), types) for name, one in value.items())

"""What a gate binds together: audits of one release, models trained on it, and what such a release calls for."""

from __future__ import annotations

import json

import pytest

from command_line import refusal, run
from leadapron.audits import Policy, default_policy_text, judge
from leadapron.audits.policy import Control
from leadapron.engine.file_ids import id_of_files
from leadapron.stats import Outcome
from tiny_results import GOOD, HASHES, TRIED, estimate, inputs_of, require, write

SAME, COPIES = "null control (patients at random)", "planted copies"
MASKS, MEMORISED = "null control (masks of other models)", "planted patients"
ASKED_OF_IDENTITY = {
    "same-patient-first",
    "same-patient-among-alike",
    "same-patient-named",
    "recognised-in-released-before",
    SAME,
    COPIES,
}
ASKED_OF_ATTRIBUTES = {
    "attribute",
    "attribute-known",
    "null control (attributes dealt at random)",
    "planted attribute",
}
IDENTITY_CONTROLS = tuple(Outcome(check, "pass", "Well.", TRIED) for check in (SAME, COPIES))
MEMBERSHIP_CONTROLS = tuple(Outcome(check, "pass", "Well.", TRIED) for check in (MASKS, MEMORISED))
MADE_UP, SURE = "null control (made-up members)", "planted patients (one model)"
AS_FOUND_CONTROLS = tuple(Outcome(check, "pass", "Well.", TRIED) for check in (MADE_UP, SURE))
ASKED_OF_MODELS = {"patients-recognised", "most-exposed-patients", MASKS, MEMORISED}

RELEASE = id_of_files(HASHES)
OTHER = {**HASHES, "text.npy": "ef" * 32}
"""The same images with other texts."""
BAD = [estimate(0.05), *GOOD[1:]]
SIGNALS = {"signals/signals.npy": "12" * 32}


def identity(value=0.008, alike=0.52):
    place = {"direction": "image-to-image"}
    return [
        estimate(value, metric="precision@1", chance=0.004, **place),
        estimate(alike, metric="auc", protocol="matched", pool=2000, chance=0.5, **place),
        estimate(0.006, metric="tpir@fpir=0.01", chance=4e-5, **place),
    ]


def membership(share=0.0004, top=0.7, **ends):
    place = {"direction": "model-to-record", "protocol": "patient", "attacker": "joint"}
    return [
        estimate(share, metric="true-patients-above=0.9", chance=1e-6, pool=200, **ends, **place),
        estimate(top, metric="auc@top=0.01", chance=0.6, pool=200, **place),
    ]


def as_found():
    place = {"direction": "model-to-record", "protocol": "patient", "attacker": "joint"}
    return [estimate(0.011, metric="tpr@fpr=0.01", chance=0.01, pool=2, **place)]


def signals(made_from):
    return inputs_of(SIGNALS, kind="signals", release="signals", made_from=made_from, holds=(), mates=None)


@pytest.fixture
def audits(tmp_path):
    """Folders of audits that meet the default policy, with inputs or estimates as it is said."""

    def written(attack, inputs=None, rows=None, outcomes=None):
        usual = {
            "linkage": (GOOD, None),
            "identity": (identity(), IDENTITY_CONTROLS),
            "membership": (membership(), MEMBERSHIP_CONTROLS),
            "as-found": (as_found(), AS_FOUND_CONTROLS),
        }
        folder = tmp_path / f"{len(list(tmp_path.iterdir()))}-{attack}"
        checks = outcomes or usual[attack][1]
        more = {} if checks is None else {"outcomes": checks}
        write(folder, rows or usual[attack][0], attack=attack, inputs=inputs, **more)
        return folder

    return written


def changed(folder, change):
    """The inputs of results on disk are not what they were."""
    content = json.loads((folder / "results.json").read_text())
    change(content["inputs"])
    (folder / "results.json").write_text(json.dumps(content))
    return folder


def verdict_on(*given):
    verdict = json.loads(run("gate", *given, "--json").out)
    return verdict["exit_code"], {one["id"]: one["outcome"] for one in verdict["judgements"]}


# One release


def test_linkage_and_identity_of_one_release_are_judged_together_in_any_order(audits):
    linkage, good, bad = audits("linkage"), audits("identity"), audits("identity", rows=identity(alike=0.9))
    assert verdict_on(linkage, good)[0] == verdict_on(good, linkage)[0] == 0
    for order in ((linkage, bad), (bad, linkage)):
        code, found = verdict_on(*order)
        assert (code, found["same-patient-among-alike"]) == (1, "fail")


def test_two_releases_have_no_common_verdict(audits):
    """Only hashes of files of one name were compared, so releases in other layouts met the policy together."""
    linkage = audits("linkage")
    other = audits("identity", inputs_of({"release.npz": "ab" * 32}, release="another"))
    for order in ((linkage, other), (other, linkage)):
        said = refusal("gate", *order)
        assert "the results are of 2 subjects, and a verdict is on one" in said
        assert "'release' (id " in said
        assert "'another' (id " in said


def test_one_changed_file_makes_another_release(audits):
    assert "of 2 subjects" in refusal("gate", audits("linkage"), audits("identity", inputs_of(OTHER)))


def test_models_belong_to_the_release_that_they_were_trained_on(audits):
    linkage, same = audits("linkage"), audits("identity")
    assert verdict_on(linkage, same, audits("membership", signals([RELEASE, "its cohort"])))[0] == 0
    for made_from in ([], ["another release"], ["its defended version", RELEASE]):
        said = refusal("gate", linkage, same, audits("membership", signals(made_from)))
        assert "of 2 subjects" in said
        assert "'signals' (id " in said


def test_of_two_audits_of_one_attack_the_worse_counts(audits):
    good, bad = audits("linkage", inputs_of(mates=False)), audits("linkage", inputs_of(mates=False), rows=BAD)
    for order in ((good, bad), (bad, good)):
        verdict = json.loads(run("gate", *order, "--json").out)
        assert verdict["exit_code"] == 1
        assert "The worst of 2 audits: a tiny audit." in verdict["judgements"][0]["reason"]
    assert verdict_on(good, good)[0] == 0


ANOTHER_ID = "the id of the subject is not that of the files named beside it"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda inputs: inputs.pop("subject"), "results.json: $.inputs.subject: field required"),
        (lambda inputs: inputs.update(sha256={}), "$.inputs: no file is named that was audited"),
        (lambda inputs: inputs.update(sha256={"image.npy": "00" * 32}), f"$.inputs: {ANOTHER_ID}"),
        (lambda inputs: inputs.update(sha256=OTHER), f"$.inputs: {ANOTHER_ID}"),
        (lambda inputs: inputs.update(release="a better one"), "the results are not as the audit wrote them"),
    ],
)
def test_results_that_were_changed_are_named_and_nothing_is_met(audits, change, said):
    """Without hashes there was nothing to compare, and whatever was given belonged together."""
    old = changed(audits("linkage"), change)
    for given in ((old,), (audits("linkage", inputs_of(mates=False)), old)):
        done = run("gate", *given)
        assert done.code == 3
        assert said in done.out
        assert f"results {old / 'results.json'}\n" in done.out


# What a release calls for


def test_a_release_of_pairs_is_not_cleared_by_half_of_its_audits(audits):
    """Linkage alone met the policy, whatever the images gave away."""
    code, found = verdict_on(audits("linkage"))
    assert code == 3
    assert {name for name, outcome in found.items() if outcome == "incomplete"} == ASKED_OF_IDENTITY
    beside = {"linked-to-released-before"}  # nothing was given to look in
    assert {name for name, outcome in found.items() if outcome == "not-applicable"} == ASKED_OF_ATTRIBUTES | beside
    code, found = verdict_on(audits("identity"))
    assert (code, found["image-to-report"]) == (3, "incomplete")
    assert "run `leadapron audit linkage` and give its results, too" in run("gate", audits("identity")).out


def test_a_release_of_images_is_asked_for_identity_and_attributes(audits):
    code, found = verdict_on(audits("identity", inputs_of(holds=("image",))))
    assert (code, set(found)) == (0, ASKED_OF_IDENTITY | ASKED_OF_ATTRIBUTES)


@pytest.mark.parametrize(
    ("describes", "outcome", "code"), [((), "not-applicable", 0), (("sex",), "incomplete", 3), (None, "incomplete", 3)]
)
def test_what_a_table_says_of_patients_is_looked_for_in_the_vectors(audits, describes, outcome, code):
    """Where nobody knows what the table says, nothing is taken for granted."""
    found_code, found = verdict_on(audits("identity", inputs_of(holds=("image",), describes=describes)))
    assert (found_code, {found[name] for name in ASKED_OF_ATTRIBUTES}) == (code, {outcome})


@pytest.mark.parametrize(("mates", "outcome", "code"), [(False, "not-applicable", 0), (None, "incomplete", 3)])
def test_where_nobody_can_be_recognised_it_is_said_and_not_guessed(audits, mates, outcome, code):
    found_code, found = verdict_on(audits("linkage", inputs_of(mates=mates)))
    assert (found_code, {found[name] for name in ASKED_OF_IDENTITY}) == (code, {outcome})


def test_models_are_asked_for_membership_alone(audits):
    code, found = verdict_on(audits("membership", signals([])))
    assert (code, set(found)) == (0, ASKED_OF_MODELS)


def test_one_model_as_it_is_found_is_asked_for_that_alone(audits):
    code, found = verdict_on(audits("as-found", signals([])))
    assert (code, set(found)) == (0, {"members-of-one-model", MADE_UP, SURE})


def test_a_policy_of_ones_own_is_judged_whole(audits, tmp_path):
    own = tmp_path / "policy.toml"
    own.write_text(default_policy_text())
    linkage, same = audits("linkage"), audits("identity")
    code, found = verdict_on(linkage, same, "--policy", own)
    missing = {name for name, outcome in found.items() if outcome == "incomplete"}
    assert (code, missing) == (3, ASKED_OF_MODELS | {"members-of-one-model", MADE_UP, SURE})
    models = [audits(attack, signals([RELEASE])) for attack in ("membership", "as-found")]
    assert run("gate", linkage, same, *models, "--policy", own).code == 0


def test_a_policy_of_which_nothing_applies_is_not_met(audits, tmp_path):
    text = default_policy_text()
    head, *entries = text.split("\n[[")
    own = tmp_path / "policy.toml"
    own.write_text("\n[[".join([head, *(entry for entry in entries if 'attack = "identity"' in entry)]))
    code, found = verdict_on(audits("linkage", inputs_of(mates=False)), "--policy", own)
    assert (code, found.pop("limit of linkage")) == (3, "incomplete")
    assert set(found.values()) == {"not-applicable"}


def test_results_of_an_audit_that_is_not_known_are_incomplete(tmp_path):
    write(tmp_path / "audit", GOOD, attack="palmistry")
    done = run("gate", tmp_path / "audit")
    assert done.code == 3
    assert "there is no such audit; got 'palmistry'" in done.out


# Each attack by its own entries


@pytest.mark.parametrize(
    ("rows", "controls", "code", "name", "outcome"),
    [
        (membership(), MEMBERSHIP_CONTROLS, 0, "patients-recognised", "pass"),
        (membership(0.004, high=0.02), MEMBERSHIP_CONTROLS, 3, "patients-recognised", "incomplete"),
        (membership(0.03, low=0.02), MEMBERSHIP_CONTROLS, 1, "patients-recognised", "fail"),
        (membership(top=0.95), MEMBERSHIP_CONTROLS, 1, "most-exposed-patients", "fail"),
        (membership()[:1], MEMBERSHIP_CONTROLS, 3, "most-exposed-patients", "incomplete"),
        (membership(), MEMBERSHIP_CONTROLS[:1], 3, MEMORISED, "incomplete"),
    ],
)
def test_membership_is_judged_by_patients_and_by_its_controls(audits, rows, controls, code, name, outcome):
    found_code, found = verdict_on(audits("membership", signals([]), rows, controls))
    assert (found_code, found[name]) == (code, outcome)


def test_a_control_is_sought_in_the_results_of_its_attack(tmp_path):
    first = write(tmp_path / "linkage", [estimate()], outcomes=[Outcome("same name", "pass", "well", TRIED)])
    checks = [Outcome("same name", "error", "ill", TRIED)]
    second = write(tmp_path / "identity", identity(), outcomes=checks, attack="identity")
    verdict = judge([first, second], Policy("ours", (require(),), (Control("same name", "w", "s", "linkage"),)))
    # the other one is not asked for, but went wrong
    assert [(one.outcome, one.reason) for one in verdict.judgements[1:3]] == [("pass", "well"), ("error", "ill")]

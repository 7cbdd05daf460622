"""The policy: what it may say, and how it answers to what it does not understand."""

from __future__ import annotations

import pytest

from leadapron.audits import default_policy, default_policy_text, read_policy
from leadapron.errors import ConfigError

REQUIRE = """
[[require]]
id = "first"
attack = "linkage"
metric = "recall@1"
at_most = 0.01
why = "because"
source = "the board"
"""
POLICY = f'format = 2\ntitle = "ours"\n{REQUIRE}'


def read(tmp_path, text):
    file = tmp_path / "policy.toml"
    file.write_text(text)
    return read_policy(file)


def refusal(tmp_path, text):
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, text)
    assert "policy.toml" in str(caught.value)
    return str(caught.value)


def test_a_policy_is_read(tmp_path):
    policy = read(tmp_path, POLICY + '[[control]]\ncheck = "planted leak"\nwhy = "w"\nsource = "s"\n')
    (requirement,), (control,) = policy.requirements, policy.controls
    assert policy.title == "ours"
    assert (requirement.id, requirement.why, requirement.source) == ("first", "because", "the board")
    assert requirement.limits == {"at_most": 0.01}
    assert control.check == "planted leak"


def test_everybody_is_judged_unless_said_otherwise(tmp_path):
    (requirement,) = read(tmp_path, POLICY).requirements
    assert dict(requirement.select) == {"attack": "linkage", "metric": "recall@1", "group": "everybody"}


def test_the_default_is_valid_and_claims_no_authority():
    policy, text = default_policy(), default_policy_text()
    assert [(control.attack, control.check) for control in policy.controls] == [
        ("linkage", "null control (shuffled pairs)"),
        ("linkage", "planted leak"),
        ("identity", "null control (patients at random)"),
        ("identity", "planted copies"),
        ("table", "null control (everybody alike)"),
        ("table", "planted patients who stand alone"),
        ("attributes", "null control (attributes dealt at random)"),
        ("attributes", "planted attribute"),
        ("membership", "null control (masks of other models)"),
        ("membership", "planted patients"),
        ("as-found", "null control (made-up members)"),
        ("as-found", "planted patients (one model)"),
        ("federation", "null control (patients of no hospital)"),
        ("federation", "planted patients (a small federation)"),
        ("residual", "null control (nothing is left)"),
        ("residual", "planted identifiers"),
        ("parrot", "null control (stand-ins called leaks)"),
        ("parrot", "planted words"),
        ("report-identity", "null control (reports dealt at random)"),
        ("report-identity", "planted copies of reports"),
        ("recital", "null control (reports dealt to others' images)"),
        ("recital", "planted writer that knows every report by heart"),
        ("image-identity", "null control (released images dealt at random)"),
        ("image-identity", "planted sources"),
        ("image-identity", "adaptive attacker at least as strong as the static one"),
        ("image-copies", "null control (real images of other patients)"),
        ("image-copies", "planted duplicates"),
        ("image-membership", "null control (members drawn at random)"),
        ("image-membership", "planted copies of members"),
        ("image-linkage", "null control (released images dealt at random)"),
        ("image-linkage", "planted marks"),
    ]
    assert "starting point" in policy.title.lower()
    assert "no authority" in policy.title
    assert all("owned by the institution" in requirement.source for requirement in policy.requirements)
    assert "No law, standard or authority has set them" in text


def test_the_default_has_entries_by_attack():
    whole = default_policy()
    attacks = ("linkage", "identity", "membership", "as-found", "federation", "residual", "parrot", "report-identity")
    attacks += ("recital", "image-identity", "image-copies", "image-membership", "image-linkage", "table", "attributes")
    parts = [whole.only({attack}) for attack in attacks]
    _, identity, membership, *_ = parts
    assert {requirement.select["attack"] for requirement in identity.requirements} == {"identity"}
    assert [control.check for control in identity.controls] == ["null control (patients at random)", "planted copies"]
    assert {requirement.select["attack"] for requirement in membership.requirements} == {"membership"}
    assert sum(len(part.requirements) for part in parts) == len(whole.requirements)
    assert whole.only(set(attacks)) == whole


def test_a_control_without_an_attack_is_kept_for_every_attack(tmp_path):
    text = POLICY + '[[control]]\ncheck = "a"\nwhy = "w"\nsource = "s"\n'
    text += '[[control]]\ncheck = "b"\nattack = "identity"\nwhy = "w"\nsource = "s"\n'
    policy = read(tmp_path, text)
    assert [control.check for control in policy.only({"linkage"}).controls] == ["a"]
    assert "attack is missing or not a text" in refusal(tmp_path, text.replace('"identity"', "3"))


@pytest.mark.parametrize(
    ("extra", "suggestion"),
    [
        ("at_mots = 0.1", "at_most"),
        ("atacker = 'cosine'", "attacker"),
        ("protocoll = 'random'", "protocol"),
        ("at_leest = 0.1", "at_least"),
    ],
)
def test_an_unknown_key_is_an_error_that_suggests_the_nearest(tmp_path, extra, suggestion):
    message = refusal(tmp_path, POLICY + extra + "\n")
    assert "[[require]] number 1: unknown key" in message
    assert f"did you mean '{suggestion}'?" in message


@pytest.mark.parametrize(
    ("said", "instead", "message"),
    [
        ("linkage", "linkadge", "unknown audit; got 'linkadge'"),
        ("linkage", "linkadge", "did you mean 'linkage'?"),
        ("recall@1", "recal@1", "the audit 'linkage' declares no such measure; got 'recal@1'"),
        ("recall@1", "eer", "the audit 'linkage' declares no such measure; got 'eer'"),
    ],
)
def test_an_unknown_audit_or_measure_is_an_error_that_says_in_which_entry(tmp_path, said, instead, message):
    """Limits of what no audit measures were judged incomplete for ever."""
    refused = refusal(tmp_path, POLICY.replace(f'"{said}"', f'"{instead}"'))
    assert "[[require]] number 1: " in refused
    assert message in refused


def test_unknown_keys_elsewhere_are_errors_too(tmp_path):
    assert "did you mean 'title'?" in refusal(tmp_path, "titel = 'x'\n" + POLICY)
    assert "did you mean 'require'?" in refusal(tmp_path, POLICY + "[[requires]]\nid = 'x'\n")
    assert "did you mean 'check'?" in refusal(tmp_path, POLICY + "[[control]]\nchek = 'x'\n")


@pytest.mark.parametrize("key", ["id", "attack", "metric", "why", "source"])
@pytest.mark.parametrize("instead", ["", '{key} = ""', "{key} = 3"])
def test_what_must_be_said_must_be_said(tmp_path, key, instead):
    lines = [instead.format(key=key) if line.startswith(f"{key} = ") else line for line in POLICY.splitlines()]
    assert f"{key} is missing or not a text" in refusal(tmp_path, "\n".join(lines))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "a limit is missing; allowed: at_most, at_most_enrichment or both"),
        ("at_least = 0.1", "at_least is no limit for recall@1, of which a high number is the risk"),
        ("at_most = 5", "fraction and not percent"),
        ("at_most = nan", "not a number of zero or above"),
        ("at_most_enrichment = inf", "not a number of zero or above"),
        ("at_most = -0.1", "not a number of zero or above"),
        ("at_most = true", "not a number of zero or above"),
        ("at_most = '0.1'", "not a number of zero or above"),
        ("at_most = 0.1\npool = 'biggest'", 'an integer of 2 or above, or "largest"'),
        ("at_most = 0.1\npool = 1", "unknown pool"),
        ("at_most = 0.1\npool = true", "unknown pool"),
        ("at_most = 0.1\nattacker = ['cosine']", "attacker is missing or not a text"),
    ],
)
def test_thresholds_and_selectors_are_checked(tmp_path, line, message):
    assert message in refusal(tmp_path, POLICY.replace("at_most = 0.01", line))


def test_both_limits_may_be_given(tmp_path):
    (requirement,) = read(
        tmp_path, POLICY.replace("at_most = 0.01", "at_most = 0.1\nat_most_enrichment = 5")
    ).requirements
    assert [requirement.limit_at(chance) for chance in (0.01, 0.5)] == pytest.approx([0.05, 0.1])


def test_a_measure_of_errors_has_its_limit_below(tmp_path):
    text = POLICY.replace("linkage", "identity").replace("recall@1", "eer")
    for line in ("at_most = 0.01", "at_most_enrichment = 2"):
        said = refusal(tmp_path, text.replace("at_most = 0.01", line))
        assert "is no limit for eer, of which a low number is the risk. Write at_least." in said
    (requirement,) = read(tmp_path, text.replace("at_most", "at_least")).requirements
    assert requirement.limit_at(0.5) == 0.01


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("format = ", "not valid TOML"),
        (POLICY.replace("format = 2", "format = 1"), "unknown format of the policy; got 1; allowed: 2. Carry your"),
        (POLICY.replace("format = 2", ""), "unknown format"),
        (POLICY.replace('title = "ours"', ""), "title is missing"),
        ('format = 2\ntitle = "x"\n', "would let anything pass"),
        (POLICY.replace("[[require]]", "[require]"), "double brackets"),
        (POLICY + REQUIRE, "one name; got 'first'"),
    ],
)
def test_malformed_policies(tmp_path, text, message):
    assert message in refusal(tmp_path, text)


def test_a_file_that_is_no_text(tmp_path):
    (tmp_path / "policy.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="cannot be read"):
        read_policy(tmp_path / "policy.toml")

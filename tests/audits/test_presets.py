"""Policies that ship: each limit with its reason, its source, what it was made for, and who has read the source."""

from __future__ import annotations

from importlib.resources import files

import pytest

import leadapron as la
from command_line import refusal, run
from leadapron.audits import AUDITS, Audit, AuditConfig, Measure, find_policy, preset_names
from leadapron.audits.policy import together
from leadapron.audits.policy_words import in_words, origin_in_words
from leadapron.audits.presets import preset_text
from leadapron.errors import ConfigError
from tiny_results import GOOD, TABLE, inputs_of, of_table, write

ALONE = inputs_of(mates=False)
ATTRIBUTES = Audit(
    name="attributes",
    question="can attributes be read off?",
    config=AuditConfig,
    run=lambda *_: None,
    measures=(Measure("auc", "AUC", "one is told from another", scale="auc"),),
)


@pytest.fixture(autouse=True)
def _audits(monkeypatch):
    """Small stand-ins of the audits that presets speak of."""
    for audit in (TABLE, ATTRIBUTES):
        monkeypatch.setitem(AUDITS, audit.name, audit)


@pytest.mark.parametrize("name", preset_names())
def test_every_limit_says_where_it_comes_from_and_what_it_was_made_for(name):
    policy = find_policy(name)
    for entry in policy.entries:
        assert entry.why
        assert entry.source
        assert entry.first_hand is not None, entry.id
        assert entry.first_hand or entry.read_in
    for entry in policy.requirements:
        assert entry.scope == ("attack" if name == "starting-point" else "table")
        assert (entry.attack == "table") == (entry.scope == "table")


def test_every_file_has_a_name_and_every_name_a_file():
    folder = files("leadapron.audits").joinpath("policies")
    assert {file.name for file in folder.iterdir()} == {f"{name}.toml" for name in preset_names()[1:]}


@pytest.mark.parametrize(
    ("name", "smallest"),
    [
        ("ipc-2025-low", 11),
        ("ipc-2025-medium", 15),
        ("ipc-2025-high", 20),
        ("ema-0070", 11),
        ("small-cells-5", 5),
        ("small-cells-11", 11),
        ("small-cells-20", 20),
    ],
)
def test_a_group_of_the_size_that_a_preset_tells_passes_and_one_smaller_does_not(tmp_path, name, smallest):
    for size, code in ((smallest, 0), (smallest - 1, 1)):
        place = {"attacker": "exact", "value": 0.2, "low": 0.2, "high": 0.2}
        results = of_table(tmp_path / str(size), smallest=size)
        rows = [
            row.model_copy(update=place) if "=" in row.metric and size < int(row.metric.split("=")[1]) else row
            for row in results.estimates
        ]
        assert la.gate(results.updated(estimates=tuple(rows)), policy=name).exit_code == code


def test_wp29_asks_that_each_criterion_is_examined_and_clears_nothing_by_itself(tmp_path):
    linkage = write(tmp_path / "linkage", GOOD, inputs=ALONE)
    found = {one.id: one for one in la.gate(linkage, policy="wp29").judgements}
    assert found["wp29-linkability"].outcome == "examined"
    assert "There is no limit: people decide" in found["wp29-linkability"].reason
    assert found["wp29-singling-out"].outcome == "incomplete"
    assert "run `leadapron audit table`" in found["wp29-singling-out"].reason
    assert found["wp29-inference"].outcome == "incomplete"
    assert found["limit of linkage"].outcome == "incomplete"
    table = of_table(tmp_path / "table", inputs=ALONE)
    read = write(tmp_path / "attributes", [row.model_copy(update={"metric": "auc"}) for row in table.estimates[:1]],
                 attack="attributes", outcomes=(), inputs=ALONE)  # fmt: skip
    judged = la.gate(linkage, table, read, policy="wp29")
    assert {one.outcome for one in judged.judgements if one.id.startswith("wp29")} == {"examined"}
    assert (judged.outcome, judged.exit_code) == ("incomplete", 3)


def test_limits_of_tables_and_of_attacks_are_judged_together(tmp_path):
    linkage = write(tmp_path / "linkage", GOOD, inputs=ALONE)
    table = of_table(tmp_path / "table", inputs=ALONE)
    assert la.gate(linkage, table, policy=["starting-point", "ipc-2025-low"]).exit_code == 0
    crowd = la.gate(
        linkage, of_table(tmp_path / "few", smallest=2, few=0.1, inputs=ALONE), policy=["starting-point", "ema-0070"]
    )
    assert (crowd.outcome, crowd.exit_code) == ("fail", 1)
    (limit,) = (one for one in crowd.judgements if one.id == "ema-0070")
    assert (limit.outcome, limit.scope, limit.first_hand, limit.attack) == ("fail", "table", False, "table")
    assert "rlsciences.com" in limit.read_in
    without = la.gate(linkage, table)
    assert (without.exit_code, without.judgements[-1].id) == (3, "limit of table")
    assert la.gate(linkage, policy=["starting-point", "ipc-2025-low"]).exit_code == 3  # the table was not audited


def test_a_limit_of_tables_does_not_judge_an_attack(tmp_path):
    text = preset_text("ipc-2025-low").replace('attack = "table"', 'attack = "linkage"').replace("risk-max", "recall@1")
    (tmp_path / "ours.toml").write_text(text)
    said = refusal("policy", "check", tmp_path / "ours.toml")
    assert "a limit that was made for tables cannot judge the audit 'linkage'" in said
    assert "No authority for an attack's success is known to us" in said
    write(tmp_path / "linkage", GOOD, inputs=ALONE)
    assert "cannot judge the audit 'linkage'" in refusal(
        "gate", tmp_path / "linkage", "--policy", tmp_path / "ours.toml"
    )
    (tmp_path / "ours.toml").write_text(text.replace('scope = "table"', 'scope = "attack"'))
    assert run("policy", "check", tmp_path / "ours.toml").code == 0


@pytest.mark.parametrize(
    ("said", "instead", "message"),
    [
        ('scope = "table"', 'scope = "attack"', "another kind of number than the audit 'table' gives; got 'attack'"),
        ('scope = "table"', 'scope = "tabel"', "unknown scope; got 'tabel'; allowed: attack, table, use (did you mean"),
        ("first_hand = false", 'first_hand = "no"', "first_hand is not true or false; got 'no'"),
        ("first_hand = false", "first_hand = 0", "first_hand is not true or false; got 0"),
        ("read_in =", "# read_in =", "read_in does not say where the limit was read"),
        ("why =", "# why =", "why is missing or not a text"),
        ("source =", "# source =", "source is missing or not a text"),
        ("first_hand", "firsthand", "unknown key; got 'firsthand'"),
    ],
)
def test_what_a_copy_says_of_its_origin_is_checked(tmp_path, said, instead, message):
    (tmp_path / "ours.toml").write_text(preset_text("ipc-2025-low").replace(f"\n{said}", f"\n{instead}"))
    assert message in refusal("policy", "check", tmp_path / "ours.toml")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("attacks = []", "attacks is missing or not a list of audits"),
        ('attacks = "linkage"', "attacks is missing or not a list of audits"),
        ('attacks = ["linkadge"]', "unknown audit; got 'linkadge'"),
        ('attacks = ["linkage"]\nat_most = 0.1', "unknown key; got 'at_most'"),
    ],
)
def test_what_must_be_examined_is_checked(tmp_path, line, message):
    text = f'format = 2\ntitle = "ours"\n[[examine]]\nid = "x"\n{line}\nwhy = "w"\nsource = "s"\n'
    (tmp_path / "ours.toml").write_text(text)
    said = refusal("policy", "check", tmp_path / "ours.toml")
    assert "[[examine]] number 1: " in said
    assert message in said


# The command


def test_all_are_listed_and_each_can_be_shown_and_copied(tmp_path):
    listed = run("policy", "list")
    assert [line.split()[0] for line in listed.out.splitlines()] == preset_names()
    for name in preset_names():
        copy = tmp_path / f"{name}.toml"
        copy.write_text(run("policy", "show", name).out)
        assert find_policy(copy) == find_policy(name)


def test_a_policy_that_is_not_there_is_told_with_the_nearest_name(tmp_path):
    write(tmp_path / "audit", GOOD)
    for arguments in (("policy", "show", "ipc-2025-mid"), ("gate", tmp_path / "audit", "--policy", "ipc-2025-mid")):
        assert "did you mean 'ipc-2025-high'?" in refusal(*arguments) or "ipc-2025-medium" in refusal(*arguments)
    with pytest.raises(ConfigError, match=r"no such file; got 'ema0070'.*did you mean 'ema-0070'"):
        find_policy("ema0070")


def test_check_says_in_plain_words_what_is_judged():
    said = run("policy", "check", "ipc-2025-medium").out
    assert "The audit table." in said
    assert "at most 7.5" in said
    assert "at most none at all" not in said
    assert "NOT read first-hand" in said
    assert "made for tables, not for attacks" in said
    said = run("policy", "check", "starting-point").out
    assert "among 1,000 candidates or as many as there are, by every attacker" in said.replace("\n  ", " ")
    assert "These checks of the audits must have passed: null control (shuffled pairs) (linkage)" in said
    assert "There is no limit." in run("policy", "check", "wp29").out


@pytest.mark.parametrize("name", preset_names())
def test_every_entry_of_every_policy_can_be_worded(name):
    policy = find_policy(name)
    for entry in policy.entries:
        assert "{" not in in_words(entry) + origin_in_words(entry)
        assert "  " not in in_words(entry)


def test_policies_are_joined_with_the_controls_of_both_once():
    first, second = find_policy("starting-point"), find_policy("wp29")
    both = together([first, second])
    assert both.requirements == first.requirements
    assert both.criteria == second.criteria
    assert both.controls == first.controls
    assert both.title == f"{first.title} + {second.title}"
    with pytest.raises(ConfigError, match="two policies have an entry of one name; got 'ema-0070'"):
        together([find_policy("ema-0070"), find_policy("ema-0070")])

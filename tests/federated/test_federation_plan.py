"""A plan: in Python, in a TOML file, and what is wrong with one."""

from __future__ import annotations

import pytest

from leadapron.errors import ConfigError
from leadapron.federated import Group, Plan, read_plan

TOML = """
method = "mfedavg"
rounds = 7
partition = "dirichlet"

[[groups]]
holds = "image"
hospitals = 8
patients = 900
release = "chexpert"

[[groups]]
holds = "both"
hospitals = 2
"""


def written(folder, text: str):
    file = folder / "plan.toml"
    file.write_text(text)
    return file


def test_a_plan_in_a_file_is_read_and_changes_take_its_place(tmp_path):
    file = written(tmp_path, TOML)
    plan = read_plan(file)
    assert (plan.method, plan.rounds, plan.partition, plan.epochs) == ("mfedavg", 7, "dirichlet", 3)
    assert plan.members() == [
        Group(holds="image", hospitals=8, patients=900, release="chexpert"),
        Group(holds="both", hospitals=2),
    ]
    assert read_plan(file, rounds=9).rounds == 9
    assert read_plan(file, rounds=9).method == "mfedavg"


def test_hospitals_are_counted_by_what_they_hold():
    members = Plan(clients="8:0:2", patients=810).members()
    assert [(one.holds, one.hospitals, one.patients) for one in members] == [("image", 8, 810), ("both", 2, 810)]
    assert [one.holds for one in Plan(clients="1:1:1").members()] == ["image", "text", "both"]


def test_the_fingerprint_is_that_of_all_that_the_members_agree_on():
    assert Plan().fingerprint == Plan(rounds=30).fingerprint != Plan(rounds=31).fingerprint
    assert Plan(groups=(Group(holds="both", hospitals=1),)).fingerprint != Plan().fingerprint


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rounds = ", "the file is not valid TOML"),
        ("round = 3", r"unknown key; got 'round'; allowed: .*did you mean 'rounds'"),
        ("rounds = 0", r"rounds: input should be greater than or equal to 1"),
        ('rounds = "many"', r"rounds: input should be a valid integer"),
        ("alpha = 1.5", r"alpha: input should be less than or equal to 1"),
        ("learning_rate = nan", r"learning_rate: input should be"),
        (
            'clients = "8:2"',
            r"clients: write hospitals with radiographs, with reports and with both as 8:0:2; got '8:2'",
        ),
        ('clients = "0:0:0"', "clients: write hospitals"),
        ('clients = "-1:0:2"', "clients: write hospitals"),
        ('pairing = "closest"', r"pairing: input should be 'refined', 'nearest'"),
        ("noise = 1.0", r"noise: noise without --clip has no measure; got 1.0. Add --clip."),
        ("clip = 0.0", r"clip: input should be greater than 0"),
        ("minimum = 11", r"minimum: more hospitals must answer than there are; got 11; allowed: 1 to 10"),
        ("secure = true\nalpha_by_validation = true", "alpha_by_validation: to choose alpha .* Leave out --secure or"),
        (
            'noise = 1.0\nclip = 1.0\nencoders = "published"',
            "noise: the published image encoder keeps running variances",
        ),
        ('[[groups]]\nholds = "image"\nhospitals = 0', r"groups\[0\].hospitals: input should be greater than or equal"),
        ('[[groups]]\nholds = "scans"\nhospitals = 1', r"groups\[0\].holds: input should be 'image', 'text' or 'both'"),
        ('[[groups]]\nholds = "image"\nhospitals = 1\nsize = 3', r"groups\[0\].size: extra inputs"),
    ],
)
def test_what_is_wrong_with_a_plan_is_told_with_the_file_and_the_value(tmp_path, text, message):
    file = written(tmp_path, text)
    with pytest.raises(ConfigError, match=message) as error:
        read_plan(file)
    assert str(error.value).startswith(f"{file}: ")


def test_a_plan_that_is_not_there_or_is_no_text_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r"nowhere.toml: the plan cannot be read \(No such file"):
        read_plan(tmp_path / "nowhere.toml")
    (tmp_path / "image.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match=r"image.toml: the file is not valid TOML"):
        read_plan(tmp_path / "image.toml")

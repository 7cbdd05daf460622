"""A whole audit in one file and one line: it goes through every command, with sentences that are true of it."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from pydantic import Field

from command_line import run
from leadapron.audits import AUDITS, Audit, AuditConfig, Coordinate, Measure, RecordGathering, kept_units, register
from leadapron.audits.vouching import null_outcome, off_chance, planted_outcome
from leadapron.release import Release, write_release

# ---------------------------------------------------------------- the audit: this is all that it takes


class AttributeConfig(AuditConfig):
    attribute: str = Field(default="sex", description="The column that is inferred.")


def nearest(images, known, labels):
    names = np.unique(labels)
    means = np.stack([known[labels == name].mean(axis=0) for name in names])
    return names[((images[:, None] - means) ** 2).sum(axis=2).argmin(axis=1)]


def infer(release, config, knowledge, progress):  # noqa: ARG001
    found = RecordGathering(INFERRED, seed=config.seed, release=release)
    known = knowledge.known or release
    truth, labels = (side.records[config.attribute].to_numpy() for side in (release, known))
    chance = max(np.mean(truth == name) for name in np.unique(truth))
    where = {"attacker": "centroid", "chance": chance, "attribute": config.attribute}
    found.add_values("right", nearest(release.image, known.image, labels) == truth, **where)
    null = RecordGathering(INFERRED, release=release)
    guessed = np.random.default_rng(config.seed).permutation(nearest(release.image, known.image, labels))
    row = null.add_values("right", guessed == truth, **where | {"chance": float(np.mean(guessed[:, None] == truth))})
    leak = [np.c_[side.image, 99.0 * (column == truth[0])] for side, column in ((release, truth), (known, labels))]
    planted = {"centroid": float(np.mean(nearest(*leak, labels) == truth))}
    outcomes = [
        null_outcome("null control (answers shuffled)", [row], [row] if off_chance(row) else [], "answers shuffled"),
        planted_outcome("planted attribute", planted, "centroid", "the attribute added to the images", least=0.9),
    ]
    return found.findings(outcomes=outcomes, limits=["A stronger attacker may infer more."])


INFERRED = Audit(
    name="inferred",
    question="does an image tell an attribute of its patient?",
    config=AttributeConfig,
    run=infer,
    measures=(Measure("right", "Attribute inferred", "the patient's {attribute} is inferred", per_unit=kept_units),),
    attackers={"centroid": "one who compares with the mean image of known patients"},
    coordinates={"attribute": Coordinate("Attribute")},
    knows=frozenset({"known"}),
)

# ---------------------------------------------------------------- and that it works

POLICY = """
format = 2
title = "Ours"
[[require]]
id = "sex"
attack = "inferred"
metric = "right"
attribute = "sex"
attacker = "strongest"
at_most = {limit}
why = "Nothing more than sex at birth on the form."
source = "The board."
[[control]]
check = "planted attribute"
attack = "inferred"
why = "Logic."
source = "Logic."
"""


@pytest.fixture(autouse=True)
def registered():
    register(INFERRED)
    yield
    AUDITS.pop("inferred", None)


def release_with(strength, seed=0):
    rng = np.random.default_rng(seed)
    patients, images = 160, 2
    patient = np.repeat(np.arange(patients), images)
    sex = np.where(patient % 2 == 0, "F", "M")
    image = rng.normal(size=(len(patient), 8)).astype(np.float32)
    image[:, 0] += strength * (sex == "F")
    records = pl.DataFrame(
        {
            "record_id": [f"r{row:04d}" for row in range(len(patient))],
            "patient_id": [f"p{name:04d}" for name in patient],
            "split": np.where(patient < 80, "train", np.where(patient < 100, "validate", "test")),
            "sex": sex,
            "view": np.where(rng.random(len(patient)) < 0.5, "AP", "PA"),
        }
    )
    return Release(records, {"image": image})


@pytest.fixture
def folders(tmp_path):
    write_release(release_with(6.0), tmp_path / "before")
    write_release(release_with(0.0), tmp_path / "after")
    return tmp_path


def audited(folders, name, **more):
    options = [f"--{key.replace('_', '-')}={value}" for key, value in more.items()]
    out = folders / f"audit-{name}"
    done = run("audit", "inferred", folders / name, "--split", "test", "--known-split", "train", "--out", out, *options)
    return out, done


def test_it_is_audited_from_the_command_line_and_words_its_own_number(folders):
    out, done = audited(folders, "before")
    assert done.code == 0, done.out + done.err
    assert "Of 1,000 radiographs, the patient's sex is inferred for 1,000; by guessing, for 500." in " ".join(
        done.out.split()
    )
    assert "120 radiographs of 60 patients (split test)" in " ".join(done.out.split())
    results = json.loads((out / "results.json").read_text())
    assert results["audit"] == "inferred"
    assert results["config"]["attribute"] == "sex"
    assert results["estimates"][0]["attribute"] == "sex"


def test_its_page_and_every_other_form_speak_of_it_alone(folders):
    out, _ = audited(folders, "before")
    page = (out / "report.html").read_text()
    for word in ("report", "gallery", "pool of", "strangers"):
        assert word not in page.partition("<main>")[2].partition('id="glossary"')[0].replace("report.html", "").replace(
            "this report", ""
        ), word
    for suffix in ("md", "xml", "json"):
        done = run("report", out, "--output", folders / f"r.{suffix}")
        assert done.code == 0, done.out + done.err
    assert "the patient&#x27;s sex is inferred" in page or "the patient&#39;s sex is inferred" in page
    assert "no limit" in (folders / "r.xml").read_text()


@pytest.mark.parametrize(("limit", "code"), [(0.6, 1), (1.0, 0)])
def test_a_policy_judges_it_by_its_own_coordinates(folders, limit, code):
    out, _ = audited(folders, "before")
    (folders / "policy.toml").write_text(POLICY.format(limit=limit))
    done = run("gate", out, "--policy", folders / "policy.toml")
    assert done.code == code, done.out + done.err
    assert "Attribute inferred" in done.out


def test_two_audits_of_it_are_compared_record_by_record(folders):
    before, after = (audited(folders, name)[0] for name in ("before", "after"))
    done = run("compare", before, after, "--output", folders / "c.html")
    assert done.code == 0, done.out + done.err
    said = " ".join(done.out.split())
    assert "The risk is lower. Of 1,000 radiographs, the patient's sex is inferred for 1,000 before" in said
    assert "gallery" not in said
    swapped = run("compare", after, before)
    assert swapped.code == 1


def test_it_enters_a_trial_unasked(folders):
    done = run("trial", folders / "before", folders / "after", "--out", folders / "trial")
    assert done.code == 0, done.out + done.err
    frontier = json.loads((folders / "trial" / "frontier.json").read_text())
    answers = frontier["points"][1]["answers"]["inferred"]
    assert answers["cut"]["value"] > 0.8
    assert "Does an image tell an attribute of its patient?" in (folders / "trial" / "report.html").read_text()


def test_a_number_that_it_does_not_declare_is_refused():
    found = RecordGathering(INFERRED, release=release_with(1.0))
    with pytest.raises(Exception, match="declares no such measure"):
        found.add_values("wrong", np.zeros(320), attacker="centroid", chance=0.5, attribute="sex")
    with pytest.raises(Exception, match="declares no such coordinate"):
        found.add_values("right", np.zeros(320), attacker="centroid", chance=0.5, pool=2)

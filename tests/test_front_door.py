"""``import leadapron as la``: what the command line does, as functions; instant to import, and short when printed."""

from __future__ import annotations

import doctest
import importlib
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

import leadapron as la
from leadapron.errors import ConfigError, DataError


@pytest.fixture(scope="module")
def release():
    rng = np.random.default_rng(5)
    image = rng.normal(size=(360, 12))
    text = image + 0.8 * rng.normal(size=image.shape)
    sex = np.where(np.arange(360) // 2 % 2, "F", "M")
    label = (image[:, 0] + 0.5 * rng.normal(size=360) > 0).astype(int)
    return la.Release.of(image=image, text=text, patient=np.arange(360) // 2, sex=sex, label_edema=label)


@pytest.fixture(scope="module")
def risk(release):
    return la.audit(release, "linkage", split="test", attackers=("cosine",))


def test_nothing_is_imported_before_it_is_asked_for():
    code = "import sys, leadapron; dir(leadapron); print([m for m in ('numpy', 'polars', 'click') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_every_name_is_there_and_others_are_not():
    assert all(getattr(la, name) is not None for name in la.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'adit'"):
        la.adit  # noqa: B018


def test_a_result_prints_its_verdict_and_its_checks_in_a_few_lines(risk):
    said = repr(risk)
    assert len(said) < 1000
    assert "radiographs, an attacker with a pool of" in said
    assert "planted leak" in said
    assert "<iframe" in risk._repr_html_()
    assert "&lt;!DOCTYPE html&gt;" in risk._repr_html_()


def test_the_headline_and_the_table_hold_the_same_number(risk):
    row = risk.headline
    assert row.low <= row.value <= row.high
    assert row.low > row.chance
    table = risk.table()
    wanted = {"attacker", "metric", "direction", "pool", "protocol", "group", "value", "low", "high"}
    assert wanted <= set(table.columns)
    found = table.filter(pl.col("group").is_null(), metric=row.metric, direction=row.direction, pool=row.pool)
    assert found.filter(protocol=row.protocol)["value"].to_list() == [row.value]


def test_a_result_is_saved_with_its_page_and_read_again(risk, tmp_path):
    saved = risk.save(tmp_path / "audit")
    assert (tmp_path / "audit" / "report.html").is_file()
    again = la.read_results(tmp_path / "audit")
    assert again.headline == saved.headline == risk.headline
    assert again.table().equals(risk.table())
    with pytest.raises((ConfigError, DataError)):
        risk.save(tmp_path / "audit")


def test_attack_defend_attack_again(release, risk, tmp_path):
    after = la.audit(la.defend(release, "noise", length=8.0, seed=1), "linkage", split="test", attackers=("cosine",))
    change = la.compare(risk, after)
    assert change.exit_code == 0
    assert "The risk is lower" in repr(change)
    assert change.save(tmp_path / "change.html").is_file()
    assert la.compare(after, risk).exit_code == 1
    assert la.gate(risk).exit_code == 1
    assert "NOT met" in repr(la.gate(risk))


def test_folders_may_be_named_by_texts_and_a_policy_may_stand_among_the_results(release, risk, tmp_path):
    la.write_release(release, str(tmp_path / "release"))
    assert len(la.read_release(str(tmp_path / "release"))) == len(release)
    risk.save(str(tmp_path / "audit"))
    policy = tmp_path / "policy.toml"
    policy.write_text(
        'format = 2\ntitle = "ours"\n[[require]]\nid = "x"\nattack = "linkage"\nmetric = "recall@1"\n'
        'direction = "image-to-report"\nprotocol = "random"\npool = 1000\nat_most = 1.0\nwhy = "w"\nsource = "s"\n'
    )
    assert la.gate(str(tmp_path / "audit"), str(policy)).exit_code == 0
    assert la.gate(risk, policy=policy).exit_code == 0
    assert la.gate(risk, policy=[policy, "starting-point"]).exit_code == 1
    with pytest.raises(ConfigError, match="two policies have an entry of one name; got 'x'"):
        la.gate(risk, policy, policy=policy)


def test_audits_of_different_patients_are_not_compared(release, risk):
    with pytest.raises(DataError, match=r"different patients.*--split"):
        la.compare(risk, la.audit(release, "linkage", attackers=("cosine",)))


def test_use_is_measured_by_the_same_door(release):
    use = la.utility(release, strengths=(0.1,))
    assert use.headline.value > 0.7
    assert "AUROC" in repr(use) or "comparisons" in repr(use)


def test_unknown_names_and_options_are_refused(release):
    with pytest.raises(ConfigError, match=r"linkage.*did you mean 'linkage'"):
        la.audit(release, "linkag")
    with pytest.raises(ConfigError, match="unknown option; got 'pool'"):
        la.audit(release, "linkage", pool=10)
    with pytest.raises(ConfigError, match="takes signals"):
        la.audit(release, "membership")


@pytest.mark.parametrize("module", ["leadapron.api", "leadapron.release.release", "leadapron.reports.labeller"])
def test_the_examples_of_docstrings_run(module):
    found = doctest.testmod(importlib.import_module(module))
    assert found.attempted > 0
    assert found.failed == 0

"""The audit of a federated run from end to end: what it finds, when it is not to be believed, and what it refuses."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

from command_line import refusal, run
from federation_runs import loaded, patients, train
from leadapron.attacks.federation import FEDERATION, FederationConfig, audit_federation, federation_attackers
from leadapron.attacks.federation.federation_attack import attack, suspicion_table
from leadapron.attacks.federation.federation_attackers import FINAL, MEANS, PARTNERS, UPDATES, Suspicion
from leadapron.attacks.federation.federation_controls import FOUND, NULL, null_control, stand_ins
from leadapron.audits.measure import family
from leadapron.results import read_results
from leadapron.results.selection import only, select, uncovered

OWN = {"hospitals": "all", "asked": "own"}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """The same training as it is and with secure aggregation."""
    place, source = tmp_path_factory.mktemp("federations"), patients()
    return {name: train(place / name, source=source, **given) for name, given in PLANS.items()}


PLANS = {"plain": {}, "secure": {"secure": True}}


@pytest.fixture(scope="module")
def audited(folders, tmp_path_factory):
    """Both from the command line: where the results are, and what was said."""
    place = tmp_path_factory.mktemp("audits")
    return {
        name: (place / name, run("audit", "federation", folder, "--out", place / name))
        for name, folder in folders.items()
    }


@pytest.fixture(scope="module")
def found(audited):
    return {name: read_results(folder) for name, (folder, _) in audited.items()}


def test_patients_are_found_and_secure_aggregation_lowers_the_risk(found):
    plain = only(found["plain"], metric="auc", attacker=PARTNERS, **OWN)
    assert plain.low > 0.7
    best = max(row.value for row in select(found["secure"], metric="auc", **OWN))
    assert plain.value > best + 0.05
    assert {row.attacker for row in select(found["secure"], metric="auc")} == {FINAL, MEANS}


def test_the_hospital_is_named(found):
    for kind in ("image", "both"):
        row = only(found["plain"], metric="source", attacker=PARTNERS, hospitals=kind)
        assert row.chance == 0.5
        assert row.low > 0.6
    assert not select(found["secure"], metric="source")


def test_partners_are_worked_out_even_under_secure_aggregation(found):
    for one in found.values():
        assert only(one, metric="partner", attacker="record-and-findings").value == 1.0
        assert only(one, metric="partner", attacker="record-alone").value < 0.9
        assert 0 < only(one, metric="alone").value < 1


def test_the_controls_pass_and_cover_the_attackers_of_updates(found):
    for one in found.values():
        assert [(check.check, check.outcome) for check in one.outcomes] == [(NULL, "pass"), (FOUND, "pass")]
        assert set(uncovered(one)) <= {FINAL}


def test_a_cheat_who_looks_up_the_truth_is_caught_by_the_null_control(folders, monkeypatch):
    def cheat(clues):
        member = clues.asked.hospital[None] == np.arange(clues.followed.alone.own.shape[1])[:, None]
        return Suspicion(member.astype(float), member.any(axis=0).astype(float))

    monkeypatch.setattr(federation_attackers, "by_updates", cheat)
    outcome = null_control(FEDERATION, loaded(folders["plain"]), 0)
    assert outcome.outcome == "error"
    assert UPDATES not in outcome.attackers
    assert PARTNERS in outcome.attackers


def test_the_evidence_gives_each_number_again(found):
    told = 0
    for row in found["plain"].estimates:
        per_unit = FEDERATION.measure_of(family(row.metric)[0]).per_unit
        if per_unit is not None:
            units = per_unit(found["plain"], row)
            assert units["value"].mean() == pytest.approx(row.value, abs=1e-9), row
            assert not units["record_id"].is_duplicated().any()
            told += 1
    assert told > 20


def test_the_same_seed_gives_the_same_numbers(folders, found):
    assert audit_federation(loaded(folders["secure"])).estimates == found["secure"].estimates


def test_without_updates_only_models_are_attacked_and_the_limits_say_so(tmp_path):
    subject = loaded(train(tmp_path / "run", keep_updates=False, epochs=2))
    bare = audit_federation(subject, FederationConfig(candidates=3, outsiders=20))
    assert bare.headline.n == 12
    assert {row.attacker for row in select(bare, metric="auc")} == {FINAL, MEANS}
    assert any("kept no updates" in limit for limit in bare.limits)


def test_hospitals_that_miss_rounds_are_attacked_in_the_others(tmp_path):
    subject = loaded(train(tmp_path / "run", participation=0.5, epochs=2))
    table = suspicion_table(attack(subject.seen, stand_ins(subject, list(subject.hospitals), 5, 0)))
    assert table["suspicion"].is_finite().all()
    assert table["suspicion"].n_unique() > 100


def test_it_is_audited_judged_and_compared_from_the_command_line(audited):
    for _, done in audited.values():
        assert done.code == 0, done.out + done.err
        assert "membership at their hospital is recognised at 1 % false alarms" in " ".join(done.out.split())
    plain, secure = (folder for folder, _ in audited.values())
    page = (plain / "report.html").read_text()
    assert "Privacy audit of a federated training" in page
    assert "alone on their public partner in a round" in page
    assert "Nothing is proved" in page
    results = json.loads((plain / "results.json").read_text())
    assert results["inputs"]["subject"]["kind"] == "run"
    assert results["inputs"]["verified"] is True
    judged = run("gate", plain)
    assert judged.code in (1, 3)
    assert "patients-of-hospitals" in judged.out
    compared = run("compare", plain, secure)
    assert compared.code == 0, compared.out + compared.err


def test_a_failed_control_ends_with_exit_code_three(folders, tmp_path, monkeypatch):
    for attacker in ("by_final_model", "by_round_means"):
        monkeypatch.setattr(federation_attackers, attacker, blind)
    done = run("audit", "federation", folders["secure"], "--out", tmp_path / "out")
    assert done.code == 3
    assert "Not reliable" in done.out


def blind(clues):
    """An attacker who sees nothing."""
    noise = np.random.default_rng(0).normal(size=len(clues.asked.hospital))
    return Suspicion(np.tile(noise, (clues.followed.alone.own.shape[1], 1)), noise)


@pytest.fixture
def broken(tmp_path):
    """A run that a test may break."""
    return train(tmp_path / "run", epochs=1, rounds=1, source=patients(), clients="0:0:2")


def told(folder, *more):
    return refusal("audit", "federation", folder, "--out", folder.parent / "out", *more)


def test_a_folder_without_a_run_is_refused(tmp_path):
    (tmp_path / "empty").mkdir()
    assert "there is no federated run here" in told(tmp_path / "empty")


def test_missing_hospitals_are_named_and_can_be_given(broken):
    beside = broken.with_name("run.hospitals-not-for-release")
    elsewhere = beside.rename(broken.with_name("elsewhere"))
    assert "--hospitals FOLDER" in told(broken)
    done = run("audit", "federation", broken, "--out", broken.parent / "out", "--hospitals", elsewhere)
    assert done.code in (0, 3), done.err


def test_hospitals_of_another_run_are_refused(broken, tmp_path):
    train(tmp_path / "other", epochs=1, rounds=1, clients="0:0:2", seed=5)
    other = tmp_path / "other.hospitals-not-for-release"
    assert "the hospitals of another run" in told(broken, "--hospitals", other)


def test_weights_that_were_changed_or_cut_are_refused(broken):
    file = broken / "rounds" / "0001" / "global.npz"
    whole = file.read_bytes()
    with np.load(file) as arrays:
        changed = {name: arrays[name] + 1 for name in arrays.files}
    np.savez(file, **changed)
    assert "not those that the run recorded" in told(broken)
    file.write_bytes(whole[: len(whole) // 2])
    assert "the weights cannot be read" in told(broken)
    file.unlink()
    assert "the weights cannot be read" in told(broken)


def test_an_update_that_is_not_there_is_named(broken):
    (broken / "rounds" / "0001" / "hospital-01.npz").unlink()
    assert "hospital-01.npz" in told(broken)


@pytest.mark.parametrize("method", ["public-only", "local-only"])
def test_a_training_in_which_nothing_is_sent_is_refused(method, tmp_path):
    assert "there is nothing to attack" in told(train(tmp_path / method, method=method, epochs=1, rounds=1))


def test_a_run_that_is_not_finished_is_refused(broken):
    card = json.loads((broken / "run.json").read_text())
    (broken / "run.json").write_text(json.dumps(card | {"best": None}))
    assert "the training is not finished" in told(broken)


def test_listing_the_audits_does_not_import_torch():
    code = "import sys, leadapron.attacks.federation; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

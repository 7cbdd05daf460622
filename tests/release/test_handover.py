"""What is handed over tells nothing of ids, order and pairs, and with the truth it is the release again."""

from __future__ import annotations

import json
import stat
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import leadapron as la
from command_line import everything_in, refusal, run
from leadapron.errors import ConfigError, DataError
from leadapron.release.fitting import fitted_to
from leadapron.release.handed_over import write_handover
from leadapron.release.handover import hand_over, pseudonyms

PATIENTS = 60
IDS = {"record_id", "patient_id", "study_id", "report_id", "split"}


def clinic(seed: int = 0) -> la.Release:
    """Three images of two reports for every patient; the vectors of a pair are alike."""
    rng = np.random.default_rng(seed)
    patient = np.repeat(np.arange(PATIENTS), 3)
    report = np.array([f"report-{who}-{visit}" for who, visit in zip(patient, [1, 2, 2] * PATIENTS, strict=True)])
    of_report = np.unique(report, return_inverse=True)[1]
    text = rng.normal(size=(2 * PATIENTS, 8))[of_report]
    return la.Release.of(
        image=text + 0.3 * rng.normal(size=text.shape),
        text=text,
        image_features=rng.normal(size=(len(patient), 5)),
        patient=[f"patient-{who}" for who in patient],
        record=[f"record-{row}" for row in range(len(patient))],
        report_id=report,
        split=np.repeat(["train", "validate", "test"], PATIENTS),
        sex=np.repeat(rng.choice(["F", "M"], PATIENTS), 3),
        date=pl.Series(rng.integers(16000, 16400, len(patient))).cast(pl.Date),
        label_edema=rng.integers(0, 2, len(patient)),
    )


@pytest.fixture(scope="module")
def handed(tmp_path_factory):
    """A release, and what the command hands over of it."""
    place = tmp_path_factory.mktemp("handover")
    release = clinic()
    fitted = fitted_to("defence", "noise", release.of_split("train").records, release.records)
    la.write_release(replace(release, card={"funnel": [["taken", 120, 0, ""]]}, fitted=(fitted,)), place / "release")
    done = run("handover", place / "release", "--out", place / "given")
    assert done.code == 0, done.err
    return place, done


def test_neither_ids_nor_split_nor_counts_go_along(handed):
    place, done = handed
    table = pl.read_parquet(place / "given" / "records.parquet")
    assert set(table.columns) == {"sex", "date", "label_edema"}
    card = json.loads((place / "given" / "handover.json").read_text())
    assert set(card) == {"format", "leadapron", "sha256", "order", "pairs_given", "rows_linked", "ids"}
    everything = b"".join(file.read_bytes() for file in (place / "given").iterdir())
    for said in (b"patient-", b"record-", b"report-", str(place).encode()):
        assert said not in everything
    assert "random order of their own" in done.out
    assert "Beware: the table singles out" in done.err


def test_the_order_is_random_and_each_report_comes_once(handed):
    place, _ = handed
    release = la.read_release(place / "release")
    image, text = (np.load(place / "given" / f"{name}.npy") for name in ("image", "text"))
    assert len(image) == len(release)
    assert len(text) == 2 * PATIENTS
    assert sorted(map(tuple, image)) == sorted(map(tuple, release.image))
    assert (image == release.image).all(axis=1).mean() < 0.1
    given = pl.read_parquet(place / "given" / "records.parquet")
    features = np.load(place / "given" / "image_features.npy")
    whole = {tuple(row): (sex, day) for row, sex, day in zip(
        release.arrays["image_features"], release.records["sex"], release.records["date"], strict=True)}  # fmt: skip
    assert all(whole[tuple(row)] == one for row, one in zip(features, given.select("sex", "date").rows(), strict=True))


def test_the_truth_is_for_its_owner_alone_and_gives_the_release_back(handed):
    place, _ = handed
    truth = place / "given.truth"
    assert stat.S_IMODE(truth.stat().st_mode) == 0o600
    before, after = la.read_release(place / "release"), la.read_release(place / "given", truth=truth)
    assert after.records.equals(before.records)
    assert after.records.columns == before.records.columns
    assert all((after.arrays[name] == before.arrays[name]).all() for name in before.arrays)
    assert [one.as_dict() for one in after.fitted] == [one.as_dict() for one in before.fitted]
    assert after.fitted[0].patients.among(["patient-0", "stranger"]) == ["patient-0"]


AUDITS = {
    "linkage": {"attackers": ("cosine", "realigned"), "pools": (10,), "hard_pool": 10},
    "identity": {"attackers": ("cosine",), "pools": (10,)},
    "utility": {"strengths": (0.1,)},
}


@pytest.mark.parametrize("name", AUDITS)
def test_audits_of_what_was_handed_over_give_the_same_figures(handed, name):
    place, _ = handed
    before = la.audit(place / "release", name, **AUDITS[name])
    after = la.audit(place / "given", name, truth=place / "given.truth", **AUDITS[name])
    assert after.estimates == before.estimates
    assert after.group_tests == before.group_tests
    assert after.config["truth"] == "given.truth"
    assert after.inputs.subject.made_from[0] == before.inputs.subject.id


def test_the_table_is_counted_as_it_is_handed_over(handed):
    """Without an id in it, one visit is all that can be known: the same numbers as of one visit before."""
    place, _ = handed
    before = la.audit(place / "release", "table")
    after = la.audit(place / "given", "table", truth=place / "given.truth")
    one_visit = [row for row in before.estimates if row.attacker == "one-visit" and row.group is None]
    assert [row for row in after.estimates if row.group is None] == one_visit
    blind = la.audit(place / "given", "table")
    assert blind.headline.n == 3 * PATIENTS
    assert blind.inputs.subject.id == after.inputs.subject.id
    assert {row.check: row.outcome for row in blind.outcomes}["ids in the table"] == "pass"


def test_pseudonyms_link_rows_and_name_nobody(tmp_path):
    la.write_release(clinic(), tmp_path / "release")
    assert run("key", "new", tmp_path / "key").code == 0
    given = ("handover", tmp_path / "release", "--pseudonyms", tmp_path / "key", "--out")
    assert run(*given, tmp_path / "given").code == run(*given, tmp_path / "again").code == 0
    table, again = (pl.read_parquet(tmp_path / name / "records.parquet") for name in ("given", "again"))
    assert table["patient_id"].n_unique() == PATIENTS
    assert not set(table["patient_id"]) & set(clinic().records["patient_id"])
    assert set(table["patient_id"]) == set(again["patient_id"])
    before = la.audit(tmp_path / "release", "table")
    for truth in ({}, {"truth": tmp_path / "given.truth"}):
        after = la.audit(tmp_path / "given", "table", **truth)
        assert [row for row in after.estimates if row.group is None] == [
            row for row in before.estimates if row.group is None
        ]
    assert (
        pseudonyms(pl.Series(["a", "b"]), b"k" * 32).to_list() != pseudonyms(pl.Series(["a", "b"]), b"l" * 32).to_list()
    )


def test_pairs_can_be_kept_and_the_card_says_what_that_gives_away():
    release = clinic()
    given = hand_over(release, keep_pairs=True)
    assert given.card["pairs_given"]
    assert "is given away" in given.card["order"]
    places = {tuple(row): number for number, row in enumerate(release.image)}
    order = [places[tuple(row)] for row in given.arrays["image"]]
    assert (given.arrays["text"] == release.text[order]).all()


@pytest.mark.parametrize("sides", [("image",), ("text",)])
def test_one_side_alone_is_handed_over_in_one_order(sides, tmp_path):
    whole = clinic()
    release = replace(whole, arrays={name: whole.arrays[name] for name in sides})
    write_handover(hand_over(release), release, tmp_path / "given")
    after = la.read_release(tmp_path / "given", truth=tmp_path / "given.truth")
    assert after.records.equals(release.records)
    assert (after.arrays[sides[0]] == release.arrays[sides[0]]).all()


def test_rows_of_a_report_that_a_defence_made_different_stay_apart(tmp_path):
    noisy = la.defend(clinic(), "noise", length=1.0, seed=1)
    text = noisy.text + np.random.default_rng(0).normal(size=noisy.text.shape).astype(np.float32)
    release = replace(noisy, arrays={**noisy.arrays, "text": text})
    write_handover(hand_over(release), release, tmp_path / "given")
    assert len(np.load(tmp_path / "given" / "text.npy")) == len(release)
    assert (la.read_release(tmp_path / "given", truth=tmp_path / "given.truth").text == release.text).all()
    assert json.loads((tmp_path / "given" / "handover.json").read_text())["defence"]["method"] == "noise"


def test_bad_input_is_named(handed, tmp_path):
    place, _ = handed
    release, given, truth = place / "release", place / "given", place / "given.truth"
    before = everything_in(place)
    assert "lies in the release" in refusal("handover", release, "--out", release / "inside")
    assert "exists already" in refusal("handover", release, "--out", given)
    (place / "next.truth").write_text("kept by somebody")
    assert "exists already" in refusal("handover", release, "--out", place / "next")
    (place / "next.truth").unlink()
    audit = ("audit", "linkage", "--out", tmp_path / "x")
    assert "Audit it with --truth given.truth" in refusal(*audit, given)
    assert "a truth belongs to a folder that `leadapron handover` wrote" in refusal(*audit, release, "--truth", truth)
    assert "this is not the truth of a handover" in refusal(*audit, given, "--truth", release / "records.parquet")
    run("handover", release, "--out", tmp_path / "other")
    assert "the truth is of another handover" in refusal(*audit, given, "--truth", tmp_path / "other.truth")
    assert everything_in(place) == before
    with pytest.raises(DataError, match="no patients to give pseudonyms to"):
        hand_over(replace(clinic(), records=clinic().records.drop("patient_id")), key=b"k" * 32)
    with pytest.raises(ConfigError, match="this was handed over"):
        la.read_release(given)


def test_a_file_that_was_changed_is_noticed(handed, tmp_path):
    place, _ = handed
    assert run("handover", place / "release", "--out", tmp_path / "given").code == 0
    image = np.load(tmp_path / "given" / "image.npy")
    np.save(tmp_path / "given" / "image.npy", image[::-1])
    with pytest.raises(DataError, match="not the one that was written"):
        la.read_release(tmp_path / "given", truth=tmp_path / "given.truth")

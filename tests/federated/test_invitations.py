"""Hospitals that bring their own records train the same model as if one place had dealt them."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from federated_data import CPU, gathered, plan, without
from leadapron.errors import ConfigError, DataError
from leadapron.federated.dealing import deal
from leadapron.federated.federate import deal_into
from leadapron.federated.federation_folder import read_card
from leadapron.federated.in_process import run_in_process
from leadapron.federated.invitations import MEMBER, admit, fill, invite
from leadapron.federated.patient_piles import equal_piles
from leadapron.federated.seeded_streams import stream
from leadapron.federated.station import read_station

PLAN = plan(clients="1:1:1")


def part(home, patients):
    """The records of some patients, as a place has them that never saw the others."""
    rows = np.isin(home.patients, patients)
    taken = {name: getattr(home, name)[rows] for name in ("patients", "splits", "truth", "image", "text")}
    return replace(home, records=home.records.filter(rows), **taken)


def parted(home):
    """The server's records, and those of each hospital, who are the patients that a deal would have given them."""
    training = np.unique(home.patients[home.splits == "train"])
    training = training[stream(PLAN, "patients").permutation(len(training))]
    left, public = training[: -PLAN.public], training[-PLAN.public :]
    judging = home.patients[home.splits != "train"]
    piles = equal_piles(left, PLAN.members(), home.where)
    return part(home, [*public, *judging]), [part(home, pile) for pile in piles]


def trained(folder, out):
    return run_in_process(folder, out, CPU, tell=lambda *_: None, progress=lambda *_: None)


@pytest.fixture
def places(tmp_path):
    home, hospitals = parted(gathered())
    return tmp_path / "invited", home, hospitals


def test_hospitals_that_bring_their_own_records_train_the_same_weights_as_if_one_place_had_dealt_them(tmp_path, places):
    folder, home, hospitals = places
    names = invite(folder, PLAN, home)
    held = [without(hospitals[0], "text"), without(hospitals[1], "image"), hospitals[2]]
    told = [fill(folder / name, own) for name, own in zip(names, held, strict=True)]
    assert [member.holds for member in told] == ["image", "text", "both"]
    assert admit(folder / "server", [folder / name / MEMBER for name in names]) == []
    brought = trained(folder, tmp_path / "brought")
    dealt = trained(deal_into(tmp_path / "dealt", PLAN, gathered()), tmp_path / "run")
    assert [one.weights for one in brought.rounds] == [one.weights for one in dealt.rounds]
    assert brought.test == dealt.test
    assert brought.members == dealt.members


def test_an_invitation_holds_no_record_of_a_hospital_and_a_filled_one_no_half_that_it_lacks(places):
    folder, home, hospitals = places
    invite(folder, PLAN, home)
    assert not list(folder.glob("*/records"))
    fill(folder / "hospital-00", hospitals[0])  # the release holds reports too
    assert not (folder / "hospital-00" / "records" / "text.npy").exists()
    dealt = deal(PLAN, gathered()).hospitals[0]
    np.testing.assert_array_equal(read_station(folder / "hospital-00" / "records").image, dealt.image)
    said = json.loads((folder / "hospital-00" / MEMBER).read_text())
    assert said == {
        "name": "hospital-00",
        "holds": "image",
        "patients": len(np.unique(dealt.patients)),
        "records": len(dealt),
    }


def test_a_server_waits_until_all_hospitals_are_admitted(tmp_path, places):
    folder, home, hospitals = places
    invite(folder, PLAN, home)
    fill(folder / "hospital-00", hospitals[0])
    assert admit(folder / "server", [folder / "hospital-00" / MEMBER]) == ["hospital-01", "hospital-02"]
    with pytest.raises(DataError, match="not been admitted: hospital-01, hospital-02"):
        trained(folder, tmp_path / "run")
    fill(folder / "hospital-01", hospitals[1])
    told = [folder / "hospital-01" / MEMBER, tmp_path / MEMBER]
    told[1].write_text(json.dumps({"name": "hospital-02", "holds": "both", "patients": 1, "records": 1}))
    assert admit(folder / "server", told) == []
    with pytest.raises(DataError, match=r"hospital-02 has no records yet.*federation fill"):
        trained(folder, tmp_path / "run")


@pytest.mark.parametrize(
    "wrong",
    [{"name": "hospital-07"}, {"holds": "both"}, {"records": 0}],
)
def test_a_hospital_that_is_not_in_the_plan_is_not_admitted(tmp_path, places, wrong):
    folder, home, _ = places
    invite(folder, PLAN, home)
    before = read_card(folder / "server")
    (tmp_path / MEMBER).write_text(
        json.dumps({"name": "hospital-00", "holds": "image", "patients": 3, "records": 4} | wrong)
    )
    with pytest.raises(DataError, match="not in the plan"):
        admit(folder / "server", [tmp_path / MEMBER])
    assert read_card(folder / "server") == before


def test_folders_of_two_invitations_do_not_agree(tmp_path, places):
    folder, home, _ = places
    invite(folder, PLAN, home)
    invite(tmp_path / "again", PLAN, home)
    one, other = (read_card(at / "hospital-00") for at in (folder, tmp_path / "again"))
    assert one.plan == other.plan
    assert one.agreed != other.agreed
    assert one.agreed == read_card(folder / "server").agreed


def test_a_patient_at_a_hospital_and_at_the_server_is_found(tmp_path, places):
    folder, home, hospitals = places
    invite(folder, PLAN, home)
    public = part(gathered(), home.patients[home.splits == "train"][:1])
    with pytest.raises(DataError, match="a patient of hospital-02 is in the public set"):
        fill(folder / "hospital-02", public)
    judging = part(gathered(), home.patients[home.splits != "train"])
    judging = replace(judging, splits=np.full(len(judging.splits), "train"))
    for name, own in zip(("hospital-00", "hospital-01", "hospital-02"), (*hospitals[:2], judging), strict=True):
        fill(folder / name, own)
        admit(folder / "server", [folder / name / MEMBER])
    with pytest.raises(DataError, match="a patient of hospital-02 is also in the validation set"):
        trained(folder, tmp_path / "run")


def test_what_cannot_be_filled_is_refused_and_nothing_is_left(places):
    folder, home, hospitals = places
    invite(folder, PLAN, home)
    place = folder / "hospital-00"
    before = sorted(place.rglob("*"))
    with pytest.raises(DataError, match="labels are not those of the federation"):
        fill(place, replace(hospitals[0], labels=("other",)))
    with pytest.raises(DataError, match="another width"):
        fill(place, replace(hospitals[0], image=hospitals[0].image[:, :3]))
    with pytest.raises(DataError, match="no records"):
        fill(place, replace(hospitals[0], splits=np.full(len(hospitals[0].splits), "test")))
    with pytest.raises(DataError, match="not an invitation"):
        fill(folder / "server", hospitals[0])
    assert sorted(place.rglob("*")) == before


@pytest.mark.parametrize(
    ("given", "where"),
    [({"patients": 5}, "patients"), ({"partition": "dirichlet"}, "partition"), ({"method": "centralised"}, "method")],
)
def test_a_plan_that_deals_patients_invites_nobody(places, given, where):
    folder, home, _ = places
    with pytest.raises(ConfigError, match=where):
        invite(folder, plan(**given), home)
    assert not folder.exists()

"""What a run leaves behind, who may read it, and what is refused before anything is written."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from federated_data import CPU, gathered, plan, run, without
from leadapron.errors import ConfigError, DataError
from leadapron.federated import Group, Machine, hospitals_beside, read_run
from leadapron.federated.coordinator import Coordinator
from leadapron.federated.federate import deal_into
from leadapron.federated.federation_folder import SERVER, read_card, read_public
from leadapron.federated.fusion_model import fingerprint
from leadapron.federated.hospital import Hospital
from leadapron.federated.run_card import read_arrays
from leadapron.federated.station import read_station


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    out = tmp_path_factory.mktemp("done") / "run"
    return run(gathered(), out), out


def test_the_folder_of_a_run_holds_the_model_and_every_update_that_the_server_saw(done):
    found, out = done
    files = {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file() and path.name != ".leadapron"}
    sent = {
        f"rounds/000{number}/{name}.npz" for number in (1, 2) for name in ("global", "public", *found.rounds[0].losses)
    }
    assert files == {
        "run.json",
        "model.npz",
        "rounds/0000/global.npz",
        *sent,
        "state/round-0001.pt",
        "state/round-0002.pt",
    }
    for one in found.rounds:
        assert fingerprint(read_arrays(out / f"rounds/000{one.number}/global.npz")) == one.weights
    assert fingerprint(read_arrays(out / "model.npz")) == found.rounds[found.best - 1].weights
    assert fingerprint(read_arrays(out / "rounds/0000/global.npz")) == found.begin
    assert read_run(out) == found


def test_an_update_holds_the_parts_that_the_hospital_trained(done):
    found, out = done
    held = {member.name: member.holds for member in found.members}
    assert held == {"hospital-00": "image", "hospital-01": "image", "hospital-02": "text", "hospital-03": "both"}
    groups = {"image_encoder", "text_encoder", "classifier"}
    for name in held:
        assert {key.partition(".")[0] for key in read_arrays(out / f"rounds/0001/{name}.npz")} == groups
    sizes = {name: sum(one.nbytes for one in read_arrays(out / f"rounds/0001/{name}.npz").values()) for name in held}
    assert found.rounds[1].bytes_received == sum(sizes.values())
    assert found.rounds[1].bytes_sent == 4 * sum(
        one.nbytes for one in read_arrays(out / "rounds/0001/global.npz").values()
    )
    assert found.rounds[1].messages == 8


def test_run_json_tells_how_good_the_model_is_per_round_and_at_the_end(done):
    found, out = done
    told = json.loads((out / "run.json").read_text())
    for one in told["rounds"]:
        assert set(one["validation"]) == {"both", "image", "text"}
        assert len(one["weights"]) == 64
    assert [one["view"] for one in told["test"]] == ["both", "image", "text"]
    assert found.best == max(found.rounds, key=lambda one: one.validation.both).number
    for one in found.test:
        assert one.low <= one.value <= one.high
        assert one.value == pytest.approx(np.mean([value for value in one.findings.values() if value is not None]))


def test_nobody_else_may_read_the_run_or_the_hospitals_folders(done):
    _, out = done
    for folder in (out, hospitals_beside(out)):
        for path in (folder, *folder.rglob("*")):
            if path.name != ".leadapron":
                assert path.stat().st_mode & 0o077 == 0, path


def test_no_patient_is_named_in_what_is_written(done):
    _, out = done
    for folder in (out, hospitals_beside(out)):
        for path in folder.rglob("*"):
            assert path.is_dir() or b"patient-0-" not in path.read_bytes(), path


def test_a_hospital_s_folder_holds_nothing_of_the_half_that_it_lacks(done):
    _, out = done
    folder = hospitals_beside(out)
    assert not (folder / "hospital-00/records/text.npy").exists()
    assert not (folder / "hospital-02/records/image.npy").exists()
    assert read_card(folder / "hospital-00").members == (), "a hospital does not know the others"
    assert len(read_card(folder / SERVER).members) == 4


def test_without_updates_the_models_alone_are_kept(tmp_path):
    found = run(gathered(), tmp_path / "run", Machine(device="cpu", keep_updates=False))
    assert {path.name for path in (tmp_path / "run/rounds").rglob("*.npz")} == {"global.npz"}
    assert not found.updates_kept


def test_hospitals_that_train_alone_leave_their_models_and_no_common_one(tmp_path):
    found = run(gathered(), tmp_path / "run", Machine(device="cpu", keep_updates=False), method="local-only")
    assert not (tmp_path / "run/model.npz").exists()
    assert (tmp_path / "run/rounds/0002/hospital-03.npz").exists()
    assert len({found.begin, *(one.weights for one in found.rounds)}) == 3


def nothing_new(folder, do, error, match) -> None:
    before = sorted(folder.rglob("*"))
    with pytest.raises(error, match=match):
        do()
    assert sorted(folder.rglob("*")) == before


def test_a_folder_with_something_else_is_refused_before_patients_are_dealt(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/notes.txt").write_text("keep me")
    nothing_new(
        tmp_path, lambda: run(gathered(), tmp_path / "mine"), ConfigError, "mine: the folder holds something else"
    )


def test_another_plan_input_or_list_of_labels_is_refused(tmp_path):
    found, out = gathered(), tmp_path / "run"
    run(found, out)
    nothing_new(tmp_path, lambda: run(found, out, rounds=3), ConfigError, r"run.json: another run .*: its plan differs")
    other = "run.hospitals-not-for-release: the hospitals of another federation are there"
    nothing_new(tmp_path, lambda: run(gathered(seed=1), out), ConfigError, other)
    renamed = replace(found, labels=("one", "two", "three"))
    nothing_new(tmp_path, lambda: run(renamed, out), ConfigError, other)


def test_a_run_of_another_input_is_refused_though_its_hospitals_are_gone(tmp_path):
    folders = [deal_into(tmp_path / str(seed), plan(), gathered(seed=seed)) for seed in (0, 1)]
    Coordinator(folders[0] / SERVER, tmp_path / "run")
    with pytest.raises(ConfigError, match="another run is in this folder: its input differs"):
        Coordinator(folders[1] / SERVER, tmp_path / "run")


def test_a_run_that_was_killed_before_its_card_was_written_begins_anew(tmp_path):
    found, out = gathered(), tmp_path / "run"
    run(found, tmp_path / "whole")
    out.mkdir()
    (out / ".leadapron").write_text('{"leadapron": "0", "scratch": false, "files": ["run.json"]}')
    assert run(found, out).rounds == read_run(tmp_path / "whole").rounds


def test_sites_that_changed_are_another_input(tmp_path):
    def at(*sites: str):
        found = gathered(90)
        site = {who: sites[at % 2] for at, who in enumerate(np.unique(found.patients))}
        column = np.array([site[who] for who in found.patients])
        return replace(found, records=found.records.with_columns(source=column))

    given = {"partition": "site", "clients": "0:0:2"}
    run(at("a", "b"), tmp_path / "run", **given)
    with pytest.raises(ConfigError, match="the hospitals of another federation are there"):
        run(at("b", "a"), tmp_path / "run", **given)


@pytest.mark.parametrize("other", [(3, {}), (2, {"seed": 1}), (2, {"findings": 2}), (2, {"width": 9})])
def test_a_hospital_with_another_version_of_the_plan_or_of_another_deal_says_so(tmp_path, other):
    one = deal_into(tmp_path / "one", plan(rounds=2), gathered())
    two = deal_into(tmp_path / "two", plan(rounds=other[0]), gathered(**other[1]))
    request = Coordinator(one / SERVER, tmp_path / "run").request(1)
    where = two / "hospital-01" / "federation.json"
    with pytest.raises(
        DataError, match=f"{where}: hospital-01 has another version of the plan than the server, or rec"
    ):
        Hospital(two / "hospital-01").answer(request)
    assert not (two / "hospital-01" / "state").exists()


@pytest.fixture
def station_folder(tmp_path):
    return deal_into(tmp_path / "federation", plan(), gathered()) / "hospital-00" / "records"


def spoil(folder, name: str, change) -> None:
    file = folder / f"{name}.npy"
    np.save(file, change(np.load(file)))


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("truth", lambda one: one[:0], "hospital-00 has no records; got 0"),
        ("truth", np.ones_like, "hospital-00 has one class only"),
        ("image", lambda one: one[:-1], "hospital-00: the row counts of image and truth differ"),
        ("patients", lambda one: one[:-1], "hospital-00: the row counts of patients and truth differ"),
        ("image", lambda one: one * np.float32("inf"), "hospital-00: image holds a value that is not finite"),
        (
            "truth",
            lambda one: one[:, :2],
            "truth.npy: hospital-00: the file has another number of columns .* got 2",
        ),
        (
            "image",
            lambda one: one[:, :5],
            "image.npy: hospital-00: the file has another number of columns .* got 5",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value encountered in multiply")
def test_records_that_cannot_be_learnt_from_are_named_with_their_folder(station_folder, name, change, message):
    spoil(station_folder, name, change)
    with pytest.raises(DataError, match=message) as error:
        Hospital(station_folder.parent)
    assert str(station_folder) in str(error.value)


def test_a_file_of_the_half_that_a_hospital_does_not_hold_is_refused_and_not_read(station_folder):
    (station_folder / "text.npy").write_bytes(b"not to be opened")
    with pytest.raises(
        DataError, match=r"text.npy: the station's card says that it holds no text, and the file is there"
    ):
        read_station(station_folder)


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("station.json", b"{", "station.json: the station's card cannot be read"),
        (
            "station.json",
            b'{"name": "x", "holds": "all"}',
            "unknown kind of station; got 'all'; allowed: image, text, both",
        ),
        ("image.npy", b"", r"image.npy: the file cannot be read"),
        ("image.npy", b"PK\x03\x04 cut short", r"image.npy: the file cannot be read"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(station_folder, file, content, message):
    (station_folder / file).write_bytes(content)
    with pytest.raises(DataError, match=message):
        read_station(station_folder)


def test_a_place_that_is_no_hospital_is_told(tmp_path):
    with pytest.raises(DataError, match=r"this is not the folder of a hospital or server\. Deal the patients again"):
        Hospital(tmp_path)
    with pytest.raises(DataError, match=r"there is no federated run here; allowed: a folder with run.json"):
        read_run(tmp_path)


def test_weights_that_are_cut_short_are_named(tmp_path):
    run(gathered(), tmp_path / "run", rounds=1)
    file = tmp_path / "run/rounds/0001/global.npz"
    file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(DataError, match=r"global.npz: the weights cannot be read"):
        read_arrays(file)


def test_a_public_set_of_nobody_has_no_records(tmp_path):
    folder = deal_into(tmp_path / "federation", plan(method="mfedavg", public=0), gathered())
    card = read_card(folder / SERVER)
    assert len(read_public(folder / SERVER, card)) == 0


def test_bad_input_leaves_nothing_behind(tmp_path):
    found = gathered()
    for change, match in (
        ({"patients": 999}, "not enough patients"),
        ({"public": 999}, "cannot be dealt"),
        ({"method": "fedavg"}, "unknown method of federated training; got 'fedavg'; .*did you mean 'mfedavg'"),
    ):
        nothing_new(tmp_path, lambda change=change: run(found, tmp_path / "run", **change), ConfigError, match)
    nothing_new(tmp_path, lambda: run(without(found, "text"), tmp_path / "run"), DataError, "no backbone features")
    nowhere = {"groups": (Group(holds="image", hospitals=1, release=str(tmp_path / "nowhere")),)}
    nothing_new(tmp_path, lambda: run(found, tmp_path / "run", **nowhere), DataError, "nowhere")
    unknown = replace(CPU, engine="flowers")
    nothing_new(tmp_path, lambda: run(found, tmp_path / "run", unknown), ConfigError, "unknown engine; got 'flowers'")

"""The scores of the attackers, against an implementation that is slow and obvious."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from federation_runs import loaded, train
from leadapron.attacks.federation.asked_people import OUTSIDER, TUNING, People, asked_of, known_by_place, some_patients
from leadapron.attacks.federation.federation_attack import attack, suspicion_table
from leadapron.attacks.federation.federation_attackers import MEANS, PARTNERS, UPDATES, above_others, standard
from leadapron.attacks.federation.partner_claim import at_random, different, pair_all
from leadapron.attacks.federation.witnessed import hospitals_mean
from leadapron.federated.fusion_model import load_weights
from leadapron.federated.local_training import embeddings
from leadapron.federated.station import Station


@pytest.fixture(scope="module")
def subject(tmp_path_factory):
    return loaded(train(tmp_path_factory.mktemp("scores") / "run", clients="3:0:2", patients=8, epochs=2))


@pytest.fixture(scope="module")
def people(subject):
    members = {name: some_patients(one, 5, seed=1)[0] for name, one in subject.hospitals.items()}
    outsiders, tuning = some_patients(subject.test, 9, 7, seed=1)
    return People(members, outsiders, tuning)


def loss_of(model, arrays, record):
    """Of one record: ``record`` is image, text and truth."""
    load_weights(model, arrays)
    image, text, truth = record
    with torch.inference_mode():
        said = model(*(None if half is None else torch.tensor(half[None]) for half in (image, text)))[0].double()
    terms = [math.log1p(math.exp(-x if y == 1 else x)) for x, y in zip(said.tolist(), truth, strict=True) if y != -1]
    return sum(terms) / max(len(terms), 1)


def partner_of(model, sent, image, truth, public, neighbours):
    """The nearest of the public images whose findings fit best, found one by one."""
    load_weights(model, sent)
    own = embeddings(model, "image", image[None])[0]
    near = embeddings(model, "image", public.image) @ own
    nearest = sorted(range(len(near)), key=lambda row: -near[row])[:neighbours]

    def alike(row):
        mine, other = set(np.flatnonzero(truth == 1)), set(np.flatnonzero(public.truth[row] == 1))
        return len(mine & other) / len(mine | other) if mine | other else 1.0

    return max(nearest, key=lambda row: (alike(row), near[row]))


def slow_scores(subject, people, holds, *, pair):
    """By hospital and patient: the z-scored falls above the mean of the others, added up over the rounds."""
    seen, model = subject.seen, subject.seen.new_model()
    hospitals = seen.kinds[holds]
    sides = [*(people.members[name] for name in hospitals), people.outsiders, people.tuning]
    patients = [(station, one) for station in sides for one in np.unique(station.patients)]
    tuning = [at for at, (station, _) in enumerate(patients) if station is people.tuning]
    total = np.zeros((len(hospitals), len(patients)))
    for one in seen.rounds():
        fall = np.zeros_like(total)
        for at, (station, who) in enumerate(patients):
            rows = np.flatnonzero(station.patients == who)
            for row in rows:
                image, truth = station.image[row], station.truth[row]
                text = station.text[row] if holds == "both" else None
                if pair:
                    text = seen.public.text[partner_of(model, one.sent, image, truth, seen.public, 3)]
                before = loss_of(model, one.sent, (image, text, truth))
                for place, name in enumerate(hospitals):
                    fall[place, at] += (before - loss_of(model, one.updates[name], (image, text, truth))) / len(rows)
        for place in range(len(hospitals)):
            others = [fall[other] for other in range(len(hospitals)) if other != place]
            above = fall[place] - sum(others) / len(others)
            total[place] += (above - above[tuning].mean()) / above[tuning].std()
    return np.stack([(row - row[tuning].mean()) / row[tuning].std() for row in total])


@pytest.mark.parametrize(("holds", "attacker"), [("image", UPDATES), ("image", PARTNERS), ("both", PARTNERS)])
def test_every_update_is_scored_as_by_hand(subject, people, holds, attacker):
    found = attack(subject.seen, people)[holds].suspicions[attacker].own
    slow = slow_scores(subject, people, holds, pair=attacker == PARTNERS and holds != "both")
    assert np.allclose(found, slow, atol=1e-3)


def test_the_mean_without_the_public_set_is_the_mean_of_the_hospitals(subject):
    """By the weights of the plan: records, of a borrowed half alpha times as much."""
    seen = subject.seen
    for one in seen.rounds():
        found = hospitals_mean(seen, one)
        for name in ("text_encoder.0.weight", "image_encoder.2.bias", "classifier.weight"):
            total = weights = 0.0
            for hospital, member in seen.members.items():
                factor = seen.plan.alpha if name.startswith("text") and member.holds == "image" else 1.0
                total = total + factor * member.records * one.updates[hospital][name].astype(np.float64)
                weights += factor * member.records
            assert np.allclose(found[name], total / weights, atol=1e-5)


def test_who_sees_no_single_update_suspects_all_hospitals_alike(subject, people):
    for of_kind in attack(subject.seen, people).values():
        own = of_kind.suspicions[MEANS].own
        assert (own == own[0]).all()


def test_a_hospital_that_missed_a_round_is_compared_in_the_others():
    own = np.array([[[1.0], [2.0], [6.0]], [[np.nan], [2.0], [4.0]], [[np.nan], [np.nan], [5.0]]])
    public = np.array([[0.0], [0.0], [2.0]])
    found = above_others(own, public)[..., 0]
    assert np.array_equal(found, [[-3, -1.5, 4.5], [np.nan, -2, 2], [np.nan, np.nan, 3]], equal_nan=True)
    unknown = above_others(own, np.full((3, 1), np.nan))[2, :, 0]
    assert np.array_equal(unknown, [np.nan, np.nan, 5], equal_nan=True)


def test_a_scale_is_set_by_the_tuning_patients_alone_and_a_flat_one_is_no_division_by_zero():
    tuning = np.array([False, True, True])
    assert standard(np.array([5.0, 1.0, 3.0]), tuning).tolist() == [3.0, -1.0, 1.0]
    assert standard(np.array([5.0, 1.0, 1.0]), tuning).tolist() == [4.0, 0.0, 0.0]


def test_everybody_stands_where_they_were(people, subject):
    asked = asked_of(people, "image", subject.seen.kinds["image"])
    sizes = [5, 5, 5, 9, 7]
    assert asked.hospital.tolist() == [
        at for at, size in zip((0, 1, 2, OUTSIDER, TUNING), sizes, strict=True) for _ in range(size)
    ]
    assert asked.records.text is None
    assert len(set(asked.names)) == len(asked.names)
    first = people.members["hospital-00"]
    assert asked.means(np.arange(len(asked.patient), dtype=float))[0] == np.mean(
        np.flatnonzero(first.patients == first.patients.min())
    )


def test_a_patient_is_known_by_place_whatever_the_key_of_the_deal():
    truth = np.zeros((5, 1), np.int8)
    stations = [Station("test", truth, np.array(keys, np.uint64), truth) for keys in ([9, 3, 9, 3, 5], [2, 8, 2, 8, 1])]
    one, other = (known_by_place(station).patients.tolist() for station in stations)
    assert one == other == [0, 1, 0, 1, 4]


def test_drawn_parts_share_nobody_and_are_the_same_for_the_same_seed(subject):
    one, two = some_patients(subject.test, 6, 5, seed=3)
    assert not set(one.patients) & set(two.patients)
    assert (len(set(one.patients)), len(set(two.patients))) == (6, 5)
    assert np.array_equal(some_patients(subject.test, 6, 5, seed=3)[1].patients, two.patients)
    everybody = some_patients(subject.test, 10**6, seed=3)[0]
    assert len(everybody) == len(subject.test)


def test_the_table_holds_members_at_their_own_hospital_and_outsiders_at_each(subject, people):
    table = suspicion_table(attack(subject.seen, people))
    own = table.filter(attacker=UPDATES, hospitals="image", asked="own")
    assert own["member"].sum() == 15
    assert len(own) == 15 + 3 * 9
    assert own.filter("member")["right"].is_in([0.0, 1.0]).all()
    assert table.filter(attacker=MEANS, hospitals="image", asked="own", member=True)["right"].to_list() == [1 / 3] * 15


def test_partners_are_counted_as_by_hand(subject):
    seen = subject.seen
    images = {name: subject.hospitals[name] for name in seen.kinds["image"]}
    found = pair_all(seen, images)
    model, groups, hits = seen.new_model(), [], []
    for one in seen.rounds():
        for station in images.values():
            chosen = [
                partner_of(model, one.sent, station.image[row], station.truth[row], seen.public, 3)
                for row in range(len(station))
            ]
            load_weights(model, one.sent)
            near = embeddings(model, "image", station.image) @ embeddings(model, "image", seen.public.image).T
            groups += [chosen.count(partner) for partner in chosen]
            hits += (near.argmax(axis=1) == chosen).tolist()
    assert found.group.tolist() == groups
    assert found.by_nearness.tolist() == hits
    assert found.by_findings.all()


def test_partners_that_hospitals_draw_are_worked_out_by_nobody(subject):
    images = {name: subject.hospitals[name] for name in subject.seen.kinds["image"]}
    found = pair_all(subject.seen, images, "random")
    assert found.by_findings.mean() < 0.2
    assert found.by_nearness.mean() < 0.2


def test_different_partners_and_what_chance_gives():
    assert different(np.array([[1, 4], [1, 5], [2, 6]])).tolist() == [2, 3]
    rng = np.random.default_rng(0)
    drawn = rng.integers(0, 30, (4000, 20))
    counts = [np.bincount(row, minlength=30) for row in drawn]
    alone, sharing = at_random(20, 30)
    assert np.mean([(count == 1).sum() / 20 for count in counts]) == pytest.approx(alone, abs=0.01)
    assert 20 / np.mean([(count > 0).sum() for count in counts]) == pytest.approx(sharing, abs=0.01)

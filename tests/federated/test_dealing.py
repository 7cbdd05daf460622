"""Who gets which patients: each patient in one place, and a half that a hospital does not hold is never read."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from federated_data import gathered, plan, without
from leadapron.errors import ConfigError, DataError
from leadapron.federated.dealing import deal, hashed
from leadapron.federated.feature_scale import Scale
from leadapron.federated.federation_plan import Group


class Unreadable:
    """An array of which the shape may be known, and no value."""

    def __init__(self, array: np.ndarray, open_rows: np.ndarray) -> None:
        self.array, self.open_rows, self.shape = array, open_rows, array.shape

    def __len__(self) -> int:
        return len(self.array)

    def __array__(self, *_: object, **__: object) -> np.ndarray:
        raise AssertionError("the half that is missing was read, all of it")

    def __getitem__(self, rows: object) -> np.ndarray:
        wanted = np.arange(len(self.array))[rows]
        assert self.open_rows[wanted].all(), "the half that is missing was read"
        return self.array[rows]


def records_of(dealt) -> dict[str, np.ndarray]:
    """The findings and features of each place, row by row, as something that can be compared."""
    stations = [*dealt.hospitals, dealt.public, dealt.validate, dealt.test]
    return {
        one.name: np.concatenate([one.truth, *(half for half in (one.image, one.text) if half is not None)], axis=1)
        for one in stations
    }


def patients_by_place(home, dealt) -> dict[str, set[str]]:
    """Whose records each place has, found again by the labels' and features' exact values."""
    scale = Scale.fit(home.image[home.splits == "validate"]), Scale.fit(home.text[home.splits == "validate"])
    rows = {scale[0].apply(home.image[at : at + 1]).tobytes(): who for at, who in enumerate(home.patients)}
    rows |= {scale[1].apply(home.text[at : at + 1]).tobytes(): who for at, who in enumerate(home.patients)}
    found = {}
    for one in (*dealt.hospitals, dealt.public, dealt.validate, dealt.test):
        half = one.image if one.image is not None else one.text
        found[one.name] = {str(rows[row.tobytes()]) for row in half}
    return found


@pytest.mark.parametrize("partition", ["homogeneous", "dirichlet", "site"])
def test_every_patient_is_in_one_place_with_all_of_their_records(partition):
    home = gathered(120, source=np.random.default_rng(0).integers(0, 4, 400).astype(str))
    sites = dict(zip(home.patients, home.records["source"], strict=True))
    site = np.array([sites[who] for who in home.patients])  # a patient's records are at one site
    home = replace(home, records=home.records.with_columns(source=site))
    dealt = deal(plan(partition=partition, concentration=5.0), home)
    places = patients_by_place(home, dealt)
    everyone = [who for found in places.values() for who in found]
    assert len(everyone) == len(set(everyone))
    assert sum(map(len, records_of(dealt).values())) == sum(who in set(everyone) for who in home.patients)
    assert len(places["public"]) == 8
    splits = dict(zip(home.patients, home.splits, strict=True))
    for name, found in places.items():
        assert {splits[who] for who in found} == {name if name in ("validate", "test") else "train"}
    if partition == "site":
        assert [{sites[who] for who in places[f"hospital-{at:02d}"]} for at in range(4)] == [{"0"}, {"1"}, {"2"}, {"3"}]


def test_hospitals_hold_what_the_plan_says_and_nothing_else():
    dealt = deal(plan(clients="2:1:1"), gathered())
    assert [one.holds for one in dealt.hospitals] == ["image", "image", "text", "both"]
    assert [one.name for one in dealt.hospitals] == [f"hospital-{at:02d}" for at in range(4)]
    assert all(one.text is None for one in dealt.hospitals[:2])
    assert dealt.hospitals[2].image is None


@pytest.mark.parametrize(("holds", "missing"), [("image", "text"), ("text", "image")])
def test_the_missing_half_of_a_hospital_is_never_read(holds, missing):
    home, asked = gathered(90), plan(clients="3:0:0" if holds == "image" else "0:3:0")
    whose = patients_by_place(home, deal(asked, home))
    closed = set().union(*(found for name, found in whose.items() if name.startswith("hospital")))
    open_rows = np.array([who not in closed for who in home.patients])
    guarded = replace(home, **{missing: Unreadable(getattr(home, missing), open_rows)})
    plain, watched = deal(asked, home), deal(asked, guarded)
    for one, other in zip(plain.hospitals, watched.hospitals, strict=True):
        np.testing.assert_array_equal(getattr(one, holds), getattr(other, holds))


def test_the_guard_itself_notices_a_read():
    guard = Unreadable(np.zeros((3, 2)), np.array([True, False, True]))
    guard[np.array([0, 2])]
    with pytest.raises(AssertionError, match="was read"):
        guard[np.array([1])]
    with pytest.raises(AssertionError, match="was read"):
        np.asarray(guard)


def test_public_sets_of_several_sizes_lie_in_each_other_and_change_no_hospital():
    home = gathered(200)
    dealt = {size: deal(plan(public=size, patients=10), home) for size in (4, 16, 40)}
    for size, other in ((4, 16), (16, 40)):
        small, large = (patients_by_place(home, dealt[one])["public"] for one in (size, other))
        assert len(small) == size
        assert small < large
    for one in dealt.values():
        for before, after in zip(dealt[4].hospitals, one.hospitals, strict=True):
            np.testing.assert_array_equal(before.truth, after.truth)
            for half in ("image", "text"):
                if getattr(before, half) is not None:
                    np.testing.assert_array_equal(getattr(before, half), getattr(after, half))
        np.testing.assert_array_equal(one.test.image, dealt[4].test.image)


def test_the_scale_is_that_of_the_validation_patients_alone():
    home = gathered(100)
    dealt = deal(plan(), home)
    values = home.image.astype(np.float64)
    own = values[home.splits == "validate"]
    standard = (own - own.mean(axis=0)) / own.std(axis=0)
    np.testing.assert_allclose(dealt.validate.image.mean(axis=0), 0, atol=1e-5)
    assert np.square(dealt.validate.image).sum() == pytest.approx(np.square(standard).sum(), rel=1e-5)
    changed = replace(home, image=np.where((home.splits == "train")[:, None], home.image * 100, home.image))
    np.testing.assert_array_equal(deal(plan(), changed).test.image, dealt.test.image)


def test_a_feature_that_never_changes_is_left_out_and_wide_features_keep_their_main_directions():
    rng = np.random.default_rng(0)
    values = rng.standard_normal((40, 5))
    values[:, 2] = 7.0
    scale = Scale.fit(values)
    changed = values.copy()
    changed[:, 2] = -3.0
    np.testing.assert_allclose(scale.apply(values), scale.apply(changed), atol=1e-6)
    assert Scale.fit(rng.standard_normal((200, 90))).apply(rng.standard_normal((3, 90))).shape == (3, 64)


def test_the_seed_decides_who_is_where():
    home = gathered(100)
    one, same, other = (records_of(deal(plan(seed=seed), home)) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one["hospital-00"], same["hospital-00"])
    assert one["hospital-00"].shape != other["hospital-00"].shape or (one["hospital-00"] != other["hospital-00"]).any()


def test_dirichlet_shares_differ_more_the_smaller_the_concentration():
    home = gathered(600)

    def spread(concentration: float) -> float:
        dealt = deal(plan(partition="dirichlet", concentration=concentration, clients="0:0:4", seed=1), home)
        shares = [(one.truth[:, 0] == 1).mean() for one in dealt.hospitals]
        return float(np.std(shares))

    assert spread(0.5) > 2 * spread(1000.0)
    assert sum(len(one) for one in deal(plan(partition="dirichlet", clients="0:0:4"), home).hospitals) == sum(
        len(one) for one in deal(plan(clients="0:0:4"), home).hospitals
    )


def test_groups_have_sizes_and_releases_of_their_own_and_one_release_serves_several_groups():
    home, other = gathered(100), gathered(80, seed=1)
    groups = (
        Group(holds="image", hospitals=2, patients=10, release="other"),
        Group(holds="both", hospitals=1, patients=12),
        Group(holds="text", hospitals=2, patients=7, release="other"),
    )
    dealt = deal(plan(groups=groups), home, {"other": other})
    assert [len(np.unique(one.patients)) for one in dealt.hospitals] == [10, 10, 12, 7, 7]
    assert [one.holds for one in dealt.hospitals] == ["image", "image", "both", "text", "text"]


def test_a_group_may_come_from_a_release_without_the_half_that_it_does_not_hold():
    groups = (Group(holds="image", hospitals=2, release="other"), Group(holds="both", hospitals=1))
    dealt = deal(plan(groups=groups), gathered(60), {"other": without(gathered(60, seed=1), "text")})
    assert [one.holds for one in dealt.hospitals] == ["image", "image", "both"]


def test_floors_and_ceilings_differ_in_who_joins():
    home = gathered(80)
    complete, centre, nobody = (deal(plan(method=one), home) for one in ("no-missing", "centralised", "public-only"))
    assert {one.holds for one in complete.hospitals} == {"both"}
    assert centre.hospitals == nobody.hospitals == ()
    assert len(centre.public) == len(nobody.public) + sum(map(len, complete.hospitals))


def test_hashes_are_of_a_key_that_is_drawn_anew_and_tell_equal_patients():
    names = np.array(["a", "b", "a"])
    one, other = hashed(names, b"key"), hashed(names, b"another key")
    assert one[0] == one[2] != one[1]
    assert set(one.tolist()).isdisjoint(other.tolist())
    home = gathered()
    assert set(deal(plan(), home).test.patients.tolist()).isdisjoint(deal(plan(), home).test.patients.tolist())


def test_without_a_public_set_only_methods_that_need_none_are_dealt():
    home = gathered()
    assert len(deal(plan(method="mfedavg", public=0), home).public) == 0
    with pytest.raises(ConfigError, match=r"the public set of car-mfl cannot be dealt; got '0 patients'"):
        deal(plan(public=0), home)
    with pytest.raises(ConfigError, match="allowed: 1 to 36, the patients of split 'train'"):
        deal(plan(public=37), home)


@pytest.mark.parametrize("split", ["validate", "test"])
@pytest.mark.parametrize("place", ["public", "hospital-00"])
def test_a_patient_in_two_places_is_named_by_a_hash(split, place):
    home = gathered(patients=90)
    whose = patients_by_place(home, deal(plan(), home))
    patient = sorted(who for who in whose[place] if (home.patients == who).sum() > 1)[0]
    splits = home.splits.astype("U8")
    splits[np.flatnonzero(home.patients == patient)[0]] = split
    with pytest.raises(DataError, match=rf"in '{split}' and in '{place}'; got 'patient hash [0-9a-f]{{16}}'") as error:
        deal(plan(), replace(home, splits=splits))
    assert patient not in str(error.value)


def test_a_patient_at_two_hospitals_is_named_by_a_hash():
    home, other = gathered(80), gathered(80, seed=1)
    twin = replace(other, patients=np.where(other.patients == other.patients[0], home.patients[0], other.patients))
    groups = (Group(holds="both", hospitals=1), Group(holds="image", hospitals=1, release="other"))
    with pytest.raises(DataError, match=r"a patient is in '.*' and in 'hospital-01'; got 'patient hash") as error:
        deal(plan(groups=groups, public=1), home, {"other": twin})
    assert home.patients[0] not in str(error.value)


def test_a_patient_of_two_sites_is_found():
    home = gathered(80, source=np.array(["a", "b"] * 200))
    with pytest.raises(DataError, match="in 'hospital-00' and in 'hospital-01'"):
        deal(plan(partition="site", clients="0:0:2", method="mfedavg", public=1), home)


def test_sites_must_be_as_many_as_hospitals_and_large_enough():
    home = gathered(90)
    names = np.unique(home.patients)
    site = {who: "ab"[at % 2] for at, who in enumerate(names)}
    home = replace(home, records=home.records.with_columns(source=np.array([site[who] for who in home.patients])))
    asked = {"partition": "site", "public": 4}
    with pytest.raises(ConfigError, match=r"another number of sites .* got '2 sites \(a, b\)'; allowed: 3"):
        deal(plan(clients="0:0:3", **asked), home)
    with pytest.raises(DataError, match="there is no column 'ward' to deal by"):
        deal(plan(clients="0:0:2", site_column="ward", **asked), home)
    with pytest.raises(ConfigError, match="not enough patients at site 'a'; got '500'"):
        deal(plan(clients="0:0:2", patients=500, **asked), home)
    dealt = deal(plan(clients="0:0:2", patients=5, **asked), home)
    assert [len(np.unique(one.patients)) for one in dealt.hospitals] == [5, 5]


def test_what_cannot_be_dealt_is_told():
    home = gathered()
    with pytest.raises(ConfigError, match="there are not enough patients for the hospitals; got '400 for 4 hospitals'"):
        deal(plan(patients=100), home)
    with pytest.raises(DataError, match=r"no backbone features of the texts\. Make the release with"):
        deal(plan(), without(home, "text"))
    with pytest.raises(DataError, match="there are no patients of split 'validate'"):
        deal(plan(), replace(home, splits=np.where(home.splits == "validate", "train", home.splits)))
    with pytest.raises(DataError, match="there are no patients of split 'test'"):
        deal(plan(), replace(home, splits=np.where(home.splits == "test", "train", home.splits)))


def test_another_release_must_fit_and_have_what_its_hospitals_are_to_hold():
    home = gathered(80)
    groups = (Group(holds="both", hospitals=1), Group(holds="text", hospitals=1, release="other"))
    for other, message in (
        (gathered(60, seed=1, findings=2), "the labels are not those of the release that is dealt; got 'edema, pneu"),
        (gathered(60, seed=1, width=9), "the text features are of another width .* got 9; allowed: 6. Encode both"),
        (without(gathered(60, seed=1), "text"), "there are no backbone features of the texts"),
    ):
        with pytest.raises(DataError, match=message):
            deal(plan(groups=groups), home, {"other": other})


def test_a_hospital_without_records_or_with_one_class_is_named():
    home = gathered(90)
    with pytest.raises(DataError, match=r"hospital-0. has no records"):
        deal(plan(partition="dirichlet", concentration=1e-3, clients="0:0:8"), home)
    first = patients_by_place(home, deal(plan(), home))["hospital-01"]
    theirs = np.isin(home.patients, sorted(first))[:, None]
    with pytest.raises(DataError, match="hospital-01 has one class only"):
        deal(plan(), replace(home, truth=np.where(theirs, np.int8(0), home.truth)))
    with pytest.raises(DataError, match="hospital-01: image holds a value that is not finite"):
        deal(plan(), replace(home, image=np.where(theirs, np.float32("nan"), home.image)))

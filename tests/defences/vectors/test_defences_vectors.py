"""Defences of vectors: each against the slow and obvious way, and what it promises held against what it released."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize
from scipy.stats import norm

from command_line import refusal, run
from leadapron.cohort import FINDINGS, LABEL_COLUMNS
from leadapron.defences import DEFENCES, find_defence
from leadapron.defences import defend as apply
from leadapron.defences.vectors.finding_directions import PENALTY_A_COLUMN, fit_findings
from leadapron.defences.vectors.lift import lift
from leadapron.defences.vectors.mdav import group_rows
from leadapron.defences.vectors.microaggregate import patient_means
from leadapron.defences.vectors.noise import DELTA
from leadapron.defences.vectors.quantise import fit_steps, round_to
from leadapron.engine.file_ids import id_of_files
from leadapron.errors import ConfigError, DataError
from leadapron.privacy import Guarantee, gaussian_delta, gaussian_epsilon
from leadapron.release import Layer, Projection, Release, read_release, write_release
from leadapron.release.beside import patients_beside
from leadapron.release.provenance import hashes_of
from leadapron.release.rows import distinct_rows, mapped

WIDTH = 12
VECTOR_DEFENCES = [name for name in DEFENCES if find_defence(name).group == "vectors"]
STRENGTHS = {
    "subspace": 3,
    "prototypes": 3,
    "microaggregate": 3,
    "noise": 0.5,
    "dimensions": 4,
    "quantise": 2,
    "codes": 6,
}


def clinic(patients=60, seed=0, width=WIDTH, identity=1.0):
    """One to four records a patient. Images and texts say labels and identity; every fifth text is a template."""
    rng, fixed = np.random.default_rng(seed), np.random.default_rng(99)
    patient = np.repeat(np.arange(patients), rng.integers(1, 5, patients))
    labels = (rng.random((len(patient), 4)) < 0.4).astype(np.int8)
    who = rng.normal(size=(patients, 6))[patient] * identity
    finding, identity_of = fixed.normal(size=(4, width)), fixed.normal(size=(6, width)) * 0.5
    sides = {}
    for side in ("image", "text"):
        said = labels @ finding + who @ identity_of
        rows = said + 0.2 * rng.normal(size=said.shape) + fixed.normal(size=width)
        sides[side] = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    sides["text"][::5] = sides["text"][0]
    records = pl.DataFrame(
        {
            "record_id": [f"r{row}" for row in range(len(patient))],
            "patient_id": [f"p{number}" for number in patient],
            "split": [("train", "train", "test")[number % 3] for number in patient],
            **{name: labels[:, place] for place, name in enumerate(LABEL_COLUMNS[:4])},
        }
    )
    prompts = sides["text"][rng.integers(0, len(patient), 2 * len(FINDINGS))]
    head = Projection((Layer("linear", {"weight": np.eye(width, dtype=np.float32)}),))
    features = {f"{side}_features": rows * 2 for side, rows in sides.items()}
    return Release(
        records, sides | features, {"cohort": "made up"}, heads={"image": head, "text": head},
        prompts={"text": prompts, "text_features": prompts * 2},
    )  # fmt: skip


def defend(release, name, strength=None, **options):
    """By the dial's own name; what a method has no option for is left out."""
    defence = find_defence(name)
    known = {key: value for key, value in options.items() if key in defence.config.model_fields}
    return apply(release, name, **{defence.strength: STRENGTHS[name] if strength is None else strength}, **known)


def images_of(release):
    return replace(release, arrays={"image": release.image}, prompts={}, heads={})


def patients_sharing(release, side):
    """For each distinct vector the patients that have it."""
    sharing = {}
    for row, who in zip(release.arrays[side], release.records["patient_id"], strict=True):
        sharing.setdefault(row.tobytes(), set()).add(who)
    return sharing


# What holds for all of them


@pytest.mark.parametrize("name", VECTOR_DEFENCES)
def test_a_defended_release_is_whole_and_says_what_was_done(name, tmp_path):
    release = clinic()
    before = {key: array.copy() for key, array in release.arrays.items()}
    defended = defend(release, name, seed=1)
    write_release(defended, tmp_path / "defended")
    again = read_release(tmp_path / "defended")
    assert set(again.arrays) == {"image", "text"}
    assert again.heads == {}
    assert set(again.prompts) == {"text"}
    assert again.records.equals(release.records)
    assert again.image.shape[1] == again.text.shape[1] == again.prompts["text"].shape[1]
    said = again.card["defence"]
    assert (said["group"], said["method"], said["strength"]) == ("vectors", name, STRENGTHS[name])
    assert Guarantee(**said["guarantee"]).as_dict() == said["guarantee"]
    assert again.card["cohort"] == "made up"
    for key, array in release.arrays.items():
        np.testing.assert_array_equal(array, before[key])


@pytest.mark.parametrize("name", VECTOR_DEFENCES)
def test_equal_texts_stay_equal_and_most_vectors_have_length_one(name):
    release = clinic()
    defended = defend(release, name, seed=1)
    for row in release.text[::5]:
        same = (release.text == row).all(axis=1)
        assert len({vector.tobytes() for vector in defended.text[same]}) == 1
    if name != "quantise":
        for rows in (*defended.arrays.values(), defended.prompts["text"]):
            np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, rtol=1e-5)


@pytest.mark.parametrize("name", VECTOR_DEFENCES)
def test_the_same_call_gives_the_same_bytes(name):
    once, twice = (defend(clinic(), name, seed=4) for _ in range(2))
    for side in ("image", "text"):
        assert once.arrays[side].tobytes() == twice.arrays[side].tobytes()


@pytest.mark.parametrize("name", [name for name in VECTOR_DEFENCES if name != "prototypes"])
def test_a_release_of_images_is_defended_as_the_images_of_pairs_where_sides_do_not_meet(name):
    release = clinic()
    alone, paired = defend(images_of(release), name, seed=1), defend(release, name, seed=1)
    assert set(alone.arrays) == {"image"}
    if name != "dimensions":  # its directions are those of both sides
        np.testing.assert_allclose(alone.image, paired.image, atol=1e-6)


@pytest.mark.parametrize("name", ["subspace", "dimensions", "quantise"])
def test_prompts_become_what_texts_of_the_same_words_become(name):
    release = clinic()
    defended = defend(release, name)
    for prompt, released in zip(release.prompts["text"], defended.prompts["text"], strict=True):
        row = (release.text == prompt).all(axis=1).argmax()
        np.testing.assert_allclose(released, defended.text[row], atol=1e-5)


@pytest.mark.parametrize("name", ["microaggregate", "noise"])
def test_prompts_are_public_and_stay_where_the_map_is_of_patients_or_of_chance(name):
    release = clinic()
    np.testing.assert_allclose(defend(release, name, seed=1).prompts["text"], release.prompts["text"], rtol=1e-6)


@pytest.mark.parametrize("name", ["subspace", "dimensions", "quantise"])
def test_only_training_patients_are_learned_from(name):
    """What the others are like changes nothing in what the training patients get."""
    release = clinic()
    train = (release.records["split"] == "train").to_numpy()
    other = {side: np.where(train[:, None], release.arrays[side], release.image[::-1]) for side in ("image", "text")}
    labels = [pl.when(pl.lit(train)).then(name).otherwise(1 - pl.col(name)) for name in LABEL_COLUMNS[:4]]
    changed = Release(release.records.with_columns(labels), other, release.card)
    np.testing.assert_allclose(defend(changed, name).image[train], defend(release, name).image[train], atol=1e-6)
    public = clinic(seed=7)
    on_public, on_its_own = defend(changed, name, fitted_on=public), defend(public, name, fitted_on=public)
    assert on_public.card["defence"]["facts"]["fitted_on"] == "another release"
    row = public.image[3]
    planted = replace(changed, arrays={**other, "image": np.vstack([row, other["image"][1:]])}, prompts={}, heads={})
    np.testing.assert_allclose(defend(planted, name, fitted_on=public).image[0], on_its_own.image[3], atol=1e-5)


def test_one_defence_after_another_is_told_in_the_card():
    twice = defend(defend(clinic(), "dimensions"), "microaggregate")
    assert twice.card["defence"]["method"] == "microaggregate"
    assert twice.card["defence"]["before"]["method"] == "dimensions"


@pytest.mark.parametrize(
    ("name", "strength", "said"),
    [
        ("noise", 0, "length: input should be greater than 0; got 0"),
        ("noise", math.nan, "length: input should be a finite number; got nan"),
        ("dimensions", 13, "directions: .* 1 to 12"),
        ("dimensions", 2.5, "directions: .* valid integer, .*; got 2.5"),
        ("quantise", 9, "bits: input should be less than or equal to 8; got 9"),
        ("subspace", 5, "directions: .* 1 to 4"),
        ("subspace", 0, "directions: input should be greater than or equal to 1; got 0"),
        ("microaggregate", 1, "k: input should be greater than or equal to 2; got 1"),
        ("microaggregate", 61, "2 to 60"),
        ("microaggregate", 3.5, "k: .* valid integer"),
    ],
)
def test_a_strength_that_does_not_fit_is_refused_with_those_that_do(name, strength, said):
    with pytest.raises(ConfigError, match=said):
        defend(clinic(), name, strength)


def test_what_cannot_be_defended_is_refused():
    release = clinic()
    with pytest.raises(DataError, match="patient_id"):
        defend(replace(release, records=release.records.drop("patient_id")), "microaggregate")
    with pytest.raises(DataError, match="no label to keep"):
        defend(replace(release, records=release.records.drop(LABEL_COLUMNS[:4])), "subspace")
    features = Release(release.records, {"image_features": release.arrays["image_features"]})
    with pytest.raises(DataError, match="no embeddings"):
        defend(features, "noise")
    with pytest.raises(ConfigError, match="same width"):
        defend(release, "dimensions", fitted_on=clinic(width=8))
    with pytest.raises(ConfigError, match="did you mean 'subspace'"):
        apply(release, "subspaces")


# The guarantee


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("privacy", "patient"), "unknown kind"),
        (("k-anonymity", "study"), "unknown unit"),
        (("k-anonymity", None), "whom it protects"),
        (("none", "patient"), "whom it protects"),
        (("none", None, 1.0, 1e-5), "nothing else"),
        (("k-anonymity", "patient", 1.0, 1e-5), "nothing else"),
        (("differential privacy", "patient"), "nothing else"),
        (("differential privacy", "patient", math.inf, 1e-5), "not an epsilon"),
        (("differential privacy", "patient", 1.0, 1.0), "not a delta"),
    ],
)
def test_a_guarantee_claims_no_more_than_its_kind(arguments, said):
    kind, unit, epsilon, delta = (*arguments, None, None)[:4]
    with pytest.raises(ConfigError, match=said):
        Guarantee(kind, unit, epsilon, delta, "words")


def test_a_guarantee_has_words_and_fits_into_a_card():
    with pytest.raises(ConfigError, match="without words"):
        Guarantee("none")
    with pytest.raises(ConfigError, match="JSON"):
        Guarantee("none", statement="x", details={"rows": np.ones(2)})
    proved = Guarantee("differential privacy", "patient", 1.0, 1e-5, "x", {"steps": 3})
    assert json.loads(json.dumps(proved.as_dict())) == proved.as_dict()


# Noise


def delta_by_integration(epsilon, sensitivity, sigma):
    """The definition: how much more likely, beyond e^ε times, the worst set of answers can be."""
    at = np.linspace(-12 * sigma, 12 * sigma + sensitivity, 2_000_001)
    excess = norm.pdf(at, sensitivity, sigma) - math.exp(epsilon) * norm.pdf(at, 0, sigma)
    return float(np.trapezoid(np.maximum(excess, 0), at))


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0, 4.0])
@pytest.mark.parametrize(("sensitivity", "sigma"), [(1.0, 1.0), (2.0, 5.0), (2.0, 0.7)])
def test_delta_is_the_area_by_which_one_answer_exceeds_the_other(epsilon, sensitivity, sigma):
    expected = delta_by_integration(epsilon, sensitivity, sigma)
    assert gaussian_delta(epsilon, sensitivity, sigma) == pytest.approx(expected, rel=1e-5, abs=1e-12)


@given(st.floats(0.02, 40), st.floats(1e-9, 0.5))
def test_epsilon_undoes_delta(ratio, delta):
    epsilon = gaussian_epsilon(delta, ratio, 1.0)
    assert epsilon >= 0
    assert gaussian_delta(epsilon, ratio, 1.0) <= delta * (1 + 1e-6)
    if epsilon > 0:
        assert gaussian_delta(epsilon * 0.999, ratio, 1.0) > delta
    assert gaussian_epsilon(delta, 3 * ratio, 3.0) == pytest.approx(epsilon, rel=1e-9)


def test_a_published_calibration_comes_out():
    """ε = 1 at δ = 1e-5 and sensitivity 1 takes σ = 3.730632, as the authors' own search finds it."""
    assert gaussian_epsilon(1e-5, 1.0, 3.730632) == pytest.approx(1.0, abs=1e-6)


def test_the_classical_calibration_is_known_to_be_loose():
    """At ε = 0.5 the textbook's σ = √(2 ln(1.25/δ)) / ε is private, and the exact ε for it is well below."""
    textbook = math.sqrt(2 * math.log(1.25 / 1e-5)) / 0.5
    assert 0.3 < gaussian_epsilon(1e-5, 1.0, textbook) < 0.5


@pytest.mark.parametrize(("delta", "sensitivity", "sigma"), [(0.0, 1, 1), (1.0, 1, 1), (0.1, 0, 1), (0.1, 1, 0)])
def test_no_epsilon_without_noise_or_delta(delta, sensitivity, sigma):
    with pytest.raises(ConfigError):
        gaussian_epsilon(delta, sensitivity, sigma)


def test_noise_is_as_long_as_it_says():
    """Images that all point one way: across that way, only noise is left."""
    release = clinic(400)
    image = np.zeros_like(release.image)
    image[:, 0] = 1
    defended = defend(replace(images_of(release), arrays={"image": image}), "noise", 0.3, seed=3)
    across = defended.image[:, 1:] / defended.image[:, :1]  # undoes the length, up to the noise along the first axis
    sigma = np.sqrt(np.median(np.square(across)) / norm.ppf(0.75) ** 2)
    assert sigma == pytest.approx(0.3 / math.sqrt(WIDTH), rel=0.05)


def test_every_image_and_every_distinct_text_has_a_draw_of_its_own():
    release = clinic()
    same = replace(release, arrays={"image": np.tile(release.image[0], (len(release), 1)), "text": release.text})
    defended = defend(same, "noise", seed=0)
    assert len(np.unique(defended.image, axis=0)) == len(release)
    assert len(np.unique(defended.text, axis=0)) == len(np.unique(release.text, axis=0))


def test_images_and_texts_do_not_share_their_noise():
    """Else the noise itself would pair them."""
    release = clinic(400)
    image = np.unique(release.image, axis=0)
    same = Release(release.records[: len(image)], {"image": image, "text": image})
    for seed in (None, 0):
        defended = defend(same, "noise", 1e6, seed=seed)  # at this strength all is noise
        assert (defended.image @ defended.text.T).max() < 0.9999


def test_noise_without_a_seed_is_never_the_same_and_is_normal():
    release = clinic(400)
    one, other = (defend(release, "noise", 50.0).image for _ in range(2))  # at this strength all is noise
    assert np.abs((one * other).sum(axis=1)).mean() < 0.5
    values = one.ravel() * math.sqrt(WIDTH)
    assert abs(values.mean()) < 5 / math.sqrt(values.size)
    directions = one.T @ one / len(one) * WIDTH
    np.testing.assert_allclose(directions, np.eye(WIDTH), atol=5 * 2 / math.sqrt(len(one)))


def test_a_seed_is_a_key_so_it_is_not_written_down_and_nothing_is_promised():
    said = defend(clinic(), "noise", 20.0, seed=918273).card["defence"]
    assert "918273" not in json.dumps(said)
    assert said["guarantee"]["kind"] == "none"
    assert "seed" in said["guarantee"]["statement"]


def test_secret_noise_is_differentially_private_where_that_means_something():
    release = clinic()
    weak, strong = (defend(release, "noise", strength).card["defence"]["guarantee"] for strength in (0.5, 20.0))
    assert (weak["kind"], weak["epsilon"]) == ("none", None)
    assert weak["details"]["epsilon_of_an_image"] == gaussian_epsilon(DELTA, 2.0, 0.5 / math.sqrt(WIDTH)) > 10
    sigma = 20.0 / math.sqrt(WIDTH)
    assert (strong["kind"], strong["unit"], strong["delta"]) == ("differential privacy", "record", DELTA)
    assert strong["epsilon"] == gaussian_epsilon(DELTA, 2.0, sigma) < 10
    most = release.records["patient_id"].value_counts()["count"].max()
    together = strong["details"]["epsilon_of_all_images_of_that_patient"]
    assert together == gaussian_epsilon(DELTA, 2.0 * math.sqrt(most), sigma) > strong["epsilon"]
    texts = Release(release.records, {"text": release.text})  # equal texts show that they are equal
    assert defend(texts, "noise", 20.0).card["defence"]["guarantee"]["kind"] == "none"


def strangers(release):
    """The same vectors, of patients with other ids."""
    return replace(release, records=release.records.with_columns(pl.format("q{}", "patient_id").alias("patient_id")))


@pytest.mark.parametrize(
    ("name", "splits", "with_other"),
    [
        ("subspace", [("train",)], [()]),
        ("dimensions", [("train",)], [()]),
        ("quantise", [("train",)], [()]),
        ("prototypes", [("train",), ()], [(), ()]),
        ("codes", [("train",), ()], [(), ()]),
        ("microaggregate", [()], [()]),
        ("noise", [], []),
    ],
)
def test_what_was_fitted_on_whom_is_written_down_and_inherited(name, splits, with_other, tmp_path):
    release = clinic()
    assert [one.splits for one in defend(release, name).fitted] == splits
    assert [one.splits for one in defend(release, name, fitted_on=strangers(release)).fitted] == with_other
    met = defend(release, name, fitted_on=release.of_split("test")).fitted  # another release, with the same patients
    assert [one.splits for one in met] == [("test",) if one else () for one in splits]
    write_release(defend(release, name), tmp_path / "once")
    again = defend(read_release(tmp_path / "once"), "quantise")
    assert [one.splits for one in again.fitted] == [*splits, ("train",)]
    write_release(again, tmp_path / "twice")
    assert read_release(tmp_path / "twice").fitted == again.fitted  # the sets come along, from file to file


def test_noise_promises_nothing_over_what_was_fitted_on_the_same_patients(tmp_path):
    def promised(release):
        return defend(release, "noise", 20.0).card["defence"]["guarantee"]

    release = clinic()
    for name in ("dimensions", "quantise", "subspace", "prototypes", "microaggregate"):
        refused = promised(defend(release, name))
        assert (refused["kind"], refused["unit"], refused["epsilon"], refused["delta"]) == ("none", *[None] * 3)
        assert "fitted on these very patients" in refused["statement"]
        assert refused["details"]["refused"] in refused["statement"]
        assert not [key for key in refused["details"] if key.startswith("epsilon")]
    behind = replace(strangers(release), fitted=defend(release, "quantise").fitted)  # its vectors know these patients
    assert promised(defend(release, "quantise", fitted_on=behind))["kind"] == "none"
    elsewhere = defend(release, "quantise", fitted_on=strangers(release))
    assert promised(elsewhere)["epsilon"] == promised(release)["epsilon"]
    assert promised(defend(release, "noise", 20.0))["kind"] == "differential privacy"  # noise is fitted on nobody
    write_release(elsewhere, tmp_path / "out")
    assert promised(read_release(tmp_path / "out"))["kind"] == "differential privacy"
    patients_beside(tmp_path / "out").unlink()
    unchecked = promised(read_release(tmp_path / "out"))
    assert unchecked["kind"] == "none"
    assert ".patients-not-for-release.json" in unchecked["statement"]
    nameless = Release(release.records.drop("patient_id"), {"image": release.image})
    assert "nobody wrote down" in promised(defend(nameless, "quantise"))["statement"]


# Microaggregation


def slow_groups(rows, patients, k):
    """MDAV with sets and loops."""
    group, waiting, groups = np.full(len(rows), -1), set(range(len(rows))), 0

    def people(members):
        return set().union(*(patients[row] for row in members))

    for row in range(len(rows)):
        if len(patients[row]) >= k:
            group[row], groups = groups, groups + 1
            waiting.discard(row)
    while len(people(waiting)) >= k:
        mean = np.mean([rows[row] for row in waiting], axis=0)
        start = rows[max(waiting, key=lambda row: (np.linalg.norm(rows[row] - mean), -row))]
        for _ in range(2):
            if len(people(waiting)) < k:
                break
            near = sorted(waiting, key=lambda row: (np.linalg.norm(rows[row] - start), row))
            taken = next(near[:many] for many in range(1, len(near) + 1) if len(people(near[:many])) >= k)
            waiting -= set(taken)
            group[taken], groups = groups, groups + 1
            if waiting:
                start = rows[max(waiting, key=lambda row: (np.linalg.norm(rows[row] - start), -row))]
    means = [rows[group == number].mean(axis=0) for number in range(groups)]
    for row in waiting:
        group[row] = np.argmin([np.linalg.norm(rows[row] - mean) for mean in means])
    return group


def same_partition(one, other):
    return len(set(zip(one.tolist(), other.tolist(), strict=True))) == len(set(one)) == len(set(other))


@pytest.mark.parametrize("k", [2, 3, 7])
@pytest.mark.parametrize("seed", range(4))
def test_groups_are_those_of_the_slow_way(k, seed):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(90, 5)).astype(np.float32)
    patients = [set(rng.integers(0, 30, rng.choice([1, 1, 1, 2, 8])).tolist()) for _ in rows]
    pairs = np.array([(row, who) for row, members in enumerate(patients) for who in members])
    shared_by = sparse.csr_array((np.ones(len(pairs)), pairs.T), shape=(90, 30))
    assert same_partition(group_rows(rows, shared_by, k), slow_groups(rows.astype(np.float64), patients, k))


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10_000), st.integers(2, 6), st.integers(6, 25), st.sampled_from([5, 20, 10_000]))
def test_every_group_has_k_patients_whatever_the_blocks(seed, k, patients, most):
    rng = np.random.default_rng(seed)
    patient = np.concatenate([np.arange(patients), rng.integers(0, patients, rng.integers(0, 60))])
    rows = rng.integers(-2, 3, size=(len(patient), 3)).astype(np.float32)  # many are equal, some are zero
    first, number = distinct_rows(rows)
    shared_by = sparse.csr_array((np.ones(len(rows)), (number, patient)), shape=(len(first), patients))
    group = group_rows(rows[first], shared_by, k, most=most)[number]
    assert set(group) == set(range(group.max() + 1))
    for value in set(group):
        assert len(set(patient[group == value])) >= k


@pytest.mark.parametrize("k", [2, 5, 13, 60])
def test_every_released_vector_is_shared_by_k_patients(k):
    defended = defend(clinic(), "microaggregate", k)
    assert defended.card["defence"]["guarantee"]["details"]["k"] == k
    for side in ("image", "text"):
        sharing = patients_sharing(defended, side)
        assert min(map(len, sharing.values())) >= k
        assert defended.card["defence"]["guarantee"]["details"]["fewest_patients_with_a_vector"] >= k
        groups = defended.card["defence"]["facts"]["groups"][side]
        assert groups["fewest_patients"] == min(map(len, sharing.values()))
        assert groups["groups"] == len(sharing)


@pytest.mark.parametrize("name", ["microaggregate", "prototypes"])
def test_k_anonymity_is_promised_for_a_vector_and_counted_for_patients_and_splits(name):
    """Counted the slow way, in what is released. The promise used to name patients, of whom most were alone."""
    defended = defend(clinic(), name, 5)
    guarantee = defended.card["defence"]["guarantee"]
    assert (guarantee["kind"], guarantee["unit"]) == ("k-anonymity", "vector")
    sides = ("image", "text") if name == "microaggregate" else ("text",)
    of_patient, of_vector, in_split = {}, {}, {}
    for row, (who, split) in enumerate(defended.records.select("patient_id", "split").iter_rows()):
        for side in sides:
            vector = (side, defended.arrays[side][row].tobytes())
            of_patient.setdefault(who, set()).add(vector)
            of_vector.setdefault(vector, set()).add(who)
            in_split.setdefault(split, {}).setdefault(vector, set()).add(who)
    alike = [sum(mine == theirs for theirs in of_patient.values()) for mine in of_patient.values()]
    within = {split: min(map(len, vectors.values())) for split, vectors in sorted(in_split.items())}
    alone = alike.count(1)
    details = guarantee["details"]
    assert details["fewest_patients_with_a_vector"] == min(map(len, of_vector.values())) >= 5
    assert details["fewest_patients_with_all_vectors_of_a_patient"] == min(alike) == 1
    assert details["fewest_patients_with_a_vector_within_split"] == within
    assert (details["patients"], details["patients_alone_with_all_of_theirs"]) == (60, alone)
    assert min(within.values()) < 5
    assert f"{alone} of 60 patients are alone" in guarantee["statement"]


def test_a_text_that_k_patients_share_is_released_as_it_is():
    release = clinic()
    template = release.text[0]
    rows = (release.text == template).all(axis=1)
    assert len(set(release.records["patient_id"].filter(pl.Series(rows)))) >= 5
    np.testing.assert_allclose(
        defend(release, "microaggregate", 5).text[rows], template[None].repeat(rows.sum(), 0), atol=1e-6
    )


def test_a_patient_counts_once_in_a_mean():
    rng = np.random.default_rng(0)
    rows, group, patient = rng.normal(size=(40, 3)).astype(np.float32), np.arange(40) % 4, rng.integers(0, 6, 40)
    means, patients_in = patient_means(rows, group, patient)
    for number in range(4):
        members = set(patient[group == number])
        slow = np.mean([rows[(group == number) & (patient == who)].mean(axis=0) for who in members], axis=0)
        np.testing.assert_allclose(means[number], slow, rtol=1e-5, atol=1e-6)
        assert patients_in[number] == len(members)


def test_more_patients_in_a_group_keep_less():
    kept = [
        defend(clinic(), "microaggregate", k).card["defence"]["facts"]["groups"]["image"]["variance_kept"]
        for k in (2, 5, 20, 60)
    ]
    assert kept == sorted(kept, reverse=True)
    assert kept[-1] == pytest.approx(0, abs=0.02)  # one group: the mean of all patients


def test_groups_larger_than_the_release_are_refused_with_what_would_do():
    with pytest.raises(ConfigError, match=r"60 patients for k = 61'; allowed: 2 to 60\. With k = 5"):
        defend(clinic(), "microaggregate", 61)
    with pytest.raises(ConfigError, match="Release more patients"):
        defend(clinic(2), "microaggregate", 5)


# Subspace, dimensions and the lift


def test_the_lift_has_length_one_and_can_be_undone():
    coordinates = np.random.default_rng(0).normal(size=(30, 3)) * 4
    lifted = lift(coordinates, 2.5)
    np.testing.assert_allclose(np.linalg.norm(lifted, axis=1), 1, rtol=1e-6)
    np.testing.assert_allclose(lifted[:, :-1] / lifted[:, -1:] * 2.5, coordinates, rtol=1e-4, atol=1e-5)


def test_a_finding_s_direction_is_that_of_a_logistic_regression_and_its_length_is_least_squares():
    """Against a general minimiser; rows in which the label is unknown are left out."""
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(80, 5)) + 3
    labels = np.where(rows[:, :2] + rng.normal(size=(80, 2)) > 3, 1.0, -1.0)
    labels[rng.random((80, 2)) < 0.3] = np.nan
    fitted = fit_findings(rows, labels)
    centred = rows - rows.mean(axis=0)
    inputs = centred / centred.std(axis=0)
    penalty = PENALTY_A_COLUMN * 5 / 80
    for column in range(2):
        known = ~np.isnan(labels[:, column])
        x, y = inputs[known], labels[known, column]

        def loss(weights, x=x, y=y):
            return (
                np.logaddexp(0, -y * (x @ weights[:-1] + weights[-1])).mean()
                + penalty / 2 * weights[:-1] @ weights[:-1]
            )

        slow = minimize(loss, np.zeros(6), tol=1e-12).x[:-1]
        length = (x @ slow) @ y / ((x @ slow) @ (x @ slow))
        np.testing.assert_allclose(fitted[:, column] * centred.std(axis=0), slow * length, rtol=1e-3, atol=1e-5)


def unlifted(rows):
    return (rows[:, :-1] / rows[:, -1:]).astype(np.float64)


def test_all_directions_of_the_subspace_hold_each_label_s_prediction():
    """The coordinates turned: every label's prediction is a weighted sum of them, and nothing else is in them."""
    release = clinic()
    train = (release.records["split"] == "train").to_numpy()
    labels = release.records.select(LABEL_COLUMNS[:4]).to_numpy().astype(np.float64)
    labels = (labels - labels[train].mean(axis=0)) / labels[train].std(axis=0)
    defended = defend(release, "subspace", 4)
    for side in ("image", "text"):
        rows = release.arrays[side].astype(np.float64)
        predicted = (rows - rows[train].mean(axis=0)) @ fit_findings(rows[train], labels[train])
        coordinates = unlifted(defended.arrays[side])
        assert coordinates.shape[1] == 4
        weights, *_ = np.linalg.lstsq(coordinates, predicted, rcond=None)
        np.testing.assert_allclose(coordinates @ weights, predicted, atol=1e-4)


def auroc(score, label):
    difference = score[label == 1][:, None] - score[label == 0][None]
    return float(((difference > 0) + 0.5 * (difference == 0)).mean())


def probed(release):
    """The mean AUROC, on patients that were not seen, of what the training patients taught."""
    train = (release.records["split"] == "train").to_numpy()
    labels = release.records.select(LABEL_COLUMNS[:4]).to_numpy().astype(np.float64)
    rows = np.column_stack([release.image, np.ones(len(release))]).astype(np.float64)
    product = rows[train].T @ rows[train] + 1e-4 * np.eye(rows.shape[1])
    scores = rows @ np.linalg.solve(product, rows[train].T @ labels[train])
    return np.mean([auroc(scores[~train, place], labels[~train, place]) for place in range(4)])


def share_linked(release):
    """Test images whose own text is the nearest of all test texts."""
    test = (release.records["split"] == "test").to_numpy()
    scores = release.image[test] @ release.text[test].T
    return float(((scores >= np.diag(scores)[:, None]).sum(axis=1) == 1).mean())


def test_the_subspace_keeps_the_findings_and_loses_the_patient():
    release = clinic(300, identity=2.0)
    defended = defend(release, "subspace", 4)
    assert probed(defended) > probed(release) - 0.02
    assert share_linked(defended) < 0.5 * share_linked(release)
    assert share_linked(release) > 0.15


def test_unknown_labels_are_left_out_and_labels_that_never_vary_are_not_learned():
    release = clinic()
    first, second, third, _ = LABEL_COLUMNS[:4]
    records = release.records.with_columns(
        pl.when(pl.int_range(pl.len()) % 3 == 0).then(None).otherwise(pl.col(first)).alias(first),
        pl.when(pl.int_range(pl.len()) % 4 == 0).then(-1).otherwise(pl.col(second)).alias(second),
        pl.lit(1).alias(third),
    )
    defended = defend(replace(release, records=records), "subspace", 3)
    assert defended.card["defence"]["facts"]["labels"] == [LABEL_COLUMNS[place] for place in (0, 1, 3)]
    minus = records.with_columns(pl.col(second).replace({-1: None}))
    np.testing.assert_array_equal(defended.image, defend(replace(release, records=minus), "subspace", 3).image)


def test_all_dimensions_keep_every_distance_about_the_mean():
    release = clinic()
    train = (release.records["split"] == "train").to_numpy()
    defended = defend(release, "dimensions", WIDTH)
    for side in ("image", "text"):
        rows = release.arrays[side].astype(np.float64) - release.arrays[side][train].mean(axis=0, dtype=np.float64)
        coordinates = unlifted(defended.arrays[side])
        scale = np.linalg.norm(rows) / np.linalg.norm(coordinates)
        np.testing.assert_allclose(scale**2 * coordinates @ coordinates.T, rows @ rows.T, atol=1e-4)


def test_the_dimensions_are_those_in_which_both_sides_together_differ_most():
    release = clinic()
    train = (release.records["split"] == "train").to_numpy()
    stacked = np.vstack([
        release.arrays[side][train].astype(np.float64) - release.arrays[side][train].mean(axis=0, dtype=np.float64)
        for side in ("image", "text")
    ])  # fmt: skip
    _, strengths, axes = np.linalg.svd(stacked)
    defended = defend(release, "dimensions", 3)
    centred = release.image.astype(np.float64) - release.image[train].mean(axis=0, dtype=np.float64)
    expected, found = centred @ axes[:3].T, unlifted(defended.image)
    ratio = np.abs(found / expected)
    np.testing.assert_allclose(ratio, ratio[0, 0], rtol=1e-2)
    share = np.square(strengths[:3]).sum() / np.square(strengths).sum()
    assert defended.card["defence"]["facts"]["variance_kept"] == pytest.approx(share, abs=1e-4)


# Quantise


def slow_round(training, values, levels):
    """One column: cut the training values at their quantiles, and say the mean of the part that a value falls into."""
    edges = [np.quantile(training, share / levels) for share in range(1, levels)]
    parts = [[value for value in training if sum(value > edge for edge in edges) == part] for part in range(levels)]
    return [np.mean(parts[sum(value > edge for edge in edges)]) for value in values]


@pytest.mark.parametrize("bits", [1, 2, 3])
def test_levels_are_means_between_quantiles(bits):
    rng = np.random.default_rng(bits)
    training, values = (rng.normal(size=(rows, 3)).astype(np.float32) for rows in (100, 40))
    values[0] = 50.0  # beyond all that was seen
    rounded = round_to(values, *fit_steps(training, 2**bits))
    for column in range(3):
        expected = slow_round(training[:, column].astype(np.float64), values[:, column].astype(np.float64), 2**bits)
        np.testing.assert_allclose(rounded[:, column], expected, rtol=1e-5)


@pytest.mark.parametrize("bits", [1, 2, 4])
def test_a_coordinate_takes_no_more_values_than_its_bits(bits):
    defended = defend(clinic(), "quantise", bits)
    for side in ("image", "text"):
        for column in defended.arrays[side].T:
            assert 1 < len(np.unique(column)) <= 2**bits


def test_a_column_that_never_varies_is_rounded_to_itself():
    rows = np.column_stack([np.full(20, 0.3), np.repeat([0.1, 0.2], 10)]).astype(np.float32)
    steps = fit_steps(rows, 4)
    np.testing.assert_allclose(round_to(rows, *steps), rows, rtol=1e-6)
    beyond = np.array([[0.9, 0.9], [-0.9, -0.9]], dtype=np.float32)
    np.testing.assert_allclose(round_to(beyond, *steps), [[0.3, 0.2], [0.3, 0.1]], rtol=1e-6)


# Small parts and the command line


def test_equal_rows_are_mapped_once():
    rows = np.repeat(np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32), 4, axis=0)
    seen = []

    def negate(distinct):
        seen.append(len(distinct))
        return -distinct

    np.testing.assert_array_equal(mapped(rows, negate), -rows)
    assert seen == [5]


@pytest.mark.parametrize("name", ["noise", "microaggregate"])
def test_the_command_defends_and_says_what_is_promised(name, tmp_path):
    write_release(clinic(), tmp_path / "release")
    outcome = run("defend", name, tmp_path / "release", "--out", tmp_path / "out")
    assert outcome.code == 0, outcome.err
    defended = read_release(tmp_path / "out")
    said = defended.card["defence"]
    assert said["strength"] == said["settings"][find_defence(name).strength]
    assert " ".join(outcome.out.split()).endswith(" ".join(said["guarantee"]["statement"].split()))
    assert f"{name}, {find_defence(name).strength} {said['strength']:g}: " in outcome.out
    assert "exists already" in refusal("defend", name, tmp_path / "release", "--out", tmp_path / "out")


def test_the_command_fits_on_another_release_and_refuses_too_many_patients(tmp_path):
    write_release(clinic(), tmp_path / "release")
    write_release(clinic(seed=3), tmp_path / "public")
    arguments = (tmp_path / "release", "--out", tmp_path / "out")
    assert "2 to 60" in refusal("defend", "microaggregate", *arguments, "--k", 61)
    assert not (tmp_path / "out").exists()
    outcome = run("defend", "subspace", *arguments, "--strength", 2, "--fitted-on", tmp_path / "public")
    assert outcome.code == 0, outcome.err
    said = read_release(tmp_path / "out").card["defence"]
    assert (said["settings"]["directions"], said["facts"]["fitted_on"]) == (2, "another release")
    assert said["settings"]["fitted_on"] == id_of_files(hashes_of(tmp_path / "public"))

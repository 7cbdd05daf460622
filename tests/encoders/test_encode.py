"""From a cohort to a release: rows, ties, interruptions, and heads that see training patients only."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import ClassVar

import numpy as np
import polars as pl
import pytest

from leadapron.cohort import FINDINGS, Pixels, decode, read_cohort
from leadapron.encoders import EncodeConfig, Encoder, Heads, Weights, encode, feature_blocks, find_encoder
from leadapron.encoders.feature_blocks import FeatureBlocks, images_elsewhere
from leadapron.encoders.prompts import prompts
from leadapron.engine import sha256, silent
from leadapron.engine.crew import Processes
from leadapron.engine.executors import Here
from leadapron.errors import ConfigError, DataError
from leadapron.release import read_folder, write_release
from leadapron.release.rows import unit

NAME = "phantom-general"
SPEC = find_encoder(NAME)
GENERAL = SPEC.load(Weights())


def light_features(pixels):
    """Pixels here and there: what most tests need of an image backbone."""
    return pixels[:, 4::8, 4::8].reshape(len(pixels), -1).astype(np.float32) / 255


MAPS = np.random.default_rng(0).normal(size=(2, SPEC.image_features, SPEC.dimension)).astype(np.float32)
LIGHT = Encoder(
    image_backbone=light_features,
    text_backbone=GENERAL.text_backbone,
    heads=Heads(lambda rows: unit(rows @ MAPS[0]), lambda rows: unit(rows @ MAPS[1])),
)


def run(pixels, work, encoder=LIGHT, **options):
    return encode(pixels, NAME, options.pop("spec", SPEC), encoder, work, EncodeConfig(**options))


@pytest.fixture
def small_blocks(monkeypatch):
    """Checkpoints of 16 rows, so that a small clinic has many."""
    monkeypatch.setattr(feature_blocks, "CHECKPOINT_ROWS", 16)


@pytest.fixture(scope="module")
def plain(small_pixels, tmp_path_factory):
    return run(small_pixels, tmp_path_factory.mktemp("work"), GENERAL)


class Counting:
    """An encoder that counts what it is given and breaks off after some batches of images or of texts."""

    def __init__(self, images: int = 10**9, texts: int = 10**9, heads=LIGHT.heads):
        self.left = {"images": images, "texts": texts}
        self.rows = {"images": 0, "texts": 0}
        self.encoder = Encoder(
            image_backbone=lambda pixels: self.count("images", pixels, LIGHT.image_backbone),
            text_backbone=lambda texts: self.count("texts", texts, LIGHT.text_backbone),
            heads=heads,
        )

    def count(self, kind, rows, backbone):
        if not self.left[kind]:
            raise RuntimeError("the power went")
        self.left[kind] -= 1
        self.rows[kind] += len(rows)
        return backbone(rows)


def with_records(pixels, *changes):
    """The same pixels with other columns."""
    return replace(pixels, cohort=replace(pixels.cohort, records=pixels.cohort.records.with_columns(*changes)))


def assert_same_arrays(one, other):
    assert one.arrays.keys() == other.arrays.keys()
    for name, array in one.arrays.items():
        np.testing.assert_array_equal(array, other.arrays[name], err_msg=name)


# Rows


def test_a_row_a_record_of_length_one(plain, small_clinic):
    records = small_clinic.cohort.records
    assert list(plain.arrays) == ["image", "text"]
    assert plain.records["record_id"].to_list() == records["record_id"].to_list()
    assert plain.records["report_id"].to_list() == records["study_id"].to_list()
    for array in plain.arrays.values():
        assert array.shape == (len(records), SPEC.dimension)
        np.testing.assert_allclose(np.linalg.norm(array, axis=1), 1, rtol=1e-5)


def test_rows_are_those_of_their_own_image_and_report(plain, small_pixels):
    """One at a time and without blocks."""
    for row in (0, 17, len(plain) - 1):
        image = GENERAL.heads.image(GENERAL.image_backbone(small_pixels.images[row : row + 1]))
        text = GENERAL.heads.text(GENERAL.text_backbone([small_pixels.cohort.records["report"][row]]))
        np.testing.assert_allclose(plain.image[row], image[0], atol=1e-5)
        np.testing.assert_allclose(plain.text[row], text[0], atol=1e-5)


@pytest.mark.parametrize("rows", [1, 7, 64, 512])
@pytest.mark.parametrize("heads", [LIGHT.heads, None], ids=["own heads", "fitted heads"])
def test_reports_that_are_word_for_word_the_same_tie_exactly(small_pixels, tmp_path, monkeypatch, rows, heads):
    # every third record gets one and the same report, so that ties stand in every block, the short last one too
    template = pl.when(pl.int_range(pl.len()) % 3 == 0).then(pl.lit("No acute disease.")).otherwise("report")
    pixels = with_records(small_pixels, template.alias("report"))
    monkeypatch.setattr(feature_blocks, "CHECKPOINT_ROWS", rows)
    release = run(pixels, tmp_path, replace(LIGHT, heads=heads), with_features=True)
    reports = pixels.cohort.records["report"]
    assert reports.n_unique() < len(reports) * 2 / 3 + 1
    for name in ("text", "text_features"):
        distinct = np.unique(release.arrays[name], axis=0)
        assert len(distinct) == reports.n_unique(), name


def test_features_come_on_demand(small_pixels, tmp_path, plain):
    release = run(small_pixels, tmp_path, GENERAL, with_features=True)
    assert list(release.arrays) == ["image", "text", "image_features", "text_features"]
    assert release.arrays["image_features"].shape == (len(plain), SPEC.image_features)
    assert release.arrays["text_features"].shape == (len(plain), SPEC.text_features)
    np.testing.assert_array_equal(release.text, plain.text)
    np.testing.assert_allclose(GENERAL.heads.text(release.arrays["text_features"]), plain.text, atol=1e-6)


def test_no_report_and_no_path_is_released(small_clinic_folder, tmp_path):
    cohort = read_cohort(small_clinic_folder)
    write_release(run(decode(cohort, 128, tmp_path / "cache"), tmp_path / "work"), tmp_path / "release")
    release = read_folder(tmp_path / "release", verify=True)
    words = {value for column in release.records.select(pl.col(pl.String)) for value in column if value is not None}
    assert cohort.records["patient_id"][0] in words
    assert not words & set(cohort.records["report"])
    assert not [word for word in words if "/" in word or word.endswith(".png")]
    everything = b"".join(file.read_bytes() for file in (tmp_path / "release").iterdir())
    assert cohort.records["report"][0].encode() not in everything
    assert str(small_clinic_folder).encode() not in everything


PRIVATE = {"patient_name": "Jane Doe", "notes": "Call the daughter.", "mrn": "MRN-0815", "filename": "doe.png"}


def test_columns_beside_the_usual_are_left_out_and_named(small_pixels, tmp_path):
    pixels = with_records(small_pixels, *(pl.lit(value).alias(name) for name, value in PRIVATE.items()))
    write_release(run(pixels, tmp_path / "work"), tmp_path / "release")
    release = read_folder(tmp_path / "release")
    kept = {"record_id", "patient_id", "study_id", "report_id", "split", "view", "sex", "age", "race", "date"}
    assert {name for name in release.records.columns if not name.startswith("label_")} == kept
    assert release.card["columns_left_out"] == ["report", "image_path", *PRIVATE]
    everything = b"".join(file.read_bytes() for file in (tmp_path / "release").iterdir())
    assert not [value for value in PRIVATE.values() if value.encode() in everything]


def test_a_column_is_kept_if_asked_for(small_pixels, tmp_path):
    pixels = with_records(small_pixels, *(pl.lit(value).alias(name) for name, value in PRIVATE.items()))
    release = run(pixels, tmp_path, keep_columns=["mrn"])
    assert set(release.records["mrn"]) == {"MRN-0815"}
    assert release.card["columns_left_out"] == ["report", "image_path", "patient_name", "notes", "filename"]


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ("report", "a column that is never released; got 'report'; allowed: age, date"),
        ("rase", r"unknown column to keep; got 'rase'; allowed: .*did you mean 'race'"),
    ],
)
def test_a_column_that_cannot_be_kept_is_refused_before_the_work(small_pixels, tmp_path, column, message):
    counting = Counting()
    with pytest.raises(ConfigError, match=message):
        run(small_pixels, tmp_path, counting.encoder, keep_columns=[column])
    assert counting.rows == {"images": 0, "texts": 0}


class Watched(np.ndarray):
    """Pixels that keep the number of rows that were taken at once."""

    taken: ClassVar[list[int]] = []

    def __getitem__(self, at):
        rows = super().__getitem__(at)
        if self.ndim == 3 and isinstance(at, np.ndarray):
            self.taken.append(len(rows))
        return rows.view(np.ndarray)


@pytest.mark.usefixtures("small_blocks")
def test_pixels_are_taken_a_block_at_a_time_where_some_records_have_no_report(small_pixels, tmp_path):
    absent = pl.int_range(pl.len()) % 5 == 1
    pixels = with_records(small_pixels, pl.when(absent).then(None).otherwise("report").alias("report"))
    run(replace(pixels, images=pixels.images.view(Watched)), tmp_path)
    assert max(Watched.taken) == 16


def test_files_and_memory_give_the_same_release(small_clinic_folder, tmp_path, plain):
    pixels = decode(read_cohort(small_clinic_folder), 128, tmp_path / "cache")
    assert_same_arrays(run(pixels, tmp_path / "work", GENERAL), plain)


def test_records_without_a_report_are_left_out_and_counted(small_pixels, tmp_path, plain):
    absent = pl.int_range(pl.len()) % 5 == 1
    pixels = with_records(small_pixels, pl.when(absent).then(None).otherwise("report").alias("report"))
    release = run(pixels, tmp_path, GENERAL)
    kept = np.flatnonzero(np.arange(len(plain)) % 5 != 1)
    assert release.records["record_id"].to_list() == plain.records["record_id"][kept].to_list()
    np.testing.assert_allclose(release.image, plain.image[kept], atol=1e-6)
    np.testing.assert_allclose(release.text, plain.text[kept], atol=1e-6)
    what, still, dropped, _why = release.card["funnel"][-1]
    assert (what, still, dropped) == ("report present", len(kept), len(plain) - len(kept))


@pytest.mark.parametrize("heads", [LIGHT.heads, None], ids=["own heads", "no heads"])
def test_images_alone(small_pixels, tmp_path, plain, heads):
    """Where no report is there, and where none is wanted."""
    silent = with_records(small_pixels, pl.lit(None, dtype=pl.String).alias("report"))
    for pixels, options in ((silent, {}), (small_pixels, {"images_only": True})):
        counting = Counting(texts=0, heads=heads)
        release = run(pixels, tmp_path, counting.encoder, **options)
        assert list(release.arrays) == ["image"]
        assert len(release) == len(plain)
        np.testing.assert_allclose(np.linalg.norm(release.image, axis=1), 1, rtol=1e-5)


# Heads and prompts


def test_heads_come_with_the_features(small_pixels, tmp_path, plain):
    assert plain.heads == {}
    write_release(run(small_pixels, tmp_path / "work", GENERAL, with_features=True), tmp_path / "release")
    release = read_folder(tmp_path / "release", verify=True)
    for side in ("image", "text"):
        again = release.heads[side](release.arrays[f"{side}_features"])
        np.testing.assert_allclose(again, release.arrays[side], atol=1e-6)
    np.testing.assert_allclose(
        release.heads["text"](release.prompts["text_features"]), release.prompts["text"], atol=1e-6
    )


def test_fitted_heads_are_released_like_any_other(small_pixels, tmp_path):
    release = run(small_pixels, tmp_path, replace(LIGHT, heads=None), with_features=True)
    for side in ("image", "text"):
        assert [layer.kind for layer in release.heads[side].layers] == ["linear"]
        again = release.heads[side](release.arrays[f"{side}_features"])
        np.testing.assert_allclose(again, release.arrays[side], atol=1e-5)
    asked = LIGHT.text_backbone(prompts())
    np.testing.assert_allclose(release.prompts["text"], release.heads["text"](asked), atol=1e-5)


def test_heads_that_are_no_data_are_left_out(small_pixels, tmp_path):
    one_sided = replace(LIGHT, heads=Heads(LIGHT.heads.image, GENERAL.heads.text))
    release = run(small_pixels, tmp_path, one_sided, with_features=True)
    assert release.heads == {}
    assert set(release.prompts) == {"text", "text_features"}


def test_prompts_are_two_sentences_a_finding(plain):
    words = plain.card["prompts"]
    assert words == prompts()
    assert len(set(words)) == 2 * len(FINDINGS)
    pneumonia = FINDINGS.index("Pneumonia")
    assert words[2 * pneumonia : 2 * pneumonia + 2] == ["Pneumonia.", "No pneumonia."]
    healthy = FINDINGS.index("No Finding")
    assert words[2 * healthy : 2 * healthy + 2] == [
        "No acute cardiopulmonary abnormality.",
        "Abnormal chest radiograph.",
    ]


def test_prompts_are_embedded_as_reports_are(plain):
    assert list(plain.prompts) == ["text"]
    for row, words in enumerate(plain.card["prompts"]):
        alone = GENERAL.heads.text(GENERAL.text_backbone([words]))
        np.testing.assert_allclose(plain.prompts["text"][row], alone[0], atol=1e-5)


@pytest.mark.parametrize("heads", [GENERAL.heads, None], ids=["own heads", "no heads"])
def test_images_alone_have_no_prompts(small_pixels, tmp_path, heads):
    release = run(small_pixels, tmp_path, replace(LIGHT, heads=heads), images_only=True, with_features=True)
    assert release.prompts == {}
    assert "prompts" not in release.card
    assert set(release.heads) == (set() if heads is None else {"image", "text"})


# Interruptions


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize(("images", "texts"), [(0, 0), (1, 0), (3, 0), (10**9, 0), (10**9, 2)])
def test_an_interrupted_run_goes_on_where_it_was(small_pixels, tmp_path, images, texts):
    whole = Counting()
    expected = run(small_pixels, tmp_path / "whole", whole.encoder)
    all_texts = small_pixels.cohort.records["report"].n_unique() + len(prompts())
    assert whole.rows == {"images": len(expected), "texts": all_texts}

    broken, good = Counting(images, texts), Counting()
    with pytest.raises(RuntimeError, match="the power went"):
        run(small_pixels, tmp_path / "work", broken.encoder)
    again = run(small_pixels, tmp_path / "work", good.encoder)
    assert {kind: good.rows[kind] + broken.rows[kind] for kind in good.rows} == whole.rows
    assert broken.rows["texts"] == 16 * texts
    assert_same_arrays(again, expected)


def test_work_of_other_texts_pixels_or_weights_is_not_taken_up(small_pixels, tmp_path):
    run(small_pixels, tmp_path)
    last = pl.int_range(pl.len()) == pl.len() - 1
    other_text = with_records(small_pixels, pl.when(last).then(pl.lit("Other.")).otherwise("report").alias("report"))
    images = small_pixels.images.copy()
    images[-1] = 255 - images[-1]
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "model.safetensors").write_bytes(b"numbers")
    changed = [
        (other_text, {}, "text"),
        (replace(small_pixels, images=images), {}, "image"),
        (small_pixels, {"some/model": tmp_path / "model"}, "both"),
    ]
    for pixels, weights, what in changed:
        counting = Counting()
        release = run(pixels, tmp_path, replace(counting.encoder, weights=weights))
        assert (counting.rows["images"] > 0) == (what in ("image", "both"))
        assert (counting.rows["texts"] > 0) == (what in ("text", "both"))
        fresh = run(pixels, tmp_path / f"fresh {what}")
        assert_same_arrays(release, fresh)


def test_weights_are_known_by_their_content_and_not_by_their_place(small_pixels, tmp_path):
    for place, content in (("here", b"a"), ("there", b"a"), ("here", b"b")):
        (tmp_path / place).mkdir(exist_ok=True)
        (tmp_path / place / "model.safetensors").write_bytes(content)
        (tmp_path / place / "README.md").write_text(f"{place} {content!r}")
        counting = Counting()
        encoder = replace(counting.encoder, weights={"some/model": tmp_path / place})
        card = run(small_pixels, tmp_path / "work", encoder).card
        said = card["encoder"]["weights"]["some/model"]
        assert said["read_from"] == place
        assert len(said["sha256"]) == 64
        assert str(tmp_path) not in json.dumps(card)
        assert (counting.rows["images"] > 0) == (place == "here"), "moved weights go on, changed ones start anew"


def test_the_weights_that_ship_are_named_and_hashed(small_pixels, tmp_path):
    from leadapron.encoders.phantom_network import WEIGHTS

    shipped = find_encoder("phantom-reports").load(Weights())
    assert "weights" not in run(small_pixels, tmp_path, LIGHT).card["encoder"]
    card = run(small_pixels, tmp_path, replace(LIGHT, weights=shipped.weights)).card
    assert card["encoder"]["weights"] == {
        "phantom-reports": {"read_from": "reports.safetensors", "sha256": sha256(WEIGHTS / "reports.safetensors")}
    }


# Fitted heads


FITTED = replace(SPEC, dimension=16)
BARE = replace(LIGHT, heads=None)


def changed_in(pixels: Pixels, split: str) -> Pixels:
    """Other images and other reports in the records of one split."""
    there = (pixels.cohort.records["split"] == split).to_numpy()
    images = pixels.images.copy()
    images[there] = np.random.default_rng(0).integers(0, 256, images[there].shape, dtype=np.uint8)
    report = pl.when(pl.col("split") == split).then(pl.format("Words of {}.", "record_id")).otherwise("report")
    return replace(with_records(pixels, report.alias("report")), images=images)


def test_backbones_that_were_never_aligned_get_heads(small_pixels, tmp_path):
    release = run(small_pixels, tmp_path, BARE, spec=FITTED)
    records = small_pixels.cohort.records
    assert release.image.shape == release.text.shape == (len(small_pixels.cohort), 16)
    assert release.card["alignment"] == "canonical correlation fitted on the training patients"
    encoder, alignment = release.fitted
    assert (encoder.part, encoder.on, encoder.splits) == ("encoder", "elsewhere", ())
    assert (alignment.part, alignment.on, alignment.splits) == ("alignment", "this release", ("train",))
    assert re.fullmatch(r"shrinkage [\d.]+, chosen by cross-validation over the training patients", alignment.chosen)
    write_release(release, tmp_path / "written")
    assert [one.chosen for one in read_folder(tmp_path / "written").fitted] == ["", alignment.chosen]
    train, others = (
        set(records.filter(at)["patient_id"]) for at in (pl.col("split") == "train", pl.col("split") != "train")
    )
    assert set(alignment.patients.among(train | others)) == train
    agreement = (release.image * release.text).sum(axis=1)
    assert agreement[(release.records["split"] == "train").to_numpy()].mean() > 0.5


@pytest.mark.parametrize("split", ["test", "validate"])
def test_fitted_heads_see_training_patients_only(small_pixels, tmp_path, split):
    before = run(small_pixels, tmp_path, BARE, spec=FITTED)
    after = run(changed_in(small_pixels, split), tmp_path, BARE, spec=FITTED)
    there = (before.records["split"] == split).to_numpy()
    assert there.any()
    for name in ("image", "text"):
        np.testing.assert_allclose(after.arrays[name][~there], before.arrays[name][~there], atol=1e-4)
        assert np.abs(after.arrays[name][there] - before.arrays[name][there]).max() > 0.1


def test_fitted_heads_do_depend_on_the_training_patients(small_pixels, tmp_path):
    before = run(small_pixels, tmp_path, BARE, spec=FITTED)
    after = run(changed_in(small_pixels, "train"), tmp_path, BARE, spec=FITTED)
    test = (before.records["split"] == "test").to_numpy()
    assert np.abs(after.image[test] - before.image[test]).max() > 0.1


def test_too_few_training_pairs_are_refused_before_the_work(small_pixels, tmp_path):
    train = np.flatnonzero((small_pixels.cohort.records["split"] == "train").to_numpy())
    rest = pl.int_range(pl.len()).is_in(train[19:].tolist())
    pixels = with_records(small_pixels, pl.when(rest).then(None).otherwise("report").alias("report"))
    counting = Counting(heads=None)
    with pytest.raises(DataError, match=r"too few training pairs to fit one; got 19; allowed: 20 or more"):
        run(pixels, tmp_path, counting.encoder)
    assert counting.rows == {"images": 0, "texts": 0}
    assert list(tmp_path.iterdir()) == []


# Heads of another release


def test_fitted_heads_of_another_cohort_are_taken_as_they_are(small_pixels, tmp_path):
    home = run(small_pixels, tmp_path / "home", BARE, spec=FITTED, with_features=True)
    away = with_records(small_pixels, pl.concat_str(pl.lit("away-"), "patient_id").alias("patient_id"))
    there = run(away, tmp_path / "away", BARE, spec=FITTED, heads_from=home)
    np.testing.assert_array_equal(there.image, home.image)
    np.testing.assert_array_equal(there.text, home.text)
    assert there.card["alignment"] == "heads of another release, as they are"
    assert [(one.part, one.on, one.splits) for one in there.fitted] == [
        ("encoder", "elsewhere", ()), ("alignment", "another release", ()),
    ]  # fmt: skip
    same = run(small_pixels, tmp_path / "same", BARE, spec=FITTED, heads_from=home)
    assert same.fitted[1].splits == ("train",)  # its patients were fitted on, whatever the release is called


def test_heads_that_are_taken_need_no_training_pairs(small_pixels, tmp_path):
    home = run(small_pixels, tmp_path / "home", BARE, spec=FITTED, with_features=True)
    few = with_records(small_pixels, pl.lit("test").alias("split"))
    assert len(run(few, tmp_path / "few", BARE, spec=FITTED, heads_from=home)) == len(home)
    alone = run(few, tmp_path / "alone", BARE, spec=FITTED, heads_from=home, images_only=True)
    np.testing.assert_array_equal(alone.image, home.image)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"heads": {}}, "there are no heads"),
        ({"card": {"encoder": {"name": NAME}, "defence": {"method": "private"}}}, "belong to a defence"),
        ({"card": {"encoder": {"name": "clip"}}}, "another encoder's; got 'clip'"),
        ({"card": {"encoder": "CLIP, fine-tuned"}}, "another encoder's; got 'unknown'"),
        ({"card": {"encoder": {"name": NAME, "weights": {"a": {"sha256": "0"}}}}}, "other weights"),
    ],
)
def test_heads_that_do_not_fit_are_refused_before_the_work(small_pixels, tmp_path, change, message):
    home = replace(run(small_pixels, tmp_path / "home", BARE, spec=FITTED, with_features=True), **change)
    counting = Counting(heads=None)
    with pytest.raises(ConfigError, match=message):
        run(small_pixels, tmp_path / "work", counting.encoder, spec=FITTED, heads_from=home)
    assert counting.rows == {"images": 0, "texts": 0}


def test_images_of_another_size_where_the_network_takes_them():
    assert find_encoder("biovil-t").shown(448, "biovil-t").image_size == 448
    assert find_encoder("clip").shown(224, "clip") is find_encoder("clip")
    with pytest.raises(ConfigError, match="takes images of one size; got 448; allowed: 224"):
        find_encoder("clip").shown(448, "clip")


def test_several_processes_give_the_same_release_from_files_alone(small_clinic_folder, tmp_path, small_blocks):  # noqa: ARG001
    """They see names of files and numbers of rows, and load the encoder for themselves."""
    cohort = read_cohort(small_clinic_folder)
    release = {}
    for name, executor in (("here", Here()), ("there", Processes(2))):
        pixels = decode(cohort, SPEC.image_size, tmp_path / name / "pixels", executor=executor)
        assert isinstance(pixels.images, np.memmap)
        config = EncodeConfig(executor=executor)
        release[name] = encode(pixels, NAME, SPEC, GENERAL, tmp_path / name / "work", config)
    assert_same_arrays(release["here"], release["there"])
    assert release["here"].card == release["there"].card


def test_processes_with_other_weights_are_refused(small_clinic_folder, tmp_path):
    pixels = decode(read_cohort(small_clinic_folder), SPEC.image_size, tmp_path / "pixels")
    blocks = FeatureBlocks(NAME, SPEC, GENERAL, {"image": "0123"}, Weights(), tmp_path, Here(), silent)
    with pytest.raises(ConfigError, match="the weights of phantom-general are not those that the work was begun with"):
        images_elsewhere({**blocks.recipe("images_elsewhere").config, "file": pixels.images.filename})

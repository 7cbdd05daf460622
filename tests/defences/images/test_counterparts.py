"""Counterparts as a defence: what goes in, what must not, and what stands on the card."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from command_line import refusal, run
from leadapron.cohort import LABEL_COLUMNS, read_cohort
from leadapron.cohort.image_set import ImageSet, read_images, write_images
from leadapron.defences.apply_defence import defend
from leadapron.defences.images import counterparts as module
from leadapron.defences.images.clean_reports import cleaned
from leadapron.defences.images.counterparts import CounterpartConfig, counterparts
from leadapron.defences.reports.key_file import new_key
from leadapron.defences.subjects import card_of
from leadapron.engine import silent
from leadapron.errors import ConfigError, DataError
from leadapron.generation import registered_generator
from leadapron.generation.generator import Drawn
from tiny_generators import SIZE, tiny_generator, tiny_images, tiny_prompts


@pytest.fixture(scope="module")
def key(tmp_path_factory):
    file = tmp_path_factory.mktemp("key") / "key"
    new_key(file)
    return file


@pytest.fixture(scope="module")
def made(key):
    return defend(tiny_images(), "structured", key=key, seed=1)


def with_column(images: ImageSet, column: pl.Expr) -> ImageSet:
    return replace(images, cohort=replace(images.cohort, records=images.records.with_columns(column)))


def without_reports(images: ImageSet) -> ImageSet:
    return with_column(images, pl.lit(None, pl.String).alias("report"))


class Explodes:
    """A generator of which a share of the images is not finite."""

    size, at_once = SIZE, 1000

    def __init__(self, share: float) -> None:
        self.share = share

    def draw(self, prompts, **_):
        images = np.zeros((len(prompts), SIZE, SIZE), np.uint8)
        exploded = np.arange(len(prompts)) < np.ceil(self.share * len(prompts))
        return Drawn(images, exploded, np.zeros(len(prompts), bool))


# What comes out


def test_records_labels_and_splits_stay_and_every_image_is_another_one(made):
    source = tiny_images()
    kept = ["record_id", "patient_id", "study_id", "split", "view", *LABEL_COLUMNS]
    assert made.records.select(kept).equals(source.records.select(kept))
    assert np.abs(made.images.astype(int) - source.images).mean(axis=(1, 2)).min() > 5


def test_the_card_tells_of_the_reports_of_the_training_and_that_nothing_is_promised(made):
    card, train = card_of(made), tiny_images().of_splits("train")
    assert (card.method, card.group, card.strength) == ("structured", "images", 1.0)
    assert card.guarantee.kind == "none"
    assert card.before.method == "reports"
    assert card.facts["training_patients"] == train.cohort.patients
    assert card.facts["training_images"] == len(train)
    assert card.facts["clipped"] == 0
    assert "key" not in card.settings
    assert "device" not in card.settings


def test_at_strength_1_the_image_of_a_record_that_is_not_trained_on_does_not_matter(key, made):
    source = tiny_images()
    held_out = source.records["split"].ne("train").arg_true().to_numpy()
    changed = source.images.copy()
    changed[held_out] = 255 - changed[held_out]
    again = defend(source.with_images(changed), "structured", key=key, seed=1)
    assert np.array_equal(again.images, made.images)


def test_at_strength_0_the_image_comes_back_and_the_card_says_that_this_protects_less(key):
    back = defend(tiny_images(), "structured", key=key, strength=0.0)
    assert np.abs(back.images.astype(int) - tiny_images().images).mean() < 1
    assert "shines through" in card_of(back).guarantee.statement


def test_reports_alone_draw_other_images_than_labels_do(key, made):
    text = defend(tiny_images(), "text", key=key, seed=1)
    assert card_of(text).method == "text"
    assert np.abs(text.images.astype(int) - made.images).mean() > 1


# What must not go in


def test_reports_that_were_not_cleaned_are_refused_with_what_to_do():
    with pytest.raises(DataError, match=r"leadapron defend reports.*--key KEY"):
        defend(tiny_images(), "structured")


def test_reports_that_were_cleaned_before_need_no_key(key):
    config = CounterpartConfig(key=key)
    clean = cleaned(tiny_images(), config, silent)
    assert card_of(clean).method == "reports"
    assert cleaned(clean, CounterpartConfig(), silent) is clean
    later = defend(clean, "blur")  # another defence in between
    assert card_of(later).before.method == "reports"
    assert cleaned(later, CounterpartConfig(), silent) is later


def test_a_key_that_is_not_there_or_open_to_others_is_refused(tmp_path):
    with pytest.raises(DataError, match="no key file"):
        defend(tiny_images(), "structured", key=tmp_path / "none")
    (tmp_path / "open").write_text("0" * 64)
    (tmp_path / "open").chmod(0o644)
    with pytest.raises(DataError, match="others may read"):
        defend(tiny_images(), "structured", key=tmp_path / "open")


def test_without_reports_labels_are_enough_for_structured_and_nothing_is_for_text():
    bare = without_reports(tiny_images())
    assert cleaned(bare, CounterpartConfig(), silent, need_reports=False) is bare
    with pytest.raises(DataError, match="no record has a report"):
        defend(bare, "text")


def test_a_cohort_without_training_patients_is_refused():
    images = with_column(without_reports(tiny_images()), pl.lit("test").alias("split"))
    with pytest.raises(DataError, match="split 'train'"):
        defend(images, "structured")


def test_a_cohort_that_says_nothing_at_all_is_refused():
    nothing = [pl.lit(None, pl.Int8).alias(column) for column in LABEL_COLUMNS]
    images = without_reports(tiny_images())
    records = images.records.with_columns(*nothing, pl.lit(None, pl.String).alias("view"))
    with pytest.raises(DataError, match="prompts are empty"):
        defend(replace(images, cohort=replace(images.cohort, records=records)), "structured")


def test_another_number_of_prompts_is_refused():
    with pytest.raises(DataError, match="one prompt a record"):
        counterparts(tiny_images(), ["Pneumonia."], CounterpartConfig(), silent)


@pytest.mark.parametrize("share", [0.0, 0.01, 0.02])
def test_more_than_a_hundredth_of_exploded_images_is_refused(share, monkeypatch):
    monkeypatch.setattr(module, "_generator", lambda *_: (Explodes(share), {}))
    images = tiny_images().at(np.arange(100))
    if share > 0.01:
        with pytest.raises(DataError, match="exploded"):
            counterparts(images, tiny_prompts()[:100], CounterpartConfig(), silent)
    else:
        _, facts = counterparts(images, tiny_prompts()[:100], CounterpartConfig(), silent)
        assert facts["clipped"] == 100 * share


@pytest.mark.parametrize("strength", [1.0, 0.5])
def test_a_killed_drawing_goes_on_where_it_was(strength, tmp_path, monkeypatch):
    monkeypatch.setattr(registered_generator, "AT_ONCE", 128)
    monkeypatch.setattr(module, "_generator", lambda *_: (tiny_generator(), {}))
    images, prompts = tiny_images().at(np.arange(300)), tiny_prompts()[:300]
    whole, _ = counterparts(images, prompts, CounterpartConfig(strength=strength), silent)
    drawn, real = [], registered_generator.RegisteredGenerator.draw

    def counted(self, some, **how):
        drawn.append(len(some))
        if len(drawn) == 2:
            raise KeyboardInterrupt
        return real(self, some, **how)

    monkeypatch.setattr(registered_generator.RegisteredGenerator, "draw", counted)
    config = CounterpartConfig(strength=strength, work=tmp_path)
    with pytest.raises(KeyboardInterrupt):
        counterparts(images, prompts, config, silent)
    resumed, _ = counterparts(images, prompts, config, silent)
    assert drawn == [128, 128, 128, 44]  # the second began anew, the first was kept
    assert np.array_equal(resumed.images, whole.images)


def test_images_of_another_size_than_was_asked_for_are_refused(monkeypatch):
    monkeypatch.setattr(module, "_generator", lambda *_: (Explodes(0), {}))
    larger = tiny_images().at(np.arange(5)).with_images(np.zeros((5, 64, 64), np.uint8))
    with pytest.raises(DataError, match="of another kind"):
        counterparts(larger, tiny_prompts()[:5], CounterpartConfig(), silent)


@pytest.mark.parametrize("wrong", [{"strength": 1.2}, {"strength": -0.1}, {"seed": -1}, {"sead": 1}])
def test_options_out_of_range_are_refused(wrong):
    with pytest.raises(ConfigError):
        defend(tiny_images(), "structured", **wrong)


# On the command line


def test_a_hospital_types_one_line(key, tmp_path):
    write_images(tiny_images().at(np.arange(120)), tmp_path / "cohort")
    asked = (tmp_path / "cohort", "--size", SIZE, "--key", key)
    outcome = run("defend", "images", *asked, "--out", tmp_path / "made")
    assert outcome.code == 0, outcome.err
    assert "now called" not in outcome.err
    assert "No guarantee" in outcome.out
    again = run("defend", "structured", *asked, "--out", tmp_path / "again")
    assert again.code == 0
    one, other = read_images(tmp_path / "made", size=SIZE), read_images(tmp_path / "again", size=SIZE)
    assert np.array_equal(one.images, other.images)
    assert card_of(read_cohort(tmp_path / "made")).method == "structured"
    assert not list(tmp_path.glob(".*work*"))


def test_help_lists_the_methods():
    outcome = run("defend", "images", "--help")
    assert outcome.code == 0
    for method in ("structured", "text", "blur", "pixelate", "image-noise"):
        assert method in outcome.out


def test_an_unclean_cohort_is_refused_on_the_command_line(tmp_path):
    write_images(tiny_images().at(np.arange(30)), tmp_path / "cohort")
    said = refusal("defend", "images", tmp_path / "cohort", "--size", SIZE, "--out", tmp_path / "made")
    assert "--key KEY" in said
    assert not (tmp_path / "made").exists()

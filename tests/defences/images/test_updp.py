"""The defence as a whole: what is made, what the card says, and that nothing half-written is left."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import tiny_models
from command_line import refusal, run
from leadapron.cohort.image_set import read_images, write_images
from leadapron.defences import defend
from leadapron.defences.reports.key_file import new_key
from leadapron.defences.subjects import card_of
from leadapron.errors import ConfigError, DataError
from updp_data import phantom_images

QUICK = {"iterations": 5, "device": "cpu"}


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory):
    pytest.importorskip("diffusers")
    folder = tmp_path_factory.mktemp("pipelines") / "tiny"
    tiny_models.save_pipeline(folder)
    return folder


@pytest.fixture(autouse=True)
def few_steps(monkeypatch):
    import leadapron.generation.pipelines as module

    monkeypatch.setitem(module.load_pipeline.__kwdefaults__, "steps", 2)


@pytest.fixture
def key(tmp_path):
    new_key(tmp_path / "key")
    return tmp_path / "key"


def few(identifiers="none"):
    return phantom_images(identifiers=identifiers).at(np.arange(8))


def test_a_pipeline_draws_counterparts_from_cleaned_reports(pipeline, key):
    images = few("plain")
    made = defend(images, "updp", key=key, generator=str(pipeline), **QUICK)
    card = card_of(made)
    assert made.images.shape == images.images.shape
    assert (made.images != images.images).any()
    assert made.records["report"].to_list() != images.records["report"].to_list()
    assert card.settings["order"] == "clean-first"
    assert "not de-identified" not in card.guarantee.statement
    facts = card.facts
    assert facts["score_vectors"]["mean"] > facts["score_start"]["mean"]
    assert facts["score_prompt"]["min"] <= facts["score_prompt"]["mean"] <= facts["score_prompt"]["max"]
    assert 0 < facts["tokens_kept"] <= 1
    assert -1 <= facts["ssim"]["mean"] < 1
    assert facts["longer_than_read"] == 8  # the tiny text encoder reads 16 letters
    assert facts["prompts_that_spell_a_banned_word"] == 0


def test_neither_a_name_nor_its_stand_in_reaches_a_prompt(key, monkeypatch):
    import leadapron.defences.images.updp as module

    seen = []
    real = module.optimised_prompts
    monkeypatch.setattr(module, "optimised_prompts", lambda images, *rest: seen.append(images) or real(images, *rest))
    monkeypatch.setattr(module, "counterparts", lambda images, *_rest: (images, {"clipped": 0}))
    images = few("plain")
    made = defend(images, "updp", key=key, **QUICK)
    for before, stood_in, told in zip(*(one.records["report"] for one in (images, made, seen[0])), strict=True):
        name, stand_in = (re.search(r"PATIENT: (.+?)   ", text)[1] for text in (before, stood_in))
        assert name != stand_in
        assert name not in told
        assert stand_in not in told


def test_the_published_order_needs_no_key_and_says_what_it_is(pipeline):
    images = few("plain")
    made = defend(images, "updp", order="published", generator=str(pipeline), **QUICK)
    assert made.records["report"].to_list() == images.records["report"].to_list()
    assert "not de-identified" in card_of(made).guarantee.statement


def test_without_a_key_reports_that_were_not_cleaned_are_refused():
    with pytest.raises(DataError, match="--key"):
        defend(few("plain"), "updp", **QUICK)


def test_fine_tuning_learns_from_training_patients_alone(pipeline, tmp_path, monkeypatch):
    import leadapron.generation.lora_training as module

    images, seen = phantom_images().at(np.arange(20)), []
    real = module.fit_lora
    monkeypatch.setattr(module, "fit_lora", lambda *a, **k: seen.append(a[1]) or real(*a, **k))
    options = {"order": "published", "generator": str(pipeline), "fine_tune": 1, "work": tmp_path / "work"}
    made = defend(images, "updp", **options, **QUICK)
    np.testing.assert_array_equal(seen[0], images.of_splits("train").images)
    facts = card_of(made).facts
    assert facts["generator"] == "pipeline tiny, fine-tuned"
    assert facts["fine_tuned_on"] == images.of_splits("train").cohort.patients


def test_fine_tuning_is_for_pipelines():
    with pytest.raises(ConfigError, match="--generator FOLDER"):
        defend(few(), "updp", order="published", fine_tune=3)


def test_a_cohort_without_reports_is_refused():
    images = few()
    records = images.records.with_columns(pl.lit(None, dtype=pl.String).alias("report"))
    with pytest.raises(DataError, match="no record has a report"):
        defend(replace(images, cohort=replace(images.cohort, records=records)), "updp", order="published")


def test_guidance_by_the_source_is_told(pipeline):
    made = defend(few(), "updp", order="published", generator=str(pipeline), strength=0.5, **QUICK)
    assert "shines through" in card_of(made).guarantee.statement


def test_the_command_writes_a_cohort_or_nothing(pipeline, tmp_path):
    write_images(few(), tmp_path / "cohort")
    common = ["--order", "published", "--generator", str(pipeline), "--iterations", "3", "--size", "64"]
    out = tmp_path / "out"
    for command in (
        ["defend", "updp", str(tmp_path / "cohort")],
        ["defend", "images", str(tmp_path / "cohort"), "--method", "updp"],
    ):
        said = run(*command, *common, "--out", str(out), "--overwrite")
        assert said.code == 0, said
        assert "not de-identified" in said.out.replace("\n", " ")
        assert len(read_images(out, size=64)) == 8
    (tmp_path / "none.txt").write_text("")
    bad = ["--whitelist", str(tmp_path / "none.txt"), "--whitelist-mode", "hard"]
    command = ["defend", "updp", str(tmp_path / "cohort"), *common, *bad, "--out", str(tmp_path / "other")]
    assert "whitelist is empty" in refusal(*command)
    assert not [path for path in tmp_path.iterdir() if "other" in path.name]

"""Prompts of phantom patients: starts, searches, orders, resumption, and input that cannot work."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import leadapron.defences.images.updp_prompts as module
from leadapron.defences.images.updp_config import UpdpConfig
from leadapron.defences.images.updp_prompts import optimised_prompts, prompt_block
from leadapron.engine import silent
from leadapron.errors import ConfigError, DataError
from updp_data import phantom_images


def words(text):
    return re.findall(r"\w+", text)


def prompts(images=None, **options):
    return optimised_prompts(images or phantom_images(), UpdpConfig(**{"iterations": 20, **options}), silent)


def test_vectors_come_nearer_to_the_image_and_projection_gives_most_of_it_back():
    found = prompts()
    assert (found.vectors > found.start + 0.05).mean() > 0.9
    assert found.end.mean() < found.vectors.mean()
    assert 0.5 < found.kept.mean() <= 1


def test_a_tiny_step_gives_every_word_back_where_nothing_is_banned(tmp_path):
    (tmp_path / "none.txt").write_text("")
    found = prompts(rate=1e-4, whitelist_mode="off", blacklist=tmp_path / "none.txt")
    assert found.texts == found.starts
    np.testing.assert_array_equal(found.kept, 1)
    np.testing.assert_array_equal(found.start, found.end)


def test_banned_words_never_stand_in_a_prompt(tmp_path):
    (tmp_path / "black.txt").write_text("effusion\nheart\nlungs\n")
    for options in ({}, {"search": "mma", "iterations": 4}, {"search": "steps", "iterations": 4}, {"start": "random"}):
        found = prompts(blacklist=tmp_path / "black.txt", **options)
        assert not any({"effusion", "heart", "lungs"} & set(words(text)) for text in found.texts)


def test_a_hard_whitelist_leaves_its_words_alone(tmp_path):
    (tmp_path / "white.txt").write_text("no\neffusion\nlungs\nclear\n")
    for search in ("updp", "mma", "steps"):
        found = prompts(whitelist=tmp_path / "white.txt", whitelist_mode="hard", search=search, iterations=3)
        assert {word for text in found.texts for word in words(text)} <= {"no", "effusion", "lungs", "clear"}


@pytest.mark.parametrize("search", ["mma", "steps"])
def test_a_search_among_tokens_never_ends_below_its_start(search):
    begun, found = prompts(search=search, iterations=0), prompts(search=search, iterations=6)
    assert (found.end >= begun.end - 1e-6).all()
    assert found.end.mean() > begun.end.mean() + 0.01


def test_starts_are_reports_labels_or_words_at_random():
    images = phantom_images()
    assert prompts(start="report").starts[0].startswith(images.records["report"][0].split()[0].strip(":,.").lower())
    labelled = images.records["label_pleural_effusion"].to_numpy() == 1
    said = np.array(["effusion" in text for text in prompts(start="labels", iterations=0).starts])
    np.testing.assert_array_equal(said, labelled)
    lengths = {len(re.findall(r"\w+|[.;:]", text)) for text in prompts(start="random", length=9).texts}
    assert lengths == {9}


def test_a_length_cuts_long_starts_and_says_short_ones_again():
    found = prompts(length=300, iterations=0)
    assert {len(re.findall(r"\w+|[.;:]", text)) for text in found.texts} == {256}
    assert {len(re.findall(r"\w+|[.;:]", text)) for text in prompts(length=7, iterations=0).texts} == {7}


def test_the_same_seed_gives_the_same_prompts_in_whatever_order_records_stand():
    images, options = phantom_images(), {"temperature": 0.2, "start": "random", "iterations": 3}
    back = np.arange(len(images))[::-1]
    found = prompts(**options).texts
    assert prompts(images.at(back), **options).texts == found[::-1]
    assert prompts(seed=1, **options).texts != found


def test_an_interrupted_search_goes_on_where_it_was(tmp_path, monkeypatch):
    whole = prompts(work=tmp_path / "a").texts
    monkeypatch.setattr(module, "BLOCK", 8)
    calls = []

    def killed(task, rows):
        calls.append(rows)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return prompt_block(task, rows)

    monkeypatch.setattr(module, "prompt_block", killed)
    with pytest.raises(KeyboardInterrupt):
        prompts(work=tmp_path / "b")
    monkeypatch.setattr(module, "prompt_block", lambda task, rows: calls.append(rows) or prompt_block(task, rows))
    assert prompts(work=tmp_path / "b").texts == whole
    assert len({rows.start for rows in calls}) == len(calls) - 1  # the block of the kill alone came twice


def test_a_record_without_a_report_has_no_prompt():
    images = phantom_images()
    gone = pl.when(pl.int_range(pl.len()) == 2).then(None).otherwise(pl.col("report")).alias("report")
    found = prompts(replace(images, cohort=replace(images.cohort, records=images.records.with_columns(gone))))
    assert found.texts[2] == ""
    assert np.isfinite(found.end).all()


# ---------------------------------------------------------------- what cannot work


def test_a_blacklist_that_bans_everything_is_refused(tmp_path):
    every = {word for text in prompts(iterations=0).starts for word in words(text)}
    (tmp_path / "all.txt").write_text("\n".join(every))
    with pytest.raises(ConfigError, match="leave no token"):
        prompts(blacklist=tmp_path / "all.txt")


def test_an_empty_whitelist_that_is_demanded_is_refused(tmp_path):
    (tmp_path / "none.txt").write_text("# nothing\n")
    with pytest.raises(ConfigError, match="whitelist is empty"):
        prompts(whitelist=tmp_path / "none.txt", whitelist_mode="hard")


def test_a_whitelist_of_words_that_the_encoder_lacks_is_refused(tmp_path):
    (tmp_path / "odd.txt").write_text("xylophone\n")
    with pytest.raises(ConfigError, match="0 whitelisted"):
        prompts(whitelist=tmp_path / "odd.txt", whitelist_mode="hard")


def test_an_unknown_encoder_is_refused():
    with pytest.raises(ConfigError, match="phantom-reports"):
        prompts(encoder="phantom-report")


def test_an_encoder_without_a_shared_space_needs_pairs_to_fit_one(monkeypatch):
    from leadapron.defences.images import updp_space

    spec = updp_space.find_encoder("phantom-reports")
    bare = replace(spec, load=lambda weights: replace(spec.load(weights), heads=None))
    monkeypatch.setattr(updp_space, "find_encoder", lambda _name: bare)
    images = phantom_images()
    with pytest.raises(DataError, match="too few training pairs"):
        prompts(images.of_splits("test"), iterations=1)
    closed = replace(spec, load=lambda weights: replace(spec.load(weights), text_tower=None))
    monkeypatch.setattr(updp_space, "find_encoder", lambda _name: closed)
    with pytest.raises(ConfigError, match="does not let its words be optimised"):
        prompts(images)

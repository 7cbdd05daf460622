"""A stranger's defence of a cohort, of a release and of a model: one place, one line, and it runs like ours."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from pydantic import Field

from command_line import refusal, run
from leadapron.cohort import read_cohort
from leadapron.defences import DEFENCES, Defence, DefenceCard, defend, register
from leadapron.defences.model_folder import Model, read_model, write_model
from leadapron.defences.subjects import card_of
from leadapron.engine.documents import Config
from leadapron.engine.file_ids import id_of_files
from leadapron.errors import ConfigError, DataError
from leadapron.privacy import Guarantee
from leadapron.release import read_release, write_release
from leadapron.release.beside import controls_beside
from leadapron.release.provenance import hashes_of
from leadapron.trials import read_entrants
from utility_releases import made

NOTHING = Guarantee("none", statement="No guarantee: it is a toy.")


# ---------------------------------------------------------------- of a cohort


class MaskedConfig(Config):
    mark: str = Field("#", description="What stands in the place of a digit.")


def mask(cohort, config, _progress):
    reports = pl.col("report").str.replace_all(r"\d", config.mark)
    return replace(cohort, records=cohort.records.with_columns(reports)), MASKED.card(config, NOTHING)


MASKED = Defence("masked", "take the digits out of the reports", "cohort", MaskedConfig, mask, group="reports")


# ---------------------------------------------------------------- of a release


class RoundedConfig(Config):
    digits: int = Field(1, ge=0, le=6, description="Digits that are kept; fewer protect more.")
    sides: tuple[str, ...] = Field(
        ("image", "text"), description="What is rounded.", json_schema_extra={"option": "--side"}
    )
    untouched: bool = Field(False, json_schema_extra={"option": None})


def rounded(release, config, progress):
    progress("rounding", 1, 1)
    sides = () if config.untouched else config.sides
    arrays = {side: array.round(config.digits) if side in sides else array for side, array in release.arrays.items()}
    distinct = len(np.unique(arrays["image"], axis=0))
    return replace(release, arrays=arrays), ROUNDED.card(config, NOTHING, distinct_images=distinct)


def not_rounded(_release, config, _card):
    return {"unrounded": config.model_copy(update={"untouched": True})}


ROUNDED = Defence(
    "rounded", "round to a few digits", "release", RoundedConfig, rounded, strength="digits", controls=not_rounded
)


# ---------------------------------------------------------------- of a model


class ClippedConfig(Config):
    largest: float = Field(0.5, gt=0, description="The largest weight that is left.")


def clip(model, config, _progress):
    tensors = {name: tensor.clip(-config.largest, config.largest) for name, tensor in model.tensors.items()}
    return replace(model, tensors=tensors), CLIPPED.card(config, NOTHING)


CLIPPED = Defence("clipped", "clip the weights", "model", ClippedConfig, clip, group="weights", strength="largest")


@pytest.fixture(autouse=True)
def registered():
    for defence in (MASKED, ROUNDED, CLIPPED):
        register(defence)
    yield
    for defence in (MASKED, ROUNDED, CLIPPED):
        del DEFENCES[defence.name]


# ---------------------------------------------------------------- what becomes of them


def test_a_defence_of_a_release_writes_what_it_made_with_its_card_and_its_control(tmp_path):
    source, out = tmp_path / "release", tmp_path / "out"
    write_release(made(2.0, patients=40), source)
    said = run("defend", "rounded", source, "--digits", 2, "--side", "image", "--out", out)
    assert said.code == 0, said.err
    assert "rounded, digits 2: round to a few digits" in said.out
    assert said.out.rstrip().endswith(NOTHING.statement)
    before, after = read_release(source), read_release(out)
    np.testing.assert_array_equal(after.image, before.image.round(2))
    np.testing.assert_array_equal(after.text, before.text)
    card = card_of(after)
    assert (card.method, card.group, card.strength, card.guarantee) == ("rounded", "others", 2.0, NOTHING)
    assert card.settings == {"digits": 2, "sides": ["image"], "untouched": False}
    assert card.facts == {"distinct_images": len(np.unique(after.image, axis=0))}
    assert list(card.made_from) == after.card["made_from"] == [id_of_files(hashes_of(source))]
    control = read_release(controls_beside(out) / "unrounded")
    np.testing.assert_array_equal(control.image, before.image)
    assert (card_of(control).method, card_of(control).control_of) == ("unrounded", "rounded")
    assert [(one.role, one.of) for one in read_entrants(source, (out,))[1:]] == [("defence", None), ("control", "out")]


def test_an_audit_of_it_names_the_defence(tmp_path):
    write_release(defend(made(2.0, patients=40), "rounded"), tmp_path / "out")
    audited = run(
        "audit", "linkage", tmp_path / "out", "--attacker", "cosine", "--pool", 20, "--out", tmp_path / "audit"
    )
    assert audited.code == 0, audited.err
    assert json.loads((tmp_path / "audit" / "results.json").read_text())["inputs"]["defence"]["method"] == "rounded"


def test_controls_are_left_out_where_nobody_wants_them(tmp_path):
    write_release(made(2.0, patients=40), tmp_path / "release")
    assert run("defend", "rounded", tmp_path / "release", "--no-controls", "--out", tmp_path / "out").code == 0
    assert not controls_beside(tmp_path / "out").exists()


def test_the_toml_file_has_the_fields_of_its_configuration(tmp_path):
    write_release(made(2.0, patients=40), tmp_path / "release")
    lines = f"[defend.rounded]\nrelease = '{tmp_path / 'release'}'\ndigits = 3\nsides = ['image']\n"
    (tmp_path / "c.toml").write_text(lines)
    said = run("--config", tmp_path / "c.toml", "defend", "rounded", "--out", tmp_path / "out")
    assert said.code == 0, said.err
    assert card_of(read_release(tmp_path / "out")).settings["digits"] == 3
    (tmp_path / "c.toml").write_text("[defend.rounded]\ndigit = 3\n")
    assert "did you mean 'digits'" in refusal(
        "--config", tmp_path / "c.toml", "defend", "rounded", tmp_path / "release"
    )


def test_a_defence_of_a_cohort_travels_with_every_release_that_is_made_of_it(small_clinic_folder, tmp_path):
    cohort, release, twice = tmp_path / "masked", tmp_path / "release", tmp_path / "twice"
    said = run("defend", "masked", small_clinic_folder, "--mark", "*", "--out", cohort)
    assert said.code == 0, said.err
    assert not read_cohort(cohort).records["report"].str.contains(r"\d").any()
    assert read_cohort(small_clinic_folder).records["report"].str.contains(r"\d").any()
    described = json.loads((cohort / "cohort.json").read_text())
    assert described["defence"]["settings"] == {"mark": "*"}
    assert described["made_from"] == [id_of_files(hashes_of(small_clinic_folder))]
    assert run("encode", cohort, "--encoder", "phantom-labels", "--out", release).code == 0
    first = card_of(read_release(release))
    assert (first.method, first.group) == ("masked", "reports")
    ancestors = [id_of_files(hashes_of(folder)) for folder in (release, cohort, small_clinic_folder)]
    assert read_release(release).card["made_from"] == ancestors[1:]
    assert run("defend", "rounded", release, "--out", twice).code == 0
    second = card_of(read_release(twice))
    assert (second.method, second.before) == ("rounded", first)
    assert list(second.made_from) == ancestors


def test_a_defence_of_a_model_keeps_its_card_and_adds_its_own(tmp_path):
    source, out = tmp_path / "model", tmp_path / "out"
    tensors = {"weight": np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3), "steps": np.array(3)}
    write_model(Model(tensors, {"network": "toy"}), source)
    said = run("defend", "clipped", source, "--largest", 0.25, "--out", out)
    assert said.code == 0, said.err
    assert "7 values in 2 tensors" in said.out
    model = read_model(out)
    np.testing.assert_array_equal(model.tensors["weight"], tensors["weight"].clip(-0.25, 0.25))
    assert model.tensors["steps"].shape == ()
    assert (model.card["network"], card_of(model).strength) == ("toy", 0.25)
    assert list(card_of(model).made_from) == [id_of_files(hashes_of(source))]
    (source / "network.safetensors").write_bytes((out / "network.safetensors").read_bytes())
    assert "not the one that was written" in refusal("defend", "clipped", source, "--out", tmp_path / "other")
    assert run("defend", "clipped", source, "--no-verify", "--out", tmp_path / "other").code == 0


def test_they_are_listed_by_group_and_have_a_help_page_of_their_own():
    listed = run("defend", "--help").out
    for group, name in (("Reports:", "masked"), ("Others:", "rounded"), ("Weights:", "clipped")):
        assert listed.index(group) < listed.index(name)
    page = " ".join(run("defend", "rounded", "--help").out.split())
    assert "Round to a few digits." in page
    assert "--digits INTEGER RANGE Digits that are kept; fewer protect more. [default: 1; 0<=x<=6]" in page
    assert "untouched" not in page


# ---------------------------------------------------------------- the front door


def test_the_front_door_takes_the_name_and_the_options_and_changes_nothing_in_what_it_is_given():
    release = made(2.0, patients=40)
    after = defend(release, "rounded", digits=2)
    np.testing.assert_array_equal(after.image, release.image.round(2))
    assert "defence" not in release.card
    assert card_of(release) is None
    again = defend(after, "rounded", digits=1)
    assert [card_of(again).strength, card_of(again).before.strength] == [1.0, 2.0]


def test_what_is_asked_wrongly_is_answered_with_what_there_is():
    release = made(2.0, patients=40)
    with pytest.raises(ConfigError, match=r"unknown defence; got 'roundd'; allowed: .* .did you mean 'rounded'"):
        defend(release, "roundd")
    with pytest.raises(ConfigError, match=r"rounded: unknown option; got 'digit'; .* .did you mean 'digits'"):
        defend(release, "rounded", digit=2)
    with pytest.raises(ConfigError, match="digits: input should be less than or equal to 6; got 9"):
        defend(release, "rounded", digits=9)
    with pytest.raises(ConfigError, match="'clipped' is a defence of a model; got 'Release'; allowed: Model"):
        defend(release, "clipped")


def test_a_defence_whose_parts_do_not_fit_is_refused_when_it_is_made():
    with pytest.raises(ConfigError, match="not a field of the configuration; got 'digit'"):
        Defence("x", "x", "release", RoundedConfig, rounded, strength="digit")
    with pytest.raises(ConfigError, match="allowed: cohort, reports, images, release, model"):
        Defence("x", "x", "image", RoundedConfig, rounded)
    with pytest.raises(ConfigError, match="a defence of this name already"):
        register(Defence("quantise", "x", "release", RoundedConfig, rounded))
    assert register(ROUNDED) is ROUNDED  # twice is once


# ---------------------------------------------------------------- the card


def test_a_card_comes_back_from_its_json_as_it_was():
    card = card_of(defend(defend(made(2.0, patients=40), "rounded"), "rounded", digits=3))
    assert DefenceCard.model_validate_json(json.dumps(card.as_dict())) == card


def test_a_card_of_an_older_version_is_read():
    older = {
        "kind": "vectors", "method": "subspace", "strength": 4.0, "labels": ["label_edema"],
        "guarantee": {"kind": "none", "statement": "None.", "details": {}},
        "before": {"kind": "heads", "method": "private", "guarantee": NOTHING.as_dict(), "trained": None},
    }  # fmt: skip
    card = card_of(replace(made(2.0, patients=40), card={"defence": older}))
    assert (card.method, card.group, card.strength, card.facts) == (
        "subspace",
        "vectors",
        4.0,
        {"labels": ["label_edema"]},
    )
    assert (card.before.method, card.before.group, card.before.facts) == ("private", "heads", {"trained": None})


def test_a_card_that_is_none_is_refused_by_the_place_of_its_fault():
    with pytest.raises(
        DataError, match=r"release: the card of its defence cannot be read: \$\.guarantee: field required"
    ):
        card_of(replace(made(2.0, patients=40), card={"defence": {"method": "x"}}))

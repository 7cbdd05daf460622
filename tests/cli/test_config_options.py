"""Options from the fields of a configuration: every kind of field, its help, its limits, and the TOML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import click
import pytest
from click.testing import CliRunner
from pydantic import Field, InstanceOf

from leadapron.cli.config_options import config_options
from leadapron.cli.toml_config import read_config
from leadapron.engine.documents import Config
from leadapron.errors import ConfigError


class Thing:
    """What a command reads from a path."""


class Everything(Config):
    count: int = Field(8, ge=1, le=10, description="How many.")
    share: float = Field(0.5, gt=0, lt=1, description="How much.")
    most: int | None = Field(None, ge=2, description="At most so many. [default: all]")
    rate: float | None = None
    seed: int = Field(0, description="Of all draws.")
    quick: bool = Field(False, description="Be quick.")
    careful: bool = Field(True, description="Be careful.")
    augment: bool | None = None
    name: str = "x"
    level: Literal["patient", "record"] = Field("patient", description="Whom to protect.")
    start: Literal["linear", "mlp"] | None = None
    pools: tuple[int, ...] = Field((100, 1000), description="Sizes.", json_schema_extra={"option": "--pool"})
    shares: tuple[Annotated[float, Field(gt=0)], ...] = ()
    words: tuple[Literal["a", "b"], ...] = ("a",)
    folder: Path | None = None
    other: InstanceOf[Thing] | None = None
    dial: int = Field(3, json_schema_extra={"option": ["--dial", "--strength"]})
    kept_inside: int = Field(0, json_schema_extra={"option": None})
    fixed: str = "by the command"


OPTIONS = {option.name: option for option in config_options(Everything, without=("fixed",))}


def command(kind=Everything, seen=None):
    return click.Command("make", params=config_options(kind), callback=lambda **given: seen.append(given))


def made(*arguments, kind=Everything):
    seen = []
    outcome = CliRunner().invoke(command(kind, seen), arguments)
    assert outcome.exit_code == 0, outcome.output
    return kind(**seen[0])


def test_every_field_is_an_option_but_those_that_are_left_out():
    assert list(OPTIONS) == [name for name in Everything.model_fields if name not in ("kept_inside", "fixed")]
    assert OPTIONS["pools"].opts == ["--pool"]
    assert OPTIONS["dial"].opts == ["--dial", "--strength"]
    assert (OPTIONS["careful"].opts, OPTIONS["careful"].secondary_opts) == (["--careful"], ["--no-careful"])
    assert (OPTIONS["quick"].opts, OPTIONS["quick"].secondary_opts) == (["--quick"], [])


def test_without_options_the_configuration_is_that_of_its_defaults():
    assert made() == Everything()


def test_every_option_arrives_in_its_field():
    said = (
        "--count 3 --share 0.25 --most 4 --rate 1e-3 --quick --no-careful --no-augment --name y --level record "
        "--start mlp --pool 10 --pool 20 --shares 0.5 --words b --folder new --strength 5"
    )
    assert made(*said.split()) == Everything(
        count=3, share=0.25, most=4, rate=1e-3, quick=True, careful=False, augment=False, name="y", level="record",
        start="mlp", pools=(10, 20), shares=(0.5,), words=("b",), folder=Path("new"), dial=5,
    )  # fmt: skip


def test_a_class_is_given_by_the_path_of_what_the_command_reads(tmp_path):
    seen = []
    CliRunner().invoke(command(seen=seen), ["--other", str(tmp_path)])
    assert seen[0]["other"] == tmp_path
    assert "does not exist" in CliRunner().invoke(command(), ["--other", str(tmp_path / "nowhere")]).output


def test_help_is_the_description_with_default_and_limits():
    text = " ".join(CliRunner().invoke(command(), ["--help"], terminal_width=200).output.split())
    for words in (
        "--count INTEGER RANGE How many. [default: 8; 1<=x<=10]",
        "--share FLOAT RANGE How much. [default: 0.5; 0<x<1]",
        "--most INTEGER RANGE At most so many. [default: all] [x>=2]",
        "--seed INTEGER Of all draws. [default: 0]",
        "--quick Be quick. --careful / --no-careful Be careful. [default: careful]",
        "--level [patient|record] Whom to protect. [default: patient]",
        "--pool INTEGER Sizes. [default: 100, 1000]",
        "--dial, --strength INTEGER [default: 3]",
    ):
        assert words in text, text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--count", "11"], "'--count': 11 is not in the range 1<=x<=10"),
        (["--count", "2.5"], "'2.5' is not a valid integer"),
        (["--share", "1"], "not in the range"),
        (["--shares", "0"], "not in the range"),
        (["--level", "study"], "is not one of 'patient', 'record'"),
        (["--words", "c"], "is not one of 'a', 'b'"),
        (["--kept-inside", "1"], "No such option"),
    ],
)
def test_what_does_not_fit_is_refused_by_the_option_s_name(arguments, words):
    outcome = CliRunner().invoke(command(), arguments)
    assert outcome.exit_code == 2
    assert words in outcome.output


def test_a_field_without_a_default_is_a_required_option():
    class Needs(Config):
        size: int = Field(description="How large.")

    assert made("--size", "4", kind=Needs).size == 4
    assert "Missing option '--size'" in CliRunner().invoke(command(Needs), []).output


def test_what_no_option_can_say_is_a_mistake_of_the_programmer():
    class Either(Config):
        size: int | str = 0

    class Pair(Config):
        sizes: tuple[int, int] = (1, 2)

    for kind in (Either, Pair):
        with pytest.raises(TypeError, match="cannot become an option"):
            config_options(kind)


def test_the_toml_file_has_the_same_keys(tmp_path):
    seen = []
    group = click.Group("root", {"make": command(seen=seen)})
    file = tmp_path / "c.toml"
    file.write_text('[make]\ncount = 4\npools = [5, 6]\nlevel = "record"\nquick = true\nkept-in = 1\n')
    with pytest.raises(ConfigError, match="unknown key"):
        read_config(file, click.Context(group))
    file.write_text('[make]\ncount = 4\npools = [5, 6]\nlevel = "record"\nquick = true\n')
    given = read_config(file, click.Context(group))
    assert CliRunner().invoke(group, ["make", "--count", "5"], default_map=given).exit_code == 0
    assert Everything(**seen[0]) == Everything(count=5, pools=(5, 6), level="record", quick=True)
    file.write_text('[make]\ncount = "four"\n')
    with pytest.raises(ConfigError, match="a whole number"):
        read_config(file, click.Context(group))

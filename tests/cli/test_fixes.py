"""What an error tells people to do can be done: the commands, options, values and names that it gives exist."""

from __future__ import annotations

import ast
import importlib
import itertools
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import numpy as np
import polars as pl
import pytest

import leadapron
from command_line import refusal, run
from leadapron.cli import cli
from leadapron.cohort import LABEL_COLUMNS

SOURCE = Path(leadapron.__file__).parent
ROOT = SOURCE.parents[1]
READ_RELEASES = (
    "audit linkage", "audit identity", "utility release", "defend quantise", "defend private", "train targets", "trial",
)  # fmt: skip
WRITE = (
    "cohort", "phantom", "encode", "train identity", "audit linkage", "audit identity", "audit membership",
    "audit as-found", "utility release", "defend quantise", "defend private",
)  # fmt: skip
SPREAD = ("encode", "train targets")
REACHED_BY = {
    "attacks/federation": ("audit federation", "utility run", "trial"),
    "attacks/identity": ("audit identity",),
    "attacks/identity/training": ("train identity",),
    "attacks/linkage": ("audit linkage",),
    "attacks/membership": ("audit membership",),
    "attacks/recital": ("audit recital",),
    "attacks/reports": ("audit residual",),
    "attacks/reports/true_spans.py": ("audit residual", "audit parrot"),
    "attacks/table": ("audit table",),
    "audits/judged_subject.py": ("gate",),
    "audits/release_subject.py": ("audit linkage", "audit identity"),
    "cli/assess_command.py": ("assess",),
    "cli/encode_command.py": ("encode",),
    "cli/executor_options.py": SPREAD,
    "cli/reproduce_command.py": ("reproduce linkage",),
    "cli/train_command.py": ("train identity",),
    "cli/train_federated.py": ("train federated",),
    "cohort": ("cohort",),
    "comparisons": ("audit linkage", "audit identity"),
    "defences/heads": ("defend private", "train targets"),
    "defences/model_folder.py": ("defend quantise",),
    "defences/vectors": ("defend prototypes",),
    "defences/vectors/microaggregate.py": ("defend microaggregate",),
    "encoders": ("encode", "train identity"),
    "engine/executors.py": SPREAD,
    "engine/files.py": WRITE,
    "engine/on_ray.py": SPREAD,
    "engine/ray_cluster.py": SPREAD,
    "federated": ("train federated", "federation deal"),
    "federated/flower/deployment.py": ("federation server",),
    "federated/flower/hospital_node.py": ("federation hospital",),
    "release": READ_RELEASES,
    "reproductions": ("reproduce linkage",),
    "release/handed_over.py": ("audit linkage", "audit table", "utility release"),
    "tables": ("audit table", "defend table"),
    "targets": ("train targets",),
    "training": ("train identity", "train targets"),
    "training/devices.py": ("encode", "train identity", "train targets", "defend private"),
    "trials": ("trial",),
    "uses": ("utility release", "trial"),
    "uses/writing_task.py": ("utility reports",),
}
"""The commands in which errors of a package, or of a file, come up: a fix must be possible in each of them."""


def commands(group: click.Group, above: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield " ".join((*above, name)), command
        if isinstance(command, click.Group):
            yield from commands(command, (*above, name))


COMMANDS = dict(commands(cli))


def options(name: str) -> dict[str, click.Parameter]:
    """The options of a command; of a group, those of all of its commands."""
    named = [command for other, command in COMMANDS.items() if other == name or other.startswith(f"{name} ")]
    return {
        option: parameter
        for command in named
        for parameter in command.params
        if isinstance(parameter, click.Option)
        for option in (*parameter.opts, *parameter.secondary_opts)
    }


def texts(node: ast.AST, module: str, tree: ast.Module) -> Iterator[str]:
    """What an expression may be: strings are taken as they are, with {} where something is filled in."""
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=parts):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in parts)
        case ast.IfExp(body=one, orelse=other):
            yield from texts(one, module, tree)
            yield from texts(other, module, tree)
        case ast.Name(id=name) if isinstance(text := getattr(importlib.import_module(module), name, None), str):
            yield text
        case ast.Name(id=name):  # a variable of a function
            for line in ast.walk(tree):
                if isinstance(line, ast.Assign) and ast.unparse(line.targets[0]) == name:
                    yield from texts(line.value, module, tree)
        case ast.Call(func=ast.Name(id=name)):  # a function that words it
            for function in ast.walk(tree):
                if isinstance(function, ast.FunctionDef) and function.name == name:
                    for line in ast.walk(function):
                        if isinstance(line, ast.Return) and line.value is not None:
                            yield from texts(line.value, module, tree)


def fixes() -> Iterator[tuple[str, str]]:
    """Where a fix is proposed, and its words."""
    for file in sorted(SOURCE.rglob("*.py")):
        place = file.relative_to(SOURCE)
        module = ".".join(("leadapron", *place.with_suffix("").parts)).removesuffix(".__init__")
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                for keyword in node.keywords:
                    if keyword.arg == "fix":
                        for text in texts(keyword.value, module, tree):
                            yield place.as_posix(), text


FIXES = sorted(set(fixes()))


QUOTED = re.compile("`([^`]+)`")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
WITH_VALUES = re.compile(r"(--[a-z-]+) (?!and\b)([a-z][\w-]*(?:(?:, | or )[a-z][\w-]*)*)")


def commands_of(place: str, text: str, option: str) -> tuple[str, ...]:
    """The commands that the fix names and that have the option, or all in which the error comes up."""
    named = filter(None, (named_command(line) for line in QUOTED.findall(text)))
    reached = max((prefix for prefix in REACHED_BY if place.startswith(prefix)), key=len, default="")
    found = tuple(command for command in named if option in options(command)) or REACHED_BY.get(reached, ())
    assert found, f"say in REACHED_BY in which commands errors of {place} come up"
    return found


def named_command(line: str) -> str | None:
    """``defend heads`` of ``leadapron defend heads RELEASE``; None for other people's programs."""
    if not line.startswith("leadapron "):
        return None
    said = line.removeprefix("leadapron ").split()
    words = list(itertools.takewhile(lambda word: re.fullmatch("[a-z][a-z-]*", word), said))
    command = max((name for name in COMMANDS if words[: len(name.split())] == name.split()), key=len, default=None)
    assert command is not None, f"there is no command `{line}`"
    assert command == " ".join(words), f"`leadapron {command}` has no command of that name: `{line}`"
    return command


def test_there_is_something_to_check():
    assert len(FIXES) > 60
    assert sum(bool(OPTION.search(text)) for _, text in FIXES) > 20


@pytest.mark.parametrize(("place", "text"), [fix for fix in FIXES if OPTION.search(QUOTED.sub("", fix[1]))])
def test_every_option_that_a_fix_names_is_one_of_the_command_at_hand(place, text):
    for option in OPTION.findall(QUOTED.sub("", text)):
        for command in commands_of(place, text, option):
            assert option in options(command), f"leadapron {command} has no {option}"


@pytest.mark.parametrize("line", sorted({line for _, text in FIXES for line in QUOTED.findall(text)}))
def test_every_command_that_a_fix_quotes_exists_with_its_options(line):
    command = named_command(line)
    assert command is None or set(OPTION.findall(line)) <= set(options(command))


@pytest.mark.parametrize(("place", "text"), [fix for fix in FIXES if OPTION.search(fix[1])])
def test_every_value_that_a_fix_gives_an_option_is_allowed(place, text):
    for option, values in re.findall(
        r"(--[a-z-]+) (?!and\b)([a-z][\w-]*(?:(?:, | or )[a-z][\w-]*)*)", QUOTED.sub("", text)
    ):
        for command in commands_of(place, text, option):
            kind = options(command)[option].type
            if isinstance(kind, click.Choice):
                assert set(re.split(", | or ", values)) <= set(kind.choices), f"{option} {values}"


def test_every_name_of_ours_in_a_fix_can_be_imported():
    names = {name for _, text in FIXES for name in re.findall(r"leadapron(?:\.\w+)+", text)}
    assert names
    for name in names:
        module, _, attribute = name.rpartition(".")
        assert hasattr(importlib.import_module(module), attribute), name


def test_every_target_of_make_in_a_fix_is_there():
    there = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    assert {target for _, text in FIXES for target in re.findall(r"\bmake ([a-z-]+)$", text)} <= set(there)


def test_every_extra_that_an_error_tells_to_install_is_declared():
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    asked = {extra for _, text in FIXES for extra in re.findall(r"leadapron\[(\w+)\]", text)}
    for file in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "MissingExtraError":
                asked |= {extra.value for extra in node.args[1:2] if isinstance(extra, ast.Constant)}
    assert asked
    assert asked <= set(declared)


# Fixes that are run


@pytest.fixture
def small(tmp_path):
    """Arrays of twelve patients, and a table in which no finding varies among those of the validation split."""
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(12), 10)
    findings = np.where(patient % 3 == 1, 0, patient % 2)
    for side in ("image", "text"):
        np.save(tmp_path / f"{side}.npy", rng.normal(size=(120, 4)) + findings[:, None])
    sides = [("train", "validate", "test")[number % 3] for number in patient]
    table = pl.DataFrame({"patient_id": patient, "split": sides, LABEL_COLUMNS[0]: findings})
    table.write_csv(tmp_path / "records.csv")
    return tmp_path


def test_groups_are_made_at_the_strength_that_is_proposed(small):
    asked = ("defend", "microaggregate", small, "--out", small / "out")
    proposed = re.search(r"With k = (\d+) there would be several groups", refusal(*asked, "--k", 13))
    assert run(*asked, "--k", proposed.group(1)).code == 0


def test_a_probe_of_one_strength_needs_no_validation(small):
    asked = ("utility", "release", small, "--out", small / "out")
    assert "`leadapron utility release --strength`" in refusal(*asked)
    done = run(*asked, "--strength", 0.1)
    assert done.code == 0, done.err

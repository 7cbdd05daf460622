"""Data flows in one direction: which package may import which, as ARCHITECTURE.md says."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "leadapron"


def allowed_imports() -> dict[str, set[str]]:
    """The table in ARCHITECTURE.md: a package and what it may import of leadapron."""
    rows = re.findall(r"^\| `(\w+)` \|[^|]*\| ([^|]*) \|$", (ROOT / "ARCHITECTURE.md").read_text(), flags=re.MULTILINE)
    return {package: set(re.findall(r"`(\w+)`", may)) for package, may in rows}


def imported_packages(file: Path) -> set[str]:
    """The packages of leadapron that a file imports, inside functions too."""
    names = set()
    for node in ast.walk(ast.parse(file.read_text())):
        modules = []
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules = [f"{node.module}.{alias.name}" for alias in node.names]
        names |= {module.split(".")[1] for module in modules if re.match(r"leadapron\.\w", module)}
    return names - {"__version__"}


PACKAGES = sorted(path.name.removesuffix(".py") for path in SOURCE.iterdir() if not path.name.startswith(("_", "py.")))


def test_every_package_stands_in_the_table():
    assert sorted(allowed_imports()) == PACKAGES


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_follow_the_flow(package):
    place = SOURCE / package
    files = sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")]
    assert files
    for file in files:
        astray = imported_packages(file) - allowed_imports()[package] - {package}
        assert not astray, f"{file.relative_to(ROOT)} imports {astray}"


def test_an_import_against_the_flow_would_be_noticed(tmp_path):
    source = "def f():\n    from leadapron.encoders import encode\n    import leadapron.cli.main\n"
    (tmp_path / "x.py").write_text(source)
    assert imported_packages(tmp_path / "x.py") == {"encoders", "cli"}


def test_no_file_has_the_name_of_another():
    """A name says which file is meant, in a traceback, a search and a conversation."""
    stems = [path.stem for path in SOURCE.rglob("*.py") if path.name not in ("__init__.py", "__main__.py")]
    assert sorted({stem for stem in stems if stems.count(stem) > 1}) == []


MOST_PARAMETERS = 7


def crowded_functions(source: str) -> list[str]:
    """Functions with more parameters than anybody can keep apart; compiled loops and commands cannot be helped."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and not _is_exempt(node):
            given = node.args
            every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
            count = sum(one is not None and one.arg not in ("self", "cls") for one in every)
            if count > MOST_PARAMETERS:
                found.append(f"{node.name} has {count}")
    return found


def _is_exempt(function: ast.FunctionDef) -> bool:
    decorators = [ast.unparse(decorator) for decorator in function.decorator_list]
    return any(re.match(r"kernel$|intrinsic$|click\.|(\w+\.)?command\(", decorator) for decorator in decorators)


def test_no_function_has_eight_parameters():
    for file in sorted(SOURCE.rglob("*.py")):
        assert not crowded_functions(file.read_text()), file.relative_to(ROOT)


def test_a_function_with_eight_parameters_would_be_noticed():
    crowded = "def f(self, a, b, c, d, e, f, *, g, {}**h): ..."
    assert crowded_functions(crowded.format("")) == ["f has 8"]
    assert crowded_functions(crowded.format("i, ")) == ["f has 9"]
    assert not crowded_functions(crowded.format("").replace("self, a, ", ""))
    for decorator in ("kernel", "click.command()", "group.command()"):
        assert not crowded_functions(f"@{decorator}\n{crowded.format('')}")


IMPORTED_AS = {"open-clip-torch": "open_clip", "python-gdcm": "gdcm", "pyyaml": "yaml"}


def test_every_extra_is_used_by_the_code():
    """A package that nothing imports is a promise that nothing keeps."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    code = "\n".join(file.read_text() for file in SOURCE.rglob("*.py"))
    for extra, packages in extras.items():
        for package in packages:
            name = re.split(r"[<>=\[]", package)[0]
            module = IMPORTED_AS.get(name, name.replace("-", "_"))
            imported = re.search(rf"(import |from |[\"']){module}\b", code)
            assert extra == "dev" or imported, f"{extra}: {package}"

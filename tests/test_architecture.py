"""Data flows in one direction: which package may import which, as ARCHITECTURE.md says."""

from __future__ import annotations

import ast
import re
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

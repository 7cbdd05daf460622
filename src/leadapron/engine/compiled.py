"""Compiled loops: one decorator, so that every kernel is compiled, and its machine code kept, in the same way."""

from __future__ import annotations

import functools
import hashlib
import os
import re
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import TypeVar, cast

import numba
import numpy as np

import leadapron

F = TypeVar("F", bound=Callable[..., object])
R = TypeVar("R")


def kernel(function: F) -> F:
    """Compile a loop to machine code that runs outside the interpreter lock, so that threads can share the work.

    Strict arithmetic (no fastmath) keeps the same seed at the same bytes.
    """
    folder = _code_folder()
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder or "")
    try:
        compiled = numba.njit(nogil=True, cache=folder is not None, error_model="numpy")(function)
    finally:
        numba.config.CACHE_DIR = before
    return cast(F, compiled)


def in_python(compiled: Callable[..., R]) -> Callable[..., R]:
    """The same loop as it is written, and those of its file that it calls: for so few steps that they take less time
    than to compile it.

    It gets views of its arrays that hand out Python's own numbers, with which Python is quicker.
    """
    written = getattr(compiled, "py_func", compiled)
    known = {name: getattr(thing, "py_func", thing) for name, thing in written.__globals__.items()}
    loop: Callable[..., R] = FunctionType(written.__code__, known)

    def run(*given: object) -> R:
        return loop(*(one.data if isinstance(one, np.ndarray) else one for one in given))

    return run


@functools.cache
def _code_folder() -> Path | None:
    """Where the machine code is kept: a folder named by the source of all kernels, or None if it cannot be made.

    Numba's own key is the file of the function alone. A kernel that calls one in another file, or takes a constant
    from it, would go on running old code after that file has changed, and give wrong numbers without a word.
    """
    digest = hashlib.sha256(numba.__version__.encode())
    for source in _kernel_sources(Path(leadapron.__file__).parent):
        digest.update(source.read_bytes())
    root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = root / "leadapron" / "kernels" / digest.hexdigest()[:16]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


def _kernel_sources(package: Path) -> list[Path]:
    """The files that hold kernels, and all of the package that these import."""
    sources = set()
    waiting = [source for source in package.rglob("*.py") if b"@kernel" in source.read_bytes()]
    while waiting:
        source = waiting.pop()
        if source in sources:
            continue
        sources.add(source)
        for module in re.findall(r"^from leadapron\.([\w.]+) import", source.read_text(), re.MULTILINE):
            place = package.joinpath(*module.split("."))
            waiting += [file for file in (place.with_suffix(".py"), place / "__init__.py") if file.is_file()]
    return sorted(sources)

"""No compiled loop reads or writes outside its arrays."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

CHECKED = Path(__file__).parents[1] / "helpers" / "bounds_checked.py"


@pytest.mark.study
def test_every_compiled_loop_stays_within_its_arrays(tmp_path):
    """One wrote eight bytes past its table where all rows were the same. A loop from a cache would count as not run."""
    environment = {
        **os.environ,
        "NUMBA_BOUNDSCHECK": "1",
        "XDG_CACHE_HOME": str(tmp_path),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    ran = subprocess.run([sys.executable, str(CHECKED)], env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == "not run: []\n"


@pytest.mark.parametrize(("row", "other"), [(3, 0), (0, 2)])
def test_the_inner_product_of_rows_that_are_not_there_is_refused_where_indices_are_checked(row, other, monkeypatch):
    import numba

    from leadapron.engine.inner_product import inner_product

    monkeypatch.setattr(numba.config, "BOUNDSCHECK", 1)
    checked = numba.njit(lambda left, row, right, other: inner_product(left, row, right, other))
    left, right = np.ones((3, 4), dtype=np.float32), np.ones((2, 4), dtype=np.float32)
    assert checked(left, 2, right, 1) == 4
    with pytest.raises(IndexError):
        checked(left, row, right, other)

"""What many tests share: a phantom clinic of forty patients, in memory and as a folder."""

from __future__ import annotations

import os

import pytest

# Matrices in the tests are small: threads that wait for each other would take most of the time, above all those of
# torch, which spin while they wait. It must be said before NumPy and torch are loaded, so what needs them is imported
# inside the fixtures.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")


@pytest.fixture(scope="session")
def small_clinic():
    from leadapron.phantoms import Dials, build_clinic

    return build_clinic(Dials(patients=40, seed=9))  # a seed with patients in all three splits


@pytest.fixture(scope="session")
def small_pixels(small_clinic):
    return small_clinic.pixels()


@pytest.fixture(scope="session")
def small_clinic_folder(small_clinic, tmp_path_factory):
    """Shared by all tests: they read it and do not write into it."""
    from leadapron.phantoms import write_clinic

    folder = tmp_path_factory.mktemp("clinic") / "clinic"
    write_clinic(small_clinic, folder)
    return folder

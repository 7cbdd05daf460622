"""Batches that are halved until they fit, in order, and read ahead by one."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="not run: torch is not installed")

from leadapron.encoders.encode import in_batches as as_encoded  # noqa: E402
from leadapron.errors import ConfigError  # noqa: E402
from leadapron.training.fitting_batches import in_batches  # noqa: E402

ROWS = np.arange(50.0).reshape(25, 2)


def device_with_room_for(most, error):
    """What doubles rows, and runs out of memory on more than so many; and the sizes that were tried."""
    tried = []

    def run(rows):
        tried.append(len(rows))
        if len(rows) > most:
            raise error
        return rows * 2

    return run, tried


ERRORS = [
    torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB."),
    RuntimeError("MPS backend out of memory (MPS allocated: 1 GB)"),
]


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("most", [1, 2, 3, 8, 100])
def test_every_row_once_and_in_order_whatever_fits(most, error):
    run, tried = device_with_room_for(most, error)
    np.testing.assert_array_equal(in_batches(run, ROWS, 16), ROWS * 2)
    fitting = [size for size in tried if size <= most]
    assert sum(fitting) == len(ROWS)
    assert sum(size > most for size in tried) <= 4, "what did not fit once is not tried again"


def test_texts_are_handed_over_as_a_list():
    seen = []

    def lengths_of(texts):
        seen.append(texts)
        return np.array([len(text) for text in texts])

    lengths = in_batches(lengths_of, ["a", "bb"] * 3, 4)
    assert lengths.tolist() == [1, 2] * 3
    assert seen == [["a", "bb"] * 2, ["a", "bb"]]


def test_where_not_even_one_row_fits_the_device_is_named():
    run, _ = device_with_room_for(0, ERRORS[0])
    with pytest.raises(ConfigError, match=r"^--device: the memory of the device is too small .* Use --device cpu"):
        in_batches(run, ROWS, 16)


@pytest.mark.parametrize("error", [RuntimeError("shapes differ"), ValueError("out of memory of what to say")])
def test_other_errors_are_none_of_its_business(error):
    run, tried = device_with_room_for(3, error)
    with pytest.raises(type(error), match=str(error)):
        in_batches(run, ROWS, 16)
    assert tried == [16]


def test_few_rows_wait_in_memory():
    """Of a file only the batch in use and the next one have been read."""
    read = []

    class File(list):
        def __getitem__(self, at):
            read.append(at.start)
            return super().__getitem__(at)

    def run(rows):
        assert max(read) <= rows[0] + 4, "it reads further ahead than a batch"
        return np.array(rows)

    assert in_batches(run, File(range(40)), 4).tolist() == list(range(40))


def test_releases_are_encoded_by_it():
    assert as_encoded is in_batches

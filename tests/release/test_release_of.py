"""A release from what is in memory: whatever holds the numbers, the release is the same."""

from __future__ import annotations

import doctest

import numpy as np
import polars as pl
import pytest

from leadapron.errors import DataError
from leadapron.release import Release
from leadapron.release import release as module

IMAGE = np.arange(12, dtype=np.float32).reshape(4, 3) / 7
TEXT = IMAGE[::-1] + 1
PATIENT = ["a", "a", "b", "c"]


def test_the_example_of_the_docstring_runs():
    assert doctest.testmod(module).attempted > 0
    assert doctest.testmod(module).failed == 0


def test_keywords_become_columns_and_ids_are_text():
    release = Release.of(
        image=IMAGE,
        text=TEXT,
        patient=[7, 7, 8, 9],
        study=[1, 1, 2, 3],
        report_id=list("wxyz"),
        split=["train", "train", "test", "test"],
        sex=["F", "F", "M", None],
        age=np.array([61.0, 62.0, np.nan, 40.0]),
        label_edema=[1, 0, None, -1],
    )
    assert release.records.to_dict(as_series=False) == {
        "record_id": ["0", "1", "2", "3"],
        "patient_id": ["7", "7", "8", "9"],
        "study_id": ["1", "1", "2", "3"],
        "report_id": ["w", "x", "y", "z"],
        "split": ["train", "train", "test", "test"],
        "sex": ["F", "F", "M", None],
        "age": [61.0, 62.0, None, 40.0],
        "label_edema": [1, 0, None, None],
    }
    np.testing.assert_array_equal(release.text, TEXT)


class LikePandas:
    """A column that says what is missing in its own way, as those of pandas do."""

    def __init__(self, values):
        self.values = values

    def to_numpy(self):
        return np.array(self.values, dtype=object)

    def isna(self):
        return [value is None for value in self.values]


@pytest.mark.parametrize(
    "image",
    [
        IMAGE.tolist(),
        list(IMAGE),
        IMAGE.astype(np.float64),
        np.asfortranarray(IMAGE),
        pl.DataFrame(IMAGE),
        pl.Series("image", IMAGE.tolist()),
        pl.Series("image", IMAGE),
        LikePandas(list(IMAGE)),
    ],
    ids=["lists", "rows", "double", "columns first", "frame", "list column", "array column", "like pandas"],
)
def test_embeddings_are_the_same_whatever_holds_them(image):
    np.testing.assert_array_equal(Release.of(image=image).image, IMAGE)


def test_tensors_come_without_their_gradients():
    torch = pytest.importorskip("torch")
    tensor = torch.tensor(IMAGE, requires_grad=True)
    release = Release.of(image=tensor * 1, text=list(tensor), patient=torch.tensor([1, 1, 2, 3]))
    np.testing.assert_array_equal(release.image, IMAGE)
    np.testing.assert_array_equal(release.text, IMAGE)
    assert release.records["patient_id"].to_list() == ["1", "1", "2", "3"]
    half = Release.of(image=tensor.to(torch.bfloat16))
    np.testing.assert_allclose(half.image, IMAGE, rtol=1e-2)


@pytest.mark.parametrize("holder", [list, tuple, np.array, pl.Series, LikePandas])
def test_patients_are_the_same_whatever_holds_them(holder):
    assert Release.of(image=IMAGE, patient=holder(PATIENT)).records["patient_id"].to_list() == PATIENT


def test_a_table_goes_in_whole():
    table = pl.DataFrame({"record_id": list("wxyz"), "patient_id": PATIENT, "view": ["AP", "PA", "AP", "AP"]})
    assert Release.of(image=IMAGE, **table.to_dict()).records.equals(table)


@pytest.mark.parametrize("side", ["image", "text", "image_features"])
def test_one_side_is_enough(side):
    assert list(Release.of(**{side: IMAGE}).arrays) == [side]


def test_the_release_does_not_change_with_the_callers_array():
    mine = IMAGE.copy()
    release = Release.of(image=mine)
    mine[:] = 0
    np.testing.assert_array_equal(release.image, IMAGE)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "there is no array in it; allowed: image, text"),
        ({"patient": PATIENT}, "there is no array in it"),
        ({"image": IMAGE, "text": TEXT[:3]}, "the row counts differ; got 'image 4, text 3'"),
        ({"image": IMAGE, "patient": PATIENT[:3]}, "the row counts differ; got 'image 4, patient_id 3'"),
        ({"image": IMAGE[0]}, r"image: embeddings must be rows x dimensions; got \(3,\)"),
        ({"image": [[1, 0]] * 4}, "image: embeddings must be floating-point numbers; got 'int64'"),
        ({"image": [[1.0], [1.0, 2.0]]}, "image: these are not rows of numbers"),
        ({"image": [["a"]] * 4}, "image: embeddings must be floating-point numbers"),
        ({"image": pl.Series("image", [[1.0], [1.0, 2.0]])}, "column 'image' must hold lists of one length"),
        ({"image": np.where(IMAGE > 1, np.inf, IMAGE)}, "image: row 2 holds a value that is not finite"),
        ({"image": IMAGE, "patient": ["a", None, "b", "c"]}, "column 'patient_id' is empty in row 1"),
        ({"image": IMAGE, "patient": [1.0, 2.0, np.nan, 3.0]}, "column 'patient_id' is empty in row 2"),
        ({"image": IMAGE, "patient": LikePandas([1, None, 2, 3])}, "column 'patient_id' is empty in row 1"),
        ({"image": IMAGE, "patient": PATIENT, "patient_id": PATIENT}, "a column is given twice; got 'patient_id'"),
        ({"image": IMAGE, "record": list("aabc")}, "column 'record_id' holds the same id more than once"),
        ({"image": IMAGE, "sex": "F"}, "column 'sex' cannot be read; got 'str'; allowed: one value per record"),
        ({"image": IMAGE, "age": 61}, "column 'age' cannot be read; got 'int'"),
        ({"image": IMAGE, "sex": ["F", 1, "M", "M"]}, "column 'sex' cannot be read; got 'list'"),
        ({"image": IMAGE, "age": IMAGE}, "column 'age' cannot be read; got 'ndarray'"),
        ({"image": IMAGE, "label_edema": [1, 0, 2, 0]}, "column 'label_edema' holds an unknown label in row 2"),
        ({"image": IMAGE, "report": ["No effusion."] * 4}, "a release must not hold the column 'report'"),
    ],
)
def test_what_does_not_fit_is_named(given, message):
    with pytest.raises(DataError, match=message):
        Release.of(**given)

"""Which groups may be told of: none of fewer than ten patients, and none from which such a one could be worked out."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from identity_data import release_of
from leadapron.attacks.identity.gallery import build_gallery
from leadapron.attacks.identity.identity_task import build_task
from leadapron.attacks.identity.strata import add_strata
from leadapron.attacks.membership.tail import tail_groups
from leadapron.audits import Gathering, find_audit
from leadapron.audits.groups import Risks, add_groups, tellable
from leadapron.results.withheld import FEWEST_PATIENTS


def column(**sizes: int) -> pl.Series:
    """One row a patient; ``unknown`` is null."""
    kinds = [None if kind == "unknown" else kind for kind, size in sizes.items() for _ in range(size)]
    return pl.Series("attribute", kinds, dtype=pl.String)


def told(kinds: pl.Series, patient: np.ndarray | None = None) -> set[str]:
    return set(tellable(kinds, np.arange(len(kinds)) if patient is None else patient).drop_nulls())


@pytest.mark.parametrize(
    ("sizes", "left"),
    [
        ({"a": 50, "b": 50}, {"a", "b"}),
        ({"a": 10, "b": 10}, {"a", "b"}),
        ({"a": 95, "b": 5}, set()),
        ({"a": 50, "b": 42, "c": 8}, {"a"}),
        ({"a": 60, "b": 30, "c": 5, "d": 5}, {"a", "b"}),
        ({"a": 50, "b": 20, "unknown": 3}, {"a"}),
        ({"a": 50, "b": 20, "unknown": 10}, {"a", "b"}),
        ({"a": 50, "b": 4, "unknown": 6}, {"a"}),
        ({"a": 9, "b": 9}, set()),
    ],
)
def test_the_rows_that_are_not_told_are_nobodys_or_those_of_ten_patients(sizes, left):
    assert told(column(**sizes)) == left


def test_patients_count_and_not_rows_also_where_they_are_of_several_kinds():
    # five patients have thirty rows of b, and rows of a as well: subtracted, they would be those thirty rows
    patient = np.concatenate([np.arange(40), np.repeat(np.arange(5), 6)])
    kinds = pl.Series("attribute", ["a"] * 40 + ["b"] * 30)
    assert told(kinds, patient) == set()


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["a", "b", "c", None]), st.integers(0, 25)), max_size=120))
def test_no_small_rest_can_be_had_by_subtraction(rows):
    kinds = pl.Series("attribute", [kind for kind, _ in rows], dtype=pl.String)
    patient = np.array([who for _, who in rows], dtype=np.int64)
    left = told(kinds, patient)
    for kind in left:
        assert len({who for other, who in rows if other == kind}) >= FEWEST_PATIENTS
    rest = {who for kind, who in rows if kind not in left}
    assert len(rest) == 0 or len(rest) >= FEWEST_PATIENTS or not left


def told_groups(found: Gathering) -> set[str | None]:
    return {row.group for row in found.estimates}


def test_what_is_withheld_is_in_no_estimate_and_in_no_test():
    patient = np.arange(429)
    records = pl.DataFrame(
        {
            "label_fracture": np.where(patient < 5, 1, 0),
            "race": np.select([patient < 5, patient < 60], ["Other", "Asian"], "White"),
            "sex": np.where(patient % 2 == 0, "F", "M"),
        }
    )
    risk = (patient < 5).astype(float)
    at = {"direction": "image-to-report", "protocol": "random", "pool": 100}
    measured = Risks("recall@1", "cosine", at, risk, np.full(429, 0.01), patient)
    found = Gathering(find_audit("linkage"))
    tests = add_groups(found, records, measured)
    assert told_groups(found) == {"sex=F", "sex=M", "race=White"}
    assert [test.attribute for test in tests] == ["sex"]
    assert [test.groups for test in tests] == [2]


def test_groups_in_the_tail_do_not_give_small_ones_away():
    patient = np.arange(400)
    records = pl.DataFrame(
        {
            "label_fracture": np.where(patient < 5, 1, 0),
            "source": np.select([patient < 5, patient < 60, patient < 200], ["tiny", "small", "large"], "largest"),
        }
    )
    found = tail_groups(records, patient, patient < 20, seed=0)
    assert found.table.select("attribute", "group").rows() == [("source", "large"), ("source", "largest")]
    assert [(test.attribute, test.groups) for test in found.tests] == [("source", 2)]


def test_strata_of_pairs_do_not_give_small_ones_away():
    # two images of each patient; the view changes for six of them
    patient = np.repeat(np.arange(40), 2)
    view = np.where((patient < 6) & (np.arange(80) % 2 == 0), "AP", "PA")
    image = np.random.default_rng(0).normal(size=(80, 4))
    task = build_task(build_gallery(release_of(image, patient, view=view)))
    found = Gathering(find_audit("identity"))
    add_strata(found, task, "cosine", np.ones(len(task.first), dtype=bool), 0.01, "image-to-image")
    assert told_groups(found) == set()

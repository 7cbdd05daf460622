"""How good a model is, by counting pairs one by one."""

from __future__ import annotations

import numpy as np
import pytest

from federated_data import plan, station
from leadapron.federated.architectures import Inputs, new_model
from leadapron.federated.fusion_model import fingerprint, weights_of
from leadapron.federated.scoring import aurocs, logits, macro_auroc, mean_scores, view_for


def by_pairs(scores: np.ndarray, truth: np.ndarray) -> float:
    """How often a record with the finding scores above one without it; a tie is half a win."""
    wins = [
        1.0 if up > down else 0.5 if up == down else 0.0
        for up in scores[truth == 1]
        for down in scores[truth == 0]
    ]  # fmt: skip
    return float(np.mean(wins)) if wins else float("nan")


def test_the_area_is_the_share_of_pairs_in_the_right_order_and_unknowns_are_left_out():
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 6, (50, 5)).astype(float)
    truth = rng.integers(-1, 2, (50, 5)).astype(np.int8)
    truth[:, 3] = np.where(truth[:, 3] == 0, -1, truth[:, 3])  # nobody is known to be without it
    slow = [by_pairs(scores[:, at], truth[:, at]) for at in range(5)]
    assert np.isnan(slow[3])
    np.testing.assert_allclose(aurocs(scores, truth), slow, rtol=1e-12)


def model():
    return new_model(plan(), Inputs(6, 6, 3))


def test_the_macro_mean_is_over_findings_of_which_both_kinds_are_there():
    own, records = model(), station(40)
    records.truth[:, 1] = 1
    slow = [by_pairs(logits(own, records, "both")[:, at], records.truth[:, at]) for at in (0, 2)]
    assert macro_auroc(own, records, "both") == pytest.approx(np.mean(slow))


def test_a_view_shows_the_model_no_more_than_it_says():
    own, records = model(), station(30)
    changed = station(30, seed=1)
    for view, half in (("image", "text"), ("text", "image")):
        other = type(records)(**{**vars(records), half: getattr(changed, half)})
        np.testing.assert_array_equal(logits(own, records, view), logits(own, other, view))
        assert not np.array_equal(logits(own, records, "both"), logits(own, other, "both"))


def test_a_hospital_s_own_model_is_shown_what_it_has_learnt():
    assert [view_for("image", view) for view in ("both", "image", "text")] == ["image", "image", None]
    assert [view_for("text", view) for view in ("both", "image", "text")] == ["text", None, "text"]
    assert [view_for("both", view) for view in ("both", "image", "text")] == ["both", "image", "text"]


def test_of_several_models_the_mean_is_told_and_none_stays_behind():
    """What one hospital learnt must not be sent to the others in the next round."""
    common, records = model(), station(40)
    before = fingerprint(weights_of(common))
    own = [weights_of(new_model(plan(seed=seed), Inputs(6, 6, 3))) for seed in (1, 2)]
    found = mean_scores(common, [(own[0], "image"), (own[1], "both")], records)
    each = []
    for seed, view in ((1, "image"), (2, "both")):
        each.append(macro_auroc(new_model(plan(seed=seed), Inputs(6, 6, 3)), records, view))
    assert found.both == pytest.approx(np.mean(each))
    assert found.text == macro_auroc(new_model(plan(seed=2), Inputs(6, 6, 3)), records, "text")
    assert fingerprint(weights_of(common)) == before
    assert mean_scores(common, [(own[0], "image")], records).text is None

"""A run of training: it learns what is there and nothing else, and goes on after a kill as if there had been none."""

from __future__ import annotations

import importlib
import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from leadapron.attacks.identity.training import Phase, choose
from leadapron.attacks.identity.training.train import embeddings, train_identity
from leadapron.attacks.identity.training.validation import cosine_scores, recognition
from leadapron.phantoms import Dials, build_clinic

SIZE = 32
loop = importlib.import_module("leadapron.training.training_loop")


@pytest.fixture(autouse=True)
def one_thread(monkeypatch):
    monkeypatch.setenv("LEADAPRON_THREADS", "1")


@pytest.fixture(scope="module")
def pixels():
    return build_clinic(Dials(patients=60, seed=0)).pixels(SIZE)  # a seed with several validation patients


def same_weights(left, right):
    held = right.network.state_dict()
    return all(torch.equal(value, held[name]) for name, value in left.network.state_dict().items())


RETRIEVAL = choose(image_size=SIZE, epochs=2, patients_a_batch=8)
WITH_MEMORY = replace(RETRIEVAL, memory=64, phases=(Phase(2, 1e-3, 1e-4, head_only=True), Phase(2, 1e-3, 1e-4)))
VERIFICATION = choose("verification", image_size=SIZE, epochs=3, training_pairs=120)
PUBLISHED = replace(
    WITH_MEMORY, loss="contrastive", optimiser="sgd", augment=False, batch_norm=False, images_a_patient=4
)


@pytest.mark.parametrize("config", [WITH_MEMORY, VERIFICATION, PUBLISHED], ids=["memory", "pairs", "published"])
def test_a_run_that_is_killed_between_epochs_ends_in_the_same_weights(pixels, tmp_path, config, monkeypatch):
    whole = train_identity(pixels, config)
    finish = loop._epoch  # noqa: SLF001
    epochs = sum(phase.epochs for phase in config.phases)
    done = []

    def killed(*arguments):
        if len(done) % 2:  # every second epoch the power goes before it
            done.append("killed")
            raise KeyboardInterrupt
        done.append("finished")
        return finish(*arguments)

    monkeypatch.setattr(loop, "_epoch", killed)
    for _ in range(epochs - 1):
        with pytest.raises(KeyboardInterrupt):
            train_identity(pixels, config, work=tmp_path)
    resumed = train_identity(pixels, config, work=tmp_path)
    assert done.count("finished") == epochs, "no epoch was trained twice"
    assert same_weights(resumed, whole)
    assert resumed.card == whole.card
    assert len({json.dumps(epoch) for epoch in whole.card["history"]}) == epochs


def test_what_another_run_has_kept_is_not_taken_up(pixels, tmp_path):
    train_identity(pixels, RETRIEVAL, work=tmp_path)
    other = replace(RETRIEVAL, seed=1)
    assert same_weights(train_identity(pixels, other, work=tmp_path), train_identity(pixels, other))
    images = pixels.images.copy()
    images[-1] = 255 - images[-1]
    changed = replace(pixels, images=images)
    train_identity(pixels, RETRIEVAL, work=tmp_path)
    assert train_identity(changed, RETRIEVAL, work=tmp_path).card == train_identity(changed, RETRIEVAL).card
    (tmp_path / "epoch.pt").write_bytes(b"cut short")
    assert same_weights(train_identity(pixels, RETRIEVAL, work=tmp_path), train_identity(pixels, RETRIEVAL))


def test_test_patients_are_not_looked_at(pixels):
    test = (pixels.cohort.records["split"] == "test").to_numpy()
    images = pixels.images.copy()
    images[test] = 0
    assert same_weights(train_identity(replace(pixels, images=images), RETRIEVAL), train_identity(pixels, RETRIEVAL))


def test_fixed_pairs_are_the_same_in_each_epoch_and_redrawn_ones_are_not(pixels, monkeypatch):
    training = importlib.import_module("leadapron.attacks.identity.training.train")
    seen = []

    def spied(_network, data, *_arguments, **_options):
        for epoch in range(2):
            batches = data.batches(np.random.default_rng(epoch))
            negatives = np.concatenate([batch.rows.reshape(2, -1)[:, batch.truth == 0].T for batch in batches])
            seen.append({tuple(pair) for pair in negatives.tolist()})
            assert sum(batch.truth.sum() for batch in batches) == 60
        return [{"auc": 0.5}]

    monkeypatch.setattr(training, "run", spied)
    for pairs in ("fixed", "redrawn"):
        train_identity(pixels, replace(VERIFICATION, pairs=pairs))
    assert seen[0] == seen[1]
    assert seen[2] != seen[3]


def test_training_stops_when_validation_does_not_get_better(pixels, monkeypatch):
    """The best epoch is the second; after five more without a better one there are no more."""
    training = importlib.import_module("leadapron.attacks.identity.training.train")
    course = iter([0.5, 0.8, 0.7, 0.8, 0.6, 0.7, 0.8, 0.9])
    kept = []

    def recognition(*_arguments):
        return {"auc": next(course), "precision_at_1": 0.0}

    monkeypatch.setattr(training, "recognition", recognition)
    monkeypatch.setattr(loop, "_epoch", lambda network, *_rest: _mark(network, kept))
    config = replace(VERIFICATION, phases=(Phase(40, 1e-3, 1e-3),))
    trained = train_identity(pixels, config)
    assert [epoch["auc"] for epoch in trained.card["history"]] == [0.5, 0.8, 0.7, 0.8, 0.6, 0.7, 0.8]
    assert trained.card["validation"]["epoch"] == 2
    assert trained.network.judge.bias.item() == 2.0, "the weights are those of the best epoch"


def _mark(network, kept):
    kept.append(1)
    with torch.no_grad():
        network.judge.bias.fill_(float(len(kept)))
    return 0.0


@pytest.mark.study
def test_identity_in_the_images_is_learned_and_its_absence_is_not():
    """Held-out patients at identity 1 are recognised far above chance after seconds; at identity 0 nobody is."""
    found = {}
    for identity in (1.0, 0.0):
        clinic = build_clinic(Dials(patients=200, seed=5, identity=identity))
        pixels = clinic.pixels(64)
        trained = train_identity(pixels, choose(image_size=64, epochs=8, patients_a_batch=32))
        records = pixels.cohort.records
        test = (records["split"] == "test").to_numpy()
        rows = embeddings(trained.network, pixels.images[test])
        patients, studies = (records[name].to_numpy()[test].astype(str) for name in ("patient_id", "study_id"))
        found[identity] = recognition(rows, patients, cosine_scores, apart=studies)
    assert found[1.0]["auc"] > 0.85
    assert found[1.0]["precision_at_1"] > 0.4
    assert abs(found[0.0]["auc"] - 0.5) < 0.06
    assert found[0.0]["precision_at_1"] < 0.1

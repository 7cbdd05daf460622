"""Networks as attackers: that of real images is trained once for all releases, on no more images than allowed."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from image_data import images_of, noised, subject_of
from leadapron.attacks.images import image_networks
from leadapron.attacks.images.image_attackers import ADAPTIVE, STATIC
from leadapron.attacks.images.image_networks import embed_by_networks
from leadapron.attacks.images.image_sides import sides_of
from leadapron.engine.remembered import forget


@pytest.fixture
def trained(monkeypatch):
    """Trainings in their order; nothing is learnt, and an embedding is the mean of an image."""
    pytest.importorskip("torch")
    from leadapron.attacks.identity.training import train

    calls = []

    def learn(pixels, *_, **__):
        calls.append(pixels)
        return SimpleNamespace(network=0)

    monkeypatch.setattr(train, "train_identity", learn)
    monkeypatch.setattr(train, "embeddings", lambda _, images, **__: images.mean(axis=(1, 2))[:, None])
    forget()
    yield calls
    forget()


def test_what_was_learnt_from_real_images_serves_all_releases(trained):
    for released in (noised("real", 5), noised("real", 20)):
        subject = subject_of(released)
        sides = sides_of(subject.source.records, "images")
        found = embed_by_networks(subject, sides, epochs=1, seed=0)
        assert set(found) == {STATIC, ADAPTIVE}
        for seen, real in found.values():
            assert np.allclose(seen[:, 0], subject.released.images.mean(axis=(1, 2)))
            assert np.allclose(real[:, 0], subject.source.images.mean(axis=(1, 2)))
    assert [len(pixels.cohort) for pixels in trained] == [len(trained[0].cohort) * times for times in (1, 2, 2)]


def test_undefended_images_need_one_network_and_nobody_under_attack_is_learnt_from(trained):
    subject = subject_of("real")
    sides = sides_of(subject.source.records, "images")
    found = embed_by_networks(subject, sides, epochs=1, seed=0)
    assert found[STATIC] is found[ADAPTIVE]
    (pixels,) = trained
    attacked = images_of("real").records["patient_id"][sides.attacked.tolist()]
    assert not set(pixels.cohort.records["patient_id"]) & set(attacked)


def test_training_images_are_bounded_and_patients_stay_whole(trained, monkeypatch):
    monkeypatch.setattr(image_networks, "MOST_IMAGES", 100)
    subject = subject_of("real")
    sides = sides_of(subject.source.records, "images")
    embed_by_networks(subject, sides, epochs=1, seed=0)
    records = trained[0].cohort.records.filter(split="train")
    assert 80 < len(records) <= 100
    whole = images_of("real").records.filter(pl.col("patient_id").is_in(set(records["patient_id"])))
    assert set(whole["record_id"]) == set(records["record_id"])

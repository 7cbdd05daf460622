"""The generator ``registered``: the same each time, led by words alone, and nobody's image."""

from __future__ import annotations

import numpy as np
import pytest

from leadapron.errors import DataError
from leadapron.generation import fit_generator
from leadapron.generation.fit_generator import fit_registered
from leadapron.generation.generator import Guides
from tiny_generators import SIZE, tiny_generator, tiny_images, tiny_prompts, training_rows

SOUND = "PA view. No pleural effusion. No cardiomegaly."


def some(count=60):
    rows = training_rows()[:count]
    return tiny_images().images[rows], [tiny_prompts()[row] for row in rows]


def test_the_same_seed_draws_the_same_and_another_seed_something_else():
    one, same = (tiny_generator().draw(tiny_prompts()[:40], seed=3).images for _ in range(2))
    other = tiny_generator().draw(tiny_prompts()[:40], seed=4).images
    assert np.array_equal(one, same)
    assert np.abs(one.astype(int) - other).mean() > 5


def test_the_same_images_and_words_fit_the_same_generator(monkeypatch):
    first = fit_registered(*some(), seed=2).draw(["Pneumonia."] * 5, seed=0).images
    monkeypatch.setenv("LEADAPRON_THREADS", "3")
    assert np.array_equal(first, fit_registered(*some(), seed=2).draw(["Pneumonia."] * 5, seed=0).images)


def test_a_killed_fit_goes_on_where_it_was(tmp_path, monkeypatch):
    monkeypatch.setattr(fit_generator, "BLOCK", 20)
    whole = fit_registered(*some(), seed=2)
    registered, real = [], fit_generator.Template.register

    def counted(self, images):
        registered.append(len(images))
        if len(registered) == 3:
            raise KeyboardInterrupt
        return real(self, images)

    monkeypatch.setattr(fit_generator, "learn_template", lambda *_: whole.template)
    monkeypatch.setattr(fit_generator.Template, "register", counted)
    with pytest.raises(KeyboardInterrupt):
        fit_registered(*some(), seed=2, work=tmp_path)
    resumed = fit_registered(*some(), seed=2, work=tmp_path)
    # the third began anew, the first two were kept; layers are registered after them, all their images at once
    assert [count for count in registered if count == 20] == [20, 20, 20, 20]
    assert np.array_equal(resumed.draw([SOUND] * 3, seed=0).images, whole.draw([SOUND] * 3, seed=0).images)


def test_findings_appear_where_they_are_said_to_be():
    sides = {}
    for side in ("right", "left"):
        prompts = [f"PA view. Large {side} pleural effusion. No cardiomegaly."] * 60
        sides[side] = tiny_generator().draw(prompts, seed=1).images.astype(float).mean(axis=0)
    more = sides["right"] - sides["left"]
    low = slice(int(0.50 * SIZE), int(0.72 * SIZE))
    in_right, in_left = more[low, int(0.12 * SIZE) : int(0.38 * SIZE)], more[low, int(0.62 * SIZE) : int(0.88 * SIZE)]
    assert in_right.mean() > 10
    assert in_left.mean() < -10


def test_more_is_drawn_where_more_is_said():
    low = slice(int(0.45 * SIZE), int(0.65 * SIZE))
    small, large = (
        tiny_generator().draw([f"PA view. {grade} bilateral pleural effusion."] * 60, seed=1).images[:, low].mean()
        for grade in ("Small", "Large")
    )
    assert large > small + 2


def test_at_strength_0_the_source_comes_back_and_in_between_it_shines_through():
    images, prompts = tiny_images().images[:30], tiny_prompts()[:30]
    away = {}
    for strength in (0.0, 0.3, 0.7):
        drawn = tiny_generator().draw(prompts, seed=5, guides=Guides(images, strength)).images
        away[strength] = np.abs(drawn.astype(int) - images).mean()
    assert away[0.0] < 1
    assert away[0.0] < away[0.3] < away[0.7]


def test_guidance_keeps_how_much_images_vary():
    images, prompts = tiny_images().images[:60], tiny_prompts()[:60]
    fresh = tiny_generator().draw(prompts, seed=5).images.astype(float).var(axis=0).mean()
    mixed = tiny_generator().draw(prompts, seed=5, guides=Guides(images, 0.5)).images.astype(float).var(axis=0).mean()
    assert mixed == pytest.approx(fresh, rel=0.3)


def test_no_patch_of_a_training_image_is_drawn_again():
    """Of counterparts of training patients, with their own words, none holds 8 x 8 pixels of any training image."""
    rows = training_rows()
    drawn = tiny_generator().draw([tiny_prompts()[row] for row in rows[:40]], seed=9).images.astype(np.float32)
    source = tiny_images().images[rows].astype(np.float32)
    for top in range(4, SIZE - 8, 6):
        for left in range(4, SIZE - 8, 6):
            ours = drawn[:, top : top + 8, left : left + 8].reshape(len(drawn), -1)
            theirs = source[:, top : top + 8, left : left + 8].reshape(len(source), -1)
            textured = ours.std(axis=1) > 5  # black corners are alike everywhere
            distance = np.abs(ours[textured, None] - theirs[None]).mean(axis=2)
            assert distance.min(initial=99) > 1


def test_images_are_of_the_right_kind_and_none_explodes():
    drawn = tiny_generator().draw(["", "no words that are known", SOUND], seed=0)
    assert drawn.images.shape == (3, SIZE, SIZE)
    assert drawn.images.dtype == np.uint8
    assert drawn.clipped == 0


def test_too_few_images_and_sizes_that_do_not_fit_are_refused():
    images, prompts = some(10)
    with pytest.raises(DataError, match="more images"):
        fit_registered(images, prompts)
    with pytest.raises(DataError, match="multiple of 16"):
        fit_registered(np.zeros((30, 40, 40), np.uint8), [""] * 30)


def test_images_that_are_all_alike_are_drawn_alike():
    flat = np.full((30, 32, 32), 90, np.uint8)
    drawn = fit_registered(flat, [SOUND] * 30).draw([SOUND], seed=0)
    assert np.abs(drawn.images.astype(int) - 90).max() <= 3

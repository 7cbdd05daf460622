"""One loop for all networks: it is torch's own in slow motion, remembers the best epoch, and goes on after a kill."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from leadapron.errors import DataError
from leadapron.training.epoch_checkpoint import Checkpoint
from leadapron.training.training_loop import Course, Watch, fit, one_cycle

ROWS = torch.from_numpy(np.random.default_rng(0).normal(size=(12, 3)).astype(np.float32))
TRUTH = ROWS @ torch.tensor([1.0, -2.0, 0.5])


def network():
    torch.manual_seed(0)
    return torch.nn.Linear(3, 1)


def course_of(model, epochs=4, low=0.01, high=0.1, loss=torch.nn.functional.mse_loss):
    optimiser = torch.optim.SGD(model.parameters(), lr=low, momentum=0.9)

    def begin(epoch):
        order = np.random.default_rng([7, epoch]).permutation(12)
        return [lambda rows=rows: (ROWS[rows], TRUTH[rows]) for rows in np.split(order, 3)]

    def step(rows, truth):
        cost = loss(model(rows)[:, 0], truth)
        optimiser.zero_grad()
        cost.backward()
        optimiser.step()
        return cost.item()

    return Course("learning", epochs, low, high, optimiser, begin, step)


def test_the_loop_is_plain_descent_with_one_cycle_of_the_learning_rate():
    slow, told = network(), []
    optimiser = torch.optim.SGD(slow.parameters(), lr=0.01, momentum=0.9)
    for epoch in range(4):
        for place, rows in enumerate(np.split(np.random.default_rng([7, epoch]).permutation(12), 3)):
            optimiser.param_groups[0]["lr"] = one_cycle((3 * epoch + place) / 12, 0.01, 0.1)
            optimiser.zero_grad()
            torch.nn.functional.mse_loss(slow(ROWS[rows])[:, 0], TRUTH[rows]).backward()
            optimiser.step()
    quick = network()
    standing = fit(quick, [lambda: course_of(quick)], progress=lambda *said: told.append(said))
    assert torch.equal(quick.weight, slow.weight)
    assert [row["epoch"] for row in standing.history] == [1, 2, 3, 4]
    assert told[-1] == ("learning", 12, 12)
    assert not quick.training


@pytest.mark.parametrize(("patience", "epochs"), [(2, 4), (3, 6), (None, 6)])
def test_the_best_epoch_is_kept_as_long_as_there_is_patience(patience, epochs):
    model, seen = network(), []
    figures = iter([0.1, 0.5, 0.5, 0.4, 0.6, 0.2])

    def watched():
        seen.append(model.weight.detach().clone())
        return {"figure": next(figures)}

    standing = fit(model, [lambda: course_of(model, epochs=6)], Watch(watched, "figure", patience))
    assert len(standing.history) == standing.epochs == epochs
    best = {2: 2, 3: 5, None: 6}[patience]
    assert standing.best_epoch == (0 if patience is None else best)
    assert torch.equal(model.weight, seen[best - 1])


def test_a_run_that_is_killed_in_any_epoch_ends_in_the_same_weights(tmp_path):
    whole = network()
    fit(whole, [lambda: course_of(whole, 2), lambda: course_of(whole, 3)])
    killed = 0
    while True:
        model, steps = network(), []

        def dies(_stage, _done, _total, steps=steps):
            steps.append(1)
            if len(steps) == 4:  # one epoch is done, and a step of the next
                raise KeyboardInterrupt

        courses = [lambda model=model: course_of(model, 2), lambda model=model: course_of(model, 3)]
        try:
            fit(model, courses, checkpoint=Checkpoint(tmp_path, "run"), progress=dies)
        except KeyboardInterrupt:
            killed += 1
            continue
        break
    assert killed == 4
    assert torch.equal(model.weight, whole.weight)
    assert Checkpoint(tmp_path, "another run").read() is None


def test_a_loss_that_is_not_finite_is_told_with_a_way_out():
    model = network()
    with pytest.raises(DataError, match=r"no longer finite in epoch 1; got inf.*--learning-rate"):
        fit(model, [lambda: course_of(model, loss=lambda rows, _truth: (rows * torch.inf).abs().sum())])

"""The engine that needs nothing else: hospitals in one process, one after another, each in its own folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from leadapron.engine import Progress
from leadapron.federated.coordinator import Coordinator
from leadapron.federated.federation_folder import SERVER
from leadapron.federated.hospital import Hospital
from leadapron.federated.run_card import Run
from leadapron.training.devices import device

if TYPE_CHECKING:
    from leadapron.federated.federate import Machine, Tell


def run_in_process(folder: Path, out: Path, machine: Machine, *, tell: Tell, progress: Progress) -> Run:
    """Round after round, the hospitals in the order of their names."""
    on = str(device(machine.device))
    coordinator = Coordinator(
        folder / SERVER, out, engine="in-process", device=on, weights=machine.weights, keep_updates=machine.keep_updates
    )
    hospitals = {member.name: Hospital(folder / member.name, on, machine.weights) for member in coordinator.run.members}
    while (number := coordinator.next_round) is not None:
        request = coordinator.request(number)
        answers = {}
        for name in coordinator.participants(number):
            answers[name] = hospitals[name].answer(request)
            done = (number - 1) * len(hospitals) + len(answers)
            progress("rounds of training", done, coordinator.plan.rounds * len(hospitals))
        tell(coordinator.run, coordinator.takes(request, answers, {}))
    return coordinator.run if coordinator.run.finished else coordinator.finish()

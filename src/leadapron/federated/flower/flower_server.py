"""The coordinator as a server of Flower's: the rounds as messages, and the answers in the order of the names."""

from __future__ import annotations

from flwr.app import Context, Message, MessageType, RecordDict

from leadapron.federated.coordinator import Coordinator
from leadapron.federated.flower.flower_line import Line
from leadapron.federated.flower.flower_messages import FINISH, arrays_record, read_answer, request_record
from leadapron.federated.flower.secure_sum import secure_sum
from leadapron.federated.hospital import Request
from leadapron.federated.run_card import MODEL, read_arrays

FAREWELL = 60.0


def serve(coordinator: Coordinator, line: Line, context: Context) -> None:
    """All rounds that are left; then every hospital gets the model, unless each has one of its own."""
    names = [member.name for member in coordinator.run.members]
    line.wait_for(names)
    while (number := coordinator.next_round) is not None:
        _round(coordinator, coordinator.request(number), line, context)
    if not coordinator.run.finished:
        coordinator.finish()
    model = coordinator.out / MODEL
    content = RecordDict({**arrays_record(read_arrays(model) if model.exists() else {})})
    line.ask({name: Message(content, node, FINISH) for name, node in line.nodes(names).items()}, FAREWELL)


def _round(coordinator: Coordinator, request: Request, line: Line, context: Context) -> None:
    line.missing = {}
    nodes = line.nodes(coordinator.participants(request.round))
    if not coordinator.plan.secure:
        content = request_record(request)
        group = str(request.round)
        replies = line.ask({name: Message(content, nodes[name], MessageType.TRAIN, group_id=group) for name in nodes})
        answers = {name: read_answer(reply.content) for name, reply in replies.items()}
        coordinator.takes(request, answers, line.missing)
    elif (found := secure_sum(line, nodes, coordinator, request, context)) is not None:
        summed, counted = found
        left_out = {name: why for name, why in line.missing.items() if name not in counted}
        coordinator.takes_sum(request, summed, counted, left_out)
    else:
        coordinator.check_enough(request, 0, line.missing)

"""The sum of the hospitals' updates by SecAgg+, so that the server sees none of them.

Flower offers SecAgg+ to its older kind of app alone. Here its protocol runs between apps of the current kind: the older
records that it wants to see are made by hand, and ours travel with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
from flwr.app import ArrayRecord, ConfigRecord, Context, Message, RecordDict
from flwr.common import Code, FitIns, FitRes, Parameters, Status, ndarrays_to_parameters, parameters_to_ndarrays
from flwr.common.secure_aggregation.secaggplus_constants import RECORD_KEY_CONFIGS, Key, Stage
from flwr.compat.common import recorddict_compat as older
from flwr.server import LegacyContext
from flwr.server.workflow import SecAggPlusWorkflow
from flwr.server.workflow.constant import MAIN_CONFIGS_RECORD, MAIN_PARAMS_RECORD

from leadapron.federated.coordinator import Coordinator
from leadapron.federated.federation_plan import Plan
from leadapron.federated.flower.flower_line import Line, Nodes
from leadapron.federated.flower.flower_messages import request_record
from leadapron.federated.hidden_updates import LARGEST, Summed, Weighing, hidden, revealed
from leadapron.federated.hospital import PATIENTS, Hospital, Request
from leadapron.federated.methods import FEWEST, METHODS
from leadapron.federated.methods.averaging import Averaging
from leadapron.federated.methods.method import Answer

ENOUGH = 0.67
"""The share of hospitals that must stay to the end of a round. What is lost before is taken out of the sum."""
WORD = 31
"""Bits of the largest sum of whole numbers."""
WEIGHING = "weighing"


def secure_sum(
    line: Line, nodes: Nodes, coordinator: Coordinator, request: Request, context: Context
) -> tuple[Summed, dict[str, Answer]] | None:
    """What the updates add up to, and the hospitals that are in the sum; None where too few stayed to the end."""
    if len(nodes) < FEWEST:
        return None
    weighing = coordinator.weighing(request.round)
    protocol = _Protocol(line, nodes, RecordDict({**request_record(request), WEIGHING: _record(weighing)}))
    levels = 2 ** (WORD - len(nodes).bit_length())
    stay = max(FEWEST, round(ENOUGH * len(nodes)))
    limit = _limit(coordinator.plan)
    workflow = SecAggPlusWorkflow(1.0, stay, max_weight=1.0, clipping_range=limit, quantization_range=levels)
    context.state[MAIN_CONFIGS_RECORD] = ConfigRecord({"current_round": request.round})
    context.state[MAIN_PARAMS_RECORD] = ArrayRecord()
    workflow(
        cast(Any, protocol), LegacyContext(context, strategy=cast(Any, protocol), client_manager=cast(Any, protocol))
    )
    if protocol.mean is None:
        return None
    total = protocol.mean * len(protocol.answers)
    mean, weights, loss = revealed(total, request.arrays)
    sent = None if coordinator.plan.noise else loss
    return Summed(mean, weights, weighing, sent, protocol.messages, protocol.bytes_received), protocol.answers


def vector_record(hospital: Hospital, request: Request, content: RecordDict) -> RecordDict:
    """A hospital's update as a vector, in the record that SecAgg+ masks before it is sent."""
    answer, weighing = hospital.answer(request), _weighing(content)
    plan, method = hospital.card.plan, METHODS.find(hospital.card.plan.method)
    assert isinstance(method, Averaging)
    patients = answer.arrays.pop(PATIENTS, np.empty(0, np.uint64))
    weights = weighing.weights(method, plan, hospital.station.holds, answer.records)
    vector = hidden(answer, request.arrays, weights, _limit(plan))
    openly: dict[str, Any] = {PATIENTS: patients.tobytes(), "records": answer.records}
    return older.fitres_to_recorddict(
        FitRes(Status(Code.OK, ""), ndarrays_to_parameters([vector]), num_examples=1, metrics=openly), keep_input=False
    )


class _Protocol:
    """All that SecAgg+ asks of Flower's older server: whom to send to, how, and where to leave the result."""

    def __init__(self, line: Line, nodes: Nodes, ours: RecordDict) -> None:
        self.line, self.ours = line, ours
        self.names = {node: name for name, node in nodes.items()}
        self.mean: Any = None
        self.answers: dict[str, Answer] = {}
        self.messages = self.bytes_received = 0

    def num_available(self) -> int:
        return len(self.names)

    def configure_fit(self, *_: object) -> list[tuple[Any, FitIns]]:
        return [(SimpleNamespace(node_id=node), FitIns(Parameters([], ""), {})) for node in self.names]

    def send_and_receive(self, messages: Iterable[Message], **_: object) -> list[Message]:
        asked = {self.names[message.metadata.dst_node_id]: message for message in messages}
        for message in asked.values():
            if message.content.config_records[RECORD_KEY_CONFIGS][Key.STAGE] == Stage.COLLECT_MASKED_VECTORS:
                message.content.update(self.ours)
        replies = list(self.line.ask(asked).values())
        self.messages += len(asked) + len(replies)
        for reply in replies:
            masked = reply.content.config_records[RECORD_KEY_CONFIGS].get(Key.MASKED_PARAMETERS, [])
            self.bytes_received += sum(map(len, cast(list[bytes], masked)))
        return replies

    def aggregate_fit(
        self, _round: int, results: list[tuple[Any, FitRes]], _failures: list[Any]
    ) -> tuple[None, dict[str, Any]]:
        self.mean = parameters_to_ndarrays(results[0][1].parameters)[0]
        for proxy, result in results:
            patients = np.frombuffer(cast(bytes, result.metrics[PATIENTS]), np.uint64)
            arrays = {PATIENTS: patients} if patients.size else {}
            self.answers[self.names[proxy.node_id]] = Answer(arrays, cast(int, result.metrics["records"]), None)
        return None, {}


def _limit(plan: Plan) -> float:
    return max(LARGEST, plan.clip or 0.0)


def _record(weighing: Weighing) -> ConfigRecord:
    return ConfigRecord({"records": weighing.records, **weighing.largest})


def _weighing(content: RecordDict) -> Weighing:
    told = cast(Mapping[str, Any], content.config_records[WEIGHING])
    return Weighing(told["records"], {group: value for group, value in told.items() if group != "records"})

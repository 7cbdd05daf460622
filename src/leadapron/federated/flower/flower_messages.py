"""What travels between the server and a hospital, as Flower's records."""

from __future__ import annotations

from typing import cast

from flwr.app import Array, ArrayRecord, ConfigRecord, RecordDict

from leadapron.federated.hospital import Request
from leadapron.federated.methods.method import Answer
from leadapron.federated.station import Arrays

ARRAYS, NUMBERS = "arrays", "numbers"
FINISH = "query.finish"
"""The kind of the last message, which brings the model that came out."""


def request_record(request: Request) -> RecordDict:
    return RecordDict(
        {**arrays_record(request.arrays), NUMBERS: ConfigRecord({"round": request.round, "plan": request.plan})}
    )


def read_request(content: RecordDict) -> Request:
    numbers = content.config_records[NUMBERS]
    return Request(cast(int, numbers["round"]), cast(str, numbers["plan"]), read_arrays_record(content))


def answer_record(answer: Answer) -> RecordDict:
    numbers = ConfigRecord({"records": answer.records})
    if answer.loss is not None:
        numbers["loss"] = answer.loss
    return RecordDict({**arrays_record(answer.arrays), NUMBERS: numbers})


def read_answer(content: RecordDict) -> Answer:
    numbers = content.config_records[NUMBERS]
    return Answer(read_arrays_record(content), cast(int, numbers["records"]), cast(float | None, numbers.get("loss")))


def arrays_record(arrays: Arrays) -> dict[str, ArrayRecord]:
    return {ARRAYS: ArrayRecord({name: Array(array) for name, array in arrays.items()})}


def read_arrays_record(content: RecordDict) -> Arrays:
    return {name: array.numpy() for name, array in content.array_records[ARRAYS].items()}

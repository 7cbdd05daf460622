"""A hospital as a client of Flower's: it trains on its own folder when it is asked, and answers with arrays."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from functools import partial

from flwr.app import Context, Error, Message, RecordDict
from flwr.client.mod import secaggplus_mod
from flwr.clientapp import ClientApp
from flwr.common.constant import ErrorCode

from leadapron.engine.ours import claim
from leadapron.errors import LeadapronError
from leadapron.federated.flower.flower_messages import FINISH, answer_record, read_arrays_record, read_request
from leadapron.federated.flower.flower_process import FINISHED, SAID
from leadapron.federated.flower.secure_sum import vector_record
from leadapron.federated.hospital import Hospital
from leadapron.federated.run_card import MODEL, write_arrays


def client_app(hospital_of: Callable[[Context], Hospital], *, secure: bool, simulated: bool = False) -> ClientApp:
    """The client of the hospital that ``hospital_of`` finds: by its own folder, or by its number in a simulation."""
    flower = ClientApp()

    reasons = partial(_with_reasons, simulated)

    @flower.train(mods=[reasons, secaggplus_mod] if secure else [reasons])
    def train(message: Message, context: Context) -> Message:
        hospital, request = hospital_of(context), read_request(message.content)
        if secure:
            content = vector_record(hospital, request, message.content)
        else:
            content = answer_record(hospital.answer(request))
        print(f"{SAID}round {request.round}: trained on {len(hospital.station):,} records", flush=True)
        return Message(content, reply_to=message)

    @flower.query(FINISH.partition(".")[2])
    def finish(message: Message, context: Context) -> Message:
        file = hospital_of(context).folder / MODEL
        if model := read_arrays_record(message.content):
            claim(file.parent, MODEL)
            write_arrays(model, file)
        print(f"{SAID}{FINISHED}" + (f", and the model is here -> {file}" if model else ""), flush=True)
        return Message(RecordDict(), reply_to=message)

    return flower


def _with_reasons(
    simulated: bool, message: Message, context: Context, answer: Callable[[Message, Context], Message]
) -> Message:
    """A hospital that cannot answer says why."""
    try:
        return answer(message, context)
    except LeadapronError as error:  # in our own words, which name files and no patients
        reason = str(error)
    except Exception as error:  # in words that may name a patient: they stay here
        traceback.print_exception(error)
        more = str(error) if simulated else "the hospital's own log says more"
        reason = f"{type(error).__name__}: {more}"
    print(f"{SAID}not answered: {reason}", flush=True)
    return Message(Error(ErrorCode.CLIENT_APP_RAISED_EXCEPTION, reason), reply_to=message)

"""The server's side of a federation: what it sends, whom it asks, what it makes of the answers, and what it keeps."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import torch

from leadapron import __version__
from leadapron.engine.ours import claim
from leadapron.engine.private import private_folder
from leadapron.errors import DataError
from leadapron.federated.architectures import new_model
from leadapron.federated.dealing import shared
from leadapron.federated.federation_folder import read_admitted, read_public, read_records
from leadapron.federated.federation_plan import Holds
from leadapron.federated.fusion_model import fingerprint, load_weights, tensor, weights_of
from leadapron.federated.hidden_updates import Summed, Weighing, weighing_of
from leadapron.federated.hospital import PATIENTS, Request, inputs_of
from leadapron.federated.local_training import one_thread
from leadapron.federated.methods import METHODS
from leadapron.federated.methods.averaging import Averaging
from leadapron.federated.methods.method import Answer, Server
from leadapron.federated.noised_updates import guarantee_of
from leadapron.federated.round_state import keep_state, read_state
from leadapron.federated.run_card import (
    CARD,
    GLOBAL,
    MODEL,
    PUBLIC,
    ROUNDS,
    Round,
    Run,
    Scores,
    another_run,
    read_arrays,
    round_file,
    run_of_plan,
    write_arrays,
    write_run,
)
from leadapron.federated.scoring import VIEWS, macro_auroc, mean_scores
from leadapron.federated.seeded_streams import stream
from leadapron.federated.station import Arrays, Station, read_station
from leadapron.federated.testing import tested
from leadapron.federated.vetting import refused


class TooFewAnswersError(DataError):
    """A round that too few hospitals answered: what is there is kept, and the same command goes on."""

    exit_code: ClassVar[int] = 3


class Coordinator:
    """The server at work in the folder of a run; a run that was interrupted goes on after its last whole round."""

    def __init__(
        self,
        folder: Path,
        out: Path,
        *,
        engine: str = "in-process",
        device: str = "cpu",
        weights: Path | None = None,
        keep_updates: bool = True,
    ) -> None:
        self.out = out
        card = read_admitted(folder)
        self.plan, self._agreed = card.plan, card.agreed
        self.method = METHODS.find(card.plan.method)
        public = read_public(folder, card)
        self.validate = read_records(folder / "validate", card)
        self._test = folder / "test"
        model = new_model(card.plan, inputs_of(card), weights=weights).to(torch.device(device))
        begun = weights_of(model)
        self._records = {member.name: member.records for member in card.members}
        self.run = self._opened(
            Run(
                leadapron=__version__,
                engine=engine,
                plan=card.plan,
                source=card.source,
                labels=card.labels,
                members=card.members,
                public_records=len(public),
                parameters=int(sum(array.size for array in begun.values())),
                begin=fingerprint(begun),
                guarantee=guarantee_of(card.plan).as_dict(),
                updates_kept=keep_updates,
            )
        )
        self.server = Server(
            card.plan,
            model,
            public,
            public,
            memory=read_state(out, len(self.run.rounds), card.plan.fingerprint),
            validate=self.validate,
            holds={member.name: member.holds for member in card.members},
        )
        if self.run.rounds:
            load_weights(model, read_arrays(round_file(out, len(self.run.rounds), GLOBAL)))
        elif not round_file(out, 0, GLOBAL).exists():
            self._keep(0, {GLOBAL: begun})

    @property
    def next_round(self) -> int | None:
        """The number of the round to come; None where all are done."""
        done = len(self.run.rounds)
        return done + 1 if done < self.plan.rounds else None

    def participants(self, number: int) -> list[str]:
        """Those who are asked in a round, in the order of their names."""
        names = sorted(member.name for member in self.run.members)
        asked = max(min(self.plan.minimum, len(names)), round(self.plan.participation * len(names)))
        order = stream(self.plan, "participants", number).permutation(len(names))
        return [names[at] for at in sorted(order[:asked])]

    def request(self, number: int) -> Request:
        self.server.round, self.server.own_update, self.server.notes = number, None, {}
        with one_thread():
            return Request(number, self._agreed, self.method.sends(self.server))

    def takes(self, request: Request, answers: Mapping[str, Answer], missing: Mapping[str, str]) -> Round:
        """Bring the model forward by the answers of a round; ``missing`` says why others did not answer."""
        counted, left_out = self._counted(request, answers, dict(missing))
        with one_thread():
            self.method.takes(self.server, counted)
            scores = self._scores(self.validate, counted)
        return self._ended(
            request,
            counted,
            validation=scores,
            losses={name: answer.loss for name, answer in counted.items()},
            left_out=left_out,
            messages=2 * (len(answers) + len(missing)),
            bytes_received=sum(_size(answer.arrays) for answer in answers.values()),
        )

    def weighing(self, number: int) -> Weighing:
        """What hospitals must know to weigh their own updates in a round of secure aggregation."""
        assert isinstance(self.method, Averaging)
        asked = set(self.participants(number))
        members = [member for member in self.run.members if member.name in asked]
        return weighing_of(self.method, self.plan, members, len(self.server.public))

    def takes_sum(
        self, request: Request, summed: Summed, answers: Mapping[str, Answer], missing: Mapping[str, str]
    ) -> Round:
        """The same from the sum of the updates; the answers hold nothing but the patients of hospitals that are new."""
        assert isinstance(self.method, Averaging)
        self._check_apart(answers)
        self.check_enough(request, len(answers), missing)
        with one_thread():
            self.method.takes_sum(self.server, summed)
            scores = self._scores(self.validate, answers)
        return self._ended(
            request,
            answers,
            validation=scores,
            losses=dict.fromkeys(sorted(answers), summed.loss),
            left_out=dict(missing),
            messages=summed.messages,
            bytes_received=summed.bytes_received,
        )

    def _ended(self, request: Request, answers: Mapping[str, Answer], **told: Any) -> Round:  # noqa: ANN401
        """A round that is over, kept: first what was seen in it, and then the card that says so."""
        after = weights_of(self.server.model)
        ended = Round(
            number=request.round,
            weights=fingerprint(self._learnt(after, answers)),
            bytes_sent=(len(told["losses"]) + len(told["left_out"])) * _size(request.arrays),
            chosen=self.server.notes,
            **told,
        )
        seen = {} if self.plan.secure else {name: answer.arrays for name, answer in answers.items()}
        if self.server.own_update is not None:
            seen[PUBLIC] = self.server.own_update
        self._keep(
            request.round, {**(seen if self.run.updates_kept or self.method.one_model_each else {}), GLOBAL: after}
        )
        keep_state(self.out, request.round, self.plan.fingerprint, self.server.memory)
        self.run = self.run.model_copy(update={"rounds": (*self.run.rounds, ended)})
        write_run(self.run, self.out)
        return ended

    def finish(self) -> Run:
        """Choose the round by the validation patients, and judge its model once, on the test patients."""
        best = max(self.run.rounds, key=lambda one: one.validation.both or 0.0).number
        judged = self._models_of(best)
        with one_thread():
            found = tested(self.server.model, judged, read_station(self._test), self.run)
        load_weights(self.server.model, read_arrays(round_file(self.out, best, GLOBAL)))
        if not self.method.one_model_each:
            claim(self.out, MODEL)
            write_arrays(weights_of(self.server.model), self.out / MODEL)
        self.run = self.run.model_copy(update={"best": best, "test": found})
        write_run(self.run, self.out)
        return self.run

    def _counted(
        self, request: Request, answers: Mapping[str, Answer], left_out: dict[str, str]
    ) -> tuple[dict[str, Answer], dict[str, str]]:
        """The answers that count, sorted by name, and why the others do not."""
        self._check_apart(answers)
        sent = request.arrays
        counted: dict[str, Answer] = {}
        for name, answer in sorted(answers.items()):
            arrays = {key: array for key, array in answer.arrays.items() if key != PATIENTS}
            answer = Answer(arrays, answer.records, answer.loss)
            dealt = self._records.get(name, 0)
            if (why := refused(answer, sent, self.method, dealt, self.plan.largest_update)) is None:
                counted[name] = answer
            else:
                left_out[name] = why
        self.check_enough(request, len(counted), left_out)
        return counted, left_out

    def check_enough(self, request: Request, answered: int, left_out: Mapping[str, str]) -> None:
        if self.run.members and answered < self.plan.minimum:
            whys = "; ".join(f"{name}: {why}" for name, why in sorted(left_out.items()))
            raise TooFewAnswersError(
                f"round {request.round}: too few hospitals answered ({whys})",
                got=answered,
                allowed=f"{self.plan.minimum} or more",
                fix="Mend what is said of them and run the same command again: it goes on with this round.",
            )

    def _check_apart(self, answers: Mapping[str, Answer]) -> None:
        """No patient is at two hospitals, or at one and at the server; told by hashes, when a hospital is new."""
        new = {name: answer for name, answer in sorted(answers.items()) if PATIENTS in answer.arrays}
        if not new:
            return
        own = {
            "the public set": self.server.public.patients,
            "the validation set": self.validate.patients,
            "the test set": read_station(self._test).patients,
        }
        seen = {name: hashes.numpy() for name, hashes in self.server.memory.get(PATIENTS, {}).items()}
        for name, answer in new.items():
            for other, patients in (own | seen).items():
                if other != name and (found := shared(answer.arrays[PATIENTS], patients)) is not None:
                    raise DataError(
                        f"a patient of {name} is also in {other}",
                        where=f"{name}/records/patients.npy",
                        got=f"patient hash {found}",
                        allowed="each patient in one place",
                    )
            seen[name] = answer.arrays[PATIENTS]
        self.server.memory[PATIENTS] = {name: tensor(hashes) for name, hashes in seen.items()}

    def _learnt(self, common: Arrays, answers: Mapping[str, Answer]) -> Arrays:
        """What a round ended with: the common model, or the hospitals' own."""
        if not self.method.one_model_each:
            return common
        return {f"{name}/{part}": array for name, answer in answers.items() for part, array in answer.arrays.items()}

    def _scores(self, station: Station, answers: Mapping[str, Answer]) -> Scores:
        """Of the common model; of one model per hospital, the mean."""
        if not self.method.one_model_each:
            return Scores(**{view: macro_auroc(self.server.model, station, view) for view in VIEWS})
        models = [(answer.arrays, self.server.holds[name]) for name, answer in answers.items()]
        return mean_scores(self.server.model, models, station)

    def _models_of(self, number: int) -> list[tuple[Arrays, Holds]]:
        """The weights that a round ended with, and what each model may be shown."""
        if not self.method.one_model_each:
            return [(read_arrays(round_file(self.out, number, GLOBAL)), "both")]
        names = sorted(self.run.rounds[number - 1].losses)
        return [(read_arrays(round_file(self.out, number, name)), self.server.holds[name]) for name in names]

    def _opened(self, new: Run) -> Run:
        """The run in the folder, if it is the same; a new one in a new folder."""
        there = run_of_plan(self.out, new.plan)
        if there is None:
            claim(private_folder(self.out), CARD)
            write_run(new, self.out)
            return new
        for what, one, other in (
            ("input", there.source, new.source),
            ("list of labels", ", ".join(there.labels), ", ".join(new.labels)),
            ("starting model", there.begin, new.begin),
        ):
            if one != other:
                raise another_run(self.out, what, got=other, allowed=one)
        return there

    def _keep(self, number: int, arrays: Mapping[str, Arrays]) -> None:
        """What the server saw in a round; written before run.json says that the round is done."""
        folder = private_folder(private_folder(self.out / ROUNDS) / f"{number:04d}")
        claim(folder, *(f"{name}.npz" for name in arrays))
        for name, held in arrays.items():
            write_arrays(held, round_file(self.out, number, name))


def _size(arrays: Arrays) -> int:
    return sum(array.nbytes for array in arrays.values())

"""What the processes of a deployment are told by the commands that start them, in their environment."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import ClassVar, Self

from leadapron.engine.documents import Document
from leadapron.engine.refusal import Refusal
from leadapron.errors import LeadapronError


class Job(Document):
    """A place's folder, and the device and the published encoders' weights that it computes with."""

    VARIABLE: ClassVar[str]
    folder: Path
    device: str = "cpu"
    weights: Path | None = None

    def told(self) -> dict[str, str]:
        return {self.VARIABLE: self.model_dump_json()}

    @classmethod
    def heard(cls) -> Self:
        return cls.model_validate_json(os.environ[cls.VARIABLE])


class HospitalJob(Job):
    VARIABLE: ClassVar[str] = "LEADAPRON_FEDERATION_HOSPITAL"


class ServerJob(Job):
    """Also where the run is kept, how many seconds hospitals are waited for, and where an error is left."""

    VARIABLE: ClassVar[str] = "LEADAPRON_FEDERATION_SERVER"
    out: Path
    patience: float
    keep_updates: bool = True
    error: Path

    def leave(self, error: LeadapronError) -> None:
        """For the command that started this process."""
        self.error.write_text(json.dumps([str(error), error.exit_code]))

    def left(self) -> LeadapronError | None:
        return Refusal(*json.loads(self.error.read_text())).error() if self.error.exists() else None

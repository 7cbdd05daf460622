"""What one process refuses, told to another: words and an exit code, and not an object of a class."""

from __future__ import annotations

from typing import NamedTuple

from leadapron.errors import LeadapronError

REFUSED = 2


class Refusal(NamedTuple):
    words: str
    exit_code: int

    @classmethod
    def of(cls, error: LeadapronError | OSError, by: str = "") -> Refusal:
        """``by`` names who refuses."""
        if isinstance(error, LeadapronError):
            words, code = str(error), error.exit_code
        else:
            words, code = f"{error.filename or 'input or output'}: {error.strerror or error}", REFUSED
        return cls(f"{by}: {words}" if by else words, code)

    def error(self) -> LeadapronError:
        """The same, raised by the process that hears it."""
        error: LeadapronError = type("ElsewhereError", (LeadapronError,), {"exit_code": self.exit_code})(self.words)
        return error

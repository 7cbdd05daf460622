"""What a vision-language model is given: an image and a question, and in training the report that answers it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from PIL import Image

from leadapron.engine.extras import Tensor, need
from leadapron.errors import DataError
from leadapron.writing.writer import Bytes

Model = Any
Tokenizer = Any
ImageProcessor = Any
"""transformers is an extra: its types are not to be had here."""

PURPOSE, EXTRA = "writing reports by a vision-language model", "generate"
NOT_LEARNT = -100
"""The target of a position whose next word is not part of a report; torch leaves it out of the loss."""


@dataclass(frozen=True)
class Question:
    """What is handed to ``generate``, and how many tokens of it stand before the report."""

    inputs: dict[str, Tensor]
    before: int


@dataclass(frozen=True)
class Lesson:
    """What is handed to the model, and for each position the token that should follow it, or ``NOT_LEARNT``."""

    inputs: dict[str, Tensor]
    targets: Tensor


class ModelInputs(Protocol):
    """How one kind of model is asked and taught. Reports are tokens here."""

    @property
    def start(self) -> int:
        """The token before all others."""

    @property
    def end(self) -> int:
        """The token that ends a report."""

    @property
    def room(self) -> int:
        """No report can have more tokens."""

    @property
    def vision(self) -> str:
        """The part of the model that sees: what the names of its weights begin with."""

    @property
    def bridge(self) -> str:
        """The part that carries what was seen over to the words; it is learnt as a whole."""

    def question(self, images: Bytes, begin: Sequence[int]) -> Question:
        """The same for every image, with the tokens ``begin`` as the first of the report."""

    def lesson(self, images: Bytes, reports: Sequence[Sequence[int]]) -> Lesson:
        """Each image with its report, and only the report is to be learnt."""


def pixels_for(process: ImageProcessor, images: Bytes) -> dict[str, Tensor]:
    """Radiographs as the model's own image processor makes them; it wants three colours, and may fail on grey."""
    made = process([Image.fromarray(one).convert("RGB") for one in images], return_tensors="pt")
    return dict(made)


def padded(rows: Sequence[Sequence[int]], filler: int) -> Tensor:
    """Rows of tokens as one tensor, filled up on the right."""
    torch = need("torch", PURPOSE, EXTRA)
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[filler] * (longest - len(row))] for row in rows])


def token(tokenizer: Tokenizer, word: str) -> int:
    """The number of a word that must be one token."""
    number = tokenizer.get_vocab().get(word)
    if number is None:
        raise DataError(f"the tokenizer does not know {word!r}, by which this kind of model is asked")
    return int(number)


def tokens(tokenizer: Tokenizer, text: str) -> list[int]:
    """The text alone, without what the tokenizer would put around it."""
    return list(tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])

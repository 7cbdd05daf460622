"""``VisionEncoderDecoderModel`` (such as ViT and GPT-2): the image goes in on one side, the report comes out on the
other, and there is no question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leadapron.engine.extras import need
from leadapron.errors import DataError
from leadapron.writing.model_inputs import (
    EXTRA,
    NOT_LEARNT,
    PURPOSE,
    ImageProcessor,
    Lesson,
    Model,
    Question,
    Tokenizer,
    padded,
    pixels_for,
)
from leadapron.writing.writer import Bytes


@dataclass(frozen=True)
class EncoderDecoderInputs:
    """``start`` is the token before the first one of a report."""

    process: ImageProcessor
    start: int
    end: int
    room: int
    vision: str = "encoder."
    bridge: str = "enc_to_dec_proj"

    def question(self, images: Bytes, begin: Sequence[int]) -> Question:
        torch = need("torch", PURPOSE, EXTRA)
        words = torch.tensor([[self.start, *begin]] * len(images))
        return Question({**pixels_for(self.process, images), "decoder_input_ids": words}, 1)

    def lesson(self, images: Bytes, reports: Sequence[Sequence[int]]) -> Lesson:
        words = padded([[self.start, *report[:-1]] for report in reports], self.end)
        inputs = {**pixels_for(self.process, images), "decoder_input_ids": words}
        return Lesson(inputs, padded(reports, NOT_LEARNT))


def encoder_decoder_inputs(model: Model, process: ImageProcessor, tokenizer: Tokenizer) -> EncoderDecoderInputs:
    start = _first(model.config.decoder_start_token_id, model.config.decoder.bos_token_id, tokenizer.bos_token_id)
    end = _first(tokenizer.eos_token_id, model.config.decoder.eos_token_id, tokenizer.sep_token_id)
    if start is None or end is None:
        missing = "decoder_start_token_id" if start is None else "eos_token_id"
        raise DataError(f"the model does not say with which token a report begins or ends: {missing} is missing")
    room = int(model.config.decoder.max_position_embeddings) - 1  # one place is taken by the start
    return EncoderDecoderInputs(process, start, end, room)


def _first(*numbers: int | None) -> int | None:
    return next((number for number in numbers if number is not None), None)

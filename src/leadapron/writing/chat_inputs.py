"""Qwen2.5-VL and Gemma 3: chats in which a radiograph stands in the question and the report is the answer.

Their own processors are not used: that of Qwen wants torchvision for videos. What they do to an image and a question
is little: the image's place is taken by one token for each part of it, and those tokens are marked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from leadapron.engine.extras import Tensor, need
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
    token,
    tokens,
)
from leadapron.writing.writer import Bytes

ASK = "Write the radiology report of this chest radiograph."


@dataclass(frozen=True)
class ChatInputs:
    """``places`` tells how many tokens each image takes, from what the image processor made."""

    process: ImageProcessor
    places: Callable[[dict[str, Tensor]], list[int]]
    before: tuple[int, ...]
    image: int
    after: tuple[int, ...]
    end: int
    marks: str
    """What the model calls the row that says which tokens are of an image. Without it Qwen silently takes an image
    for a line of text, and Gemma lets its parts see only those before them."""
    room: int
    vision: str
    bridge: str

    @property
    def start(self) -> int:
        return self.before[0]

    def question(self, images: Bytes, begin: Sequence[int]) -> Question:
        pixels, asked = self._asked(images)
        if len({len(row) for row in asked}) > 1:
            raise DataError("images that are asked about together must be of one size")
        return Question(self._inputs(pixels, [[*row, *begin] for row in asked]), len(asked[0]))

    def lesson(self, images: Bytes, reports: Sequence[Sequence[int]]) -> Lesson:
        pixels, asked = self._asked(images)
        rows = [[*row, *report] for row, report in zip(asked, reports, strict=True)]
        targets = [
            [*[NOT_LEARNT] * (len(row) - 1), *report, NOT_LEARNT] for row, report in zip(asked, reports, strict=True)
        ]
        return Lesson(self._inputs(pixels, rows), padded(targets, NOT_LEARNT))

    def _asked(self, images: Bytes) -> tuple[dict[str, Tensor], list[list[int]]]:
        pixels = pixels_for(self.process, images)
        return pixels, [[*self.before, *[self.image] * count, *self.after] for count in self.places(pixels)]

    def _inputs(self, pixels: dict[str, Tensor], rows: list[list[int]]) -> dict[str, Tensor]:
        torch = need("torch", PURPOSE, EXTRA)
        words = padded(rows, self.end)
        lengths = torch.tensor([len(row) for row in rows])
        there = (torch.arange(words.shape[1]) < lengths[:, None]).long()
        taken = {name: values for name, values in pixels.items() if name != "num_crops"}  # of Gemma's processor alone
        return {**taken, "input_ids": words, "attention_mask": there, self.marks: (words == self.image).long()}


def qwen_inputs(model: Model, process: ImageProcessor, tokenizer: Tokenizer) -> ChatInputs:
    merged = process.merge_size**2  # so many patches of an image become one token

    def places(pixels: dict[str, Tensor]) -> list[int]:
        return [int(grid.prod()) // merged for grid in pixels["image_grid_thw"]]

    start, stop = "<|im_start|>", "<|im_end|>"
    system = f"{start}system\nYou are a helpful assistant.{stop}\n"
    return ChatInputs(
        process=process,
        places=places,
        before=_words(tokenizer, f"{system}{start}user\n<|vision_start|>", start, stop, "<|vision_start|>"),
        image=_image(model, tokenizer, "<|image_pad|>"),
        after=_words(tokenizer, f"<|vision_end|>{ASK}{stop}\n{start}assistant\n", "<|vision_end|>"),
        end=token(tokenizer, stop),
        marks="mm_token_type_ids",
        room=int(model.config.text_config.max_position_embeddings),
        vision="model.visual.",
        bridge="model.visual.merger",
    )


def gemma_inputs(model: Model, process: ImageProcessor, tokenizer: Tokenizer) -> ChatInputs:
    count = int(model.config.mm_tokens_per_image)
    start, stop = "<start_of_turn>", "<end_of_turn>"
    before = f"<bos>{start}user\n\n\n<start_of_image>"
    return ChatInputs(
        process=process,
        places=lambda pixels: [count] * len(pixels["pixel_values"]),
        before=_words(tokenizer, before, "<bos>", start, "<start_of_image>"),
        image=_image(model, tokenizer, "<image_soft_token>"),
        after=_words(tokenizer, f"<end_of_image>\n\n{ASK}{stop}\n{start}model\n", "<end_of_image>"),
        end=token(tokenizer, stop),
        marks="token_type_ids",
        room=int(model.config.text_config.max_position_embeddings),
        vision="model.vision_tower.",
        bridge="model.multi_modal_projector",
    )


def _words(tokenizer: Tokenizer, text: str, *marks: str) -> tuple[int, ...]:
    """The tokens of a text with these marks in it, each of which must be a token of its own."""
    for mark in marks:
        token(tokenizer, mark)
    return tuple(tokens(tokenizer, text))


def _image(model: Model, tokenizer: Tokenizer, word: str) -> int:
    number = token(tokenizer, word)
    if number != model.config.image_token_id:
        what = f"the tokenizer is of another model: its {word!r} is not the token that stands for an image"
        raise DataError(what, got=number, allowed=str(model.config.image_token_id))
    return number

"""A decoder that has learnt: what it sees through, its network, and its words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from leadapron.engine import Progress, silent
from leadapron.engine.extras import need, torch_threads
from leadapron.writing.image_memory import Floats, ImageMemory
from leadapron.writing.report_tokens import Vocabulary
from leadapron.writing.writer import Bytes

AT_ONCE = 128
"""Reports that are written together."""
PURPOSE = "the writer decoder"


@dataclass(frozen=True)
class DecoderWriter:
    memory: ImageMemory
    network: Any
    vocabulary: Vocabulary
    centre: Floats
    scale: Floats

    def write(self, images: Bytes, *, begin: str = "", progress: Progress = silent) -> list[str]:
        torch = need("torch", PURPOSE)
        rows = (self.memory.features(images, progress=progress) - self.centre) / self.scale
        first = self.vocabulary.numbers(begin)
        place = next(self.network.parameters()).device
        written: list[str] = []
        with torch_threads(1):
            for at in range(0, len(rows), AT_ONCE):
                part = torch.from_numpy(rows[at : at + AT_ONCE]).to(place)
                written += [self.vocabulary.text(numbers) for numbers in self.network.write(part, first)]
                progress("writing", len(written), len(rows))
        return written

"""A small transformer that writes: features of an image become a few memory tokens, and words follow one another.

Keys and values of what is written are kept, so that a word costs one step and not the whole report again.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional

from leadapron.writing.report_tokens import END, PAD, SPECIAL, START

WIDTH, HEADS, LAYERS, MEMORY = 128, 4, 2, 8
DROPOUT = 0.1

Held = tuple[torch.Tensor, torch.Tensor]
"""Keys and values."""


class Attention(nn.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.asks, self.holds, self.out = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(WIDTH, WIDTH)

    def held(self, rows: torch.Tensor) -> Held:
        keys, values = self.holds(rows).chunk(2, dim=-1)
        return _heads(keys), _heads(values)

    def forward(
        self, rows: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, *, causal: bool = False
    ) -> torch.Tensor:
        met = functional.scaled_dot_product_attention(_heads(self.asks(rows)), keys, values, is_causal=causal)
        joined: torch.Tensor = self.out(met.transpose(1, 2).flatten(2))
        return joined


def _heads(rows: torch.Tensor) -> torch.Tensor:
    return rows.unflatten(-1, (HEADS, WIDTH // HEADS)).transpose(1, 2)


class Layer(nn.Module):  # type: ignore[misc]
    """Looks at the words so far, then at the image, then thinks."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.image = Attention(), Attention()
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(3))
        self.thinks = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))
        self.drop = nn.Dropout(DROPOUT)

    def forward(
        self,
        rows: torch.Tensor,
        seen: Held,
        said: Held | None,
    ) -> tuple[torch.Tensor, Held]:
        """``said`` are the keys and values of earlier words; None where all words are here at once."""
        inner = self.norms[0](rows)
        keys, values = self.words.held(inner)
        if said is not None:
            keys, values = torch.cat([said[0], keys], dim=2), torch.cat([said[1], values], dim=2)
        rows = rows + self.drop(self.words(inner, keys, values, causal=said is None))
        rows = rows + self.drop(self.image(self.norms[1](rows), *seen))
        return rows + self.drop(self.thinks(self.norms[2](rows))), (keys, values)


class Decoder(nn.Module):  # type: ignore[misc]
    """Features (rows x numbers) and words (rows x places) to scores of the next word at every place."""

    def __init__(self, features: int, vocabulary: int, longest: int) -> None:
        super().__init__()
        self.longest = longest
        self.sees = nn.Linear(features, MEMORY * WIDTH)
        self.words = nn.Embedding(vocabulary, WIDTH)
        self.places = nn.Embedding(longest + 1, WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH)
        self.drop = nn.Dropout(DROPOUT)
        for table in (self.words, self.places):
            nn.init.normal_(table.weight, std=0.02)

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def begin_with(self, known: dict[str, torch.Tensor]) -> None:
        """The weights of a decoder that knows the first of these words; the other words stay as they are."""
        for name, weight in self.state_dict().items():
            weight[: len(known[name])] = known[name]

    def forward(self, features: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
        return self._step(self._seen(features), words, 0, None)[0]

    def _seen(self, features: torch.Tensor) -> list[Held]:
        memory = functional.gelu(self.sees(features)).unflatten(-1, (MEMORY, WIDTH))
        return [layer.image.held(memory) for layer in self.layers]

    def _step(
        self, seen: list[Held], words: torch.Tensor, first: int, said: list[Held] | None
    ) -> tuple[torch.Tensor, list[Held]]:
        places = torch.arange(first, first + words.shape[1], device=words.device)
        rows = self.drop(self.words(words) + self.places(places))
        kept: list[Held] = []
        for number, layer in enumerate(self.layers):
            rows, own = layer(rows, seen[number], None if said is None else said[number])
            kept.append(own)
        return self.norm(rows) @ self.words.weight.T, kept

    @torch.inference_mode()  # type: ignore[untyped-decorator]
    def write(self, features: torch.Tensor, begin: list[int]) -> list[list[int]]:
        """The likeliest next word, again and again, until all have ended; the same words begin every report."""
        seen = self._seen(features)
        words = torch.tensor([[START, *begin]], device=features.device).expand(len(features), -1)
        scores, said = self._step(seen, words, 0, None)
        written, ended = [words[:, 1:]], torch.zeros(len(features), dtype=torch.bool, device=features.device)
        for place in range(words.shape[1], self.longest + 1):
            last = scores[:, -1]
            last[:, [PAD, START, SPECIAL - 1]] = -torch.inf
            chosen = torch.where(ended, END, last.argmax(dim=1))[:, None]
            written.append(chosen)
            ended = ended | (chosen[:, 0] == END)
            if bool(ended.all()):
                break
            scores, said = self._step(seen, chosen, place, said)
        found: list[list[int]] = torch.cat(written, dim=1).tolist()
        return found


@dataclass(frozen=True)
class Loss:
    """Cross-entropy of the next word; padding does not count. A sum over parts of a batch equals that of the whole."""

    network: Decoder

    def __call__(self, features: torch.Tensor, words: torch.Tensor, counted: int) -> torch.Tensor:
        scores = self.network(features, words[:, :-1])
        lost = functional.cross_entropy(scores.flatten(0, 1), words[:, 1:].flatten(), ignore_index=PAD, reduction="sum")
        return lost / counted

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
STILL_OPEN = 0.75
"""The share of reports that have not ended at which the others are put aside."""

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

    def forward(self, rows: torch.Tensor, seen: Held, first: int, said: Held | None) -> torch.Tensor:
        """``said`` has room for the keys and values of all words, and those before ``first`` are there; None where
        nothing is kept. Several words at once are the first ones."""
        inner = self.norms[0](rows)
        keys, values = self.words.held(inner)
        if said is not None:
            upto = first + rows.shape[1]
            for kept, new in zip(said, (keys, values), strict=True):
                kept[:, :, first:upto] = new
            keys, values = (kept[:, :, :upto] for kept in said)
        rows = rows + self.drop(self.words(inner, keys, values, causal=first == 0))
        rows = rows + self.drop(self.image(self.norms[1](rows), *seen))
        out: torch.Tensor = rows + self.drop(self.thinks(self.norms[2](rows)))
        return out


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
        return self._step(self._seen(features), words, 0, None)

    def _seen(self, features: torch.Tensor) -> list[Held]:
        memory = functional.gelu(self.sees(features)).unflatten(-1, (MEMORY, WIDTH))
        return [layer.image.held(memory) for layer in self.layers]

    def _step(self, seen: list[Held], words: torch.Tensor, first: int, said: list[Held] | None) -> torch.Tensor:
        places = torch.arange(first, first + words.shape[1], device=words.device)
        rows = self.drop(self.words(words) + self.places(places))
        for number, layer in enumerate(self.layers):
            rows = layer(rows, seen[number], first, None if said is None else said[number])
        scores: torch.Tensor = self.norm(rows) @ self.words.weight.T
        return scores

    @torch.inference_mode()  # type: ignore[untyped-decorator]
    def write(self, features: torch.Tensor, begin: list[int]) -> list[list[int]]:
        """The likeliest next word, again and again, until all have ended; the same words begin every report."""
        count, place = len(features), features.device
        words = torch.tensor([[START, *begin]], device=place).expand(count, -1)
        written = torch.full((count, self.longest + 1), END, device=place)
        written[:, : words.shape[1]] = words
        open_ones, going = torch.arange(count, device=place), torch.ones(count, dtype=torch.bool, device=place)
        seen = self._seen(features)
        room = (count, HEADS, self.longest + 1, WIDTH // HEADS)
        said = [(torch.empty(room, device=place), torch.empty(room, device=place)) for _ in self.layers]
        first = 0
        for at in range(words.shape[1], self.longest + 1):
            scores = self._step(seen, words, first, said)[:, -1]
            scores[:, [PAD, START, SPECIAL - 1]] = -torch.inf
            chosen = torch.where(going, scores.argmax(dim=1), END)
            written[open_ones, at] = chosen
            going = chosen != END
            if not bool(going.any()):
                break
            if int(going.sum()) <= STILL_OPEN * len(going):  # those that have ended cost nothing any more
                seen, said = ([(one[going], two[going]) for one, two in held] for held in (seen, said))
                open_ones, chosen, going = open_ones[going], chosen[going], going[going]
            words, first = chosen[:, None], at
        found: list[list[int]] = written[:, 1:].tolist()
        return found


@dataclass(frozen=True)
class Loss:
    """Cross-entropy of the next word; padding does not count. A sum over parts of a batch equals that of the whole."""

    network: Decoder

    def __call__(self, features: torch.Tensor, words: torch.Tensor, counted: int) -> torch.Tensor:
        scores = self.network(features, words[:, :-1])
        lost = functional.cross_entropy(scores.flatten(0, 1), words[:, 1:].flatten(), ignore_index=PAD, reduction="sum")
        return lost / counted

"""The text side of a transformers model: a hook puts vectors of ours in the place of those of its tokens.

CLIP's text model takes no vectors as input (``inputs_embeds`` is refused): the hook sits on the layer that makes them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from leadapron.defences.heads.network import Network
from leadapron.defences.images.updp_text_side import NOTHING, Doubles, Floats, Ints, Objective
from leadapron.encoders.encoder import TokenTower
from leadapron.engine.extras import Tensor, need
from leadapron.release import Projection

PURPOSE = "optimising prompts"
UNUSED = "[unused"
"""How BERT's vocabularies call places that are free."""


class TorchTextSide:
    """A tokenizer, the layer of token vectors, the model behind it and the head."""

    def __init__(self, tower: TokenTower, head: Projection) -> None:
        tokenizer = tower.tokenizer
        self._tower = tower
        self._network = Network({"image": head, "text": head}, str(tower.table.weight.device))
        frame = tokenizer("")["input_ids"]  # the token that opens a text, and those that close it
        self._open, self._close = frame[:1], frame[1:]
        self.longest = tower.length - len(frame)
        self.tokens: Sequence[str] = tokenizer.convert_ids_to_tokens(list(range(len(tower.table.weight))))
        self._special = set(tokenizer.all_special_ids)
        free = {place for place, token in enumerate(self.tokens) if token is None or token.startswith(UNUSED)}
        self.unusable: Ints = np.array(sorted(self._special | free), dtype=np.int64)
        self.table: Floats = tower.table.weight.detach().cpu().numpy().astype(np.float32)

    def read(self, text: str) -> list[int]:
        found = self._tower.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        return [int(token) for token in found if token not in self._special]  # which stand for unknown signs

    def write(self, tokens: Sequence[int]) -> str:
        return str(self._tower.tokenizer.decode(list(tokens), skip_special_tokens=True))

    def objective(self, tokens: Ints, images: Floats) -> Objective:
        torch = need("torch", PURPOSE, "encoders")
        place = self._tower.table.weight.device
        inputs, content = self._framed(tokens)
        towards = torch.tensor(images, dtype=torch.float32, device=place)

        def run(values: Doubles) -> tuple[Doubles, Doubles]:
            moved = torch.tensor(values, dtype=torch.float32, device=place, requires_grad=True)

            def ours(_layer: object, _given: object, vectors: Tensor) -> Tensor:
                inner = vectors[:, 1 : 1 + moved.shape[1]]
                return torch.cat(
                    [vectors[:, :1], torch.where(content, moved, inner), vectors[:, 1 + moved.shape[1] :]], dim=1
                )

            hook = self._tower.table.register_forward_hook(ours)
            try:
                features = self._tower.features(inputs)
            finally:
                hook.remove()
            cosine = (self._network.embed("text", features) * towards).sum(dim=1)
            (slope,) = torch.autograd.grad(cosine.sum(), moved)
            return cosine.detach().double().cpu().numpy(), slope.double().cpu().numpy()

        return run

    def _framed(self, tokens: Ints) -> tuple[dict[str, Tensor], Tensor]:
        """What the tokenizer would give for these tokens, and where the words stand among them."""
        torch = need("torch", PURPOSE, "encoders")
        place = self._tower.table.weight.device
        lengths = (tokens != NOTHING).sum(axis=1)
        width = tokens.shape[1] + len(self._open) + len(self._close)
        ids = np.full((len(tokens), width), self._tower.tokenizer.pad_token_id, dtype=np.int64)
        mask = np.zeros((len(tokens), width), dtype=np.int64)
        for row, (line, length) in enumerate(zip(tokens, lengths, strict=True)):
            whole = [*self._open, *line[:length].tolist(), *self._close]
            ids[row, : len(whole)], mask[row, : len(whole)] = whole, 1
        content = torch.tensor((tokens != NOTHING)[:, :, None], device=place)
        inputs = {"input_ids": torch.tensor(ids, device=place), "attention_mask": torch.tensor(mask, device=place)}
        return inputs, content

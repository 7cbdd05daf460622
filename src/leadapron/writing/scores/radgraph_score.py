"""RadGraph F1: which entities of the true report the written one names, by a network that reads both.

The value of the package ``radgraph`` at its level "partial": an entity counts by its words, its kind and whether it
stands in a relation (Delbrouck et al. 2022); the mean over reports. The folder has the subfolders

- ``radgraph-xl`` (or another of its models): the unpacked archive, with all ``PARTS``;
- ``bert``: the language model that its configuration names, as transformers saves it.

The package would download both. Here it is shown a configuration in which the language model is the folder's.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from leadapron.encoders.tensors import reading_checkpoint
from leadapron.engine.extras import need
from leadapron.errors import DataError
from leadapron.writing.scores.report_score import Doubles, each_once, mean_score, paired

MODELS = ("radgraph-xl", "modern-radgraph-xl", "radgraph")
"""The first that is there is used."""
PARTS = ("config.json", "vocabulary", "weights.th")
LANGUAGE = "bert"
LEVEL = "partial"


@dataclass(frozen=True)
class RadGraphF1:
    """RadGraph F1 by the weights in ``folder``."""

    folder: Path | None = None

    @property
    def name(self) -> str:
        return "radgraph-f1"

    @property
    def how(self) -> str:
        return f"level {LEVEL}, mean over reports, by {self._kind or 'RadGraph'}"

    def missing(self) -> str:
        if self.folder is None:
            return "RadGraph F1 takes RadGraph's weights in a folder, and none was named."
        if find_spec("radgraph") is None:
            return "RadGraph F1 takes the package radgraph, which is not installed: pip install radgraph."
        if self._kind is None:
            return f"{self.folder} has none of the folders {', '.join(MODELS)} with {', '.join(PARTS)}."
        if not (self.folder / LANGUAGE / "config.json").is_file():
            return f"{self.folder} has no language model in its folder {LANGUAGE!r}."
        return ""

    @property
    def _kind(self) -> str | None:
        if self.folder is None:
            return None
        whole = (kind for kind in MODELS if all((self.folder / kind / part).exists() for part in PARTS))
        return next(whole, None)

    @cached_property
    def _network(self) -> Any:  # noqa: ANN401
        missing = self.missing()
        if missing:
            raise DataError(missing.rstrip("."), where=self.folder)
        assert self.folder is not None
        assert self._kind is not None
        radgraph = importlib.import_module("radgraph")
        with tempfile.TemporaryDirectory() as beside, reading_checkpoint(self.folder), as_radgraph_expects():
            _without_network(self.folder.resolve(), self._kind, Path(beside, self._kind))
            return radgraph.F1RadGraph(LEVEL, model_type=self._kind, model_cache_dir=beside, cuda=-1)

    def statistics(self, written: Sequence[str], truth: Sequence[str]) -> Doubles:
        pairs = [(one.strip(), other.strip()) for one, other in paired(written, truth)]
        told = [at for at, (one, other) in enumerate(pairs) if one and other]
        scores = [0.0] * len(pairs)
        if told:
            with as_radgraph_expects():
                _, found, _, _ = self._network(hyps=[pairs[at][0] for at in told], refs=[pairs[at][1] for at in told])
            for at, score in zip(told, found, strict=True):
                scores[at] = float(score)
        return each_once(scores)

    def value(self, sums: Doubles) -> Doubles:
        return mean_score(sums)


def _without_network(folder: Path, kind: str, beside: Path) -> None:
    """The same model once more, by links, with the language model that lies in the folder."""
    beside.mkdir()
    for part in PARTS[1:]:
        (beside / part).symlink_to(folder / kind / part)
    config = json.loads((folder / kind / PARTS[0]).read_text())
    language = str(folder / LANGUAGE)
    config["dataset_reader"]["token_indexers"]["bert"]["model_name"] = language
    config["model"]["embedder"]["token_embedders"]["bert"]["model_name"] = language
    (beside / PARTS[0]).write_text(json.dumps(config))


@contextlib.contextmanager
def as_radgraph_expects() -> Iterator[None]:
    """Two methods that tokenizers had before transformers 5 and radgraph 0.1.18 calls; and silence, for it prints.

    The language model is a BERT, whose texts stand between two special pieces.
    """
    base = need("transformers", "RadGraph F1", "encoders").PreTrainedTokenizerBase
    older = {
        "encode_plus": base.__call__,
        "build_inputs_with_special_tokens": lambda self, ids: [self.cls_token_id, *ids, self.sep_token_id],
    }
    gone = [name for name in older if not hasattr(base, name)]
    for name in gone:
        setattr(base, name, older[name])
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        for name in gone:
            delattr(base, name)

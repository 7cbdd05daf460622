"""A model with LoRA adapters on it: one network, and as many writers as there are sets of what was learnt.

The adapters lie on every linear layer of the part that sees and of the part that writes. The part between them, which
carries what was seen over to the words, is learnt as a whole.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from leadapron.encoders.tensors import quiet_transformers
from leadapron.engine.extras import Tensor, need
from leadapron.errors import DataError
from leadapron.writing.model_inputs import EXTRA, PURPOSE
from leadapron.writing.vision_language_model import VisionLanguageModel

RANK, ALPHA, DROPOUT = 64, 64, 0.05
"""As published for fine-tuning on transferred radiographs and reports."""

Adapter = dict[str, Tensor]
"""What was learnt, by the names of the weights; on the processor."""


class AdaptedModel:
    """The adapters of a model can be exchanged: ``wear`` puts one on, ``wearing`` for as long as a block lasts."""

    def __init__(self, model: VisionLanguageModel, *, dropout: float = DROPOUT) -> None:
        torch, peft = need("torch", PURPOSE, EXTRA), need("peft", PURPOSE, EXTRA)
        self.model = model
        bridge = model.inputs.bridge
        whole = [bridge] if any(name == bridge for name, _ in model.network.named_modules()) else None
        config = peft.LoraConfig(
            r=RANK,
            lora_alpha=ALPHA,
            lora_dropout=dropout,
            target_modules=_linear_layers(model),
            modules_to_save=whole,
        )
        with torch.random.fork_rng(devices=[]), warnings.catch_warnings():
            # GPT-2 keeps its matrices turned, ViT does not: peft finds out which is which, and warns
            warnings.filterwarnings("ignore", message="fan_in_fan_out is set to")
            self.peft = peft.get_peft_model(model.network, config)
        config.base_model_name_or_path = model.folder.name  # and not where it lies on this machine
        self.learnt = {name: value for name, value in self.peft.named_parameters() if value.requires_grad}
        for value in self.learnt.values():
            value.data = value.data.float()  # a small step would be lost in half precision
        self._as_loaded = {name: value for name, value in self.taken().items() if not _is_added(name)}
        self.peft.eval()

    def fresh(self, seed: int) -> Adapter:
        """Adapters that change nothing yet: one of the two factors is random, the other is zero."""
        torch = need("torch", PURPOSE, EXTRA)
        noise = torch.Generator("cpu").manual_seed(seed)
        adapter = {}
        for name, value in self.learnt.items():
            made = self._as_loaded.get(name, torch.zeros(value.shape)).clone()
            if ".lora_A." in name:
                torch.nn.init.kaiming_uniform_(made, a=math.sqrt(5), generator=noise)
            adapter[name] = made
        return adapter

    def taken(self) -> Adapter:
        """A copy of what is worn."""
        return {name: value.detach().cpu().clone() for name, value in self.learnt.items()}

    def wear(self, adapter: Adapter) -> None:
        torch = need("torch", PURPOSE, EXTRA)
        with torch.no_grad():
            for name, value in self.learnt.items():
                value.copy_(adapter[name])

    @contextmanager
    def wearing(self, adapter: Adapter | None) -> Iterator[VisionLanguageModel]:
        """The model with this adapter; with None as it was loaded."""
        if adapter is None:
            with self.peft.disable_adapter():
                yield self.model
        else:
            self.wear(adapter)
            yield self.model

    def groups(self, *, words: float, bridge: float, vision: float) -> list[dict[str, Any]]:
        """What is learnt in the part that writes, in the one between and in the one that sees, each with its rate."""
        inputs = self.model.inputs
        parts: dict[str, list[Tensor]] = {"words": [], "bridge": [], "vision": []}
        for name, value in self.learnt.items():
            place = name.removeprefix("base_model.model.")
            seeing = "vision" if place.startswith(inputs.vision) else "words"
            parts["bridge" if place.startswith(f"{inputs.bridge}.") else seeing].append(value)
        rates = {"words": words, "bridge": bridge, "vision": vision}
        return [{"params": values, "lr": rates[part]} for part, values in parts.items() if values]

    def published(self, adapter: Adapter) -> Adapter:
        """The adapter under the names by which peft keeps it in a file."""
        peft = need("peft", PURPOSE, EXTRA)
        self.wear(adapter)
        state = peft.get_peft_model_state_dict(self.peft, save_embedding_layers=False)
        return {name: value.detach().cpu().contiguous() for name, value in state.items()}

    def accept(self, published: Adapter) -> Adapter:
        """The adapter that has these names in a file, if it is one of this model."""
        peft = need("peft", PURPOSE, EXTRA)
        expected = self.published(self.taken())
        shapes = {name: value.shape for name, value in expected.items()}
        if shapes != {name: value.shape for name, value in published.items()}:
            raise DataError("the adapter is of another model: its weights have other names or shapes")
        with quiet_transformers():
            peft.set_peft_model_state_dict(self.peft, published)
        return self.taken()


def _is_added(name: str) -> bool:
    return ".lora_A." in name or ".lora_B." in name


def _linear_layers(model: VisionLanguageModel) -> list[str]:
    """Every one but those of the bridge, and the last, which turns into words."""
    torch, turned = need("torch", PURPOSE, EXTRA), need("transformers.pytorch_utils", PURPOSE, EXTRA)
    last, bridge = model.network.get_output_embeddings(), f"{model.inputs.bridge}."
    return [
        name
        for name, module in model.network.named_modules()
        if isinstance(module, (torch.nn.Linear, turned.Conv1D))
        and module is not last
        and not f"{name}.".startswith(bridge)
    ]

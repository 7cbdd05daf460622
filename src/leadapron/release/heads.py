"""The alignment heads as plain data: layers of float32 tensors that run in NumPy and lie in one safetensors file.

Whoever trains heads anew starts from these, and whoever attacks or uses a release needs no torch to apply them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save
from scipy.special import erf

from leadapron.errors import DataError, did_you_mean
from leadapron.release.rows import unit

Floats = NDArray[np.float32]
Tensors = Mapping[str, Floats]

SIDES = ("image", "text")
TRAINABLE = ("weight", "bias")
"""The tensors that training moves. Running statistics, the number of groups and eps are given."""


def _linear(rows: Floats, tensors: Tensors) -> Floats:
    product: Floats = rows @ tensors["weight"].T
    return product + tensors["bias"] if "bias" in tensors else product


def _norm(rows: Floats, tensors: Tensors) -> Floats:
    """Batch normalisation with frozen statistics: every feature for itself."""
    scale: Floats = tensors["weight"] / np.sqrt(tensors["variance"] + tensors["eps"])
    return (rows - tensors["mean"]) * scale + tensors["bias"]


def _group_norm(rows: Floats, tensors: Tensors) -> Floats:
    grouped = rows.reshape(len(rows), int(tensors["groups"]), -1)
    return _standardised(grouped, tensors["eps"]).reshape(rows.shape) * tensors["weight"] + tensors["bias"]


def _layer_norm(rows: Floats, tensors: Tensors) -> Floats:
    return _standardised(rows, tensors["eps"]) * tensors["weight"] + tensors["bias"]


def _standardised(values: Floats, eps: Floats) -> Floats:
    centred = values - values.mean(axis=-1, keepdims=True)
    standardised: Floats = centred / np.sqrt(np.square(centred).mean(axis=-1, keepdims=True) + eps)
    return standardised


def _relu(rows: Floats, _tensors: Tensors) -> Floats:
    return np.maximum(rows, np.float32(0))


def _gelu(rows: Floats, _tensors: Tensors) -> Floats:
    """Exact: by the error function, not by the hyperbolic tangent near it."""
    share: Floats = erf(rows / np.float32(np.sqrt(2)))
    return rows * (np.float32(0.5) * (np.float32(1) + share))


@dataclass(frozen=True)
class _Kind:
    run: Callable[[Floats, Tensors], Floats]
    vectors: tuple[str, ...] = ()
    """Tensors with one value a feature."""
    scalars: tuple[str, ...] = ()


KINDS = {
    "linear": _Kind(_linear),
    "norm": _Kind(_norm, ("mean", "variance", "weight", "bias"), ("eps",)),
    "groupnorm": _Kind(_group_norm, ("weight", "bias"), ("groups", "eps")),
    "layernorm": _Kind(_layer_norm, ("weight", "bias"), ("eps",)),
    "relu": _Kind(_relu),
    "gelu": _Kind(_gelu),
}


@dataclass(frozen=True, eq=False)
class Layer:
    """One step of a head, checked when it is made.

    =============  =======================================================================================
    kind           tensors, all float32
    =============  =======================================================================================
    ``linear``     ``weight`` (out x in), and ``bias`` (out) if there is one
    ``norm``       ``mean``, ``variance``, ``weight``, ``bias``, a value a feature, and ``eps`` (a number)
    ``groupnorm``  ``weight``, ``bias``, and the numbers ``groups`` and ``eps``
    ``layernorm``  ``weight``, ``bias`` and ``eps``
    ``relu``       none
    ``gelu``       none
    =============  =======================================================================================
    """

    kind: str
    tensors: Tensors = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise DataError("unknown kind of layer", got=self.kind, allowed=did_you_mean(self.kind, KINDS))
        self._check_names()
        for name, tensor in self.tensors.items():
            if tensor.dtype != np.float32:
                raise DataError(f"{self.kind}.{name} must be float32", got=str(tensor.dtype))
            if tensor.size == 0 or not np.isfinite(tensor).all():
                raise DataError(f"{self.kind}.{name} must hold finite numbers", got=tensor.shape)
        self._check_shapes()
        self._check_numbers()
        object.__setattr__(self, "tensors", {name: read_only(tensor) for name, tensor in self.tensors.items()})

    @property
    def inputs(self) -> int | None:
        """The width of the rows that it takes; None where any will do."""
        return self.tensors["weight"].shape[-1] if "weight" in self.tensors else None

    @property
    def outputs(self) -> int | None:
        return self.tensors["weight"].shape[0] if "weight" in self.tensors else None

    @property
    def parameters(self) -> int:
        """How many values training would move."""
        return sum(self.tensors[name].size for name in TRAINABLE if name in self.tensors)

    def __call__(self, rows: Floats) -> Floats:
        return KINDS[self.kind].run(rows, self.tensors)

    def _check_names(self) -> None:
        kind = KINDS[self.kind]
        allowed = (*kind.vectors, *kind.scalars) if self.kind != "linear" else TRAINABLE
        needed = allowed if self.kind != "linear" else ("weight",)
        if not set(needed) <= set(self.tensors) <= set(allowed):
            raise DataError(
                f"a layer of kind {self.kind!r} has other tensors",
                got=", ".join(sorted(self.tensors)) or "none",
                allowed=", ".join(allowed) or "none",
            )

    def _check_shapes(self) -> None:
        kind, shapes = KINDS[self.kind], {name: tensor.shape for name, tensor in self.tensors.items()}
        if self.kind == "linear":
            right = len(shapes["weight"]) == 2 and shapes.get("bias") in (None, shapes["weight"][:1])
        else:
            widths = {shapes[name] for name in kind.vectors}
            right = len(widths) <= 1 and all(len(shape) == 1 for shape in widths)
            right = right and all(shapes[name] == () for name in kind.scalars)
        if not right:
            raise DataError(f"the tensors of a layer of kind {self.kind!r} do not fit together", got=shapes)

    def _check_numbers(self) -> None:
        """What would divide by nothing, or group what cannot be grouped."""
        if "eps" in self.tensors:
            divisor = self.tensors["eps"] + self.tensors.get("variance", np.zeros(1, dtype=np.float32))
            if not (divisor > 0).all() or self.tensors["eps"] < 0:
                raise DataError(f"{self.kind}.eps must keep the variance above 0", got=float(divisor.min()))
        if "groups" in self.tensors:
            groups, width = float(self.tensors["groups"]), len(self.tensors["weight"])
            if groups < 1 or width % groups:
                raise DataError("groupnorm.groups must divide the width", got=groups, allowed=f"a divisor of {width}")


@dataclass(frozen=True, eq=False)
class Projection:
    """A head: backbone features (rows x ``inputs``) -> rows of length one (rows x ``outputs``)."""

    layers: tuple[Layer, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "layers", tuple(self.layers))
        width = None
        for place, layer in enumerate(self.layers):
            if None not in (width, layer.inputs) and layer.inputs != width:
                raise DataError(
                    f"layer {place} ({layer.kind}) takes another width than the one before gives",
                    got=layer.inputs,
                    allowed=str(width),
                )
            width = layer.outputs or width
        if width is None:
            raise DataError("a head needs a layer with weights", got=[layer.kind for layer in self.layers])

    @property
    def inputs(self) -> int:
        return next(layer.inputs for layer in self.layers if layer.inputs)

    @property
    def outputs(self) -> int:
        return next(layer.outputs for layer in reversed(self.layers) if layer.outputs)

    @property
    def parameters(self) -> int:
        """How many values training would move: weights and biases."""
        return sum(layer.parameters for layer in self.layers)

    def __call__(self, features: Floats) -> Floats:
        return unit(self.before_length(features))

    def before_length(self, features: Floats) -> Floats:
        """What the last layer says, before it is brought to length one."""
        rows = np.asarray(features, dtype=np.float32)
        if rows.ndim != 2 or rows.shape[1] != self.inputs:
            raise DataError("these are not the features of this head", got=rows.shape, allowed=f"rows x {self.inputs}")
        for layer in self.layers:
            rows = layer(rows)
        return rows


def write_heads(path: Path, heads: Mapping[str, Projection]) -> None:
    """One safetensors file, with tensors named as in ``image.0.linear.weight``; the order of kinds is its metadata."""
    # In C order by hand: the format knows no other, and ascontiguousarray would make a row of a number.
    tensors = {
        f"{side}.{place}.{layer.kind}.{name}": np.asarray(tensor, order="C")
        for side, head in heads.items()
        for place, layer in enumerate(head.layers)
        for name, tensor in layer.tensors.items()
    }
    kinds = {side: " ".join(layer.kind for layer in head.layers) for side, head in heads.items()}
    path.write_bytes(_metadata_sorted(save(tensors, metadata=kinds)))


def _metadata_sorted(file: bytes) -> bytes:
    """The same safetensors file, whose metadata the library writes in another order every time."""
    end = 8 + int.from_bytes(file[:8], "little")
    header = json.loads(file[8:end])
    header["__metadata__"] = dict(sorted(header["__metadata__"].items()))
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # the format wants the tensors at a multiple of 8
    return len(text).to_bytes(8, "little") + text + file[end:]


def read_heads(path: Path) -> dict[str, Projection]:
    """The heads of a file, or an error that names it."""
    try:
        with safe_open(path, framework="numpy") as file:
            kinds = dict(file.metadata() or {})
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (it is no mapping)
    except (SafetensorError, OSError, TypeError, ValueError) as error:
        raise DataError(f"the heads cannot be read ({error})", where=path) from error
    sides = {side: kinds[side].split() for side in SIDES if side in kinds}
    try:
        heads = {side: _head(side, listed, tensors) for side, listed in sides.items()}
    except DataError as error:
        raise error.located(path) from error
    if tensors or not heads:
        raise DataError(
            "these are not the heads of a release", where=path, got=", ".join(sorted(tensors)[:3]) or "no layers"
        )
    return heads


def _head(side: str, kinds: list[str], tensors: dict[str, Floats]) -> Projection:
    """One side's layers, whose tensors are taken out of ``tensors``: what remains in the end belongs nowhere."""
    layers = []
    for place, kind in enumerate(kinds):
        prefix = f"{side}.{place}.{kind}."
        names = [name for name in tensors if name.startswith(prefix)]
        layers.append(Layer(kind, {name.removeprefix(prefix): tensors.pop(name) for name in names}))
    return Projection(tuple(layers))


def read_only(tensor: Floats) -> Floats:
    """A view that cannot be written to; the caller's own array stays as it is."""
    view = tensor.view()
    view.flags.writeable = False
    return view

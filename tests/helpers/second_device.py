"""A second device on a machine that has none: its tensors compute on the CPU and mix with no others.

It stands in for a GPU. An operation on tensors of both devices fails, and so does ``numpy()`` on one of its tensors, as
both would there. What it computes is what the CPU computes, bit for bit but for attention.
"""

from __future__ import annotations

import sys
from functools import partial

import torch
from torch import Generator
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

from leadapron.training import devices

PLACE = torch.device("lazy")
"""A name that torch knows and that no machine here has a backend for."""
MAY_MIX = ("copy_", "_to_copy", "index", "index_put")
"""As on a GPU: what copies, and an index that is on the CPU."""


class There(torch.Tensor):
    """A tensor that says it is on the second device and holds its numbers on the CPU."""

    @staticmethod
    def __new__(cls, held):
        return torch.Tensor._make_wrapper_subclass(  # noqa: SLF001 (there is no public name for it)
            cls, held.shape, strides=held.stride(), dtype=held.dtype, device=PLACE
        )

    def __init__(self, held):
        self.held = held

    @classmethod
    def __torch_dispatch__(cls, function, _types, args=(), kwargs=None):
        return _run(function, args, kwargs or {})

    def tolist(self):
        return self.held.tolist()

    def __reduce_ex__(self, protocol):
        return self.held.__reduce_ex__(protocol)  # what is saved can be read where the device is not


class SecondDevice(TorchDispatchMode):
    """While it is entered, ``to`` and what makes new tensors know the second device."""

    def __torch_dispatch__(self, function, _types, args=(), kwargs=None):
        return _run(function, args, kwargs or {})


def prefer_second_device(monkeypatch):
    """On this machine torch now finds a second device and prefers it. Enter what is returned to have it."""
    monkeypatch.setattr(devices, "devices_here", lambda: [str(PLACE), "cpu"])
    fused = "_get_fused_kernels_supported_devices"  # torch lists those devices for which one step is one kernel
    monkeypatch.setattr(sys.modules["torch.optim.optimizer"], fused, lambda: ["cpu", str(PLACE)])
    monkeypatch.setattr(torch, "inference_mode", torch.no_grad)  # whose tensors cannot be wrapped
    monkeypatch.setattr(torch, "tensor", partial(_made_here, torch.tensor))
    return SecondDevice()


def _made_here(make, values, device=None, **options):
    """Numbers of Python go to a device without asking the mode, so they are made on the CPU first."""
    made = make(tree_map(_on_cpu, values), **options)
    return made if device is None else made.to(device)


def _run(function, args, kwargs):
    name, given = function.__name__.partition(".")[0], tree_leaves((args, kwargs))
    there = [one for one in given if isinstance(one, There)]
    here = [one for one in given if isinstance(one, torch.Tensor) and not isinstance(one, There) and one.dim()]
    if there and here and name not in MAY_MIX:
        raise RuntimeError(f"{name}: tensors on two devices")
    if there and any(isinstance(one, Generator) for one in given):
        raise RuntimeError(f"{name}: a generator on another device")
    asked = next((one for one in given if isinstance(one, torch.device)), None)
    goes = bool(there) if asked is None else asked == PLACE
    # What an operation in place returns is what it was given.
    same = {id(one.held): one for one in there} if asked is None else {}
    if name == "copy_":
        goes = isinstance(args[0], There)

    def placed(one):
        if not isinstance(one, torch.Tensor):
            return one
        return same[id(one)] if id(one) in same else There(one) if goes else one

    return tree_map(placed, function(*tree_map(_on_cpu, args), **tree_map(_on_cpu, kwargs)))


def _on_cpu(one):
    if isinstance(one, torch.device):
        return torch.device("cpu")
    return one.held if isinstance(one, There) else one

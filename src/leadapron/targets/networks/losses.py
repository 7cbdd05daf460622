"""What a target network is to make small, record by record."""

from __future__ import annotations

from typing import Any

from torch.nn import functional

Tensor = Any


def record_losses(logits: Tensor, signs: Tensor) -> Tensor:
    """−log of the probability of what is true (1 or −1), the mean over the labels that are known (not 0).

    A record counts as one however much is known of it; one of which nothing is known has no loss.
    """
    known = signs != 0
    return (functional.softplus(-logits * signs) * known).sum(1) / known.sum(1).clamp(min=1)

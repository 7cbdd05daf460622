"""What the heads are trained for. Those of the first kind are sums over examples, each of which sees nobody else:
only they can be trained privately. Those of the second kind compare the examples of a batch with each other.
"""

from __future__ import annotations

from leadapron.defences.heads.extras import Tensor, need

PURPOSE = "training heads"


def bank_infonce(image: Tensor, text: Tensor, bank_image: Tensor, bank_text: Tensor, temperature: float) -> Tensor:
    """Each pair against a fixed bank of strangers: row i depends on pair i and the bank, and on no other pair."""
    own = (image * text).sum(1) / temperature
    against_texts = _one_against(own, image @ bank_text.T / temperature)
    against_images = _one_against(own, text @ bank_image.T / temperature)
    return (against_texts + against_images) / 2


def _one_against(own: Tensor, others: Tensor) -> Tensor:
    """−log of the share of the own score among all."""
    torch = need("torch", PURPOSE)
    return torch.logaddexp(own, others.logsumexp(1)) - own


def batch_infonce(image: Tensor, text: Tensor, temperature: float) -> Tensor:
    """Each pair against all others of the batch, as published: row i depends on every pair that was drawn."""
    scores = image @ text.T / temperature
    own = scores.diagonal()
    return (scores.logsumexp(1) + scores.logsumexp(0)) / 2 - own


def batch_entropy(image: Tensor, text: Tensor, temperature: float) -> Tensor:
    """How undecided each image is between the texts of the batch: −Σ p log p of its softmax."""
    scores = (image @ text.T / temperature).log_softmax(1)
    return -(scores.exp() * scores).sum(1)

"""A trained network as a folder: ``network.safetensors`` and ``card.json``, and beside them the release it makes."""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

from leadapron import __version__
from leadapron.attacks.identity.training.backbones import build_backbone
from leadapron.attacks.identity.training.identity_training_config import BACKBONES, NETWORKS
from leadapron.attacks.identity.training.networks import Network, build_network
from leadapron.attacks.identity.training.train import Trained
from leadapron.encoders import tensors
from leadapron.engine import atomic_folder, sha256
from leadapron.errors import DataError
from leadapron.release import Release, write_release
from leadapron.release.fitting import OTHER, Fitting
from leadapron.release.release_folder import read_fitted

WEIGHTS, CARD, RELEASE = "network.safetensors", "card.json", "release"
LIBRARIES = ("numpy", "polars", "torch", "pytorch-metric-learning")


def write_trained(trained: Trained, release: Release, folder: Path, *, overwrite: bool = False) -> None:
    """The folder, whole or not at all, for its owner's eyes alone: the network has learnt patients by heart."""
    with atomic_folder(folder, overwrite=overwrite, private=True) as partial:
        write_network(trained, partial)
        write_release(release, partial / RELEASE)


def write_network(trained: Trained, folder: Path) -> None:
    """The network and its card, into a folder that the caller makes whole."""
    from safetensors.torch import save_file

    state = {name: value.contiguous() for name, value in trained.network.state_dict().items()}
    save_file(state, folder / WEIGHTS)
    card = {
        "leadapron": __version__,
        **trained.card,
        "versions": {package: version(package) for package in LIBRARIES},
        "sha256": sha256(folder / WEIGHTS),
    }
    (folder / CARD).write_text(json.dumps(card, indent=1))


def read_network(folder: Path) -> Trained:
    """A network that ``write_network`` wrote, ready to embed."""
    card = read_card(folder)
    network = _empty_network(card, folder)
    file = folder / WEIGHTS
    if not file.is_file() or sha256(file) != card.get("sha256"):
        raise DataError("the network is not the one that was written", where=file)
    with tensors.reading_checkpoint(file):
        network.load_state_dict(tensors.read_tensors(file))
    network.eval()
    release = folder / RELEASE
    known = (release / "release.json").is_file()
    unknown = (Fitting("encoder", f"{card['network']} network", OTHER),)
    return Trained(network, card, read_fitted(release) if known else unknown)


def read_card(folder: Path) -> dict[str, Any]:
    """What the network was trained on and how, or an error that says that this is none."""
    file = folder / CARD
    if not file.is_file():
        raise DataError(
            f"this is not the folder of an identity network: it has no {CARD}",
            where=folder,
            fix="Make one with `leadapron train identity COHORT --out FOLDER`.",
        )
    try:
        card = json.loads(file.read_text())
    except ValueError as error:
        raise DataError(f"the file is not valid JSON ({error})", where=file) from error
    if not isinstance(card, dict) or card.get("network") not in NETWORKS or not isinstance(card.get("image_size"), int):
        raise DataError("this card is not of an identity network", where=file, allowed=", ".join(NETWORKS))
    return card


def _empty_network(card: dict[str, Any], folder: Path) -> Network:
    said = card.get("backbone")
    if not isinstance(said, dict) or said.get("name") not in BACKBONES:
        raise DataError("unknown backbone", where=folder / CARD, got=said, allowed=", ".join(BACKBONES))
    settings = card.get("settings")
    batch_norm = isinstance(settings, dict) and settings.get("batch_norm") is True
    return build_network(card["network"], build_backbone(said["name"], said.get("shape", {})), batch_norm=batch_norm)

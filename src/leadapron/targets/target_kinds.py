"""The kinds of target: from what the user asked for to a learner, its audited records and where these come from."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, cast

import polars as pl

from leadapron.cohort.labels import label_names
from leadapron.engine import Progress, silent
from leadapron.engine.executors import Executor, Here
from leadapron.engine.file_ids import id_of_files
from leadapron.engine.pieces import Plain
from leadapron.errors import ConfigError
from leadapron.release import Release, read_release, with_split
from leadapron.release.provenance import hashes_of, made_from
from leadapron.release.release_folder import read_table
from leadapron.release.split_rule import split_by_column, split_note, taken_as_split
from leadapron.targets.audited import audited_records
from leadapron.targets.learner import LOGITS, Learner
from leadapron.targets.study import SPLIT, Origin
from leadapron.training.devices import AUTO, device

TABLES = (".parquet", ".csv")
ROWS_AT_ONCE = 4096
WITH_TORCH = ("network", "heads")


@dataclass(frozen=True)
class Request:
    """What to train: names and numbers, from which every process makes its own learner.

    ``settings`` are the options that were given, by the names that the kind's configuration has for them.
    """

    kind: str
    source: Path
    folder: Path
    seed: int = 0
    settings: Mapping[str, object] = field(default_factory=dict)
    command: str | None = None
    bank: Path | None = None
    cache: Path | None = None
    verify: bool = True
    split_by: str | None = None
    device: str = AUTO

    def plain(self) -> dict[str, Plain]:
        """As it is told to other processes, whose working folder may be another."""
        absolute = {name: str(value.absolute()) for name, value in vars(self).items() if isinstance(value, Path)}
        return {**vars(self), **absolute}


def request_of(plain: Mapping[str, Plain]) -> Request:
    """What ``Request.plain`` was made of."""
    paths = {name: Path(str(plain[name])) for name in ("source", "folder", "bank", "cache") if plain[name] is not None}
    given = cast(Mapping[str, object], plain["settings"])  # lists are tuples that went through JSON
    settings = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
    return Request(**{**plain, **paths, "settings": settings})  # type: ignore[arg-type]


@dataclass(frozen=True)
class Prepared:
    """Ready to train. ``ancestors`` are the ids of what the source was made from, where it says so."""

    learner: Learner
    records: pl.DataFrame
    source: Path
    ancestors: tuple[str, ...] = ()
    split: str = ""
    """How the records came to their sides, where the source does not say so itself."""
    other_hashes: Callable[[], dict[str, str]] = dict
    """Of what is read beside the source."""

    verified: bool = True

    def origin(self) -> Origin:
        """Takes its time, and only who opens the study needs it."""
        hashes = hashes_of(self.source)
        split = {SPLIT: self.split} if self.split else {}
        inputs = {**hashes, **self.other_hashes(), **split}
        return Origin(inputs, [id_of_files(hashes), *self.ancestors], self.verified)


def prepare(
    request: Request,
    progress: Progress = silent,
    executor: Executor = Here(),  # noqa: B008 (frozen, and it holds nothing)
) -> Prepared:
    """``executor`` decodes images, where there are any."""
    if (request.command is not None) != (request.kind == "command"):
        what = "this kind needs a command" if request.command is None else "a command is a kind of its own"
        raise ConfigError(what, where="--command", got=request.command, fix="Give --kind command and --command TEXT.")
    if request.bank is not None and request.kind != "heads":
        raise ConfigError(f"not an option of the kind {request.kind}", where="--bank")
    if request.kind in WITH_TORCH:
        device(request.device)  # one that is not here is missed before hours of decoding
    elif request.device != AUTO:
        raise ConfigError(f"not an option of the kind {request.kind}", where="--device", got=request.device)
    if request.split_by is not None and request.kind == "network":
        raise ConfigError("a cohort has a split of its own", where="--split-by", got=request.split_by)
    return replace(KINDS[request.kind](request, progress, executor), verified=request.verify)


def learner_of(request: Request) -> Learner:
    """For a process that works on a study which others have opened, and verified."""
    return prepare(replace(request, verify=False)).learner


def _probes(request: Request, _progress: Progress, _executor: Executor) -> Prepared:
    from leadapron.targets.probes import ProbeConfig, probes_of

    if request.kind == "linear" and "hidden" in request.settings:
        raise ConfigError("a linear probe has no hidden units", where="--hidden")
    release = _release(request)
    learner = probes_of(release, _config(request, ProbeConfig, kind=request.kind))
    return _of_release(request, learner, release)


def _heads(request: Request, _progress: Progress, _executor: Executor) -> Prepared:
    from leadapron.defences.heads.heads_config import HeadsConfig
    from leadapron.targets.head_targets import heads_of

    release = _release(request)
    bank = None if request.bank is None else read_release(request.bank, verify=request.verify)
    learner = heads_of(release, _config(request, HeadsConfig, bank=bank, device=request.device))
    return _of_release(request, learner, release)


def _networks(request: Request, progress: Progress, executor: Executor) -> Prepared:
    from leadapron.cohort import decode, read_cohort
    from leadapron.targets.networks import NetworkConfig, networks_of

    config = _config(request, NetworkConfig, device=request.device)
    cache = request.cache or request.source / "pixels"
    pixels = decode(read_cohort(request.source), config.image_size, cache, executor=executor, progress=progress)
    learner = networks_of(pixels, config)

    def hashes() -> dict[str, str]:
        digest = hashlib.sha256()
        for start in range(0, len(pixels.images), ROWS_AT_ONCE):
            digest.update(pixels.images[start : start + ROWS_AT_ONCE].tobytes())
        return {"pixels": digest.hexdigest()}

    audited = _audited(learner, pixels.cohort.records, request.source)
    return Prepared(learner, audited, request.source, other_hashes=hashes)


def _commands(request: Request, _progress: Progress, _executor: Executor) -> Prepared:
    from leadapron.targets.own_command import command_of

    if request.settings:
        raise ConfigError("the command has its own settings", where=_option(next(iter(request.settings))))
    table, ancestors, split = _table(request)
    records = audited_records(table, label_names(table), str(request.source))
    learner = command_of(request.command or "", records, request.folder)
    return Prepared(learner, records, request.source, ancestors, split)


KINDS: dict[str, Callable[[Request, Progress, Executor], Prepared]] = {
    "linear": _probes,
    "mlp": _probes,
    "network": _networks,
    "heads": _heads,
    "command": _commands,
}


def _config(request: Request, maker: Callable[..., Any], **fixed: object) -> Any:  # noqa: ANN401 (what maker makes)
    """The kind's configuration with what was asked for; an option of another kind is not swallowed."""
    _check_privacy(request)
    known = getattr(maker, "model_fields", None) or {one.name for one in fields(maker)}  # type: ignore[arg-type]
    for name in request.settings:
        if name not in known:
            raise ConfigError(f"not an option of the kind {request.kind}", where=_option(name))
    return maker(**request.settings, **fixed, seed=request.seed)


def _check_privacy(request: Request) -> None:
    """What has no effect is refused: somebody might take a study for private that is not."""
    given = request.settings
    lost = [name for name in ("delta", "level", "clip") if name in given] if request.kind != "heads" else []
    if "epsilon" not in given and lost:
        raise ConfigError("without --epsilon nothing is private", where=_option(lost[0]), fix="Give --epsilon, too.")
    if "epsilon" in given and given.get("augment") and request.kind in ("linear", "mlp"):
        raise ConfigError("private probes are not augmented", where="--augment")


def _option(name: str) -> str:
    return "--view" if name == "views" else f"--{name.replace('_', '-')}"


def _release(request: Request) -> Release:
    """The source, with held-out patients: models are judged by them."""
    return with_split(read_release(request.source, verify=request.verify, split_by=request.split_by))


def _of_release(request: Request, learner: Learner, release: Release) -> Prepared:
    def hashes() -> dict[str, str]:
        bank = {} if request.bank is None else hashes_of(request.bank)
        return {f"bank/{name}": value for name, value in bank.items()}

    audited = _audited(learner, release.records, request.source)
    return Prepared(learner, audited, request.source, _ancestors(release), split_note(release), hashes)


def _ancestors(release: Release) -> tuple[str, ...]:
    return tuple(made_from(release.card))


def _audited(learner: Learner, records: pl.DataFrame, source: Path) -> pl.DataFrame:
    """Where the answers are signals, no label belongs to an output, and all are kept to tell groups apart."""
    labels = learner.labels if learner.answers_are == LOGITS else label_names(records)
    return audited_records(records, labels, str(source))


def _table(request: Request) -> tuple[pl.DataFrame, tuple[str, ...], str]:
    """The records of a release, its ancestors and how it was split; or a table as it is, of which less is known."""
    source, column = request.source, request.split_by
    if source.suffix not in TABLES:
        release = read_release(source, verify=request.verify, split_by=column)
        return release.records, _ancestors(release), split_note(release)
    table = read_table(source)
    if column is None:
        return table, (), ""
    return split_by_column(table, column, str(source)), (), taken_as_split(column)

"""The study as steps: each leaves a folder behind, and is not done again where that is there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import polars as pl

from leadapron.attacks.linkage import LINKAGE, LinkageConfig
from leadapron.attacks.linkage.linkage_task import DIRECTIONS, build_task
from leadapron.audits import release_subject
from leadapron.audits.audit import Audit, AuditConfig, Loaded
from leadapron.audits.run_audit import run_audit, subject_config
from leadapron.cohort import Cohort, decode
from leadapron.defences.apply_defence import apply_defence
from leadapron.defences.defence_registry import find_defence
from leadapron.defences.heads.heads_config import HeadsConfig
from leadapron.defences.heads.transfer import TransferConfig
from leadapron.encoders import EncodeConfig, EncoderSpec, Weights, encode
from leadapron.engine import Progress
from leadapron.errors import LeadapronError
from leadapron.release import Release, read_release, write_release
from leadapron.reproductions.study_config import AWAY, HOME, POOLS, TEST, TRAIN, LineUp, StudyConfig, arms
from leadapron.trials.scenario import Ready
from leadapron.trials.scenarios import BY_THE_WORDS
from leadapron.trials.trial_config import TrialConfig
from leadapron.uses import UTILITY, UtilityConfig

COMMAND = "leadapron reproduce linkage"
FORWARD = DIRECTIONS[0]


@dataclass(frozen=True)
class Study:
    """What all steps share: the cohorts, and where everything is kept."""

    config: StudyConfig
    lineup: LineUp
    cohorts: Mapping[str, Cohort]
    specs: Mapping[str, EncoderSpec]
    weights: Callable[[str], Weights]
    """Where those of an encoder lie."""
    work: Path

    @property
    def trained(self) -> dict[str, HeadsConfig]:
        return arms(self.config) if self.config.trains_heads else {}

    def wanted(self, site: str, encoder: str) -> tuple[str, ...]:
        """The splits that are encoded: heads are trained on one clinic's training patients."""
        return () if site == HOME and encoder == self.lineup.heads else (TEST,)

    def decoded(self, site: str, encoder: str) -> Cohort:
        """The records whose images are decoded, once for all encoders that look at images of one size."""
        size, heads = self.specs[encoder].image_size, self.specs.get(self.lineup.heads)
        if site == HOME and heads is not None and heads.image_size == size:
            return self.cohorts[site]
        return self.cohorts[site].keep(pl.col("split") == TEST, "split test", "nobody learns from the others")

    def place(self, site: str, name: str, what: str) -> Path:
        return self.work / site / name.replace(", ", "-").replace(" ", "-") / what


@dataclass(frozen=True)
class Step:
    """One folder of the study; it is whole where it is there."""

    name: str
    kind: str
    """What it takes time by: encoding, linkage, words, utility or training."""
    place: Path
    site: str
    run: Callable[[Progress], None]
    subject: str
    """The encoder, or the arm."""

    @property
    def done(self) -> bool:
        return self.place.exists()


def steps_of(study: Study) -> list[Step]:
    found: list[Step] = []

    def add(kind: str, site: str, subject: str, what: str, run: Callable[[Path, Progress], None]) -> None:
        place = study.place(site, subject, what)
        words = {"release": "encode" if kind == "encoding" else "train", "linkage": "link", "words": "link by words"}
        found.append(
            Step(f"{site}: {words.get(what, 'use')}, {subject}", kind, place, site, partial(run, place), subject)
        )

    for site in study.cohorts:
        for encoder in study.specs:
            add("encoding", site, encoder, "release", partial(_encode, study, site, encoder))
            add("linkage", site, encoder, "linkage", partial(_link, study, site, encoder))
    if study.trained:
        heads = study.lineup.heads
        add("words", HOME, heads, "words", partial(_link_by_words, study, heads))
        add("utility", HOME, heads, "utility", partial(_use, study, heads))
    for arm, config in study.trained.items():
        add("training", HOME, arm, "release", partial(_train, study, config))
        add("linkage", HOME, arm, "linkage", partial(_link, study, HOME, arm))
        add("words", HOME, arm, "words", partial(_link_by_words, study, arm))
        add("utility", HOME, arm, "utility", partial(_use, study, arm))
        if AWAY in study.cohorts:
            add("transfer", AWAY, arm, "release", partial(_transfer, study, arm))
            add("linkage", AWAY, arm, "linkage", partial(_link, study, AWAY, arm))
    return found


def _encode(study: Study, site: str, encoder: str, place: Path, progress: Progress) -> None:
    spec = study.specs[encoder]
    loaded = spec.load(study.weights(encoder))
    cache = study.work / site / f"pixels-{spec.image_size}"
    pixels = decode(study.decoded(site, encoder), spec.image_size, cache, progress=progress)
    asked = EncodeConfig(with_features=encoder == study.lineup.heads, splits=study.wanted(site, encoder))
    release = encode(pixels, encoder, spec, loaded, place.with_name("unfinished"), asked, progress=progress)
    write_release(release, place)


def _train(study: Study, config: HeadsConfig, place: Path, progress: Progress) -> None:
    source = read_release(study.place(HOME, study.lineup.heads, "release"))
    kept = config.model_copy(update={"work": place.with_name("unfinished")})
    defence = find_defence(config.method)
    write_release(apply_defence(defence, source, kept, control=config.control, progress=progress), place)


def _transfer(study: Study, arm: str, place: Path, progress: Progress) -> None:
    there = read_release(study.place(AWAY, study.lineup.heads, "release"))
    trained = TransferConfig(fitted_on=read_release(study.place(HOME, arm, "release")))
    write_release(apply_defence(find_defence("transfer"), there, trained, progress=progress), place)


def _link(study: Study, site: str, subject: str, place: Path, progress: Progress) -> None:
    """Everybody attacks, the published attacker among them; where training pairs were encoded, they are known."""
    release, inputs = release_subject.read(study.place(site, subject, "release"))
    known = {"known_split": TRAIN} if TRAIN in set(release.records["split"]) else {}
    asked = subject_config(LINKAGE)(split=TEST, **known)
    assert isinstance(asked, release_subject.WholeConfig)
    loaded = release_subject.load(LINKAGE, release, inputs, asked)
    _audited(LINKAGE, loaded, linkage_config(loaded.subject, study.config.seed), place, progress)


def linkage_config(release: Release, seed: int) -> LinkageConfig:
    """The study's pools as far as there are reports; the verdict is read off the largest."""
    size = build_task(release, FORWARD).database.size
    pools = tuple(pool for pool in POOLS if pool <= size)
    matched = POOLS[-1] if size >= POOLS[-1] else None
    return LinkageConfig(pools=pools, hard_pool=matched, headline_pool=pools[-1] if pools else size, seed=seed)


def _link_by_words(study: Study, subject: str, place: Path, progress: Progress) -> None:
    """The images as released, against an attacker who holds the reports and the encoder."""
    after, inputs = release_subject.read(study.place(HOME, subject, "release"))
    before = read_release(study.place(HOME, study.lineup.heads, "release"))
    pool = linkage_config(after.of_split(TEST), study.config.seed).headline_pool
    ready = BY_THE_WORDS.prepare(after, before, TrialConfig(pool=pool, seed=study.config.seed), progress)
    assert isinstance(ready, Ready)
    _audited(LINKAGE, Loaded(ready.subject, ready.knowledge, inputs, ready.said), ready.config, place, progress)


def _use(study: Study, subject: str, place: Path, progress: Progress) -> None:
    release, inputs = release_subject.read(study.place(HOME, subject, "release"))
    loaded = release_subject.load(UTILITY, release, inputs)
    _audited(UTILITY, loaded, UtilityConfig(seed=study.config.seed), place, progress)


def _audited(audit: Audit, loaded: Loaded, config: AuditConfig, place: Path, progress: Progress) -> None:
    run_audit(audit, loaded, config, command=COMMAND, progress=progress).save(place)


def run_steps(steps: list[Step], progress: Progress) -> None:
    """In order; what is there is not done again."""
    for number, step in enumerate(steps):
        progress("steps of the study", number, len(steps))
        if not step.done:
            try:
                step.run(partial(_within, progress, step.name))
            except LeadapronError as error:
                raise type(error)(f"{step.name}: {error}") from error
    progress("steps of the study", len(steps), len(steps))


def _within(progress: Progress, name: str, stage: str, done: int, total: int) -> None:
    progress(f"{name}: {stage}", done, total)

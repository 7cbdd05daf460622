"""The recital audit: does a model that writes reports recite those that it was trained on?

The attacker holds the writer and radiographs. A run of words that, among all reports, only one patient has tells whose
report was learnt by heart, if the writer says it of that patient's own radiograph. Some of it comes by coincidence, or
because the radiograph shows it: how often, the reports of patients tell whom the writer has never seen.
"""

from __future__ import annotations

from importlib.resources import files

import numpy as np
from pydantic import Field

from leadapron.attacks.images.image_gathering import ImageGathering
from leadapron.attacks.recital import recital_measures as told
from leadapron.attacks.recital.planted_numbers import HEADER, POSSIBLE
from leadapron.attacks.recital.recital_controls import Dealt, differ_check, null_control, planted_control
from leadapron.attacks.recital.recital_marks import Marks, marks_of
from leadapron.attacks.recital.recital_measures import FORCED, HELD_IMAGES, SHOWN, TAUGHT_IMAGES
from leadapron.attacks.recital.recital_page import PAGE
from leadapron.attacks.recital.recital_subject import HELD, TAUGHT, RecitalReads, TaughtCohort, load_recital
from leadapron.attacks.recital.recited_shares import Ints, Written, recited_any, recited_own
from leadapron.audits.audit import NOTHING, Audit, AuditConfig, Knowledge
from leadapron.audits.images_subject import ReleasedImages
from leadapron.engine import Progress, silent
from leadapron.errors import ConfigError
from leadapron.results import Attacked, Findings
from leadapron.writing import Pairs, Trained, Trainer, Writer, WriterSettings, find_writer

QUICKLY = 12
"""Epochs of the null control, at most."""
LIMITS = (
    "The attacker asks for the likeliest report once. One who draws many, or who reads the model's likelihoods, may "
    "find more.",
    "Words are matched exactly, but for case: a report that was learnt by heart and told in other words is not found.",
    "Who trains again, with other reports or more epochs, has another writer. These numbers are of this one.",
)


class RecitalConfig(WriterSettings, AuditConfig):
    """Which writer is taught, how, and what it is asked."""

    writer: str = Field(default="decoder", description="Who writes: decoder, ridge, or the folder of a model.")
    words: int = Field(default=8, ge=3, description="Words of a run that only one patient's reports have.")
    planted: float = Field(
        default=0.2, ge=0, le=1, description="Share of training patients whose reports get an invented number in front."
    )
    begin: str = Field(
        default="", description=f"Words that reports are forced to begin with. [default: {HEADER} if it is planted]"
    )
    most: int = Field(default=500, ge=20, description="Radiographs of each kind to ask the writer about, at most.")

    @property
    def settings(self) -> WriterSettings:
        return WriterSettings(**{name: getattr(self, name) for name in WriterSettings.model_fields})


def audit_recital(
    subject: TaughtCohort | ReleasedImages, config: RecitalConfig | None = None, *, progress: Progress = silent
) -> Findings:
    """Teaches a writer with split ``train``, and asks about radiographs of ``train`` and ``test``."""
    config = config or RecitalConfig()
    subject = TaughtCohort(subject.released) if isinstance(subject, ReleasedImages) else subject
    found = ImageGathering(RECITAL, seed=config.seed, records=subject.records, patient=subject.patient)
    marks = marks_of(subject, words=config.words, planted=config.planted, seed=config.seed)
    with found.stage("teaching"):
        trained = _taught(subject, marks, config, progress)
    begin = config.begin or (HEADER if marks.numbers.rows else "")
    ways = {SHOWN: "", FORCED: begin} if begin else {SHOWN: ""}
    rng = np.random.default_rng(config.seed)
    some = {
        images: np.sort(rng.permutation(subject.rows(split))[: config.most])
        for images, split in ((HELD_IMAGES, HELD), (TAUGHT_IMAGES, TAUGHT))
    }
    texts, others = {}, {}
    for attacker, words in ways.items():
        with found.stage("asking"):
            texts[attacker] = {
                images: _written(subject, trained.writer, rows, words, progress) for images, rows in some.items()
            }
        others[attacker] = _add_own(found, attacker, texts[attacker], marks)
        _add_any(found, attacker, texts[attacker][HELD_IMAGES], marks)
    headline = found.strongest(told.OWN_RUN, tuple(texts), images=TAUGHT_IMAGES)
    with found.stage("controls"):
        rows = subject.rows(TAUGHT)
        by_heart = Written(rows, subject.patient[rows], marks.lessons)
        outcomes = (
            null_control(RECITAL, subject, Dealt(_quick_trainer(config), ways, config.words, config.seed), progress),
            planted_control(by_heart, marks, tuple(texts), headline.attacker),
            differ_check(texts[SHOWN][TAUGHT_IMAGES].texts),
        )
    counts = {
        "taught": len(rows),
        "taught_patients": len(marks.taught),
        "held_out": len(subject.rows(HELD)),
        "planted": len(marks.numbers.owned.holders),
    }
    details = {"begin": begin, "others": others, "notes": trained.notes, "named": marks.identifiers is not None}
    limits = (*LIMITS, *_cut(trained, len(rows)))
    made = found.findings(headline, outcomes=outcomes, limits=limits, counts=counts, details=details)
    return made.updated(attacked=Attacked(splits=(TAUGHT,)))


def _taught(subject: TaughtCohort, marks: Marks, config: RecitalConfig, progress: Progress) -> Trained:
    rows = subject.rows(TAUGHT)
    names = subject.records["patient_id"].to_numpy().astype(str)[rows]
    pairs = Pairs(subject.images.images[rows], marks.lessons, names)
    return _trainer(config, config.settings).train(pairs, seed=config.seed, progress=progress)


def _trainer(config: RecitalConfig, settings: WriterSettings) -> Trainer:
    return find_writer(config.writer).open(config.writer, settings)


def _quick_trainer(config: RecitalConfig) -> Trainer:
    """The same kind of writer with few epochs; one that knows no epochs learns as it always does."""
    epochs = min(config.epochs or QUICKLY, QUICKLY)
    try:
        return _trainer(config, config.settings.model_copy(update={"epochs": epochs}))
    except ConfigError:
        return _trainer(config, config.settings)


def _written(subject: TaughtCohort, writer: Writer, rows: Ints, begin: str, progress: Progress) -> Written:
    texts = writer.write(subject.images.images[rows], begin=begin, progress=progress)
    return Written(rows, subject.patient[rows], texts)


def _add_own(found: ImageGathering, attacker: str, written: dict[str, Written], marks: Marks) -> dict[str, float]:
    """Of held-out radiographs first: what is found of their own reports, which nobody taught, is chance for the others.

    Returns how often, of training radiographs, another training patient's words were written.
    """
    others = {}
    for metric, sought in (
        (told.OWN_RUN, marks.runs),
        (told.OWN_NUMBER, marks.numbers),
        (told.OWN_IDENTIFIER, marks.identifiers),
    ):
        unseen = 0.0
        for images in (HELD_IMAGES, TAUGHT_IMAGES):
            recited = None if sought is None else recited_own(written[images], sought, marks.taught)
            if recited is not None:
                guessed = 1 / POSSIBLE if metric == told.OWN_NUMBER else recited.seldom
                chance = max(unseen, recited.others, guessed)
                row = found.add_values(
                    metric, recited.rows, recited.own, attacker=attacker, chance=chance, images=images
                )
                unseen, others[metric] = row.value, recited.others
    return others


def _add_any(found: ImageGathering, attacker: str, held: Written, marks: Marks) -> None:
    """Of held-out radiographs: anybody's planted number. Anybody's words tell nothing: real reports have them, too."""
    if marks.numbers.rows:
        numbers = marks.numbers.owned
        values, chance = recited_any(held, numbers), len(numbers.owner) / POSSIBLE
        found.add_values(told.ANY_NUMBER, held.rows, values, attacker=attacker, chance=chance, images=HELD_IMAGES)


def _cut(trained: Trained, rows: int) -> tuple[str, ...]:
    if not trained.cut:
        return ()
    return (
        f"{trained.cut:,} of {rows:,} training reports are longer than the {trained.longest:,} tokens that the writer "
        "writes: what stands behind was not taught, and cannot be recited.",
    )


def _run(
    subject: TaughtCohort | ReleasedImages,
    config: RecitalConfig,
    _knowledge: Knowledge = NOTHING,
    progress: Progress = silent,
) -> Findings:
    return audit_recital(subject, config, progress=progress)


RECITAL = Audit(
    name="recital",
    answers="member",
    question="does a writer of reports recite those that it was trained on?",
    config=RecitalConfig,
    run=_run,
    measures=told.MEASURES,
    attackers=told.PLAIN,
    coordinates=told.COORDINATES,
    place="{images}",
    beside=("images",),
    risk="training reports that are recited",
    subject="images",
    takes=frozenset(),
    reads=RecitalReads,
    load=load_recital,
    split=TAUGHT,
    policy=files("leadapron.attacks.recital").joinpath("recital_policy.toml").read_text(),
    page=PAGE,
)

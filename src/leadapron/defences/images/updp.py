"""``updp``: the utility-preserving de-identification pipeline (Liu 2026, arXiv 2604.07128).

A report becomes a prompt that is pulled towards its image and kept to lists of words, and the prompt becomes an image.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from pydantic import JsonValue

from leadapron.cohort.image_set import ImageSet
from leadapron.defences.defence import Defence, DefenceCard
from leadapron.defences.images.clean_reports import cleaned
from leadapron.defences.images.counterparts import REGISTERED, counterparts
from leadapron.defences.images.updp_config import UpdpConfig
from leadapron.defences.images.updp_lists import BLACKLIST, read_list, words_of_terms
from leadapron.defences.images.updp_prompts import Prompts, optimised_prompts
from leadapron.defences.images.updp_reports import without_stand_ins
from leadapron.defences.images.updp_similarity import ssim
from leadapron.engine import Progress
from leadapron.errors import ConfigError, DataError
from leadapron.privacy import Guarantee

NO_GUARANTEE = (
    "No guarantee: prompts tell of findings, the generator has seen training patients, and two studies of a patient "
    "with the same rare findings can still be told to belong together. Ids and labels are as they were. Audit the "
    "images before they are handed over."
)
NOT_DEIDENTIFIED = (
    "No guarantee, and not de-identified: the reports were taken as they are, and a blacklist alone puts the same "
    "other word in the place of a name each time, which links a patient's studies. The reports in this cohort still "
    "hold what identifies someone. Use `--order clean-first`."
)
GUIDED = "A source image guided the drawing, and shines through."


def defend_updp(images: ImageSet, config: UpdpConfig, progress: Progress) -> tuple[ImageSet, DefenceCard]:
    if config.fine_tune and config.generator == REGISTERED:
        what = "only a diffusers pipeline is fine-tuned; the registered generator is fitted anyway"
        raise ConfigError(what, where="--fine-tune", fix="Give the folder of a pipeline: `--generator FOLDER`.")
    if images.records["report"].null_count() == len(images):
        raise DataError("no record has a report, and UPDP makes prompts of reports", where=images.where)
    subject = told_of = images
    if config.order == "clean-first":
        subject = cleaned(images, config, progress)
        told_of = without_stand_ins(subject, progress, config.work)
    prompts = optimised_prompts(told_of, config, progress)
    facts = _facts(prompts, config)
    drawn_by = config
    if config.fine_tune:
        drawn_by = _fine_tuned(subject, prompts.texts, config, progress)
        facts["fine_tuned_on"] = subject.of_splits("train").cohort.patients
    made, said = counterparts(subject, prompts.texts, drawn_by, progress)
    similar = ssim(images.images, made.images)
    facts |= said | {"ssim": _spread(similar)}
    if config.fine_tune:
        facts["generator"] = f"pipeline {Path(config.generator).name}, fine-tuned"
    statement = NO_GUARANTEE if config.order == "clean-first" else NOT_DEIDENTIFIED
    if config.strength < 1:
        statement = f"{statement} {GUIDED}"
    card = UPDP.card(config, Guarantee("none", statement=statement), **facts)
    return made, card.model_copy(update={"done": _done(prompts, len(made))})


def _facts(prompts: Prompts, config: UpdpConfig) -> dict[str, JsonValue]:
    """Scores are cosines of prompt and image; ``tokens_kept`` is what projection gave back of the start."""
    banned = set(words_of_terms(read_list(config.blacklist, BLACKLIST)))
    spelled = sum(not banned.isdisjoint(text.lower().split()) for text in prompts.texts)
    return {
        "score_start": _spread(prompts.start),
        "score_vectors": _spread(prompts.vectors),
        "score_prompt": _spread(prompts.end),
        "tokens_kept": float(prompts.kept.mean()),
        "tokens_banned": prompts.banned,
        "tokens_whitelisted": prompts.wanted,
        "prompts_cut": prompts.cut,
        "prompts_that_spell_a_banned_word": spelled,
    }


def _spread(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> JsonValue:
    return {"mean": float(values.mean()), "min": float(values.min()), "max": float(values.max())}


def _fine_tuned(images: ImageSet, prompts: list[str], config: UpdpConfig, progress: Progress) -> UpdpConfig:
    """The configuration with a pipeline that has learnt from the training patients, kept in the work folder."""
    from leadapron.generation.lora_training import LoraConfig, fit_lora

    if config.work is None:
        raise ConfigError("fine-tuning needs a folder to keep its weights in", where="work")
    rows = images.records["split"].eq("train").arg_true().to_numpy()
    if not len(rows):
        raise DataError("no record is of split 'train', and fine-tuning learns from these", where=images.where)
    lora = LoraConfig(steps=config.fine_tune, seed=config.seed, device=config.device)
    told = [prompts[row] for row in rows]
    folder = fit_lora(Path(config.generator), images.images[rows], told, config.work / "lora", lora, progress=progress)
    return config.model_copy(update={"generator": str(folder)})


def _done(prompts: Prompts, count: int) -> str:
    return (
        f"Drawn: {count:,} counterparts. Score of the prompts with their images: {prompts.end.mean():.3f} "
        f"(reports {prompts.start.mean():.3f}); words kept in their place: {prompts.kept.mean():.0%}."
    )


UPDP = Defence(
    "updp",
    "draw each image anew from a prompt that is optimised towards it and kept to lists of words (UPDP)",
    "images",
    UpdpConfig,
    defend_updp,
    group="images",
    strength="strength",
)

"""The study's page: what came out in a few sentences, two pictures, and the tables in the study's own order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from leadapron import __version__
from leadapron.pages.numerals import NBSP
from leadapron.pages.page import Block, Bullets, Definitions, Page, Section, Text, Verdict, kept
from leadapron.reproductions.published_figures import KEY
from leadapron.reproductions.study_config import ARM_WORDS, AWAY, HOME, MITIGATED, UNDEFENDED
from leadapron.reproductions.study_figures import apart_figure, models_figure
from leadapron.reproductions.study_page_tables import (
    SITES,
    Number,
    Numbers,
    apart_table,
    cohort_tables,
    largest_pool,
    models_in,
    plain_attack,
    retrieval_tables,
    trained_tables,
    use_table,
)
from leadapron.reproductions.study_steps import Study
from leadapron.reproductions.study_tables import MACRO

IN_BRACKETS = (
    "R@1, R@5, R@10: how often the right report is the first, or among the first five or ten. MRR: the mean of one "
    "over its rank. All in percent; where two numbers share a cell, the study's is the first. In brackets the "
    f"95{NBSP}% interval; its units are patients here, radiographs in the study. The other intervals stand in "
    "tables.csv. A dash: the study did not print it, or this run did not measure it."
)
CHANGES = (
    "Changes are paired, in points, against the heads as they were. Where few patients changed, their intervals leave "
    "more doubt than p. The intervals of the numbers themselves stand in tables.csv."
)
COUNTS = "Shares are in percent. A dash: the study did not print it, or it would tell of fewer than ten patients here."
LIMITS = (
    "The study redrew pools; here every figure is the exact mean over all pools that could be drawn.",
    "Reports that are word for word the same share the credit of a rank; the study's ranks do not.",
    "The study's learning rate, temperature, epsilon, weight of the entropy term and way of pooling patches before the "
    "heads were not known here; one choice of each was run, and it is told above.",
    "The epsilon of the published training is not a guarantee: its loss compares the patients of a batch with each "
    "other. The training that is called proved has one.",
)
POOLED = (
    "{model} is embedded as its authors' library does. {heads} is the same model with its patches averaged before its "
    "heads, which leaves features that heads can be trained on: trained heads are compared with it as it was."
)
PHANTOM = "a phantom clinic"
STAND_INS = "Phantom encoders stand in for the models: {pairs}."
ON_PHANTOMS = (
    "Phantom clinics stand in for both hospitals. The shape may be compared with the study, the height of the numbers "
    "may not."
)
TOLD_OF_HEADS = {
    "replication": ("learning_rate", "temperature", "delta", "clip"),
    "entropy": ("learning_rate", "temperature", "entropy", "entropy_weight"),
    "proved": ("learning_rate", "temperature", "clip"),
}


def page_of(study: Study, rows: pl.DataFrame, made: Mapping[str, Any], *, phantom: bool) -> Page:
    numbers: Numbers = {tuple(row[name] for name in KEY): row for row in rows.iter_rows(named=True)}
    arms = tuple(study.trained)
    sections = [
        _section(
            "table-1",
            "Table 1: random pools, models as they are",
            models_figure(numbers),
            *retrieval_tables(numbers, "1", "random"),
            *_who_is_who(study),
            note=IN_BRACKETS,
        ),
        _section(
            "table-2",
            "Table 2: pathology-matched pools, models as they are",
            *retrieval_tables(numbers, "2", "matched"),
        ),
        _section(
            "table-3",
            "Table 3: trained heads, at home and at the other hospital",
            *trained_tables(numbers),
            note=CHANGES,
        ),
        _section(
            "apart",
            "The recipe taken apart, and the strongest attackers",
            apart_figure(numbers, arms),
            apart_table(numbers, arms),
            Definitions({arm: ARM_WORDS[arm] for arm in arms}) if arms else None,
            note=CHANGES,
        ),
        _section("table-4", "Table 4: what is still useful", use_table(numbers), note=CHANGES),
        _section("table-5", "Table 5 and supplementary table 4: who is in it", *cohort_tables(numbers), note=COUNTS),
        Section("made", "How it was made", (Definitions(_made(made)),)),
        Section("limits", "Limits", (Bullets(LIMITS),)),
    ]
    where = " and ".join(SITES[site] for site in study.cohorts)
    return Page(
        "Cross-modal linkage risk, run again",
        f"A published study on your own data · {'Phantom clinics in the place of ' if phantom else ''}{where}",
        verdict_of(numbers, phantom=phantom),
        tuple(section for section in sections if section is not None),
        f"Made by leadapron {__version__}. This page holds no id, no image and no text of a report; what counts fewer "
        "than ten is left out.",
        signed=False,
    )


def _section(key: str, title: str, *blocks: Block | None, note: str = "") -> Section | None:
    found = kept(*blocks)
    return Section(key, title, (*found, *((Text(note, note=True),) if note else ()))) if found else None


def _who_is_who(study: Study) -> list[Text]:
    lineup = study.lineup
    if lineup.encoders[MITIGATED] == lineup.heads:
        pairs = ", ".join(f"{encoder} for {model}" for model, encoder in lineup.encoders.items())
        return [Text(STAND_INS.format(pairs=pairs), note=True)]
    return [Text(POOLED.format(heads=lineup.heads, model=MITIGATED), note=True)] if study.trained else []


def verdict_of(numbers: Numbers, *, phantom: bool) -> Verdict:
    """Numbers alone, and of a change no more than its paired interval carries."""
    note = ON_PHANTOMS if phantom else ""
    pool = largest_pool(numbers)
    if pool is None:
        linked = [f"{model} {_share(row)}" for model in models_in(numbers) if (row := _smallest_pool(numbers, model))]
        said = f"No heads were trained. The published attacker, with models as they are: {', '.join(linked)}."
        return Verdict("What came out", "Measured", said, (), note)
    before, after = (plain_attack(numbers, arm, pool) for arm in (UNDEFENDED, "replication"))
    said = (
        f"Among {int(pool):,} reports of {PHANTOM if phantom else SITES[HOME]}, the published attacker finds "
        f"{_share(before)} of the "
        f"radiographs' own reports first before the published mitigation, and {_share(after)} after it: "
        f"{_in_words(after)}."
    )
    return Verdict("What came out", "Measured", said, tuple(_support(numbers, pool)), note)


def _support(numbers: Numbers, pool: str) -> list[str]:
    """What the study found there, the other hospital, the controls, and the use; what was not measured is not told."""
    before, after = (plain_attack(numbers, arm, pool) for arm in (UNDEFENDED, "replication"))
    found = []
    if before and after and after["published"] is not None:
        found.append(f"The study found {_share(before, 'published')} before and {_share(after, 'published')} after.")
    before, after = (_largest(numbers, AWAY, arm) for arm in (UNDEFENDED, "replication"))
    if before and after:
        found.append(
            f"At the other hospital, where the heads were not trained: {_share(before)} before and {_share(after)} "
            f"after among {after['candidates']:,}, {_in_words(after)}."
        )
    for arm, words in CONTROLS.items():
        if row := plain_attack(numbers, arm, pool):
            found.append(f"{words}: {_share(row)}, {_in_words(row)}.")
    if row := numbers.get(("strongest", HOME, "replication", "words", pool, "recall@1")):
        found.append(f"The strongest attacker who holds the reports and the encoder: {_share(row)}, {_in_words(row)}.")
    before, after = (numbers.get(("4", HOME, arm, MACRO, "", "auroc")) for arm in (UNDEFENDED, "replication"))
    if before and after:
        found.append(
            f"A linear probe's mean AUROC over findings goes from {_auroc(before)} to {_auroc(after)}: "
            f"{_in_words(after)}. The study: {_auroc(before, 'published')} to {_auroc(after, 'published')}."
        )
    return found


CONTROLS = {
    "batch norm kept": "The same private training with the batch norm frozen and not exchanged",
    "norm swap only": "The batch norm exchanged and nothing trained",
}


def _smallest_pool(numbers: Numbers, model: str) -> Number | None:
    own = [row for key, row in numbers.items() if key[:4] == ("1", HOME, model, "random") and key[5] == "recall@1"]
    return min((row for row in own if row["found"] is not None), key=lambda row: row["candidates"], default=None)


def _largest(numbers: Numbers, site: str, arm: str) -> Number | None:
    """In the largest of the study's pools there; of a small hospital all."""
    own = [row for key, row in numbers.items() if key[:4] == ("3", site, arm, "random") and key[5] == "recall@1"]
    measured = [row for row in own if row["found"] is not None]
    return max(measured, key=lambda row: (row["pool"].isdigit(), row["candidates"]), default=None)


def _share(row: Number | None, name: str = "found") -> str:
    assert row is not None
    return f"{row[name]:.3g}{NBSP}%"


def _auroc(row: Number, name: str = "found") -> str:
    return f"{row[name]:.2f}{NBSP}%"


def _in_words(row: Number | None) -> str:
    """A change against the heads as they were; what the interval does not clear of zero is not called one."""
    assert row is not None
    low, high = row["change_low"], row["change_high"]
    span = f"95{NBSP}% interval {low:+.2g} to {high:+.2g}".replace("-", "−")
    if low <= 0 <= high:
        return f"no clear change ({span} points)"
    return f"{abs(row['change']):.2g} points {'less' if high < 0 else 'more'} ({span})"


def _made(made: Mapping[str, Any]) -> dict[str, str]:
    told = {name.replace("_", " "): _words(value) for name, value in made["settings"].items() if value is not None}
    for arm, names in TOLD_OF_HEADS.items():
        if heads := made["heads"].get(arm):
            chosen = (
                f"{name.replace('_', ' ')} {heads['settings'][name]}" for name in names if heads["settings"][name]
            )
            told[arm] = f"{heads['done']}; {', '.join(chosen)}. Guarantee: {heads['guarantee']['statement']}"
    told |= {
        f"images of {SITES[site]}": ", ".join(f"{what}: {left:,}" for what, left in steps)
        for site, steps in made["funnels"].items()
        if steps
    }
    told |= {name: f"sha256 {one['sha256'][:12]}…" for name, one in made["weights"].items()}
    return told | {"versions": ", ".join(f"{name} {number}" for name, number in made["versions"].items())}


def _words(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)

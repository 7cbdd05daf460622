"""What came out, number by number, each beside the one that the study printed where it printed one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from leadapron.attacks.linkage.linkage_measures import METRICS
from leadapron.cohort import FINDINGS, SPLITS
from leadapron.cohort.labels import label_column
from leadapron.comparisons import Comparison, compare
from leadapron.reproductions.published_figures import CANDIDATES, KEY, NUMBERS, published
from leadapron.reproductions.study_config import HOME, PUBLISHED_ARMS, TEST, UNDEFENDED
from leadapron.reproductions.study_steps import FORWARD, Study
from leadapron.results import Measured, Results, read_results
from leadapron.results.selection import select
from leadapron.results.withheld import FEWEST_PATIENTS, told
from leadapron.stats.paired import PairedDifference
from leadapron.uses.utility_pairing import paired_use

PUBLISHED_ATTACKER = "cosine"
SETTINGS = {"random": "random", "hard": "matched"}
WHOLE = "all"
USE_METRICS = ("auroc", "accuracy", "sensitivity", "specificity")
MACRO = "macro average"
HUNDRED = 100.0


@dataclass(frozen=True)
class Row:
    """One number that was found, in percent where it is a share, with its 95 % interval where it has one."""

    table: str
    site: str
    what: str
    setting: str
    pool: str
    metric: str
    found: float
    found_low: float | None = None
    found_high: float | None = None
    change: float | None = None
    """From the heads as they were to these, paired, in points."""
    change_low: float | None = None
    change_high: float | None = None
    p: float | None = None
    chance: float | None = None
    candidates: int | None = None
    """Reports in the pool."""


def study_tables(study: Study) -> pl.DataFrame:
    """All that was found beside all that was printed of the same models, sites, pools and findings."""
    rows = [*_retrieval(study), *_mitigated(study), *_use(study), *_cohorts(study)]
    found = pl.DataFrame([asdict(row) for row in rows], infer_schema_length=None)
    names = {name: f"published_{name}" for name in NUMBERS} | {"value": "published"}
    whole = pl.when(pool=WHOLE).then(pl.col("site").replace_strict(CANDIDATES, default=None))
    printed = _asked_for(study, published()).rename(names).with_columns(published_candidates=whole)
    return printed.join(found, on=KEY, how="full", coalesce=True, maintain_order="left_right")


def _asked_for(study: Study, printed: pl.DataFrame) -> pl.DataFrame:
    """What the study printed of these hospitals and models, and of trained heads where heads are trained."""
    of_models = pl.col("table").is_in(["1", "2"])
    wanted = pl.col("table").is_in(["5", "S4"]) | of_models & pl.col("what").is_in(study.config.models)
    if study.trained:
        wanted |= pl.col("table").is_in(["3", "4"])
    return printed.filter(pl.col("site").is_in(list(study.cohorts)), wanted)


def results_of(study: Study, site: str, subject: str, what: str) -> Results:
    return read_results(study.place(site, subject, what))


def _retrieval(study: Study) -> Iterator[Row]:
    """Tables 1 and 2: the models as they are. The heads' encoder has a row of its own where it is not the model."""
    for site in study.cohorts:
        for model, encoder in _models(study).items():
            found = results_of(study, site, encoder, "linkage")
            yield from _ranked(found, None, {"random": "1", "matched": "2"}, site, model)


def _models(study: Study) -> dict[str, str]:
    named: dict[str, str] = {model: study.lineup.encoders[model] for model in study.config.models}
    if study.trained and study.lineup.heads not in named.values():
        named[study.lineup.heads] = study.lineup.heads
    return named


def _mitigated(study: Study) -> Iterator[Row]:
    """Table 3, the same of every arm that the study did not run, and what the strongest attackers do."""
    heads = study.lineup.heads
    for site in study.cohorts if study.trained else ():
        before = results_of(study, site, heads, "linkage")
        yield from _ranked(before, None, dict.fromkeys(SETTINGS.values(), "3"), site, UNDEFENDED)
        yield _strongest(before, None, site, UNDEFENDED, "vectors")
        for arm in study.trained:
            after = results_of(study, site, arm, "linkage")
            compared = compare(before, after)
            table = "3" if arm in PUBLISHED_ARMS else "taken apart"
            yield from _ranked(after, compared, dict.fromkeys(SETTINGS.values(), table), site, arm)
            yield _strongest(after, compared, site, arm, "vectors")
    if study.trained:
        before = results_of(study, HOME, heads, "words")
        yield _strongest(before, None, HOME, UNDEFENDED, "words")
        for arm in study.trained:
            after = results_of(study, HOME, arm, "words")
            yield _strongest(after, compare(before, after), HOME, arm, "words")


def _ranked(found: Results, compared: Comparison | None, tables: dict[str, str], site: str, what: str) -> Iterator[Row]:
    """By the published attacker, every pool and measure."""
    wanted = {"attacker": PUBLISHED_ATTACKER, "direction": FORWARD}
    whole = max(row.pool for row in select(found, **wanted))
    changes = () if compared is None else compared.changes
    paired = {_key(change.after): change.paired for change in changes if change.after.has(group=None, **wanted)}
    for protocol, setting in SETTINGS.items():
        for row in select(found, protocol=protocol, **wanted):
            if row.metric in METRICS:
                pool = WHOLE if setting == "random" and row.pool == whole else str(row.pool)
                yield _row(row, paired.get(_key(row)), tables[setting], site, what, setting, pool)


def _strongest(found: Results, compared: Comparison | None, site: str, what: str, by: str) -> Row:
    """The strongest attacker before against the strongest after, in the largest of the study's pools."""
    row = found.headline
    paired = None if compared is None else compared.paired[0].found
    return _row(row, paired, "strongest", site, what, by, str(row.pool))


def _use(study: Study) -> Iterator[Row]:
    """Table 4: what a linear probe still finds, by finding and on the mean."""
    if not study.trained:
        return
    before = results_of(study, HOME, study.lineup.heads, "utility")
    for what in (UNDEFENDED, *study.trained):
        after = before if what == UNDEFENDED else results_of(study, HOME, what, "utility")
        for row in select(after, attacker=after.spot.attacker):
            if row.metric in USE_METRICS:
                paired = None if after is before else paired_use(before, after, row)
                label = str(row.at.get("label", MACRO)).replace("_", " ").lower()
                yield _row(row, paired, "4", HOME, what, label, "")


def _row(
    row: Measured, paired: PairedDifference | None, table: str, site: str, what: str, setting: str, pool: str
) -> Row:
    """In percent, and differences in points."""
    found, low, high = (HUNDRED * number for number in (row.value, row.low, row.high))
    made = Row(table, site, what, setting, pool, row.metric, found, low, high)
    made = replace(made, chance=HUNDRED * row.chance, candidates=row.at.get("pool"))
    if paired is None:
        return made
    change, low, high = (HUNDRED * number for number in (paired.difference, paired.low, paired.high))
    return replace(made, change=change, change_low=low, change_high=high, p=paired.p)


def _cohorts(study: Study) -> Iterator[Row]:
    """Table 5 and supplementary table 4: who is in the cohorts.

    What counts fewer than ten is not told, of no split then: what is told of the others and of all would give it away.
    """
    for site, cohort in study.cohorts.items():
        parts = {WHOLE: cohort.records} | {split: cohort.records.filter(split=split) for split in SPLITS}
        for table, metric, count in (("5", "", described), ("S4", "prevalence", prevalences)):
            counted = {split: count(records) for split, records in parts.items()}
            for name, of_all in counted[WHOLE].items():
                values = {split: counted[split][name] for split in parts}
                for split, value in values.items() if None not in values.values() else [(WHOLE, of_all)]:
                    if value is not None:
                        yield Row(table, site, split, name, "", metric, value)
        if (records := told(len(parts[TEST]))) is not None:
            yield Row("5", site, TEST, "retrieval cohort", "", "", records)


def described(records: pl.DataFrame) -> Mapping[str, float | None]:
    patients = records.unique("patient_id", keep="first", maintain_order=True)
    found: dict[str, float | None] = {"patients": told(len(patients)), "radiographs": told(len(records))}
    if "age" in records.columns:
        ages = patients["age"].cast(pl.Float64).drop_nulls().to_numpy()
        enough = len(ages) >= FEWEST_PATIENTS
        summaries = (np.median(ages), np.mean(ages), np.std(ages, ddof=1)) if enough else (None, None, None)
        found |= {f"age, {name}": summary for name, summary in zip(("median", "mean", "sd"), summaries, strict=True)}
    for column, table, values in (("sex", patients, ("F", "M")), ("view", records, ("AP", "PA"))):
        if column in table.columns:
            shares = _shares(table.select("patient_id", value=column), values)
            found |= {f"{column}: {value}": share for value, share in shares.items()}
    return found


def prevalences(records: pl.DataFrame) -> Mapping[str, float | None]:
    labels = {name: records.select("patient_id", value=label_column(name)).drop_nulls() for name in FINDINGS}
    return {name.lower(): _shares(known, (1,))[1] for name, known in labels.items()}


def _shares(known: pl.DataFrame, values: tuple[Any, ...]) -> dict[Any, float | None]:
    """In percent; None where a few patients could be picked out by one of them, or by what is left."""
    groups = [known.filter(value=value) for value in values]
    rest = known.filter(~pl.col("value").is_in(values).fill_null(value=False))
    few = any(told(group["patient_id"].n_unique()) is None for group in (*groups, rest)) or known.is_empty()
    return {
        value: None if few else HUNDRED * len(group) / len(known) for value, group in zip(values, groups, strict=True)
    }


def _key(row: Measured) -> tuple[object, ...]:
    return row.metric, *sorted(row.at.items())

"""What came out, number by number, each beside the one that the study printed where it printed one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass

import polars as pl

from leadapron.attacks.linkage.linkage_measures import METRICS
from leadapron.cohort import FINDINGS, SPLITS
from leadapron.cohort.labels import label_column
from leadapron.comparisons import Comparison, compare
from leadapron.reproductions.published_figures import KEY, published
from leadapron.reproductions.study_config import HOME, PUBLISHED_ARMS
from leadapron.reproductions.study_steps import FORWARD, Study
from leadapron.results import Measured, Results, read_results
from leadapron.results.selection import select
from leadapron.results.withheld import FEWEST_PATIENTS
from leadapron.stats.paired import PairedDifference
from leadapron.uses.utility_pairing import paired_use

PUBLISHED_ATTACKER = "cosine"
SETTINGS = {"random": "random", "hard": "matched"}
WHOLE = "all"
USE_METRICS = ("auroc", "accuracy", "sensitivity", "specificity")
MACRO = "macro average"
UNDEFENDED = "off-the-shelf"
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


def study_tables(study: Study) -> pl.DataFrame:
    """All that was found beside all that was printed of the same models, sites, pools and findings."""
    rows = [*_retrieval(study), *_mitigated(study), *_use(study), *_cohorts(study)]
    found = pl.DataFrame([asdict(row) for row in rows], infer_schema_length=None)
    printed = published().rename({"value": "published", "low": "published_low", "high": "published_high"})
    kinds = found.select("table", "site", "what", "setting", "metric").unique()
    printed = printed.join(kinds, on=kinds.columns, how="semi")
    return printed.join(found, on=KEY, how="full", coalesce=True, maintain_order="left_right").select(
        *KEY,
        *(name for name in printed.columns if name not in KEY),
        *(name for name in found.columns if name not in KEY),
    )


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
    numbers = [row.value, row.low, row.high]
    numbers += [None] * 4 if paired is None else [paired.difference, paired.low, paired.high, paired.p]
    in_percent = [None if number is None else HUNDRED * number for number in numbers]
    p = None if paired is None else paired.p
    return Row(table, site, what, setting, pool, row.metric, *in_percent[:6], p, HUNDRED * row.chance)


def _cohorts(study: Study) -> Iterator[Row]:
    """Table 5 and supplementary table 4: who is in the cohorts. What counts fewer than ten is left out."""
    for site, cohort in study.cohorts.items():
        for split in (WHOLE, *SPLITS):
            records = cohort.records if split == WHOLE else cohort.records.filter(split=split)
            for name, value in _told(records):
                yield Row("5", site, split, name, "", "", value)
            for finding in FINDINGS:
                known = records[label_column(finding)].drop_nulls()
                if (share := _share(int((known == 1).sum()), len(known))) is not None:
                    yield Row("S4", site, split, finding.lower(), "", "prevalence", share)


def _told(records: pl.DataFrame) -> Iterator[tuple[str, float]]:
    patients = records.unique("patient_id", keep="first", maintain_order=True)
    for name, table in (("patients", patients), ("radiographs", records)):
        if len(table) >= FEWEST_PATIENTS:
            yield name, len(table)
    ages = patients["age"].cast(pl.Float64).drop_nulls() if "age" in patients.columns else pl.Series(dtype=pl.Float64)
    if len(ages) >= FEWEST_PATIENTS:
        told = {"median": ages.median(), "mean": ages.mean(), "sd": ages.std()}
        yield from ((f"age, {name}", float(value)) for name, value in told.items() if isinstance(value, float))
    for name, table, values in (("sex", patients, ("F", "M")), ("view", records, ("AP", "PA"))):
        for value in values if name in table.columns else ():
            if (share := _share(int((table[name] == value).sum()), len(table))) is not None:
                yield f"{name}: {value}", share


def _share(count: int, of: int) -> float | None:
    """In percent; None where a few could be picked out by it."""
    few = [number for number in (count, of - count) if 0 < number < FEWEST_PATIENTS]
    return None if few or of < FEWEST_PATIENTS else HUNDRED * count / of


def _key(row: Measured) -> tuple[object, ...]:
    return row.metric, *sorted(row.at.items())

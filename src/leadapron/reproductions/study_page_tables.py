"""The study's tables: each number beside the one that was printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from leadapron.attacks.linkage.linkage_measures import METRICS
from leadapron.cohort import SPLITS
from leadapron.pages.numerals import NBSP, p_value, significant
from leadapron.pages.page import Table, table
from leadapron.reproductions.study_config import AWAY, HOME, MODELS, PUBLISHED_ARMS, UNDEFENDED
from leadapron.reproductions.study_tables import MACRO, USE_METRICS, WHOLE

Number = Mapping[str, Any]
Numbers = Mapping[tuple[str, ...], Number]
"""By table, site, what, setting, pool and metric."""
TITLES = {"recall@1": "R@1", "recall@5": "R@5", "recall@10": "R@10", "mrr": "MRR", "auroc": "AUROC"}
SITES = {HOME: "MIMIC-CXR", AWAY: "CheXpert Plus"}
APART = "taken apart"
WAYS = ("vectors", "words")
"""What the strongest attackers go by."""
COUNTED = ("patients", "radiographs", "retrieval cohort")
NONE = "–"
SLASH = f"{NBSP}/{NBSP}"


def models_in(numbers: Numbers) -> list[str]:
    """The most special first; where heads are trained on another form of a model, it stands before all."""
    known = dict.fromkeys(key[2] for key, row in numbers.items() if key[0] == "1" and row["found"] is not None)
    return sorted(known, key=lambda what: MODELS.index(what) if what in MODELS else len(MODELS), reverse=True)


def retrieval_tables(numbers: Numbers, name: str, setting: str) -> list[Table]:
    return [_ranks(numbers, name, site, models_in(numbers), (setting,)) for site in SITES]


def trained_tables(numbers: Numbers) -> list[Table]:
    arms = (UNDEFENDED, *PUBLISHED_ARMS)
    return [_ranks(numbers, "3", site, arms, ("random", "matched"), changed=True) for site in SITES]


def _ranks(
    numbers: Numbers, name: str, site: str, whats: Sequence[str], settings: Sequence[str], *, changed: bool = False
) -> Table:
    """A row a model or arm, and pool; of each measure the study's number and this run's."""
    rows = []
    for what in whats:
        for setting in settings:
            places = {key[4] for key in numbers if key[:4] == (name, site, what, setting)}
            for pool in sorted(places, key=lambda pool: (pool == WHOLE, pool.isdigit() and int(pool))):
                first, *others = (numbers.get((name, site, what, setting, pool, metric)) for metric in METRICS)
                assert first is not None
                cells = [printed(first), found(first)]
                cells += [change_of(first), _p(first, "p")] if changed else []
                place = f"{setting}, {_pool(first)}" if changed else _pool(first)
                rows.append((what, place, *cells, *(f"{printed(one)}{SLASH}{bare(one)}" for one in others)))
    heads = [f"{TITLES[METRICS[0]]}, study", "here", *(["change here", "p"] if changed else [])]
    columns = ("heads" if changed else "model", "pool", *heads, *(TITLES[metric] for metric in METRICS[1:]))
    return table(SITES[site], columns, rows, numbers=len(columns) - 1)


def apart_table(numbers: Numbers, arms: Sequence[str]) -> Table | None:
    """Every arm by the published attacker, the strongest ones, and the use that is left."""
    pool = largest_pool(numbers)
    if pool is None:
        return None
    rows = []
    for arm in (UNDEFENDED, *arms):
        plain = plain_attack(numbers, arm, pool)
        by_vectors, by_words = (numbers.get(("strongest", HOME, arm, by, pool, "recall@1")) for by in WAYS)
        use = numbers.get(("4", HOME, arm, MACRO, "", "auroc"))
        cells = [bare(plain), change_of(plain, 2), bare(by_vectors), bare(by_words), change_of(by_words, 2)]
        rows.append((arm, *cells, bare(use, 4), change_of(use, 2)))
    columns = ("heads", "published", "change", "by vectors", "by words", "change", "macro AUROC", "change")
    return table(f"{SITES[HOME]}: right report first among {int(pool):,}", columns, rows, numbers=len(columns) - 1)


def largest_pool(numbers: Numbers) -> str | None:
    """The pool in which trained heads are judged: the largest that the strongest attackers were tried in."""
    pools = {key[4] for key in numbers if key[:2] == ("strongest", HOME)}
    return max(pools, key=int, default=None)


def plain_attack(numbers: Numbers, arm: str, pool: str, site: str = HOME) -> Number | None:
    """What the published attacker finds first in random pools; the pool may be all there is."""
    name = "3" if arm in (UNDEFENDED, *PUBLISHED_ARMS) else APART
    rows = (numbers.get((name, site, arm, "random", place, "recall@1")) for place in (pool, WHOLE))
    return next((row for row in rows if row and str(row["candidates"]) == pool), None)


def use_table(numbers: Numbers) -> Table:
    """The published mitigation beside the heads as they were: means over findings, and the AUROC of each."""
    labels = dict.fromkeys(key[3] for key in numbers if key[0] == "4")
    wanted = [(MACRO, metric) for metric in USE_METRICS]
    wanted += [(label, "auroc") for label in labels if label != MACRO]
    rows = []
    for label, metric in wanted:
        pair = [numbers.get(("4", HOME, what, label, "", metric)) for what in (UNDEFENDED, "replication")]
        if any(pair):
            cells = [f"{printed(one, 2)}{SLASH}{bare(one, 4)}" for one in pair]
            change = (_signed(pair[1], "published_change"), change_of(pair[1]))
            p = SLASH.join(_p(pair[1], name) for name in ("published_p", "p"))
            rows.append((f"{label}, {TITLES.get(metric, metric)}", *cells, *change, p))
    heads = ("before", "after", "change, study", "here", "p")
    return table(SITES[HOME], ("measure", *heads), rows, numbers=len(heads))


def cohort_tables(numbers: Numbers) -> list[Table]:
    tables = []
    splits = (WHOLE, *SPLITS)
    for site, called in SITES.items():
        rows = []
        own = dict.fromkeys((key[0], key[3]) for key in numbers if key[1] == site and key[0] in ("5", "S4"))
        for name, what in sorted(own, key=lambda pair: pair[0]):
            metric = "prevalence" if name == "S4" else ""
            cells = [numbers.get((name, site, split, what, "", metric)) for split in splits]
            rows.append((what, *(f"{_count(one, 'published')}{SLASH}{_count(one, 'found')}" for one in cells)))
        tables.append(table(f"{called}: study / here", ("", *splits), rows, numbers=len(splits)))
    return tables


def _pool(row: Number) -> str:
    """The whole database is another one here: both are told."""
    if row["pool"] != WHOLE:
        return f"{int(row['pool']):,}"
    sizes = dict.fromkeys(row[name] for name in ("published_candidates", "candidates") if row[name])
    return f"all{NBSP}{SLASH.join(f'{int(size):,}' for size in sizes)}"


def printed(row: Number | None, digits: int = 3) -> str:
    """To the last digit of the study."""
    return NONE if row is None or row["published"] is None else f"{row['published']:.{digits}f}"


def bare(row: Number | None, digits: int = 3) -> str:
    return NONE if row is None or row["found"] is None else significant(row["found"], digits)


def found(row: Number | None) -> str:
    if row is None or row["found"] is None:
        return NONE
    low, high = (significant(row[f"found_{end}"]) for end in ("low", "high"))
    return f"{bare(row)} ({low}–{high})"


def change_of(row: Number | None, digits: int = 3) -> str:
    if row is None or row["change"] is None:
        return NONE
    change, low, high = (_minus(f"{row[name]:+.{digits}g}") for name in ("change", "change_low", "change_high"))
    return f"{change} ({low}{NBSP}to{NBSP}{high})"


def _signed(row: Number | None, name: str) -> str:
    return NONE if row is None or row[name] is None else _minus(f"{row[name]:+.2f}")


def _minus(number: str) -> str:
    return number.replace("-", "−")


def _p(row: Number | None, name: str) -> str:
    return NONE if row is None or row[name] is None else p_value(row[name])


def _count(row: Number | None, which: str) -> str:
    if row is None or row[which] is None:
        return NONE
    return f"{row[which]:,.0f}" if row["setting"] in COUNTED else f"{row[which]:.1f}"

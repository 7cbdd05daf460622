"""The study's page: its tables in its own order, each number beside the one that was printed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import polars as pl

from leadapron import __version__
from leadapron.attacks.linkage.linkage_measures import METRICS
from leadapron.pages.numerals import NBSP, p_value
from leadapron.pages.page import Block, Bullets, Definitions, Page, Section, Table, Text, Verdict, kept, table
from leadapron.reproductions.published_figures import KEY
from leadapron.reproductions.study_config import ARM_WORDS, AWAY, HOME, MODELS, PUBLISHED_ARMS
from leadapron.reproductions.study_steps import Study
from leadapron.reproductions.study_tables import MACRO, UNDEFENDED, USE_METRICS, WHOLE

Number = Mapping[str, Any]
Told = Callable[[Number | None], str]
NAMES = {"recall@1": "Recall@1", "recall@5": "Recall@5", "recall@10": "Recall@10", "mrr": "MRR"}
SITES = {HOME: "MIMIC-CXR", AWAY: "CheXpert Plus"}
NONE = "–"
IN_BRACKETS = (
    f"All in percent. In brackets the 95{NBSP}% interval; patients are its units here, radiographs in the study. Changes "
    "are paired, in points, against the heads as they were. What the study did not print, or this run did not measure, "
    "is a dash."
)
LIMITS = (
    "The study redrew pools; here every figure is the exact mean over all pools that could be drawn.",
    "Reports that are word for word the same share the credit of a rank; the study's ranks do not.",
    "The study does not tell its learning rate, its temperature, its entropy weight, or how patches were pooled before "
    "the heads; one choice of each was run here, and it is told above.",
    "The epsilon of the published training is not a guarantee: its loss compares the patients of a batch with each other.",
)


def page_of(study: Study, rows: pl.DataFrame, made: Mapping[str, Any], *, phantom: bool) -> Page:
    numbers: dict[tuple[str, ...], Number] = {
        tuple(row[name] for name in KEY): row for row in rows.iter_rows(named=True)
    }
    sections = [
        _section("table-1", "Table 1: random pools, models as they are", _retrieval(numbers, "1", "random")),
        _section(
            "table-2", "Table 2: pathology-matched pools, models as they are", _retrieval(numbers, "2", "matched")
        ),
        _section("table-3", "Table 3: trained heads, at home and at the other hospital", _trained(numbers)),
        _section("apart", "The recipe taken apart, and the strongest attackers", _apart(study, numbers)),
        _section("table-4", "Table 4: what is still useful", _use(numbers)),
        _section("table-5", "Table 5 and supplementary table 4: who is in it", *_cohorts(numbers)),
        Section("made", "How it was made", (Definitions(_made(made)),)),
        Section("limits", "Limits", (Bullets(LIMITS),)),
    ]
    kind = "Phantom clinics in the place of both hospitals" if phantom else "MIMIC-CXR and CheXpert Plus"
    return Page(
        "Cross-modal linkage risk, run again",
        f"A published study on your own data · {kind}",
        _verdict(numbers, phantom=phantom),
        tuple(section for section in sections if section is not None),
        f"Made by leadapron {__version__}. This page holds no id, no image and no text of a report; what counts fewer "
        "than ten is left out.",
        signed=False,
    )


def _section(key: str, title: str, *blocks: Block | None) -> Section | None:
    found = kept(*blocks)
    return Section(key, title, (*found, Text(IN_BRACKETS, note=True))) if found else None


def _verdict(numbers: Mapping[tuple[str, ...], Number], *, phantom: bool) -> Verdict:
    """The published attacker's success before and after the published mitigation, and what stands beside it."""
    trained = [key for key in numbers if key[:4] == ("3", HOME, "replication", "random") and key[5] == "recall@1"]
    pools = [int(key[4]) for key in trained if key[4] != WHOLE and numbers[key]["found"] is not None]
    if not pools:
        return Verdict("What came out", "Measured", "Models were attacked as they are; no heads were trained.")
    pool = str(max(pools))
    after = numbers["3", HOME, "replication", "random", pool, "recall@1"]
    control = numbers.get(("taken apart", HOME, "batch norm kept", "random", pool, "recall@1"))
    before = after["found"] - after["change"] if after["change"] is not None else None
    said = f"Among {int(pool):,} reports the published attacker finds {_plain(before)} of the radiographs' own reports "
    said += f"first before the published mitigation, and {_plain(after['found'])} after it."
    support = []
    if after["published"] is not None:
        support.append(f"The study found {_plain(after['published'])} after it.")
    if control:
        support.append(
            f"The same training with the batch norm kept leaves {_plain(control['found'])}: what lies between is the "
            "exchange of norms, and not private learning."
        )
    note = (
        "Phantom clinics: the shape may be compared with the study, the height of the numbers may not."
        if phantom
        else ""
    )
    return Verdict("What came out", "Measured", said, tuple(support), note)


def _retrieval(numbers: Mapping[tuple[str, ...], Number], name: str, setting: str) -> Table:
    whats = list(dict.fromkeys(key[2] for key in numbers if key[0] == name))
    ordered = sorted(whats, key=lambda what: MODELS.index(what) if what in MODELS else len(MODELS), reverse=True)
    return _ranks(numbers, name, ordered, (setting,))


def _trained(numbers: Mapping[tuple[str, ...], Number]) -> Table:
    return _ranks(numbers, "3", PUBLISHED_ARMS, ("random", "matched"), changed=True)


def _ranks(
    numbers: Mapping[tuple[str, ...], Number],
    name: str,
    whats: Sequence[str],
    settings: Sequence[str],
    *,
    changed: bool = False,
) -> Table:
    """A row a site, model or arm, and pool; of each measure the study's number and this run's."""
    rows = []
    for site in SITES:
        for what in whats:
            for setting in settings:
                places = {key[4] for key in numbers if key[:4] == (name, site, what, setting)}
                for pool in sorted(places, key=lambda pool: (pool == WHOLE, pool.isdigit() and int(pool))):
                    found = [numbers.get((name, site, what, setting, pool, metric)) for metric in METRICS]
                    cells = [cell for one in found for cell in (_printed(one), _found(one))]
                    change = [_change(found[0]), _p(found[0])] if changed else []
                    rows.append((SITES[site], what, f"{setting}, {_pool(pool)}", *cells, *change))
    heads = [head for metric in METRICS for head in (f"{NAMES[metric]}, study", "here")]
    more = ["Recall@1, change here", "p"] if changed else []
    return table("", ("site", "what", "pool", *heads, *more), rows, numbers=len(heads) + len(more))


def _apart(study: Study, numbers: Mapping[tuple[str, ...], Number]) -> Table | None:
    """Every arm by the published attacker, the strongest ones, and the use that is left."""
    pools = {key[4] for key in numbers if key[:2] == ("strongest", HOME)}
    rows = []
    for arm in (UNDEFENDED, *study.trained) if pools else ():
        pool = max(pools, key=int)
        named = "3" if arm in PUBLISHED_ARMS else "taken apart"
        plain = numbers.get((named, HOME, arm, "random", pool, "recall@1"))
        strong = [numbers.get(("strongest", HOME, arm, by, pool, "recall@1")) for by in ("vectors", "words")]
        use = numbers.get(("4", HOME, arm, MACRO, "", "auroc"))
        cells = [_found(plain), _change(plain), *map(_found, strong), _change(strong[1]), _found(use), _change(use)]
        rows.append((f"{arm}: {ARM_WORDS[arm]}" if arm in ARM_WORDS else arm, *cells))
    heads = (
        "published attacker",
        "change",
        "strongest by vectors",
        "strongest by words",
        "change",
        "macro AUROC",
        "change",
    )
    caption = f"Right report first among {max(pools, key=int)}" if pools else ""
    return table(caption, ("heads", *heads), rows, numbers=len(heads)) if rows else None


def _use(numbers: Mapping[tuple[str, ...], Number]) -> Table:
    """The published mitigation beside the heads as they were: means over findings, and the AUROC of each."""
    labels = dict.fromkeys(key[3] for key in numbers if key[0] == "4")
    wanted = [(MACRO, metric) for metric in USE_METRICS]
    wanted += [(label, "auroc") for label in labels if label != MACRO]
    rows = []
    for label, metric in wanted:
        found = [numbers.get(("4", HOME, what, label, "", metric)) for what in (UNDEFENDED, "replication")]
        if any(found):
            cells = [cell for one in found for cell in (_printed(one), _found(one))]
            rows.append(
                (f"{label}, {'AUROC' if metric == 'auroc' else metric}", *cells, _change(found[1]), _p(found[1]))
            )
    heads = ("before, study", "here", "after, study", "here", "change here", "p")
    return table("", ("measure", *heads), rows, numbers=len(heads))


def _cohorts(numbers: Mapping[tuple[str, ...], Number]) -> list[Table]:
    found = []
    for site, called in SITES.items():
        own = [key for key in numbers if key[1] == site and key[0] in ("5", "S4")]
        splits = (WHOLE, "train", "validate", "test")
        rows = []
        for name, what in dict.fromkeys((key[0], key[3]) for key in own):
            metric = "prevalence" if name == "S4" else ""
            cells = [numbers.get((name, site, split, what, "", metric)) for split in splits]
            rows.append((what, *(f"{_count(one, 'published')} / {_count(one, 'found')}" for one in cells)))
        found.append(table(f"{called}: study / here", ("", *splits), rows, numbers=len(splits)))
    return found


def _made(made: Mapping[str, Any]) -> dict[str, str]:
    told = {name: str(value) for name, value in made["settings"].items()}
    told |= {
        f"images of {site}": ", ".join(f"{what}: {kept:,}" for what, kept in steps)
        for site, steps in made["funnels"].items()
    }
    told |= {name: f"{one['read_from']}, sha256 {one['sha256'][:16]}…" for name, one in made["weights"].items()}
    return told | {"versions": ", ".join(f"{name} {number}" for name, number in made["versions"].items())}


def _pool(pool: str) -> str:
    return WHOLE if pool == WHOLE else f"{int(pool):,}"


def _plain(value: float | None) -> str:
    return NONE if value is None else f"{value:.3g}{NBSP}%"


def _printed(row: Number | None) -> str:
    return NONE if row is None or row["published"] is None else f"{row['published']:.3f}"


def _found(row: Number | None) -> str:
    if row is None or row["found"] is None:
        return NONE
    return f"{row['found']:.3f} ({row['found_low']:.3f}{NBSP}to{NBSP}{row['found_high']:.3f})"


def _change(row: Number | None) -> str:
    if row is None or row["change"] is None:
        return NONE
    return f"{row['change']:+.3f} ({row['change_low']:+.3f}{NBSP}to{NBSP}{row['change_high']:+.3f})"


def _p(row: Number | None) -> str:
    return NONE if row is None or row["p"] is None else p_value(row["p"])


def _count(row: Number | None, which: str) -> str:
    value = None if row is None else row[which]
    return (
        NONE
        if value is None
        else f"{value:,.0f}"
        if row and row["setting"] in ("patients", "radiographs")
        else f"{value:.1f}"
    )

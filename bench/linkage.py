"""The linkage audit against a bare matrix product of the same size, in one run on the same threads."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np
import polars as pl
from scipy.sparse import csr_array
from scipy.sparse.csgraph import min_weight_full_bipartite_matching
from threadpoolctl import threadpool_limits

from leadapron.attacks.linkage import (
    LinkageConfig,
    Ranks,
    audit_linkage,
    rank_truth,
    recall_at_1_curve,
    recall_in_pool,
    reciprocal_rank_in_pool,
)
from leadapron.attacks.linkage.assignment import ALONE, KEPT
from leadapron.attacks.linkage.database import build_database
from leadapron.attacks.linkage.matched_pools import hard_pool_metrics, tier_sizes
from leadapron.attacks.linkage.nearest import nearest
from leadapron.attacks.linkage.sparse_matching import match
from leadapron.cohort import LABEL_COLUMNS
from leadapron.engine import worker_count
from leadapron.release import Release, write_release
from leadapron.stats import shares

STUDY, WIDTH = 43_793, 128
POOLS = (100, 1000, 10_000)
PROGRESS = (5_000, 10_000, 20_000, 40_000)
ROUNDS, SAMPLED, COMMANDS = 7, 40, 3
SMALL = 1000


def pairs(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Image and text embeddings about as close to each other as BioViL-T's are on MIMIC-CXR."""
    rng = np.random.default_rng(seed)
    text = rng.standard_normal((count, WIDTH), dtype=np.float32)
    image = text + 5.5 * rng.standard_normal((count, WIDTH), dtype=np.float32)
    return tuple(rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (image, text))


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def bare_product(image: np.ndarray, text: np.ndarray, *, reuse: bool = False, rows: int = 1024) -> None:
    """Every score once, a block at a time, by a BLAS of as many threads as there are workers.

    As one writes it down every block is a new array; with ``reuse`` all are written to the same memory.
    """
    room = np.empty((rows, len(text)), dtype=np.float32)
    with threadpool_limits(worker_count(), user_api="blas"):
        for start in range(0, len(image), rows):
            block = image[start : start + rows]
            np.matmul(block, text.T, out=room[: len(block)] if reuse else None)


def random_pools(image: np.ndarray, text: np.ndarray) -> Ranks:
    ranks = rank_truth(image, build_database(text), np.arange(len(image)))
    for pool in (*(pool for pool in POOLS if pool <= len(text)), len(text)):
        for first in (1, 5, 10):
            recall_in_pool(ranks, pool, first)
        reciprocal_rank_in_pool(ranks, pool)
    recall_at_1_curve(ranks)
    return ranks


def everything(image: np.ndarray, text: np.ndarray, codes: np.ndarray) -> None:
    truth = np.arange(len(image))
    ranks = rank_truth(image, build_database(text, codes), truth, codes)
    pools = (*POOLS, len(text))
    columns = [recall_in_pool(ranks, pool, first) for pool in pools for first in (1, 5, 10)]
    columns += [reciprocal_rank_in_pool(ranks, pool) for pool in pools]
    recall_at_1_curve(ranks)
    hard = hard_pool_metrics(ranks, tier_sizes(codes, codes), 10_000, (1, 5, 10))
    shares(np.column_stack([*columns, hard]), truth // 4)


def published_sampling(image: np.ndarray, text: np.ndarray, queries: int, pool: int = 10_000, draws: int = 20) -> None:
    """The protocol as published, in plain NumPy: 20 times a query, draw the pool from all but the true one, score it,
    sort it in descending order, and look where the true one stands."""
    rng = np.random.default_rng(0)
    everyone = np.arange(len(text))
    for query in range(queries):
        others = np.delete(everyone, query)
        for _ in range(draws):
            drawn = np.append(rng.choice(others, pool - 1, replace=False), query)
            ranking = np.argsort(-(text[drawn] @ image[query]))
            np.flatnonzero(drawn[ranking] == query)


def peak_memory(work: Callable[[], object]) -> float:
    """The most memory that the process held while the work ran, in GiB. Pages of mapped files are not counted: the
    system takes them back whenever it needs the room."""
    most, stop = [0], threading.Event()

    def held() -> int:
        status = Path("/proc/self/status").read_text()
        return int(status.split("RssAnon:")[1].split()[0]) * 1024

    def watch() -> None:
        while not stop.wait(0.02):
            most[0] = max(most[0], held())

    watcher = threading.Thread(target=watch)
    watcher.start()
    work()
    stop.set()
    watcher.join()
    return most[0] / 2**30


def rows() -> list[tuple[str, str]]:
    image, text = pairs(STUDY)
    rng = np.random.default_rng(1)
    # label vectors as skewed as real ones: a few findings each, normals most of all
    labels = rng.random((STUDY, len(LABEL_COLUMNS))) < 0.1
    codes = np.array([sum(1 << int(bit) for bit in np.flatnonzero(row)) for row in labels])
    random_pools(*pairs(2000))  # compile
    everything(*pairs(10_001), codes[:10_001])
    works: dict[str, Callable[[], object]] = {
        "bare": lambda: bare_product(image, text),
        "tight": lambda: bare_product(image, text, reuse=True),
        "ours": lambda: random_pools(image, text),
        "whole": lambda: everything(image, text, codes),
        "sampled": lambda: published_sampling(image, text, SAMPLED),
    }
    # in turn, because a machine's speed changes within minutes
    rounds = [{name: seconds(work) for name, work in works.items()} for _ in range(ROUNDS)]
    bare, tight, ours, whole, sampled = (median(times[name] for times in rounds) for name in works)
    against = sorted(times["sampled"] / SAMPLED * STUDY / times["ours"] for times in rounds)
    memory = peak_memory(works["whole"])
    ranks = random_pools(image, text)
    found = [
        (f"bare blocked float32 product, {STUDY:,} x {STUDY:,} x {WIDTH}, median of {ROUNDS} rounds",
         f"{bare:.1f} s ({tight:.1f} s into reused memory)"),
        ("ranks, four random pools, the whole curve, in the same rounds",
         f"{ours:.1f} s, {ours / bare:.2f} times it (1.0 wanted)"),
        ("with a matched pool of 10,000 and all intervals", f"{whole:.1f} s, {whole / bare:.2f} times it (1.4 wanted)"),
        ("memory held at most in that run", f"{memory:.2f} GiB (1.5 wanted)"),
        *command_rows(image, text, labels),
        (f"the published sampling at pool 10,000, 20 draws, extrapolated from {SAMPLED} queries a round",
         f"{sampled / SAMPLED * STUDY:,.0f} s, {median(against):,.0f} times the ranks ({against[0]:,.0f} to "
         f"{against[-1]:,.0f}; 1,000 wanted)"),
        ("recall@1 among 100 of the embeddings used here", f"{recall_in_pool(ranks, 100, 1).mean():.1%}"),
    ]  # fmt: skip
    for count in PROGRESS:
        part = pairs(count)
        found.append((f"growth: {count:,} x {count:,}", f"{seconds(lambda part=part: random_pools(*part)):.2f} s"))
    return [*found, matching_row(image, text), from_disk()]


def matching_row(image: np.ndarray, text: np.ndarray) -> tuple[str, str]:
    """The one-to-one matching on the same graph by SciPy and by the kernel, by processor time."""
    places, worth = nearest(image, text, KEPT)
    rows, columns = np.arange(len(image)), np.concatenate([places.ravel(), len(text) + np.arange(len(image))])
    # a column of its own lets each row stay alone; weights are lifted because a zero would be no edge
    weights = np.concatenate([worth.ravel(), np.full(len(image), ALONE)]) + 2
    graph = csr_array((weights, (np.concatenate([np.repeat(rows, KEPT), rows]), columns)))
    totals = {}

    def ours() -> None:
        chosen, _ = match(places, worth, np.ones(len(text), dtype=np.int64), ALONE)
        totals["ours"] = np.where(chosen < 0, ALONE, worth[rows, chosen]).sum()

    def scipys() -> None:
        matched = min_weight_full_bipartite_matching(graph, maximize=True)
        totals["scipy"] = graph[matched].sum() - 2 * len(image)

    compile_first = np.zeros((1, 1), dtype=np.int64)
    match(compile_first, np.zeros((1, 1)), np.ones(1, dtype=np.int64), ALONE)
    took, theirs = (cpu_seconds(resource.RUSAGE_SELF, work) for work in (ours, scipys))
    apart = abs(totals["ours"] - totals["scipy"])
    return (
        f"one-to-one matching of {len(image):,} studies on their {KEPT} nearest reports, processor time",
        f"{took:.2f} s; SciPy {theirs:.1f} s, {theirs / took:.0f} times as long; totals {apart:.0e} apart",
    )


def command_rows(image: np.ndarray, text: np.ndarray, labels: np.ndarray) -> list[tuple[str, str]]:
    """The whole command, from reading to the page, by processor time and not by the clock."""
    with tempfile.TemporaryDirectory() as folder:
        release = Path(folder) / "release"
        write_release(as_released(image, text, labels), release)
        found = []
        for who, options, runs, wanted in (
            ("by one attacker", ["--attacker", "cosine"], COMMANDS, 2.5),
            ("by all that it gets without being asked", [], 1, 8),
        ):
            run = partial(audit_anew, release, options)
            run()  # compiles
            took, ratios = [], []
            for _ in range(runs):
                product = cpu_seconds(resource.RUSAGE_SELF, lambda: bare_product(image, text))
                took.append(cpu_seconds(resource.RUSAGE_CHILDREN, run))
                ratios.append(took[-1] / product)
            what = f"processor time of the whole command {who}, labels and groups included"
            ending = f"median of {runs}" if runs > 1 else "one run"
            ratio = f"{median(ratios):.2f} times that of the product ({wanted:g} wanted)"
            found.append((f"{what}, {ending}", f"{median(took):.1f} s, {ratio}"))
            found.append((f"the last one {who}, stage by stage, by the clock", stages(release.parent / "out")))
    return [*found, small_row(image[:SMALL], text[:SMALL], labels[:SMALL])]


def as_released(image: np.ndarray, text: np.ndarray, labels: np.ndarray) -> Release:
    """With findings, some of which are unknown, as in real tables, and patients of up to six records."""
    rng = np.random.default_rng(3)
    patient = np.repeat(np.arange(len(image)), rng.integers(1, 7, len(image)))[: len(image)]
    findings = np.where(rng.random(labels.shape) < 0.05, np.nan, labels)
    records = (
        pl.DataFrame(findings, schema=list(LABEL_COLUMNS))
        .fill_nan(None)
        .with_columns(
            record_id=np.arange(len(image)).astype(str),
            patient_id=patient.astype(str),
            sex=rng.choice(["F", "M"], len(image))[patient],
            age=rng.integers(18, 100, len(image))[patient],
        )
    )
    return Release(records, {"image": image, "text": text})


def audit_anew(release: Path, options: list[str], environment: dict[str, str] | None = None) -> None:
    """By the command line, in a process of its own."""
    command = [sys.executable, "-m", "leadapron", "audit", "linkage", str(release), "--out", f"{release.parent}/out"]
    environment = {**os.environ, **(environment or {})}
    subprocess.run([*command, "--overwrite", *options], capture_output=True, check=True, env=environment)


def stages(audit: Path) -> str:
    timings = json.loads((audit / "results.json").read_text())["timings"]
    in_order = sorted(timings.items(), key=lambda stage: -stage[1])
    return ", ".join(f"{name} {took:.1f} s" for name, took in in_order if took >= 0.05)


def small_row(image: np.ndarray, text: np.ndarray, labels: np.ndarray) -> tuple[str, str]:
    """A small release, where little of the time is work: the first audit compiles what it needs."""
    with tempfile.TemporaryDirectory() as folder:
        release = Path(folder) / "release"
        write_release(as_released(image, text, labels), release)
        told = []
        for options in (["--attacker", "cosine"], []):
            kept = {"XDG_CACHE_HOME": f"{folder}/compiled for {len(options)}"}
            run = partial(audit_anew, release, options, kept)
            told.append([cpu_seconds(resource.RUSAGE_CHILDREN, run) for _ in ("cold", "warm")])
    (one, again), (every, once_more) = told
    return (
        f"processor time of the whole command on {SMALL:,} records, nothing compiled before, then once more",
        f"by one attacker {one:.1f} s, {again:.1f} s; by all that it gets {every:.1f} s (5 wanted), {once_more:.1f} s",
    )


def cpu_seconds(whose: int, work: Callable[[], object]) -> float:
    before = resource.getrusage(whose)
    work()
    after = resource.getrusage(whose)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def from_disk(candidates: int = 1_000_000, queries: int = 2_000) -> tuple[str, str]:
    """The whole audit by the published attacker, both directions, of a release that stays in its files."""
    with tempfile.TemporaryDirectory() as folder:
        rng = np.random.default_rng(2)
        files = {name: Path(folder) / f"{name}.npy" for name in ("image", "text")}
        image, text = (
            np.lib.format.open_memmap(file, mode="w+", dtype=np.float32, shape=(candidates, WIDTH))
            for file in files.values()
        )
        for start in range(0, candidates, 50_000):
            block = rng.standard_normal((50_000, WIDTH), dtype=np.float32)
            text[start : start + 50_000] = block
            image[start : start + 50_000] = block + 4 * rng.standard_normal((50_000, WIDTH), dtype=np.float32)
        del image, text
        arrays = {name: np.load(file, mmap_mode="r") for name, file in files.items()}
        ids = pl.select(pl.int_range(candidates).cast(pl.String)).to_series()
        release = Release(pl.DataFrame({"record_id": ids, "patient_id": ids}), arrays)
        took = [0.0]

        def work() -> None:
            config = LinkageConfig(attackers=("cosine",), queries=queries)
            took[0] = seconds(lambda: audit_linkage(release, config))

        memory = peak_memory(work)
    return (
        f"the whole audit by one attacker, {queries:,} queries against {candidates:,} candidates on disk",
        f"{took[0]:.0f} s, {memory:.2f} GiB held at most (1.5 wanted)",
    )

"""Small audits that run every compiled loop once; for a process in which each index is checked (NUMBA_BOUNDSCHECK=1).

It prints the loops that nothing ran.
"""

from __future__ import annotations

import importlib
from io import BytesIO
from itertools import product
from pathlib import Path

import numba
import numpy as np
import polars as pl
from numba.core.dispatcher import Dispatcher
from PIL import Image

import leadapron
import membership_data
from identity_data import drawn, release_of
from leadapron.attacks.identity import IdentityConfig, audit_identity
from leadapron.attacks.identity import sweep as sweeping
from leadapron.attacks.identity.recognisers import ATTACKERS
from leadapron.attacks.linkage import ALL_ATTACKERS, LinkageConfig, audit_linkage, plain_scores, sparse_matching
from leadapron.attacks.membership import audit_membership
from leadapron.cohort.jpeg_blocks import read_blocks
from leadapron.cohort.jpeg_header import read_header
from leadapron.cohort.pixels import prepare
from leadapron.engine import kernel
from leadapron.errors import DataError
from leadapron.generation.fit_generator import fit_registered
from leadapron.generation.generator import Guides
from leadapron.privacy.secret_noise import SecureNoise
from leadapron.release import Release
from leadapron.uses import UtilityConfig, measure_utility
from utility_releases import made

MAPPED = 1000
"""Wider rows are not mapped: that takes a square matrix of their width."""


@kernel
def _past_the_end(row: np.ndarray) -> float:
    return row[len(row)]


def identity(image: np.ndarray, who: np.ndarray) -> None:
    width = image.shape[1]
    card = {"identity_score": {"kind": "weighted-l1", "weights": [1.0] * width}}
    sex = np.where(np.asarray(who) % 2 == 0, "F", "M")
    release = release_of(image, [f"a{one}" for one in who], sex=sex)
    rows, others = drawn(30, 1.0, seed=2, width=width)
    known = release_of(rows, [f"b{one}" for one in others])
    attackers = tuple(name for name in ATTACKERS if width < MAPPED or name not in ("whitened", "learned"))
    config = IdentityConfig(attackers=attackers, redraws=100)
    audit_identity(Release(release.records, release.arrays, card), config, known=known, tuning=known)


def linkage(image: np.ndarray, text: np.ndarray) -> None:
    count = len(image)
    records = {
        "record_id": [str(row) for row in range(count)],
        "patient_id": [f"p{row // 2}" for row in range(count)],
        "report_id": [f"t{row}" for row in range(count)],
        "label_edema": (np.arange(count) % 3 == 0).astype(np.int8),
        "label_pneumonia": (np.arange(count) % 2).astype(np.int8),
    }
    release = Release(pl.DataFrame(records), {"image": image, "text": text})
    learners = ("realigned", "composed", "words") if image.shape[1] >= MAPPED else ()
    attackers = tuple(name for name in ALL_ATTACKERS if name not in learners)
    audit_linkage(release, LinkageConfig(pools=(5,), hard_pool=7, attackers=attackers, redraws=100))


def generated(images: np.ndarray) -> None:
    """Of noise, which pulls a registration everywhere, over the edges too."""
    prompts = ["Right effusion." if row % 2 else "No finding." for row in range(len(images))]
    generator = fit_registered(images, prompts, seed=0)
    generator.draw(prompts[:3], seed=0, guides=Guides(images[:3], 0.5))


def decoded(image: np.ndarray) -> None:
    """Whole, cut short, and by numbers of eight and sixteen bits."""
    stream = BytesIO()
    Image.fromarray(image).save(stream, "JPEG", quality=100)
    whole = stream.getvalue()
    for data in (whole, whole[:-900] + whole[-2:], whole[:-900] + bytes(898) + whole[-2:]):
        header = read_header(data)
        for cells in (1, 2):
            read_blocks(data, header, cells)
    prepare(image, 5)
    prepare(image.astype(np.int16) - 99, 5)


def audits() -> None:
    rng = np.random.default_rng(0)

    plain_scores.MOST_PAIRS = sparse_matching.FEW_ROWS = 0  # small releases do without compiled loops

    def normal(rows: int, width: int) -> np.ndarray:
        return rng.standard_normal((rows, width)).astype(np.float32)

    for width in (1, 9):
        identity(*drawn(40, 1.0, width=width))
        linkage(normal(67, width), normal(67, width))
    identity(np.full((41, 8192), 1.3, dtype=np.float32), np.arange(41) % 17)
    linkage(np.full((13, 8192), 1.3, dtype=np.float32), normal(13, 8192))
    few = np.round(normal(3, 5))[rng.integers(0, 3, 130)]
    identity(few + 0.5, np.arange(130) % 40)
    linkage(few + 0.5, few - 0.5)
    for sweeping.QUERIES_AT_ONCE, sweeping.IMAGES_AT_ONCE in product((1, 64), (1, 129)):
        identity(few + 0.5, np.arange(130) % 40)
    audit_membership(membership_data.signals_of(*membership_data.drawn(60, 8)))
    measure_utility(made(patients=200), UtilityConfig(redraws=100, strengths=(1e-2,)))
    decoded(rng.integers(0, 256, (90, 83), dtype=np.uint8))
    SecureNoise(bytes(range(32))).normals(20_001)
    generated(rng.integers(0, 256, (40, 32, 32), dtype=np.uint8))


def not_run() -> list[str]:
    """The kernels of the package, but for those that paint phantoms, that were never compiled."""
    package, missing = Path(leadapron.__file__).parent, []
    for source in sorted(package.rglob("*.py")):
        parts = source.relative_to(package).with_suffix("").parts
        if b"\n@kernel" in source.read_bytes() and parts[0] != "phantoms":
            module = importlib.import_module(".".join(("leadapron", *parts)))
            missing += [
                f"{module.__name__}.{name}"
                for name, one in vars(module).items()
                if isinstance(one, Dispatcher) and one.py_func.__module__ == module.__name__ and not one.signatures
            ]
    return missing


if __name__ == "__main__":
    assert numba.config.BOUNDSCHECK
    try:
        _past_the_end(np.ones(3))
    except IndexError:
        audits()
        print("not run:", not_run())
    else:
        raise DataError("indices are not checked")

"""UPDP on the phantom clinic: the paper's tables 3 and 4 and figures 4 and 5 in shape, and what a blacklist leaves.

python bench/updp.py            # all of it, about a quarter of an hour of one core
python bench/updp.py lists      # one part: starts, searches, length, iterations, rate, lists
"""

from __future__ import annotations

import re
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

from leadapron.cohort.image_set import ImageSet
from leadapron.defences import defend
from leadapron.defences.images.clean_reports import cleaned
from leadapron.defences.images.counterparts import counterparts
from leadapron.defences.images.updp_config import UpdpConfig
from leadapron.defences.images.updp_prompts import Prompts, optimised_prompts
from leadapron.defences.images.updp_similarity import ssim
from leadapron.defences.reports.key_file import new_key
from leadapron.defences.subjects import card_of
from leadapron.engine import silent
from leadapron.phantoms import Dials, build_clinic
from leadapron.reports.labeller import label_report

TEST_RECORDS = 300
LINKED = 150
"""Patients of whom two studies are paired by their prompts."""
RATE = 0.1
"""More than our default, so that there is something to see."""
FEWER = 60
"""Images for the searches, which score thousands of texts each."""
MINILM = "efficientnet-lite0+minilm"


def clinic_images(patients: int, seed: int, identifiers: str = "none") -> tuple[ImageSet, pl.DataFrame]:
    clinic = build_clinic(Dials(patients=patients, seed=seed, identifiers=identifiers))
    return ImageSet(clinic.cohort, clinic.radiographs(128), {"name": "phantom"}), clinic.patients


def prompts(images: ImageSet, **options: object) -> Prompts:
    return optimised_prompts(images, UpdpConfig(**{"order": "published", "rate": RATE, **options}), silent)


def score(values: np.ndarray) -> str:
    return f"{values.mean():.3f} | {values.min():.3f} | {values.max():.3f}"


def findings_kept(found: Prompts) -> float:
    """How many positive findings of a start the labeller still reads in the prompt, less those that it reads anew."""
    good, wanted, made = 0, 0, 0
    for start, end in zip(found.starts, found.texts, strict=True):
        before, after = ({k for k, v in label_report(text).items() if v == "positive"} for text in (start, end))
        good, wanted, made = good + len(before & after), wanted + len(before), made + len(after)
    return 2 * good / max(1, wanted + made)


# ---------------------------------------------------------------- table 3: where the search starts


def starts(images: ImageSet) -> None:
    print("\n| start | score | min | max | tokens kept | findings, F1 |\n|---|---|---|---|---|---|")
    for start in ("random", "labels", "report"):
        found = prompts(images, start=start)
        print(f"| {start} | {score(found.start)} | | |")
        print(f"| {start}, vectors | {score(found.vectors)} | | |")
        print(f"| {start}, UPDP | {score(found.end)} | {found.kept.mean():.2f} | {findings_kept(found):.2f} |")


# ---------------------------------------------------------------- table 4: rivals


def searches(images: ImageSet) -> None:
    print("\n| search | list | score | min | max | tokens kept | findings, F1 | CPU s |")
    print("|---|---|---|---|---|---|---|---|")
    for search, iterations in (("updp", 100), ("mma", 20), ("steps", 20)):
        for mode in ("soft", "hard"):
            begun = time.process_time()
            found = prompts(images, search=search, iterations=iterations, whitelist_mode=mode)
            spent = time.process_time() - begun
            told = f"{score(found.end)} | {found.kept.mean():.2f} | {findings_kept(found):.2f} | {spent:.0f}"
            print(f"| {search}, {iterations} | {mode} | {told} |", flush=True)


# ---------------------------------------------------------------- figure 5: the length; eq. 7: the rate


def length(images: ImageSet) -> None:
    print("\n| tokens | start | loss of vectors | score of prompt | tokens kept |\n|---|---|---|---|---|")
    for start in ("random", "report"):
        for tokens in (4, 8, 16, 32, 64, 128, 256):
            found = prompts(images, start=start, length=tokens)
            told = f"{found.start.mean():.3f} | {1 - found.vectors.mean():.3f} | {found.end.mean():.3f}"
            print(f"| {tokens}, {start} | {told} | {found.kept.mean():.2f} |")


def rate(images: ImageSet) -> None:
    print("\n| rate | list | score of vectors | of prompt | tokens kept | findings, F1 |\n|---|---|---|---|---|---|")
    for mode in ("off", "soft", "hard"):
        for one in (0.01, 0.03, 0.1, 0.3, 1.0):
            found = prompts(images, rate=one, whitelist_mode=mode)
            told = f"{found.vectors.mean():.3f} | {found.end.mean():.3f} | {found.kept.mean():.2f}"
            print(f"| {one} | {mode} | {told} | {findings_kept(found):.2f} |")


# ---------------------------------------------------------------- figure 4: iterations, and what becomes of the image


def iterations(images: ImageSet, train: ImageSet) -> None:
    """The generator is fitted once per row, on the training patients with prompts made the same way."""
    both = images_together(train, images)
    print("\n| iterations | score of vectors | of prompt | tokens kept | SSIM to the source | SSIM to another |")
    print("|---|---|---|---|---|---|")
    for turns in (0, 10, 100):
        config = UpdpConfig(order="published", rate=RATE, iterations=turns)
        found = optimised_prompts(both, config, silent)
        made, _ = counterparts(both, found.texts, config, silent)
        tested = np.flatnonzero((both.records["split"] != "train").to_numpy())
        own = ssim(both.images[tested], made.images[tested])
        other = ssim(both.images[np.roll(tested, 7)], made.images[tested])
        told = f"{found.vectors[tested].mean():.3f} | {found.end[tested].mean():.3f} | {found.kept[tested].mean():.2f}"
        print(f"| {turns} | {told} | {own.mean():.3f} | {other.mean():.3f} |", flush=True)


def images_together(train: ImageSet, test: ImageSet) -> ImageSet:
    records = pl.concat([train.records, test.records])
    cohort = train.cohort.__class__(train.cohort.name, records, train.cohort.funnel)
    return ImageSet(cohort, np.concatenate([train.images, test.images]), train.card)


# ---------------------------------------------------------------- what a blacklist leaves


def two_studies(images: ImageSet, most: int) -> ImageSet:
    """The first record of two studies of each patient, side by side."""
    rows = images.records.with_row_index("row").group_by("patient_id", "study_id", maintain_order=True).first()
    pairs = rows.group_by("patient_id", maintain_order=True).head(2)
    full = pairs.filter(pl.len().over("patient_id") == 2).head(2 * most)
    return images.at(full["row"].to_numpy())


def linked(texts: list[str]) -> float:
    """P@1: is the nearest prompt among the second studies, by words weighted by their rarity, the same patient's?"""
    words = [re.findall(r"[a-z]+|\d+", text.lower()) for text in texts]
    known = {word: place for place, word in enumerate(sorted({word for line in words for word in line}))}
    counts = np.zeros((len(texts), len(known)))
    for row, line in enumerate(words):
        for word in line:
            counts[row, known[word]] = 1
    weights = counts * np.log(len(texts) / counts.sum(axis=0))
    weights /= np.maximum(np.linalg.norm(weights, axis=1, keepdims=True), 1e-12)
    likeness = weights[::2] @ weights[1::2].T
    own = np.diag(likeness)[:, None]
    above, ties = (likeness > own + 1e-12).sum(axis=1), (np.abs(likeness - own) <= 1e-12).sum(axis=1)
    return float(np.mean((above == 0) / ties))


def left(texts: list[str], images: ImageSet, patients: pl.DataFrame) -> str:
    """The share of patients' reports with a name or number in them whose prompts still have it."""
    known = {row["patient_id"]: row for row in patients.iter_rows(named=True)}
    hits: dict[str, list[bool]] = {"full name": [], "a part of it": [], "number": []}
    for text, patient, report in zip(texts, images.records["patient_id"], images.records["report"], strict=True):
        parts = [part.lower() for part in re.findall(r"[A-Za-z]{3,}", known[patient]["name"] or "")]
        said, wrote = set(re.findall(r"\w+", report.lower())), set(re.findall(r"\w+", text.lower()))
        joined = re.sub(r"\W", "", text.lower())
        if parts and all(part in said for part in parts):
            hits["full name"].append(all(part in wrote for part in parts))
            hits["a part of it"].append(any(part in wrote for part in parts))
        number = re.sub(r"\W", "", known[patient]["mrn"] or "").lower()
        if number and number in re.sub(r"\W", "", report.lower()):
            hits["number"].append(number in joined)
    return " | ".join(f"{np.mean(found):.2f}" if found else "–" for found in hits.values())


def lists(kind: str, encoder: str = "phantom-reports", most: int = LINKED) -> None:
    images, patients = clinic_images(2 * most, 21, kind)
    pairs = two_studies(images, most)
    print(f"\n{kind} identifiers, {encoder}, {len(pairs) // 2} patients: chance {2 / len(pairs):.3f}")
    print(
        "\n| blacklist | full name left | a part of it | number left | linked, P@1 | score |\n|---|---|---|---|---|---|"
    )
    print(f"| (the reports themselves) | 1 | 1 | 1 | {linked(pairs.records['report'].to_list()):.2f} | |")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        new_key(folder / "key")
        own = sorted({part.lower() for name in patients["name"] for part in re.findall(r"[A-Za-z]{2,}", name or "")})
        (folder / "half").write_text(terms(own[::2]))
        (folder / "all").write_text(terms(own))
        # a step of MiniLM is thousands of times one of the phantom's: there the projection alone is looked at
        base = {"encoder": encoder, "device": "cpu", "rate": RATE, "iterations": 0 if encoder == MINILM else 100}
        rows: list[tuple[str, dict[str, object]]] = [
            ("cue words, ours", {}),
            ("and half of the patients' names", {"blacklist": folder / "half"}),
            ("and all of them", {"blacklist": folder / "all"}),
            ("and their pieces", {"blacklist": folder / "all", "ban_pieces": True}),
            ("and every number", {"blacklist": folder / "all", "ban_pieces": True, "ban_numbers": True}),
        ]
        last = dict(rows[-1][1])
        rows += [
            ("the same, drawn at temperature 0.1", {**last, "temperature": 0.1}),
            ("cue words, hard whitelist", {"whitelist_mode": "hard"}),
            ("cue words, hard whitelist, not optimised", {"whitelist_mode": "hard", "iterations": 0}),
        ]
        if encoder == MINILM:  # the rows that tell most; it is not optimised anyway
            rows = [rows[0], rows[2], rows[4], rows[6]]
        for name, options in rows:
            found = prompts(pairs, **{**base, **options})
            told = f"{left(found.texts, pairs, patients)} | {linked(found.texts):.2f} | {found.end.mean():.3f}"
            print(f"| {name} | {told} |", flush=True)
        config = UpdpConfig(key=folder / "key", **base)
        clean = cleaned(pairs, config, silent)
        found = optimised_prompts(clean, config, silent)
        told = f"{left(found.texts, pairs, patients)} | {linked(found.texts):.2f} | {found.end.mean():.3f}"
        print(f"| identifiers replaced by stand-ins beforehand | {told} |")
        bare = defend(pairs.cohort, "reports", key=folder / "key", replace="remove")
        removed = ImageSet(bare, pairs.images, bare.card)
        assert card_of(removed) is not None
        found = prompts(removed, **base)
        told = f"{left(found.texts, pairs, patients)} | {linked(found.texts):.2f} | {found.end.mean():.3f}"
        print(f"| identifiers cut out beforehand, as we do | {told} |")
    if kind == "plain":
        none, _ = clinic_images(2 * most, 21, "none")
        found = prompts(two_studies(none, most), **base)
        print(
            f"| the same clinic without identifiers | – | – | – | {linked(found.texts):.2f} | {found.end.mean():.3f} |"
        )


def terms(names: list[str]) -> str:
    from leadapron.defences.images.updp_lists import BLACKLIST, read_list

    return "\n".join([*read_list(None, BLACKLIST), *names])


def main(parts: list[str]) -> None:
    images, _ = clinic_images(900, 20)
    test = images.of_splits("test")
    test = test.at(np.arange(min(TEST_RECORDS, len(test))))
    print(f"{len(test)} images of {test.cohort.patients} patients")
    if "starts" in parts:
        starts(test)
    if "rate" in parts:
        rate(test)
    if "length" in parts:
        length(test)
    if "lists" in parts:
        for kind in ("plain", "hard"):
            lists(kind)
    if "searches" in parts:
        searches(test.at(np.arange(FEWER)))
    if "iterations" in parts:
        iterations(test.at(np.arange(FEWER)), images.of_splits("train").at(np.arange(300)))
    if "minilm" in parts:
        lists("plain", MINILM, 20)


if __name__ == "__main__":
    main(sys.argv[1:] or ["starts", "rate", "length", "lists", "minilm", "searches", "iterations"])

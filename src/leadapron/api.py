"""The front door: what the command line does, as functions of releases and results in memory.

>>> import numpy as np
>>> import leadapron as la
>>> rng = np.random.default_rng(0)
>>> image = rng.normal(size=(300, 16))
>>> text = image + rng.normal(size=image.shape)
>>> release = la.Release.of(image=image, text=text, patient=np.arange(300) // 2)
>>> risk = la.audit(release, "linkage", attackers=("cosine",), pools=(100,))
>>> risk.headline.low > risk.headline.chance
True
>>> risk.table().columns[:3]
['metric', 'attacker', 'group']
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeGuard

from leadapron.audits.gate import Verdict
from leadapron.audits.gate import gate as judge_found
from leadapron.audits.policy import Policy
from leadapron.audits.presets import PolicyGiven, asked_by, listed
from leadapron.audits.run_audit import audit
from leadapron.cohort.image_set import ImageSet
from leadapron.cohort.image_set import read_images as read_folder_of_images
from leadapron.comparisons import Comparison
from leadapron.comparisons import compare as compare_results
from leadapron.defences import defend
from leadapron.encoders import EncodeConfig, Weights, encode, find_encoder
from leadapron.engine import Progress, silent
from leadapron.federated import Machine, Plan, Run
from leadapron.federated import federate as run_federation
from leadapron.phantoms import Dials, build_clinic
from leadapron.release import Release
from leadapron.release import read_release as read_folder_of_release
from leadapron.release import write_release as write_folder_of_release
from leadapron.results import Results
from leadapron.results import read_results as read_results_of
from leadapron.trials import Frontier, TrialConfig
from leadapron.trials import trial as run_trial

__all__ = [
    "audit",
    "compare",
    "defend",
    "federate",
    "gate",
    "phantom",
    "read_images",
    "read_release",
    "read_results",
    "trial",
    "utility",
    "write_release",
]

FolderOrResults = Results | Path | str


def utility(release: Release | Path | str, *, progress: Progress = silent, **options: Any) -> Results:  # noqa: ANN401
    """What a release is still good for: findings read from its images, asked for in words, and found in reports.

    The same as ``audit(release, "utility")``. Labels are columns ``label_<finding>`` of the records.
    """
    return audit(release, "utility", progress=progress, **options)


def compare(before: FolderOrResults, after: FolderOrResults, *, seed: int = 0) -> Comparison:
    """Two audits of the same kind and of the same records: what changed, and whether chance alone would do it."""
    return compare_results(_results(before), _results(after), seed=seed)


def trial(
    before: Release | ImageSet | Path | str,
    *afters: Release | ImageSet | Path | str,
    out: Path | str,
    policy: PolicyGiven | Sequence[PolicyGiven] = (),
    progress: Progress = silent,
    **options: Any,  # noqa: ANN401
) -> Frontier:
    """Attack a release, a cohort, reports, models or a run and their defended versions, and ask for their use.

    Audits, the frontier and its page go to the folder ``out``. What a ``policy`` judges is measured, by default what
    ``starting-point`` does. ``options`` are those of ``leadapron trial``: pool,
    attackers, seed, probe_strength, size, split_by.
    """
    config = TrialConfig(asked=asked_by(listed(policy)), **options)
    return run_trial(before, *afters, out=Path(out), config=config, progress=progress)


def federate(
    release: Release | Path | str,
    *,
    out: Path | str,
    machine: Machine | None = None,
    progress: Progress = silent,
    **plan: Any,  # noqa: ANN401
) -> Run:
    """Deal a release to hospitals, some without images or reports, and let them train one model together.

    ``plan`` are the options of ``leadapron train federated``: method, clients, public, rounds, seed and so on. The run
    goes to the folder ``out``, and the hospitals' own folders beside it.
    """
    found = release if isinstance(release, Release) else read_release(release)
    return run_federation(found, Path(out), Plan(**plan), machine=machine, progress=progress)


def gate(
    *results: FolderOrResults | Policy,
    policy: PolicyGiven | Sequence[PolicyGiven] = (),
    subject: str | None = None,
) -> Verdict:
    """Whether the audits of one subject meet a policy: ``exit_code`` 0 met, 1 not met, 3 incomplete.

    ``gate("audits", policy="ipc-2025-medium")``: results, their folders, or folders that hold them; ``policy`` is the
    name of one that ships, a TOML file, or several of both. A TOML file among the results is a policy, too. Without
    any, ``starting-point`` judges what such a subject calls for: no authority stands behind it.
    """
    policies, found = listed(policy), []
    for one in results:
        if _is_policy(one):
            policies.append(one)
        else:
            assert not isinstance(one, Policy)
            found.append(one if isinstance(one, Results) else Path(one))
    return judge_found(found, policies, subject=subject)


def phantom(
    patients: int = 600,
    *,
    encoder: str = "phantom-reports",
    progress: Progress = silent,
    **dials: Any,  # noqa: ANN401
) -> Release:
    """A release of a phantom clinic, in which the true leak is known; ``dials`` are those of ``leadapron phantom``.

    >>> import leadapron as la
    >>> release = la.phantom(20, seed=1)
    >>> sorted(release.arrays)
    ['image', 'text']
    """
    spec = find_encoder(encoder)
    pixels = build_clinic(Dials(patients=patients, **dials)).pixels(progress=progress)
    with tempfile.TemporaryDirectory() as work:
        return encode(pixels, encoder, spec, spec.load(Weights()), Path(work), EncodeConfig(), progress=progress)


def read_release(
    path: Path | str, *, verify: bool = True, split_by: str | None = None, truth: Path | str | None = None
) -> Release:
    """A release in any layout that is known: ours, a folder with ``image.npy`` and ``text.npy``, ``.npz`` and others.

    ``verify`` compares the files with the hashes that were recorded when they were made; ``split_by`` is the column
    that says train, validate or test, and ``truth`` the file that stayed when the release was handed over.
    """
    kept = None if truth is None else Path(truth)
    return read_folder_of_release(Path(path), verify=verify, split_by=split_by, truth=kept)


def read_images(path: Path | str, *, size: int = 128) -> ImageSet:
    """The images of a cohort folder, with its records, as ``defend`` and ``trial`` take them."""
    return read_folder_of_images(Path(path), size=size)


def write_release(release: Release, folder: Path | str, *, overwrite: bool = False) -> None:
    """The release as a folder, whole or not at all, with the hashes of its files."""
    write_folder_of_release(release, Path(folder), overwrite=overwrite)


def read_results(path: Path | str) -> Results:
    """The results in a folder, or in its ``results.json``; evidence is read when it is asked for."""
    return read_results_of(Path(path))


def _is_policy(given: object) -> TypeGuard[Policy | Path | str]:
    return isinstance(given, Policy) or (isinstance(given, Path | str) and Path(given).suffix == ".toml")


def _results(given: FolderOrResults) -> Results:
    return given if isinstance(given, Results) else read_results(given)

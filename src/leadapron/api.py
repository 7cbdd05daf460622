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
from pathlib import Path
from typing import Any

from leadapron.audits.bound_subject import attacks_asked
from leadapron.audits.gate import Verdict, judge
from leadapron.audits.policy import Policy, default_policy, read_policy
from leadapron.audits.run_audit import audit
from leadapron.comparisons import Comparison
from leadapron.comparisons import compare as compare_results
from leadapron.defences import defend
from leadapron.encoders import EncodeConfig, Weights, encode, find_encoder
from leadapron.engine import Progress, silent
from leadapron.phantoms import Dials, build_clinic
from leadapron.release import Release
from leadapron.results import Results, read_results
from leadapron.trials import Frontier, TrialConfig
from leadapron.trials import trial as run_trial

__all__ = ["audit", "compare", "defend", "gate", "phantom", "read_results", "trial", "utility"]

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
    before: Release | Path | str,
    *afters: Release | Path | str,
    out: Path | str,
    progress: Progress = silent,
    **options: Any,  # noqa: ANN401
) -> Frontier:
    """Attack a release and its defended versions, and ask what each is still good for.

    Audits, the frontier and its page go to the folder ``out``. ``options`` are those of ``leadapron trial``: pool,
    attackers, seed, probe_strength, split_by.
    """
    return run_trial(before, *afters, out=Path(out), config=TrialConfig(**options), progress=progress)


def gate(*results: FolderOrResults, policy: Policy | Path | str | None = None) -> Verdict:
    """Whether the audits of one release meet a policy: ``exit_code`` 0 met, 1 not met, 3 incomplete.

    Without a policy, the default judges what such a release calls for: a starting point, and no authority.
    """
    found = [_results(one) for one in results]
    if policy is None:
        return judge(found, default_policy().only(attacks_asked(found)))
    return judge(found, policy if isinstance(policy, Policy) else read_policy(Path(policy)))


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


def _results(given: FolderOrResults) -> Results:
    return given if isinstance(given, Results) else read_results(Path(given))

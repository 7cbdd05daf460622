"""leadapron: can what we release be paired back with a patient, and what does it cost to prevent that?

    import leadapron as la

    release = la.Release.of(image=images, text=texts, patient=patients)
    risk = la.audit(release, "linkage")
    after = la.audit(la.defend(release, "prototypes", k=20), "linkage")
    la.compare(risk, after)

The names below are found when they are first asked for, so that ``import leadapron`` and ``leadapron --help`` stay
instant.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

FRONT_DOOR = {
    "Release": "leadapron.release",
    "read_images": "leadapron.api",
    "read_release": "leadapron.api",
    "write_release": "leadapron.api",
    "read_results": "leadapron.api",
    "assess": "leadapron.api",
    "audit": "leadapron.api",
    "compare": "leadapron.api",
    "defend": "leadapron.api",
    "federate": "leadapron.api",
    "gate": "leadapron.api",
    "label_report": "leadapron.reports",
    "phantom": "leadapron.api",
    "trial": "leadapron.api",
    "utility": "leadapron.api",
}

if TYPE_CHECKING:
    from leadapron.api import (
        assess,
        audit,
        compare,
        defend,
        federate,
        gate,
        phantom,
        read_images,
        read_release,
        read_results,
        trial,
        utility,
        write_release,
    )
    from leadapron.release import Release
    from leadapron.reports import label_report

__all__ = [
    "Release",
    "__version__",
    "assess",
    "audit",
    "compare",
    "defend",
    "federate",
    "gate",
    "label_report",
    "phantom",
    "read_images",
    "read_release",
    "read_results",
    "trial",
    "utility",
    "write_release",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name not in __all__:
        raise AttributeError(f"module 'leadapron' has no attribute {name!r}")
    return getattr(importlib.import_module(FRONT_DOOR[name]), name)


def __dir__() -> list[str]:
    return list(__all__)

"""leadapron: can what we release be paired back with a patient, and what does it cost to prevent that?

The nouns are the packages, and data flows in one direction:

    cohort ──> encoders ──> release ──> attacks ──> report ──> compare
       ▲
    phantom (a simulated clinic in which the true leak is known)

Nothing is imported here, so that ``import leadapron`` and ``leadapron --help`` stay instant.
"""

__version__ = "0.1.0"
__all__ = ["__version__"]

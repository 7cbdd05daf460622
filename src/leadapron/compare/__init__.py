"""The comparison: two audits of the same records, or a release and what defences made of it, attacked again."""

from leadapron.compare.changes import Change
from leadapron.compare.comparison import Comparison, PairedChange, compare
from leadapron.compare.frontier import Frontier, Point, build_frontier
from leadapron.compare.rendering import RENDERERS, as_table
from leadapron.compare.trial import Entrant, Trial, TrialConfig, find_entrants, run_trial

__all__ = [
    "RENDERERS",
    "Change",
    "Comparison",
    "Entrant",
    "Frontier",
    "PairedChange",
    "Point",
    "Trial",
    "TrialConfig",
    "as_table",
    "build_frontier",
    "compare",
    "find_entrants",
    "run_trial",
]

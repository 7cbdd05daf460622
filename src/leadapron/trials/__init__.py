"""The trial: a release and its defended versions, attacked again, used again, and drawn on one frontier."""

from leadapron.trials.entrant_trial import Bench, Trial, run_trial
from leadapron.trials.entrants import Entrant, read_entrants
from leadapron.trials.frontier import Frontier, Point, build_frontier
from leadapron.trials.risk_status import RiskStatus, risk_statuses
from leadapron.trials.scenario_answer import Answer
from leadapron.trials.trial_config import TrialConfig
from leadapron.trials.whole_trial import trial

__all__ = [
    "Answer",
    "Bench",
    "Entrant",
    "Frontier",
    "Point",
    "RiskStatus",
    "Trial",
    "TrialConfig",
    "build_frontier",
    "read_entrants",
    "risk_statuses",
    "run_trial",
    "trial",
]

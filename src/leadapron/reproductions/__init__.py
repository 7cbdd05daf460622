"""Published studies, run again on the data of whoever holds them: what came out, beside what was printed."""

from leadapron.reproductions.linkage_study import Places, prepare, reproduce_linkage
from leadapron.reproductions.study_config import StudyConfig
from leadapron.reproductions.study_plan import StudyPlan

__all__ = ["Places", "StudyConfig", "StudyPlan", "prepare", "reproduce_linkage"]

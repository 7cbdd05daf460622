"""The cohort: one table of records that every data set of the field is read into."""

from leadapron.cohort.cohort import Cohort, read_cohort, write_cohort
from leadapron.cohort.decode import Pixels, decode
from leadapron.cohort.funnel import Funnel, Step
from leadapron.cohort.image_file import read_image
from leadapron.cohort.labels import FINDINGS, LABEL_COLUMNS, POLICIES, LabelPolicy
from leadapron.cohort.pixels import prepare
from leadapron.cohort.sources import SOURCES, ReadOptions
from leadapron.cohort.split import SPLITS, split_by_patient

__all__ = [
    "FINDINGS",
    "LABEL_COLUMNS",
    "POLICIES",
    "SOURCES",
    "SPLITS",
    "Cohort",
    "Funnel",
    "LabelPolicy",
    "Pixels",
    "ReadOptions",
    "Step",
    "decode",
    "prepare",
    "read_cohort",
    "read_image",
    "split_by_patient",
    "write_cohort",
]

"""A small module a data set, each a function from a path to a cohort."""

from leadapron.cohort.sources import (
    chestxray14,
    chexpert,
    chexpert_plus,
    covid19,
    dicom_folder,
    mimic_cxr,
    openi,
    table,
)
from leadapron.cohort.sources.source_options import ReadOptions, Source

SOURCES: dict[str, Source] = {
    module.NAME: module.read
    for module in (mimic_cxr, chexpert_plus, chexpert, chestxray14, openi, covid19, dicom_folder, table)
}

__all__ = ["SOURCES", "ReadOptions", "Source"]

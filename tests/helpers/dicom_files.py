"""DICOM files of a few pixels, with the tags that a cohort is read from."""

from __future__ import annotations

import pydicom
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.uid import DigitalXRayImageStorageForPresentation, ExplicitVRLittleEndian

DEFAULTS = {
    "PatientID": "P1",
    "StudyInstanceUID": "1.2.3",
    "ViewPosition": "PA",
    "PatientSex": "F",
    "PatientAge": "061Y",
    "StudyDate": "20200229",
    "Modality": "DX",
    "PhotometricInterpretation": "MONOCHROME2",
    "Rows": 4,
    "Columns": 4,
}


def write(file, uid, *, without=(), **tags):
    meta = FileMetaDataset()
    meta.TransferSyntaxUID = ExplicitVRLittleEndian
    meta.MediaStorageSOPClassUID = DigitalXRayImageStorageForPresentation
    meta.MediaStorageSOPInstanceUID = "1.2.9"
    dataset = FileDataset(file, {}, file_meta=meta, preamble=b"\0" * 128)
    for name, value in {**DEFAULTS, "SOPInstanceUID": uid, **tags}.items():
        if name not in without:
            setattr(dataset, name, value)
    file.parent.mkdir(parents=True, exist_ok=True)
    pydicom.dcmwrite(file, dataset)
    return file

"""Headers and footers of the part that a de-identifier may be tuned on; the signs are those of ``sentences_of_tune``."""

from __future__ import annotations

HEADERS = (
    "{hospital}\nPatient Name: {patient.listed}\nMRN: {mrn}    DOB: {dob}\nExam Date: {date}",
    "PATIENT: {patient.listed}\nACC#: {accession}\nREFERRED BY: {staff}, MD",
    "Name {patient} | Sex {sex} | Born {dob} | Unit no {mrn}",
    "RE: {patient}\n    {address}\nDear Dr. {staff.family},",
    "{hospital}, Department of Radiology\n{address.house}\nTel {phone.house}  Fax {fax}",
    "CHEST 1 VIEW  {date} {time}\nPT: {patient.upper}  MR#{mrn}",
    "Pat.-ID {mrn} / {patient.family} / {dob}",
    "Account: {account}\nInsurance: {plan}\nPatient: {patient.listed}\nOrdering: {staff.listed}",
    "*** {patient.upper} *** {mrn} *** LOC: {ward}",
    "Study performed {date}, {accession}, for {patient.full}",
    "EXAM: [w:CR CHEST 2 VIEWS]\nORDER: {accession}",
    "{patient.underscored}_{mrn}_[w:CHEST_PA]",
)
FOOTERS = (
    "Electronically signed by {staff}, MD on {date} at {time}",
    "Dictated by: {staff}\nTranscribed by: {staff.initials}",
    "D: {date} T: {date.next}\n{staff.initials}/{staff.typist}",
    "Attending radiologist: {staff.listed}\nLicence: {licence}",
    "Printed {date} {time} from {ip} by user {staff.typist}",
    "Page 1 of 1   {patient.listed}   {mrn}",
    "{hospital} - questions? {phone.house} or {email.house}",
    "Signed: {staff.family}",
)

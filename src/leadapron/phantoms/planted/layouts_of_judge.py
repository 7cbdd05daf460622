"""Headers and footers of the part that judges; the signs are those of ``sentences_of_tune``."""

from __future__ import annotations

HEADERS = (
    "{hospital} | Imaging Services\nPt name . . . {patient.listed}\nHosp # . . . {mrn}\nD.O.B. . . . {dob}",
    "RADIOLOGY CONSULTATION\nFor: {patient.passport}    b. {dob}\nAt the request of Dr. {staff.signed}",
    "{accession} / {mrn} / {patient.upper}",
    "Requesting clinician {staff.listed} - location {ward} - {date} {time}",
    "[w:XRAY CHEST AP/PA]\nDone: {date} {time}\nBy: {staff.typist}",
    "Patient: {patient.given} {patient.family}, {age} {sex}\nHome: {address}\nContact: {phone}",
    "REPORT NO {accession}; POLICY {plan}; {patient.initial}",
    "File: {patient.underscored}-{accession}.dcm",
    "To: {staff}, {hospital.other}\nFax: {fax}\nConcerning: {patient.short}, {dob}",
    "Encounter {account} opened {date} {time}\nAttending {staff.family}",
    "{hospital}\n{address.house}  Ph {phone.house}\nPATIENT {patient.upper}",
    "PID|{mrn}|{patient.family}^{patient.given}|{dob}",
    "Bed {ward}, chart {mrn}: {patient.clipped}",
    "Name/Nom {patient.full}\nSSN {ssn}\nNext of kin {relative.full} {relative.phone}",
)
FOOTERS = (
    "Final report, {staff.signed}, {date}, {time}",
    "Prelim: {staff.signed} (PGY-3) / Final: {staff.listed}",
    "{staff.initials}:{staff.typist}  {date}",
    "e-signed {staff.upper} {date} {time}",
    "Consultant radiologist {staff}\nReg. {licence}   Secretary {staff.clipped}, {pager}",
    "Kind regards, {staff.given}\n{hospital}",
    "{url} | {email.house} | {phone.house}",
    "Host {ip} | job {id} | {date} {time}",
    "cc {staff.signed}; {staff.signed}; chart {mrn}",
    "*** {patient.upper} {accession} end of report ***",
    "Verified on {ip} by {staff.signed}",
    "Typed {date.next} by {staff.typist}, checked {staff.family}",
)

"""Headers and footers of the part that a de-identifier is judged on; the signs are those of ``sentences_of_tune``."""

from __future__ import annotations

HEADERS = (
    "{hospital} Radiology Report\nName:\t{patient.full}\nBirth date:\t{dob}\nMed Rec No:\t{mrn}\nTaken:\t{date}, {time}",
    "Pt: {patient.listed} ({sex}, {dob})\nAccession {accession}",
    "{mrn}  {patient.upper}  {date}",
    "FROM: {hospital}\nTO: Dr. {staff}, {hospital.other}\nSUBJECT: {patient}, chest film",
    "| patient | {patient} |\n| chart | {mrn} |\n| requested by | {staff.listed} |\n| on | {date} |",
    "Hosp. No. {mrn} - NHS/plan {plan} - {patient.upper}",
    "{patient.listed}\n{address}\nH {phone}\nSubscriber no. {plan}",
    "CXR [w:2V] {date}. {patient.initials}. Req {staff.family}.",
    "ORDERING PHYSICIAN.....{staff}\nFINANCIAL NO...........{account}\nVISIT DATE.............{date}",
    "Case {accession} <{patient.family}^{patient.given}> {dob}",
    "Examination: [w:XR chest PA]\nRequest no: {accession}\nWard: {ward}",
    "Patient's name and surname: {patient.full}; national no. {ssn}; arrival {time}",
)
FOOTERS = (
    "Reviewed and approved: {staff.listed} {date} {time}",
    "//{staff.initials}// {date}",
    "DD: {date}; DT: {date.next}; job {id}; {staff.typist}",
    "Interpreting: {staff}, FRCR ({licence})\nResident: {staff}",
    "Authenticated by {staff} from {ip}, {time}",
    "{hospital}, {address.house}. Appointments {phone.house}. {url}",
    "Copy for {patient} ({mrn}). Not valid without stamp.",
    "Yours sincerely,\n{staff}\n{hospital}",
    "Teaching file: {url}, contact {email.house}",
)

"""Sentences with gaps for the part that a finished de-identifier is judged on once.

The signs are those of ``sentences_of_tune``, and so is the rule about findings; ``¶`` ends a line within a template.
"""

from __future__ import annotations

from leadapron.phantoms.planted.decoys_of_verdict import DECOYS as DECOYS

HISTORY = """
CLINICAL DETAILS: {age.figures}{sex}, [f:SOB] x [m:3/7], [w:NKDA], lives with {relation} {relative}.
CLINICAL DETAILS: {title} {patient.family} is {age} and was admitted under Dr. {staff.family} {prior}.
CLINICAL DETAILS: [w:SVT] ablation {month}, {hospital.other}. [f:Palpitations] again since {weekday}.
CLINICAL DETAILS: recent travel to {town}, [f:fever], [w:malaria films] negative, [w:Malarone] taken.
CLINICAL DETAILS: found on floor by {relation} {relative} at {time}, [f:long lie], [w:CK] [m:4#00 U/L].
CLINICAL DETAILS: step-down from {ward}; [w:CURB-65] [m:1], [w:Tazocin] day [m:#].
CLINICAL DETAILS: walk-in, lives alone, tel. {phone}; [f:cough] with [w:Augmentin] since {prior}.
CLINICAL DETAILS: pt {patient.small}, known [e:Addison] disease, [w:hydrocortisone] doubled {prior}
Presenting complaint: [f:dry cough] since {holiday}, contact of {relative.full}.
Presenting complaint: {patient.short}, {age} yrs, "can't catch a breath" since {weekday} night.
Presenting complaint: struck by a pallet at {company}, {prior}, [s:right] [a:flank] pain.
Presenting complaint: [f:chest pain] radiating to the [a:jaw], started {time}, [w:aspirin] [m:300 mg] given by crew of {vehicle}.
Presenting complaint: swallowed a dental crown at Dr. {staff.family}'s office on {prior}.
HPI: Pt is a {age} y.o. {man} well known to our service ({staff.cited}) who presents from {town} w/ [f:malaise].
HPI: {patient.given} "{nickname}" {patient.family}, {age}, s/p [e:Roux-en-Y] bypass {month} by {staff}, now [f:nausea].
HPI: {age.figures} yo {sex}, poor historian; story from {relation} {relative.full} ({relative.phone}).
HPI: previously healthy clerk at {company}, [f:URI] sx, [w:COVID-19] PCR neg {prior}.
HPI: per EMS sheet {id}, unresponsive at {address}, [w:Narcan] x [m:2].
HPI: coach {vehicle} from {town}, [m:9 h] seated, [f:calf pain], [w:D-dimer] [m:0.# mg/L].
Request: exclude [f:rib injury], {patient.initials}, {age}, kicked by horse on {holiday}.
Request: visa screening, passport of {patient.passport} seen, born {dob}, no symptoms.
Request: Dr {staff.small} wants line check, rang from {phone.other}
Request: annual film, {company} dust register {id}, [e:Mantoux] [m:# mm].
Request: preop [e:Whipple], list of {later}, surgeon {staff.cited}, [w:HbA1c] [m:7.#%].
Request: second opinion for {relation} {relative.full}, who will collect it, phone {relative.phone}.
ED note: restrained driver, {vehicle}, rear-ended near {city} ~{time}; [l:C-spine] cleared by {staff.login}.
ED note: brought by {relation} {relative}, cell {relative.phone}; [f:confusion], [w:MMSE] [m:1#/30].
ED note: {age.figures}yrs. Boarding since {prior}. Awaiting bed on {ward}. [f:Hiccups].
ED note: triage {time}. [m:BP 9#/5#], [w:qSOFA] [m:1]. PCP {staff.signed}, {hospital.other}.
ED note: eloped from {hospital.other} on {weekday.short}, returned today with [f:cough].
ED note: homeless, mail c/o {address}. [f:Frostbite] of both [a:feet].
Nurse's note: {patient.given} fell out of bed {time}, {relation} {relative} notified.
Nurse's note: prefers to be called {nickname}; hard of hearing; [d:hearing aid] removed for film.
Nurse's note: ID band illegable, {ssn} given verbally, {patient.listed}.
Clin. info: {man}, {age}, [e:Parkinson] disease, [f:choking] at lunch on {weekday}.
Clin. info: ex-miner ({company}, till {year}), [f:breathless], [w:FVC] [m:6#%].
Clin. info: {patient.initials}, b. {dob}, on [w:Entresto] and [w:Eliquis], [w:eGFR] [m:3#].
Clin. info: bird fancier; {hospital.other} saw [f:hypersensitivity] in {month}, precipitins [m:1:16].
Clin. info: aspirated a peanut at a party on {holiday}, asymptomatic since {time}.
Clin. info: {age} y, f/u after [f:pneumonia] treated by Dr. {staff.family} in {month}, feels well.
Clin. info: twin of {relative.full}, screened for [e:Fabry] disease, aged {age}.
Clin. info: great-grandmother reached {age.old}, [w:BRCA2] carrier, seen {prior} by {staff}.
Symptoms: [f:hoarse] voice since thyroidectomy ({staff.signed}, {prior}).
Symptoms: none. Employer ({company}) requires film, control no. {id}.
Symptoms: [f:drenching sweats]; roommate aged {age.old} had [f:shingles]; lives at {hospital.other}.
Symptoms: [f:tearing] pain between the [a:shoulder blades] from {time}, [w:labetalol] started.
Pertinent history: [e:Kawasaki] disease as a child in {town}, {year}.
Pertinent history: {age}-year-old, [w:CLL], [w:Rai] stage [w:II], under {staff.signed} at {hospital.other}.
Pertinent history: [e:Sjögren] syndrome, [w:SS-A] positive, {prior} visit with Dr. {staff.family}.
Pertinent history: donor card no. {id}, listed for kidney since {month}, dialysis at {hospital.other}.
Pertinent history: living will held by {relative.full}, {address}.
Pertinent history: former patient of {staff} (retired), old chart {mrn}.
Pertinent history: implanted at {hospital.other}, device card {device}, [e:Brugada] syndrome in a brother.
Exam reason: LINE CHECK. {patient.upper}. CALL {pager} WITH RESULT.
Exam reason: Medicare no. {plan}, annual visit, [f:wheeze], Dr. {staff.listed}.
Exam reason: {age} yr {sex}; wt [m:8# kg]; [w:STOP-BANG] [m:5]; OR {later} {time}.
Exam reason: deposition, case of {patient.short} v. {company}, claim {account}.
Exam reason: adoption home study for {patient.family} family, {city}.
Exam reason: school bus driver, licence {licence}, two-yearly medical.
Exam reason: DOT physical, CDL {licence}, tag {vehicle}.
Story: {patient.given} was gardening on {weekday.short}, got winded, sat down, called {relation} {relative} at {relative.phone}.
Story: flew {town} to {town}, arrived {prior}, [f:leg swelling], on [w:Yasmin].
Story: neighbour {relative.full} heard a thud about {time} and dialled for help.
Story: handed over by {staff.clipped} at {time}; [w:TXA] [m:1 g] in, [w:FAST] negative.
Clinical context¶- {age} y {man}¶- [w:NSTEMI] {prior}¶- cath by {staff.cited}, [a:LAD] stented¶- [w:Brilinta], [w:Crestor]
Clinical context¶- referred {prior} by {staff.signed}¶- [f:anaemia], [w:Hb] [m:8# g/L]¶- endoscopy {later}
Clinical context¶- carer: {relative.full} {relative.phone}¶- [w:mRS] [m:3], [w:PEG] feeds¶- [w:DNACPR] signed {prior}
Clinical context¶1. [w:HIV], [w:CD4] [m:3#0], clinic no. {mrn}¶2. [w:Bactrim] rash in {year}
PATIENT HISTORY GIVEN BY: {relative.full}, {relation}. Age {age}. [f:Chills] from {prior}.
INFO FROM ORDER: [w:PRE-MED] CHECK {date}; EMPLOYEE {id} OF {hospital.other}
Anamnesis: {patient.passport}, {age} years, resident of {town}, smoker [m:# pack-years] until {year}.
Anamnesis: operated {prior} by Prof. {staff.family} after [e:Nissen] wrap failure; [w:Clexane] [m:40 mg].
Anamnesis: father [f:dead] at {age.old}, mother alive at {age.old}; no [e:Gaucher] disease.
Anamnesis: lives with an uncle of {age.old}, who had [f:bronchitis] around {holiday}.
Anamnesis: mother-in-law ({age.old}) bedridden at home; lifts daily, [f:back strain].
Anamnesis: colleague {relative} of {company} is a contact; [w:IGRA] indeterminate {month}.
Why now: [f:cough] after moving to {address} in {month}; mould on the walls.
Why now: SSN {ssn} flagged by registry, prior [w:mesothelioma] panel {prior}.
"""

COMPARISON = """
Previous imaging: {prior}.
Previous imaging: CXR {prior} ({time}), CT [a:abdomen] {prior.other}.
Previous imaging: MR [a:brain] with [w:FLAIR] and [w:SWI], {month}, {hospital.other}.
Previous imaging: PET/CT {prior}, [w:SUVmax] [m:2.#], read by {staff.cited}.
Previous imaging: nil since {year}.
Comp: CXR {weekday.short}, {time}.
Comp: {prior} & {prior.other}.
Comp: priors under {mrn.other} (filed as {patient.other}), latest {month}.
Comparator: film {accession.other} of {prior}.
Comparator: photo of an outside film sent by {staff.signed} from {town}.
Earlier studies reviewed: {prior}; {prior.other}; ultrasound {month}.
Earlier studies reviewed: disc from {hospital.other} dated {prior}, [w:series 4].
Earlier studies reviewed: bedside film {weekday} {time}, [m:7# kV].
Earlier studies reviewed: none at {hospital}; a note by {staff.family} cites one from {holiday}.
Reference exam: two views {prior}, Acc {accession.other}.
Reference exam: most recent available {month}, {ward}.
Looked at alongside the {prior} CT [a:angiogram] ([w:CTPA]).
Looked at alongside what {hospital.other} sent over on {prior} ({accession.other}).
Old exams: {year}, {year}, and {prior}.
Old exams: [w:HRCT] {prior} at {time}; [w:V/Q] {prior.other}.
"""

FINDINGS = """
No [e:Hamman sign] was heard by Dr. {staff=Hamman} and no air is seen in the [a:mediastinum].
[e:Castleman disease] was the question of {staff=Castleman}, {hospital.other}; nothing of the kind here.
Nothing to suggest [e:Takayasu arteritis], as Dr. {staff=Takayasu} feared on {prior}.
Normal situs, so no [e:Kartagener syndrome]; {staff=Kartagener} informed {weekday}.
[e:Mounier-Kuhn] is excluded ([a:trachea] [m:1# mm]); letter to {staff=Mounier} went out {date}.
[e:Virchow node] not palpable per {staff=Virchow}, NP.
[e:Tietze syndrome] is a clinical diagnosis, as {staff=Tietze} was told at {time}.
No [e:Boerhaave] picture; {staff=Boerhaave} can skip the [w:Gastrografin].
[e:Felson] silhouette rule applied with {staff=Felson}: the [a:heart] borders are sharp.
[e:Garland triad] absent, discussed with Dr. {staff=Garland} on {phone.other}.
The [d:Tenckhoff catheter] was cut out by {staff=Tenckhoff} in {month}.
[d:Quinton line] taken out {prior}, site checked by nurse {staff=Quinton}.
[d:Penrose drain] no longer there; {staff=Penrose} removed it {prior}.
[d:Jackson-Pratt] bulb is out since {weekday}, per {staff=Pratt}, PA.
[e:Fontan] circulation since {year}; follow-up with {staff=Fontan} as before.
[e:Glenn shunt] of childhood, surgeon {staff=Glenn}, not assessable.
[e:Mustard procedure] was planned in {year} by Dr. {staff=Mustard} and never done.
[e:Konno procedure] declined; Dr. {staff=Konno} to see on {later}.
[e:Bentall] graft in the request is an error of Dr. {staff=Bentall}; none here.
[e:Ravitch repair] scar, {staff=Ravitch}, {year}.
[e:Clagett window] closed {month}; {staff=Clagett} signed off.
[e:Baastrup disease] at [l:L4/5], {staff=Baastrup} to inject on {later}.
[e:Klippel-Feil] anomaly ruled out at [l:C2-C3] for {staff=Klippel}.
[e:Modic] type [w:1] at [l:L5-S1] on the MR of {prior}, reader {staff=Modic}.
[e:Paget disease] was raised by {staff=Paget}; the [a:clavicle] is normal.
[e:Risser] [w:4] today, [w:3] on {prior}; {staff=Risser} follows.
[e:Jefferson] view was asked for by Dr. {staff=Jefferson}, {ward}, and cancelled.
[e:Looser zones] are not seen, so {staff=Looser} need not change the [w:vitamin D].
[e:Monteggia] injury of {year}, fixed by {staff=Monteggia}, [s:left] [a:elbow] not imaged.
[e:Salter-Harris] grading does not apply; {staff=Salter} agrees.
[d:LINQ] monitor, S/N {device}, was taken out {prior}.
[d:Baclofen pump] serial {device} lies below the field.
[d:Vagus nerve stimulator] was switched off and removed {month} (serial number {device}).
[d:Inspire] generator ({device}) never implanted; box returned {prior}.
Breast expander of {year}, lot {device}, has been exchanged.
[a:Knee] endoprosthesis [w:size 5], {device}, by letter of {prior}.
Film cassette {device} shows a scratch at [l:T9].
Detector {device} recalibrated at {time} by {staff.login}; no artefact now.
The [d:CardioMEMS] implant, sn {device}, is in another patient, {patient.other}.
Telemetry pack {device} overlies the [s:left] [a:flank] and was unclipped at {time}.
[d:Dexcom] sensor (transmitter {device}) outside the field.
[a:Aortic knob] [m:3# mm] against [m:3# mm] on {prior}.
Vertebral height at [l:T11] [m:2#.# mm], same in {month}.
[m:1.# x 0.# cm] skin tag under the [s:left] [a:axilla], known since {year}.
Burned-in text reads {patient.upper} {dob}.
Left upper corner: {patient.cited}, {mrn}, {date}.
Sticky label over [l:T12]: "{patient.short} {mrn}".
The gown is marked {ward}; a rosary overlies [l:T5].
Hand-written on the film jacket: {patient.torn}, {dob}, return to {staff.family}.
Bracelet with {relation} {relative}'s name projects over the [s:left] [a:wrist] at the edge.
Marker [w:R] by {staff.initials}, exposure index [m:1#00], [w:DI] [m:-0.#].
Rotated film, as {title} {patient.family} is kyphotic; second try {time} no better.
Arms down because {patient.given} has had [f:shoulder pain] since {prior}.
{nickname} (as the patient likes to be called) held still for [m:2 s]; no motion blur.
{staff.cited} counts [w:13] rib pairs; I count [w:12], with [l:L1] free of ribs.
[a:Costal cartilage] calcified more than in {month}, of no concern at {age}.
[a:Pectus] repair considered in {year}, {town}, and not done.
Nipple markers were placed at {time} by {staff.clipped} ([m:2 mm] steel).
Series mislabelled [w:LAT] by {staff.login}; corrected {date} under {id}.
Image [w:1/2] belongs to accession {accession}, image [w:2/2] to {accession.other}.
[w:DICOM] tag shows station {ip}, operator {staff.initials}.
Hook of the [w:bra] overlies [l:T8]; {relation} {relative} took the garment home.
Tattoo ink "{patient.given}" was noted by {staff.family} over the [a:sternum]; not visible here.
Capsule camera swallowed at {hospital.other} {weekday} {time} has passed.
Dental bridge seen {prior} at [l:C4] is gone.
No change from the film that Dr. {staff.family} e-mailed from {email.house}.
Contrast ([w:Omnipaque 300], [m:80 mL]) from the {time} CT still in the [a:renal pelvis].
[w:Barium] residue in the [a:splenic flexure] since {prior}.
"""

IMPRESSION = """
1. As above. 2. {title} {patient.family} to keep the {later} visit.
Same as {prior}.
As expected at {age}. Regards to {patient.given}.
The shadow of {month} was a skin fold, as Dr. {staff.family} suspected.
Answer for {staff.cited}: yes, the film can be sent on.
Final wording agreed with {staff} on {date} at {time}.
Replaces the preliminary of {time} by {staff.login}.
No evidence for what {relation} {relative} reported on the phone ({relative.phone}).
Film of the wrong patient ({patient.other}) deleted; see incident {id}.
Please disregard {accession.other}, same exposure.
Lateral view of {weekday} adds nothing.
[w:BI-RADS] is not applicable; see {hospital.other} mammogram of {month}.
[w:PI-RADS] [w:2] on the MR of {prior} needs nothing from us; closed by {staff.initials} {date}.
Unchanged over [m:# years] (oldest film {year}).
Stable since {prior}; next look {later}.
Family told, including the {age.old}-year-old aunt.
{patient.initials}: fit to fly on {later}.
Fit for work at {company} from {later}.
Panel physician {staff.signed} will receive form {id}.
[e:Graves] ophthalmopathy noted in the request of {prior} has no chest correlate.
[w:Still] waiting for {hospital.other} to send {accession.other}.
[w:Grant]-funded film of {date}, participant {id}.
"""

RECOMMENDATION = """
F/U: PA + lat in [m:8 weeks] ({later}).
F/U: clinic of Dr. {staff.family}, {later} at {time}, {ward}.
NEXT STEP: low-dose CT, [m:1 mm] cuts, at {hospital.other} before {later}.
NEXT STEP: send sputum ([w:AFB] x [m:3]) by {later}; call {pager}.
NEXT STEP: ask {relation} {relative} ({relative.phone}) for the old disc.
MRI with [w:STIR] and [w:T1 VIBE], book via {url}.
[w:DEXA] at {hospital.other}; slip faxed to {fax}.
Vaccines ([w:Prevnar 20], [w:Shingrix]) per Dr. {staff.family}; records on {url}.
Return precautions given to {patient.given}, callback no. {phone}.
Referral to {staff.cited} accepted {date}, pre-cert {plan}.
Self-pay estimate {account} mailed to {address}.
Ring {phone.other}, ask for {staff.clipped}; closed {holiday}.
Stop [w:metformin] on {later}, contrast study {time} next day.
[e:Holter] to be handed in at {hospital.other} by {later}.
Let us discuss at the {weekday.short} [w:MDT] with {staff.family} and {staff.family}.
Chase the {town} films (fax {fax}; contact {staff}).
Review on or about {later}, sooner if [f:fever] > [m:38.5 C].
Repeat after {later}, when {patient.given} is back from {town}.
Carer is {age.old}; social work to ring {phone.other}.
No stairs: shares a flat with a sister aged {age.old}.
Home oxygen order to {fax}, attention {staff.clipped}.
Transport booked: {vehicle}, pick-up {time}, {address}.
"""

COMMUNICATION = """
Verbal reprot {time} {date} to {staff.family} (ED), {pager}.
¶ADDENDUM by {staff.signed} {date} {time}: laterality confirmed.
¶ADDENDUM: Patient name corrected to {patient.short}, previously filed as {patient.other}.
¶ADDENDUM: Outside film of {prior} has arrived from {town}. No change.
¶cc¶{staff} MD, {hospital.other}¶{staff.signed} NP¶{patient.full}
¶Distribution list¶1. {staff.login}¶2. {email}¶3. fax {fax}
¶Communication log¶{time} called {pager}, no answer¶{time} called {phone.other}, spoke to {staff.family}
¶Caller: {staff.clipped}¶Callee: {relative.full} ({relation})¶Number: {relative.phone}
hx and prelim d/w {staff.small} by phone {time}
Secure chat to {staff.login} at {time}, thumbs up recieved.
Left a voicemail at {phone} for {title} {patient.family}; {relation} {relative} rang back {time}.
Discussed with a cousin, {relative.full}, who is at {relative.phone} after {time}.
Power of attorney: {relative.full}, {relative.phone}, {email}.
{relation} {relative} asked that calls go to {relative.phone} and not to {phone}.
Results texted to {phone} and e-mailed to {email}.
Mail for {patient.given}: {email}; the old one bounced.
Sent to {email}, cc {email.house}.
Please upload to {url} and tell {staff.login}.
Key images: {url}.
Share link {url} expires {later}.
Patient leaflet: {url}; helpdesk {phone.house}.
VPN address {ip}, read from home.
Query/retrieve from {ip} timed out at {time}; pushed again from {ip}.
Modality {ip} lost its link {date}; film rescued by {staff.initials}.
Remote session {ip}, ticket {id}.
Audit trail: {ip}, {staff.login}, {date}, {time}.
Fax to {fax} came back blank; resent {time}.
Fax numbers on file: {fax} (office), {fax} (home health).
Old fax {fax} is no longer in use.
Payer {plan} denied; appeal by {later}.
Group and member: {plan}; guarantor {relative.full}.
Eligibility for {plan} checked {date} by {staff.clipped}.
Secondary cover {plan}, primary {plan}.
Copay receipt {account}.
Balance on {account} waived per {staff.family}.
Statement no. {account} was sent to {relative.full} by mistake.
Billing under {account}, not {account}.
Ledger {account} closed {date}.
SSN {ssn} verified against card.
Social insurance no. {ssn}; kin {relative.full}.
Security number on the form, {ssn}, is {relation} {relative}'s.
Tax number {ssn} typed in the MRN field; MRN is {mrn}.
National identity {ssn}, {patient.passport}.
Old veterans card shows {ssn}.
Reported under licence {licence}.
Locum {staff}, registration {licence}, covering {hospital.other}.
Sonographer {staff.signed} ({licence}).
ID shown: driving licence {licence}.
Pharmacy call back for {staff.family}, prescriber no. {licence}.
Technologist cert. {licence}, {staff.initials}.
Wheelchair van {vehicle} ordered for {time}.
Police seized the car ({vehicle}) and asked for films under {id}.
Discharge lounge: taxi {vehicle}, {relation} {relative} comes along.
Valet ticket {vehicle}, {patient.family}.
Left in {relation} {relative}'s car, {vehicle}, at {time}.
Film mailed as JPEG from {ip}, wrong format.
Node {ip} (AE title [w:CR_ROOM2]) was down until {time}.
Dose report from {ip} attached.
Opened on {ip} by {staff.login}.
See {url}, slide [w:12].
Feedback form under {url}.
Online booking {url} or {phone.house}.
Pension number {ssn} on the old card.
Duplicate SSN {ssn} reported by registration.
Insurance card shows SSN {ssn}, not {plan}.
Parking permit {vehicle} stamped by {staff.clipped}.
{relation} {relative} waits outside, plate {vehicle}.
Ambulance reg. {vehicle}, crew {staff.family} and {staff.family}.
Motorcycle {vehicle}: insurer asks for this report, claim {account}.
Research ID {id}; visit [w:V3] of [w:5].
Enrolled as {id} by {staff.cited}, site {hospital}.
Incident {id} filed {date}.
Specimen {id} lost in transit from {ward}.
Work order {id}, bay [w:2].
Chart {mrn} merged into {mrn.other} on {date}.
Wrong sticker ({mrn.other}) replaced by {mrn}.
Two records exist: {mrn} and {mrn.other}; {staff.login} will merge.
Confirmed name, {dob} and {mrn} at bedside.
Reminder text goes to {phone} on {later}.
Mobile {phone} switched off, tried again {time}.
Pt answers on {phone} only, evenings.
No show; {phone} rings out.
Called {patient.small} at {phone}, will come {weekday.short}
Films handed to {patient.cited} against signature, {date}.
Typed as heard; Dr. {staff.family} is away until {later}.
Interpreter no. {id}, line {phone.other}.
Neighbour {relative.full} keeps the key, {relative.phone}; address {address}.
Next of kin is an aunt, {age.old} years old, {relative.phone}.
Spouse, {age.old}, does not hear the phone; ring after {time}.
Proxy form signed by {relative.full}, age {age.old}.
Accompanied by a friend of {age.old} in a wheelchair.
Disc given to the grandmother ({age.old} y).
Neighbour of {age.old} drove; seen by {staff.clipped}.
Chaplain {staff.given} was with {patient.given} at {time}.
Press enquiry from {town} declined; call {phone.house}.
"""

SINCE = """
from {month}
read {prior} by {staff.signed}
({accession.other}, {prior})
exposed {prior}, {time}
brought from {hospital.other}
labelled {prior}
made {weekday.short} {time}
/ {prior} /
"""

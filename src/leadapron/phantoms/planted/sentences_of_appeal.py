"""Sentences with gaps for the part on which a verdict may be appealed against; the signs are those of ``sentences_of_tune``.

They are what a hospital would find in its reports: mostly plain, now and then a name that is a word or a sign as well.
"""

from __future__ import annotations

from leadapron.phantoms.planted.decoys_of_appeal import DECOYS as DECOYS

HISTORY = """
Indication: {age}-year-old {man}, [f:SOB] x [m:3 days]. Patient of Dr. {staff.family}.
Indication: {title} {patient.family} is a {age}-year-old {man} with [e:Parkinson disease] and a weak cough.
Clinical History: {age} year old {man} s/p fall at home on {prior}, [f:chest wall pain] on the [s:right].
Clinical History: {patient.short} is a {age} yo {man} referred by {hospital.other} for [f:chronic cough].
Clinical History: [e:Crohn disease] on [d:Humira], pre-biologic screen requested by Dr. {staff.short}.
Clinical history: [e:Graves] ophthalmopathy, follows with endocrinology at {hospital.other}.
Clinical history: known [e:Marfan syndrome], root repair in {year} by Dr. {staff}.
Clinical history: Per EMS the patient was found down at {address} around {time}.
Clinical history: [w:Will] be admitted under Dr. {staff.family}, {ward}.
Reason for exam: cough x [m:2 wks], seen {prior} at {hospital.other}, no better on [d:Augmentin].
Reason for exam: [f:chest pain], r/o PTX. Call results to {phone.other}.
Reason for exam: PICC removed on {prior}, pt {patient.initials} still [f:febrile].
Reason for exam: annual film for {company}, employee {id}.
Reason for Exam: {age.figures}{sex}, [e:Down syndrome], sent by {hospital.other}, [f:runny nose] x [m:5 d].
Reason for Exam: MVC {prior}, driver of {vehicle}, seat belt sign, [a:sternum] tender.
REASON FOR EXAMINATION: visa medical, passport of {patient.passport}, [e:Mantoux] [m:6 mm].
REASON FOR EXAMINATION: positive [e:Mantoux], [m:14 mm] on {prior}, nurse {staff.short} read it.
REASON FOR STUDY: Pre-operative, [a:hip] arthroplasty with Dr. {staff.family} on {later}.
REASON FOR STUDY: {patient.listed} with [f:hypoxia]; SpO2 [m:8#%] on room air at {time}.
CLINICAL INDICATION: Follow-up after [e:Whipple] procedure of {prior}.
CLINICAL INDICATION: {age}-year-old {man}, [e:Sjogren syndrome], on [d:methotrexate] since {month}.
CLINICAL INDICATION: born {dob} in {town}, immigrant screening.
Clinical Indication: weakness after [d:Moderna] booster given {prior}; family doctor {staff}.
Clinical indication: {age} y/o, ex-miner with {company} until {year}, [f:dry cough].
Clinical details: {title} {patient} has been under Prof. {staff.family} since {year} for [e:Churg-Strauss].
Clinical details: Fell over the dog on {holiday}. Tender [l:ribs 7 to 9] [s:left]. GP Dr {staff.short}.
Clinical details: Smoker, [m:40 pack years], {town} resident, CXR please. Bleep {pager} if abnormal.
Clinical details: NHS staff, badge {id}, exposure to [f:TB] contact.
Clinical data: known case of [f:DM], [f:HTN]. Ref: Dr. {staff.short}, {hospital.other}.
Clinical data: {patient.full}, {age.figures}/{sex}, H/O fever since {prior}.
Clinical info: pt {patient.given}, {age} yrs, [f:cough] with sputum for [m:10 days], attended {hospital.other} {prior}.
Clinical info: {relation} {relative} reports [f:night sweats]; best reached at {relative.phone}.
CLINICAL INFO: TB CONTACT. INDEX CASE {patient.other}, SAME HOUSEHOLD, {town}.
Triage: {time} walk in w/ {relation} {relative.full}, [f:palpitations], HR [m:11#], BP [m:148/92].
Triage note: arrived by private vehicle (plate {vehicle}), [f:SOB], speaks Tagalog, interpreter {staff.clipped} called.
Triage note: pt states "I'm {age}", daughter corrects; DOB on card {dob}.
ED Notes: BIBA from {address}, GCS [m:15], [f:CP] radiating to [s:left] arm.
ED Notes: pt well known to us, goes by "{nickname}", [f:EtOH], seen by {staff.clipped}, PA-C.
ED Notes: EMS run {id}, unit parked in bay [w:2], [f:syncope] at {company}.
Nursing note: {patient.family}, {patient.given} transferred to {ward} at {time}, on [m:4 L NC].
Nursing note: wristband replaced, MRN {mrn} checked with {relation} {relative}.
RN note: {staff.given} RN at bedside, [d:NGT] pulled by pt at {time}.
RN note: contact {relative.full} ({relation}) {relative.phone}, speaks Portuguese only.
C/o [f:breathlessness] since {holiday}. Ref Dr. {staff.signed}.
C/o: [f:fever] and chills for [m:4 days], returned from {town} on {prior}.
HX: [e:HODGKIN LYMPHOMA], [d:ABVD] COMPLETED {month}, ONCOLOGIST {staff.family}.
HX: {age} YO {man}, [e:CUSHING] SYNDROME, DR {staff.upper} REQUESTS CXR.
History: {title} {patient.family} had [d:Pfizer] vaccine on {prior}, now [f:arm pain].
History: [e:Barrett esophagus], prior [e:Nissen] fundoplication in {year} at {hospital.other}.
History: Great-grandmother of {age.old} with whom the patient lives has [f:influenza A].
History: Patient is {age.old} years young, per Dr. {staff.family}'s note of {prior}.
History: [e:Addison disease], steroid card held by {relation} {relative}, tel {relative.phone}.
History: retired from {company}, [m:30 years] of [f:silica] exposure, comp claim {id}.
History: [w:Hunter], bird exposure. Followed by {staff}, pulmonology, {hospital.other}.
Hx/Indication: [f:dyspnea], [e:Wells score] [m:4.5], D-dimer sent {time}.
HISTORY/INDICATION: code stroke called {time}, LKW {prior}, [m:NIHSS 7].
Brief history: {patient.initials}, {age}, lives alone in {city}; home help found the patient on the floor on {weekday}.
Ordering comments: please page {staff.short} {pager} with read, pt to cath lab.
Ordering comments: "{patient.given} {patient.family} is claustrophobic, {relation} may come along" [w:Thanks].
ORDER COMMENTS: PT IS {patient.upper} NOT {patient.other}, VERIFY ID.
ORDER COMMENTS: AUTH {plan}, [w:COVID] NEG {prior}.
Klinische Angaben: {patient.family}, {age} J., [f:Dyspnoe], Zuweiser Dr. {staff.family}, {town}.
Comment: Outpatient, self pay, account {account}.
Signs and symptoms: [f:wheeze], [f:hoarseness]; on [d:Symbicort] from Dr. {staff.family} since {month}.
Chief complaint: "chest cold" since {weekday}, per {relation} {relative}.
Request reads: "{title} {patient.family}, [m:6/7] cough, ?LRTI, many thanks, {staff.signed}".
Admitting dx: [f:UTI]; attending {staff.listed}; room on {ward}.
ADDITIONAL HISTORY: obtained by phone from {relative.full}, {relation}, at {relative.phone}: [e:Bell palsy] in {year}.
ADDITIONAL HISTORY: the patient drives a truck ({vehicle}) for {company}.
DIAGNOSIS: [e:Kaposi sarcoma], treated with [d:Doxil] by Dr. {staff.short} until {month}.
{patient.short}, {age}, comes from Dr. {staff.family} today because of [f:hiccups].
Dear Dr. {staff.family}, thank you for sending {title} {patient.family}, born {dob}, with [f:weight loss] of [m:6 kg].
Thank you for referring {patient.full} ({age} years) from {city}.
Prisoner no. {id}, escorted; [f:assault] on {prior}, [a:jaw] and [a:ribs].
Trial participant {id}, visit [w:3], drawn at {hospital.other} on {date}.
Social: {title} {patient.family} moved from {city} in {year}, insured under {plan}, SSN {ssn}.
Reason for exam: hit by car {vehicle} in {town} on {prior}, [a:shoulder] and [a:ribs] sore.
ED Notes: ambulance {vehicle} from {hospital.other}, [f:AMS], no meds with pt.
Clinical history: roll-over of tractor {vehicle}, tender over [l:T10].
Clinical History: cares for a parent of {age.old}, now [f:exhausted]; [e:Graves] disease stable.
Clinical details: {age.old} y/o neighbour had the [f:flu]; {patient.given} has a [f:sore throat] since {weekday}.
Indication: parents alive at {age.old} and [g:88], no family history of note.
Indication: {age}-year-old {man} from {hospital.other}, [f:lethargy]; PCP {staff}.
Triage: {age.figures} {sex}, [f:fall] out of bed at {time}, on [d:Eliquis].
Clinical data: age {age.figures}, [f:cough] since {prior}, weight [m:5# kg].
ED Notes: {age} yo {man} lives w/ {relation}, [f:weak] x [m:2 d], last seen here {prior}.
Clinical indication: ICD explanted {prior}, old generator {device}, [f:soreness].
HX: [d:SPINAL STIMULATOR] {device} REMOVED {month}.
Clinical History: {title} {patient} fell off a bicycle; [a:elbow] and [a:ribs] hurt on the [s:left].
Clinical History: {patient.given} is a pleasant {age} y.o. {man} with [e:Alzheimer disease] and [f:cough].
Indication: {patient.initials}, {age} years, [f:hemoptysis] once on {prior}.
Clinical details: {patient.clipped} from {town}, [f:pleuritic pain], recent flight.
REASON FOR STUDY: {title} {patient.family}, [f:fever] after travel to {town}.
Reason for exam: pt {patient.cited}, [e:Takotsubo] in {year}, [f:dizzy].
C/o: [f:rib pain], {title} {patient.family} slipped at {company} on {prior}.
Clinical info: {patient.small}, {age} yrs, pre-op [a:thyroid].
Clinical history: struck by motorcycle {vehicle}, [f:bruise] on the [s:right] flank.
Problem list: 1. [e:Crohn disease], diagnosed {year}.¶2. [f:HTN], Dr. {staff.family}.¶3. Smoker until {year}.
ED course: {time} arrival by ambulance {vehicle}.¶{time} seen by Dr. {staff.family}, CXR ordered.
Emergency contact: {relative.full}¶Relation: {relation}¶Phone: {relative.phone}
Indication: {age.old}-year-old spouse at home has [f:influenza]; {title} {patient.family} [f:coughs] since {prior}.
Clinical History: oldest of a family with long lives, two aunts aged {age.old}; [e:Factor V Leiden] carrier.
Reason for exam: lives with grandparent of {age.old}, positive [f:TB] contact on {prior}.
Clinical history: thrown from quad bike {vehicle}, [f:abrasions] of the [a:forearm].
Clinical History: patient has been [f:coughing] since {prior}.
Clinical History: Discharged from {hospital.other} on {prior}, now [f:weak].
Reason for exam: chest tightness, onset {time}.
Indication: [f:fever], status post [e:Whipple] on {prior}.
Reason for exam: [f:cough] and [f:fever] since {prior}, failed [d:Zithromax].
Clinical indication: routine, requested by Dr. {staff}.
Triage note: rear-ended at a light, own car {vehicle} towed, [a:neck] and [a:back] stiff.
Clinical details: bus {vehicle} braked hard on {prior}, hit the rail with the [a:chest].
Interpreter line used ({staff.given}, agent {id}). [f:Epigastric pain] after meals.
Identity confirmed by driver licence {licence}, as the patient could not state the year.
Veteran, last service {year}, claim under SSN {ssn}, [f:burn pit] exposure.
"""

COMPARISON = """
Comparison: {prior}.
Comparison: Chest radiographs {prior} and {prior.other}.
Comparison: CT abdomen dated {prior}, lung bases only, series [w:4].
Comparison: None available; patient states a film was taken at {hospital.other} in {month}.
Comparison: Portable AP chest {prior} at {time}.
Comparison: PET/CT {prior}, accession {accession.other}.
Comparisons: {prior.other}; {prior}. Outside report by Dr. {staff.short} also reviewed.
COMPARISONS: TWO VIEW CHEST {prior}, SHOULDER {month}.
Prior: {prior} ({hospital.other}), film quality poor.
Prior: none in PACS. {relation} {relative} brought a CD labelled {patient.listed}.
PRIOR: CXR {prior}, [w:KUB] {prior.other}.
Priors: scanogram from {hospital.other}, {month}, on disc [w:2 of 3].
Prior studies: digital radiograph, {prior}, read by {staff}.
PRIOR STUDIES: {accession.other} from {prior}.
Prior exam: {weekday}'s portable, {time}.
PRIOR EXAMS: last {month}; older studies under MRN {mrn.other} after name change.
Compared to the study of {prior}, image [w:1 of 2].
Compared to outside images of {prior} pushed from {hospital.other} by {staff.clipped}.
Compared with {month} radiograph.
Compared with the CD that the patient carried, dated {prior}.
Comparison studies: {prior.other}, {prior}. No [w:MR] available.
Comparison films: those of {prior} were not returned by Dr. {staff.family}'s office.
COMPARISON FILM: {prior}, SAME MACHINE, [w:110 kVp].
Comparison exam: radiograph, {town}, {year}.
Previous: Thorax {prior}, Klinik {hospital.other}.
Previous studies: VA images {prior} requested through {url}, not yet in.
Correlation: CT report of {prior} signed {staff.signed}.
Reference study: {accession.other}, [w:baseline] of {prior}.
Prior imaging: X-ray, {hospital.other}, {prior}; [m:1.5T] MRI [l:C-spine] {month}.
Relevant priors: {prior}; {prior.other} (wrong side marker corrected by {staff.initials}).
Comps: {prior} cxr, {prior.other} ct.
"""

FINDINGS = """
[d:Kirschner wires] in the [a:clavicle] were removed by Dr. {staff=Kirschner} in {year}.
The [e:Zenker diverticulum] that Dr. {staff=Zenker} asked about is not assessed on this film.
No [e:Meckel] scan is on file, as Dr. {staff=Meckel} was told on {prior}.
Dr. {staff=Hartmann} performed the [e:Hartmann procedure] in {year}; no free air below the [a:diaphragm].
Old [e:Colles fracture] is outside the field; Dr. {staff=Colles} follows the patient.
[e:Bankart repair] anchors were taken out in {year} by Dr. {staff=Bankart}.
No [e:Pott disease] of the [a:spine]; question of Dr. {staff=Pott}, {hospital.other}.
[e:Kommerell diverticulum] is not seen. Dr. {staff=Kommerell} may be reassured.
There is no [e:Hill-Sachs] deformity, contrary to the note by {staff=Sachs}.
No sign of [e:Ewing sarcoma] recurrence, previously treated by Dr. {staff=Ewing}.
Nurse {staff=Barrett} confirmed that the [e:Barrett] surveillance endoscopy was done {prior}.
[e:Fowler position] used, set up by technologist {staff=Fowler} at {time}.
The study was attempted in [e:Trendelenburg] position on {prior} without success.
No [e:Lisfranc] injury on the foot films read by Dr. {staff.family} on {weekday}.
[e:Valsalva] maneuver was coached by {staff.clipped}, RT(R).
The [a:trachea] is midline. [a:Aortic knob] [m:3.# cm], unchanged from {prior}.
Heart size as on {prior}; [e:cardiothoracic ratio] [m:0.4#].
[a:Hila] unchanged from the film of {month}.
No new finding since {prior} at {time}.
Degenerative change [l:T7-T8] and [l:L1], similar to {prior}.
[l:T12] compression seen in {year} is out of view.
No [d:central line] remains; Dr. {staff.short} removed it at {time}.
[d:Dobhoff tube] was pulled by {staff.given} RN on {weekday}, none seen.
The [d:Hickman line] placed at {hospital.other} in {year} is gone.
[d:LINQ recorder], {device}, was explanted on {prior}.
Previous [d:Medtronic Azure] generator ({device}) has been taken out.
Explant card reads {device}; no [d:lead] is left behind.
The [d:Dexcom] sensor ({device}) lies outside of the collimated field.
Breast implants exchanged in {year}, ({device}), not visible today.
[d:Harrington] instrumentation was never placed, despite the letter of {staff.short}.
External [d:ECG] leads and a hair braid overlie the [s:left] [a:apex], confirmed by {staff.clipped}.
A medal of St. Christopher engraved with "{patient.given}" projects over [l:T5].
Name tag "{patient.short}" overlies the [a:abdomen].
Side marker [w:L] is correct; the burned-in name reads {patient.upper}.
Burned into the image: {patient.listed} {mrn} [w:AP SUPINE 40 IN].
Second exposure at {time} because the patient coughed, [w:125 kV], [w:2.5 mAs].
Film [w:2 of 3] was mislabelled with the number of another patient, {mrn.other}.
Image [w:12] of series [w:3] in exam {accession.other} shows the same rib end.
Calcified [a:mitral annulus], as described by Dr. {staff.family} in {month}.
Skin fold over the [s:right] base, also present on {prior} and {prior.other}.
Nipple shadows [m:# mm], marked with BBs by {staff.clipped} on {prior}.
[e:Azygos lobe], a normal variant already mentioned in {year}.
Old [a:rib] deformity [s:left] [l:6th], healed since the accident in {town}.
Bullet fragment over the [a:scapula], [m:9 mm], service injury of {year}.
Surgical staples from {prior} are gone.
Bra hook artifact, seen already by {staff.initial}, RT.
[a:Stomach] bubble is normal. {title} {patient.family} had eaten at {time}.
{title} {patient.family} could not stand; chair view was done on {ward}.
{relation} {relative} stayed in the room, lead apron no. {id}.
Exposure index [m:1#00], detector serial {device}.
The [d:cochlear] processor ({device}) was taken off for the film.
[d:Vagal nerve] stimulator {device} was removed at {hospital.other} in {year}.
Hearing aid {device} lay on the table.
[d:Omnipod] {device} is on the arm, outside the field.
[d:Essure] and other pelvic implants, {device}, are below the film.
Portable unit in {ward}, tube serial {device}, [m:72 in] distance.
The image was sent from node {ip} with a delay.
Two sets were merged under {accession} by PACS administrator {staff.login}.
[a:Thoracic spine] shows [e:Scheuermann] change, stable to {prior}.
[e:Schmorl node] at [l:L2], reported first in {month}.
No [e:Chance] type injury at [l:L2], see CT of {prior}.
No [e:Hampton] hump and no [e:Westermark] sign; D-dimer of {prior} was normal.
[e:Cobb angle] [m:2# degrees], [m:2# degrees] on {prior}.
[e:Risser] stage [m:4], bone age film of {month} not repeated.
Pectus index [m:3.#], [e:Nuss bar] taken out by Dr. {staff.short} in {year}.
Patient rotated [w:AP lordotic], as {staff.clipped} noted on the worksheet {id}.
{title} {patient.family} wore an arm cast; [a:humerus] not fully shown.
{patient.given} could hold breath for [m:# seconds] only, better than on {prior}.
The request names {patient.other}, the film shows {patient.listed}; verified by {staff.clipped}.
Comparison with {prior} shows no difference in the [a:hila].
The [a:mediastinum] looks the same as on {month} film.
Clips described by Dr. {staff.short} on {prior} are not seen.
Lateral view from {prior} was used to judge the [a:costophrenic] sulci.
[a:Thoracic] curve unchanged over {prior.other} and {prior}.
Per radiographer {staff.short}, best of [m:3] attempts.
Film taken with [d:Kevlar] vest at {company} clinic, vest removed for the second view.
Shrapnel counted [m:5] pieces, [m:5] on {prior}.
The [a:right hemidiaphragm] is [m:1.# cm] higher, [m:1.# cm] on {prior.other}.
Incidental [e:Bochdalek] fat was discussed on {prior} and is not in view.
"""

IMPRESSION = """
No interval change since {prior}.
No significant change compared to {prior} and {prior.other}.
As above. Dr. {staff.family} notified.
Normal for age, no change from {month}.
No radiographic explanation for {title} {patient.family}'s symptoms.
Nothing to add to the preliminary read by {staff.short} ({hospital.other}).
Agree with overnight read of Dr. {staff} at {time}.
Resident {staff.short} and I have looked at the images together.
Addendum {date}: side marker checked with {staff.clipped}.¶No change in the above.
ADDENDUM by {staff.signed}, {date} {time}:¶Outside film of {prior} has since arrived; no change.
[w:BI-RADS] does not apply; see mammogram of {prior}.
[e:Lung-RADS] category from {month} stays as it was.
Outside read from {hospital.other} concurs.
No change for {patient.listed} since the last visit of {prior}.
The wet read given to {staff.family} in the ED at {time} stands.
[w:Wet read] by {staff.initials} concordant.
{title} {patient.family} may resume work on {later}.
{patient.given} may go home from our side; ED team aware at {time}.
No acute process in {patient.initials}.
Unchanged exam since {month}.
Unchanged from {weekday}.
Read together with Dr. {staff.short}.
Discrepancy with the night report ({staff.family}, {time}): none.
For the insurer: claim {id}, policy {plan}.
Fit for work at {company}, certificate {id}.
Fitness to fly: valid to {later}.
This report replaces the one filed under {mrn.other} in error.
[e:Fleischner] follow-up of {month} is completed.
No evidence of active [f:TB]; clearance for {patient.passport}, passport check {date}.
[w:Grade 0] per the scheme Dr. {staff.family} introduced in {year}.
Result to be filed with case {accession}.
Old film of {year} from {town} would help.
Tubes and lines: none any more since {prior}.
Interpretation limited, as told to {relation} {relative}.
Compared by Dr. {staff.family} and Dr. {staff.family}; both agree.
Stable postoperative look, day [m:4] after surgery on {prior} by {staff.short}.
"""

RECOMMENDATION = """
Recommendation: repeat film on {later}.
Recommendation: CT chest, to be arranged by Dr. {staff.short}'s office.
Recommend follow up with {staff}, MD, in [m:4 weeks].
Recommend direct comparison with {hospital.other} images, request by fax {fax}.
Recommend old records be requested: {hospital.other}, {address.house}, fax {fax}.
Follow up in [m:3 months], around {later}.
Follow-up appointment: {later} {time}, {hospital.other}, {ward}.
Next [e:Fleischner] check due {later}; recall card to {address}.
Please arrange [w:MR] [l:L-spine] with {phone.other}.
Please ring {phone.house} for a slot before {holiday}.
Please bring the CD to {address.house} by {later}.
{title} {patient.family} should bring the old films from {town}.
Letter to {title} {patient.full}, {address}, with the date of the next film.
Have {patient.given} call {phone.house} for a lateral view.
Next visit {later}.
Dr. {staff.family} to decide on CT.
Follow up with primary care, Dr. {staff.short}, within [m:1 week].
Would suggest lateral view if {title} {patient.family} can stand.
Would advise spirometry at {hospital.other}; contact {staff.clipped} on {phone.other}.
If pain persists, see Dr. {staff.family} before {later}.
Clinical review by {staff.family} on {weekday}.
Review in chest clinic {later}, Dr {staff.short}, {time}.
Repeat [e:Mantoux] on {later}, nurse {staff.clipped}.
Referral to {staff.listed}, thoracic surgery, is in process; authorisation {plan}.
Prior authorization {plan}, member SSN {ssn}, needed for CT.
Pre-cert number {plan}, call {phone.house}.
Patient portal {url} shows the date of the next test.
Send reminder to {email} one week before {later}.
Reminder text to {phone}, {title} {patient.family} agreed.
[e:Ottawa] rules negative, no foot films. Questions: {staff.family}, pager {pager}.
Hold [d:Coumadin] per Dr. {staff.family} until INR on {later}.
Switch from [d:Lasix] to [d:Bumex] was planned by {staff.short}; re-image {later}.
Dental [w:panorex] at {company} insurer's cost, claim {id}.
Transfer back to {ward} by {time}, transport ambulance {vehicle}.
Screening CT through {hospital.other}, registry id {id}.
Compare at the [w:tumor board] of {later}, presented by {staff.short}.
Physiotherapy with {staff.given} at {hospital.other}, [m:6] sessions.
Home visit by nurse {staff.short}, address {address}.
"""

COMMUNICATION = """
Results called to Dr. {staff.short} at {time} on {date}.
Results were phoned to {staff.given}, RN on {ward}, at {time}, read back performed.
Critical results: none. {staff.family} of ED aware.
Discussed by phone with Dr. {staff.family} ({phone.other}), {date}.
Findings d/w {staff.family} at {time}.
D/w Dr. {staff.signed} {date} {time}.
[w:STAT] read phoned by me to Dr. {staff} in {ward}.
Message left with {staff.given} at Dr. {staff.family}'s office, {phone.other}.
Text page sent to {pager} at {time}, no call back by {time}.
Paged {staff.family} ([w:x2]) at {pager}.
Told {relation} {relative}, who called from {relative.phone}.
The {relation}, {relative.full}, asks for a copy at {address}.
Spoke with {relation} {relative} at {relative.phone}; patient asleep.
Patient phoned from {phone} at {time} asking for the report.
Patient {patient.given} {patient.family} informed in person.
{title} {patient.family} was handed the film on {date}.
{patient.short} wishes results by e-mail: {email}.
Sent by secure mail to {email} on {date}.
Mail to {email} bounced; front desk informed.
Portal message at {url}, read by patient {date.next}.
Images shared at {url}, code given to Dr. {staff.family}.
Link for referrers: {url}
Fax to {fax} failed; sent again {time}.
Faxed to {staff.family} ({fax}) on {date.next}.
cc Dr. {staff.short} (fax {fax})
cc: {staff.listed}; {staff.listed}
Copy to GP Dr {staff.signed}, {address.house}.
Copies: {staff.initial}, {hospital.other}.
Dictated by {staff.short}, [w:PGY-3], and reviewed by {staff.short}.
Dictated but not read. {staff.initials}
dictated with voice recognition for doctor {staff.small} on {date}
Voice file {id} typed by {staff.typist} on {date.next}.
Dr. {staff=Payne} of the [w:pain] clinic was informed on {date}.
Read for {hospital.other} under contract; radiologist {staff}, licence {licence}.
Teleradiology read from {town}, {time} local, by Dr. {staff.short}.
Radiologist of record {staff.full}, NPI on file {licence}.
Out-of-state licence {licence} held by Dr. {staff.family}.
ID shown: driving licence {licence}, name {patient.passport}.
Identification by licence {licence}; {relation} {relative} vouched.
Chaperone: {staff.short}. Consent form {id} signed {date}.
Consent by {relation} {relative.full}, {relative.phone}.
Study acquired by {staff.clipped}, RT, and {staff.clipped}, student.
Technologist {staff.login} flagged the exam at {time}.
User {staff.login} opened the exam from {ip}.
Audit: last opened from {ip} on {date}.
PACS node {ip} was down until {time}.
VPN address {ip} belongs to Dr. {staff.family}'s home reading station.
Charge to account {account}; second payer {plan}.
Billing: acct {account}, guarantor {relative.full}.
Invoice for {company}, account {account}.
Coverage {plan} ended {prior}, patient told.
Registration error: {patient.listed} was first booked as {mrn.other}.
SSN {ssn} on the slip belongs to the {relation}.
Tax no. {ssn} noted by the front desk, film paid in cash.
Patient gave social security no. {ssn}, no card.
Last name was changed in {year}, national id {ssn} is unchanged.
Valet ticket: car {vehicle}, keys with {staff.given}.
Mobile X-ray van {vehicle} did this study at {hospital.other}.
The van with plate {vehicle} took the portable unit to {town}.
School bus {vehicle} accident: list of names with officer {staff.family}.
Please answer to {email}, as {title} {patient.family} has no phone.
Report sent to patient ({email}) and to Dr. {staff.family}.
E-mail on file: {email}
For questions write to {email.house}.
Disc burned for {relation} {relative}, link mailed to {email}.
Implant registry informed: {device}.
Device check: [d:Biotronik] programmer, generator {device}, before it was taken out on {prior}.
Spoke to {title} {patient.family} directly at {time}.
I explained the film to {title} {patient} and {relation} {relative} in clinic.
{patient.listed} left before the read was ready.
{patient.given} prefers to be called "{nickname}" when phoned at {phone}.
Two patients named {patient.family} are on {ward}; this is {patient.full}.
Not to be confused with {patient.other}, MRN {mrn.other}, same day.
Records of {patient.full} were requested by {relation} {relative.full}.
Chart copy for {patient.passport}, {dob}, MRN {mrn}.
Parking permit {vehicle} validated for {title} {patient.family}.
ADDENDUM {date} {time}¶The above was discussed with Dr. {staff.short}, who will call the patient.
Copies to:¶1. {staff.short}, {hospital.other}¶2. {staff.short}
Distribution:¶- PCP {staff.listed}¶- Fax {fax}
Note for the front desk: {patient.short}¶{address}¶{phone}
Nurse {staff.given} notified {date} {time}.
Charge nurse {staff.short} took the message.
The ordering provider, {staff}, was notified via secure chat at {time}.
Preliminary read given by {staff.initial} on {date}.
Primary care: {staff.listed}.
Transport by ambulance {vehicle} to {hospital.other} was arranged for {time}.
Tow company has the car, plate {vehicle}; {relation} {relative} told.
Porter car {vehicle} took {title} {patient.family} back to {ward}.
Taxi {vehicle} ordered by {staff.given} at the desk for {time}.
Patient's car, licence plate {vehicle}, is left in the ED lot.
Police report {id}, car {vehicle}, officer {staff.family}.
Officer {staff.short}, badge {id}, received a copy on {date}.
Attorney {staff.short} requests films, file {id}, letter of {prior}.
Dr. {staff.family} is away over {holiday}; call {staff.short} instead.
On call over {holiday}: {staff.family}, {pager}.
Translated for {title} {patient.family} by {staff.given}, who speaks the language.
Translator {staff.torn} was present.
Chaplain {staff.short} visited at {time}.
Seen with medical students {staff.short} and {staff.short}.
Second opinion Dr. {staff.torn}, {hospital.other}, {date}.
Verbal order {staff.signed}/{staff.initials} {time}.
Signed out to {staff.given} and {staff.given} at {time}.
Best number for {title} {patient.family}: {phone} (home), {relative.phone} ({relation}).
Call-back number {phone.house}, ask for {staff.given}.
Report released {date.next} by {staff.login}.
Nursing home {hospital.other} called, spoke with {staff.given}, ext as on file {phone.other}.
Dr. {staff=Ladd} of pediatrics and Dr. {staff=Gram} of microbiology were informed at {time}.
Dr. {staff=Apgar} was told; the newborn's [e:Apgar] scores are in the mother's chart.
Dr. {staff=Weber} called about the [e:Weber B] ankle, separate report {accession.other}.
Dr. {staff=Light} asked whether [e:Light criteria] were met in {month}; the fluid is gone.
Received from Dr. {staff=Wolff}: ECG of {prior}, no [e:Wolff-Parkinson-White].
"""

SINCE = """
taken here on {prior}
done on {prior}
obtained {prior} at {time}
(dated {month})
from {weekday}
at {hospital.other}, {prior}
"""

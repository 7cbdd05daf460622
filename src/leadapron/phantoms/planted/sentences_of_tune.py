"""Sentences with gaps for the part that a de-identifier may be tuned on.

``{date}`` is a gap for an identifier, ``{staff=Swan}`` an identifier that is given, ``[e:Kerley B]`` a clinical term that
must survive, ``#`` in a term a digit. The letter says what kind: see ``template_pieces``. What is said of findings is
denied, of the past or of no label, so that a report still says what its image shows.
"""

from __future__ import annotations

HISTORY = """
INDICATION: {age}-year-old {man} with [f:cough] and [f:fever] since {weekday}.
HISTORY: {title} {patient.family} fell from a ladder in {town} on {prior}; [f:pain] over [l:ribs 4-6] on the [s:left].
INDICATION: {patient.initials} is a {age} y/o {man}, [f:dyspnea], followed at {hospital.other}.
Clinical information: pt. {patient.initials}, {age} yrs, born {dob}, [f:shortness of breath], SpO2 [m:9#%].
HISTORY: {patient} ("{nickname}"), {age} years of age, presents with [f:wheezing], FiO2 [m:40%].
INDICATION: transferred from {hospital.other} overnight, arrived {time}; [f:sepsis] workup.
HISTORY: Former worker at {company}, [f:asbestos] exposure, retired in {year}.
INDICATION: Lives with {relation} {relative} and mother, aged {age.old}, in {city}. [f:Chest pain].
Clinical information: MVC on {holiday}, vehicle with plate {vehicle}, unrestrained, [f:chest wall tenderness].
HISTORY: Per {relation} {relative}, reachable at {relative.phone}, [f:hemoptysis] for [m:2 weeks].
INDICATION: Positive [e:Quantiferon], works at {hospital.other}; badge {id}.
HISTORY: [e:Hodgkin] lymphoma diagnosed {month}, treated by Dr. {staff} in {town}.
Clinical information: {man} aged {age}, home address {address}, no fixed telephone.
INDICATION: Veteran, SSN {ssn}, exposure history on file. [f:Productive cough].
HISTORY: interpreter needed; next of kin {relative} ({relation}), mobile {relative.phone}.
INDICATION: pre-op for Dr. {staff.family}'s list on {later}, [a:knee] arthroplasty, ASA grade [m:2/4].
HISTORY: visited {city} between {prior} and {date}, [f:night sweats].
INDICATION: {patient.given} is on [d:home oxygen] at [m:2 L/min], [f:fatigue], weight [m:6# kg].
HISTORY: father lived to {age.old} despite [e:Wegener] disease; {patient.given} has [f:sinusitis].
INDICATION: caregiver of an aunt of {age.old}, who had [f:influenza] on {holiday}.
Clinical information: {age}-year-old {man}, car {vehicle} hit a wall, [d:airbag] deployed, [f:bruising].
"""

COMPARISON = """
COMPARISON: Chest radiograph of {prior}.
COMPARISON: {prior} and {prior.other}, both performed at {hospital.other}.
Comparison is made to the outside CT ({accession.other}) from {month}.
COMPARISON: Film of {prior} at {time}, image [w:14 of series 2].
COMPARISON: None since {year}.
COMPARISON: portable study of {weekday} evening, read by Dr. {staff}.
"""

FINDINGS = """
Dr. {staff=Swan}'s [d:Swan-Ganz catheter] has been removed since {prior}.
As Dr. {staff=Kerley} wrote on {prior}, there are no [e:Kerley B lines].
No [e:Hampton hump]; the question was raised by Dr. {staff=Hampton}.
The [e:Ghon complex] mentioned by {staff=Ghon} is not seen on this side of [l:T#].
No [e:Bochdalek hernia], as already told to Dr. {staff=Bochdalek} at {phone.other}.
[e:Harrington rods] placed by {staff=Harrington} in {year} span [l:T4] to [l:L2].
[e:Schmorl nodes] at [l:T11], unchanged since {month}, discussed with {staff=Schmorl}.
The [d:Foley catheter] is outside the field, contrary to the note of nurse {staff=Foley}.
[e:Bjork-Shiley valve] was replaced in {year}; surgeon {staff=Bjork}.
The [d:loop recorder] seen on {prior} (serial {device}) has been explanted.
Old [d:pacemaker generator], s/n {device}, was removed at {hospital.other}.
[m:3.2 x 1.1 cm] skin fold artifact over the [s:right] [a:axilla], as on {prior}.
The [a:aortic arch] measures [m:2.# cm], [m:2.# cm] on {prior}.
The [d:insulin pump] ({device}) was taken off before the exposure.
[a:Hip] prosthesis card shows {device}; not in the field.
Button artifact, confirmed by technologist {staff} at {time}.
The patient's {relation}, {relative}, held the arm during exposure; the [a:left humerus] overlies the film.
Necklace engraved "{patient.given}" projects over [l:C7/T1].
The film is labelled {patient.listed} and the marker reads [w:R].
Stable [m:4 mm] calcification at [m:3 o'clock] of the [a:aortic knob] since {prior}.
Degenerative change at [l:L1-L2], see MR report {accession.other}.
Repeat exposure at [w:kVp 120] because {title} {patient.family} moved.
Image [w:7 of series 3] carries the wrong label, MRN {mrn.other}, and was corrected by {staff.initials}.
{title} {patient.family} [w:may] not have taken a full breath; the [a:lung] bases are crowded on [w:image 2].
"""

IMPRESSION = """
No change to what Dr. {staff.family} was told on {weekday}.
Compare with the outside film of {month} if {patient.given} can bring it from {town}.
Nothing to explain the pain reported by {title} {patient.family}.
Results are for {patient.listed}, DOB {dob}.
Known to the study as participant {id}; next visit {later}.
Old study {accession.other} [w:may] help.
"""

RECOMMENDATION = """
RECOMMENDATION: Repeat PA view in [m:6 weeks], by {later}.
Suggest CT at {hospital.other}, fax request to {fax}.
Follow-up was booked for {later} at {time} with Dr. {staff}.
Please send prior films to {address}.
Recall letter goes to {patient} at {address}.
RECOMMENDATION: correlate with [e:Wells score]; call {phone.other} to schedule.
Advise [w:2/10] pain charting and review on {holiday}.
Insurance pre-approval {plan} is needed before further imaging.
"""

COMMUNICATION = """
Findings were called to Dr. {staff} by {staff} at {time} on {date}.
Discussed with {staff.family}, RN, pager {pager}, at {time}.
{title} {patient.family} was informed by telephone at {phone}.
Images are at {url} until {later}.
A copy was e-mailed to {email} by the front desk.
{relation} {relative} ({relative.phone}) will pick up the disc on {weekday}.
Second opinion was asked for through {url}.
Viewer link {url} was given to Dr. {staff.family}.
Parked at the ambulance bay with tag {vehicle}; keys at the desk.
The workstation {ip} was used for this reading.
Voice mail left for {patient.given} {patient.family} at {phone}, no answer.
Bill to account {account}, policy {plan}.
cc: {staff}, {hospital.other}, fax {fax}
Read in the absence of Dr. {staff.family}, licence {licence}, who is on leave until {later}.
Patient can be reached by mail at {email}.
Driver's licence {licence} was shown at the desk in place of the insurance card.
Report requested by {company}, case {id}.
Discussed face to face on {ward} with Dr. {staff.family}.
Social security number {ssn} does not match the chart of {patient.listed}.
Guarantor {relative}, soc. sec. {ssn}.
Account {account} was merged with MRN {mrn}.
Wristband reads {mrn}, {patient.family}.
Ambulance {vehicle} is waiting for {title} {patient.family}.
"""

SINCE = """
of {prior}
dated {prior}
({prior})
from {prior} at {time}
"""

DECOYS = """
findings: No [e:Kerley B lines].
findings: The [d:Swan-Ganz catheter] described earlier has been removed.
findings: Degenerative change of the [a:spine] at [l:T6-T7] and [l:C5/C6].
findings: [e:Cobb angle] [m:1# degrees], unchanged.
findings: The [a:trachea] is midline, width [m:1.# cm].
findings: [w:Mild] rotation; exposure [w:kVp 120], [w:mAs 4].
findings: Vascular groove of the [a:clavicle] [w:may] be projectional, see [w:image 14 of series 2].
findings: [a:Gastric] bubble at [m:#.# cm] below the dome.
findings: Calcification [m:# mm] at [m:3 o'clock] of the [a:aortic knob].
history: INDICATION: {age}-year-old with [f:cough], [e:Wells score] [m:1.5].
history: HISTORY: [m:3/6] murmur, pain [m:2/10], NYHA grade [m:2/4].
history: TECHNIQUE: Single view, [w:1:1] magnification, distance [m:180 cm].
history: HISTORY: {age} y/o, father lived to [g:82], size [m:7.5] ET tube removed yesterday morning.
end: A [w:brown] paper envelope with films was returned.
end: Clinical correlation [w:may] be of help. [w:Lung] function test if symptoms [w:rose] further.
end: [d:Port-a-Cath] care per protocol; [m:4.0 French] lumen not in view.
end: MR of the [a:spine] at [m:1.5 T] [w:may] follow.
"""

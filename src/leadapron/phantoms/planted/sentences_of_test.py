"""Sentences with gaps for the part that a de-identifier is judged on.

The signs are those of ``sentences_of_tune``, and so is the rule about findings.
"""

from __future__ import annotations

HISTORY = """
REASON FOR EXAM: {age} yo {man}, {patient.initials}, [f:SOB] since {weekday} night.
CLINICAL HISTORY: {man}, {age}, brought in by {relation} {relative} after a fall on {holiday}.
Hx: {title} {patient.family} of {city}, [f:smoker], [m:40 pack-years], last seen {month}.
REASON FOR EXAM: rule out [f:TB]; contact is the {relation}, {relative.full}, tel. {relative.phone}.
Ind: {patient.listed}, {age}, [f:hypoxia], [d:nasal cannula] [m:3 L].
CLINICAL HISTORY: struck by a truck ({vehicle}) outside {company} at about {time}.
Hx: immigrated from {town} in {year}, [f:hemoptysis], PPD [m:12 mm].
REASON FOR EXAM: {relation} {relative} says {patient.given} "{nickname}" {patient.family} has lost [m:1# kg] since {prior}.
CLINICAL HISTORY: {patient.given}, a {age}-year-old retired miner of {company}, [f:cough] with sputum.
Ind: s/p [e:Whipple] by Dr. {staff} on {prior} at {hospital.other}.
Hx: grandmother turned {age.old} last year and is well; {patient.given} has [f:asthma].
REASON FOR EXAM: research subject {id}, consent signed {date}.
CLINICAL HISTORY: Resident of {hospital.other}, room phone {phone.other}, [f:aspiration] suspected.
Hx: inmate, [f:fever], brought from {ward}; custody no. {id}.
Ind: admitted {prior}, discharged {date}, back with [f:rigors].
REASON FOR EXAM: pre-employment, {company}; identity checked by licence {licence}.
CLINICAL HISTORY: mailing address {address}; [f:COPD], FEV1 [m:4#%].
Hx: seen by Dr. {staff.family} in {town}, who [w:may] have drained the [s:right] [a:chest] in {month}.
CLINICAL HISTORY: [w:Rose] from bed and fell, per Nurse {staff}. GCS [m:14/15].
Hx: mother {age.old} and in good health, no [e:Marfan] features; [f:palpitations].
REASON FOR EXAM: shares a room with a {age.old} year old who has [f:pertussis].
Ind: {age} years, {man}, motorcycle {vehicle} against tree, [f:dyspnoea], [l:T#] tender.
"""

COMPARISON = """
COMPARISON STUDY: {prior}.
Compared to {month} (acc. {accession.other}).
PRIORS: {prior}, {prior.other}; the latter from {hospital.other}.
COMPARISON STUDY: last radiograph was on {prior}, a {weekday}, [w:series 2].
Correlated with the CT which Dr. {staff} read on {prior} at {time}.
PRIORS: nothing after {year} in the archive.
"""

FINDINGS = """
No [e:Chilaiditi sign], pace Dr. {staff=Chilaiditi}.
Dr. {staff=Pancoast} asked about a [e:Pancoast tumor] on {prior}: not seen.
{staff=Westermark} queried [e:Westermark sign] at {time}; there is none.
[e:Ranke complex]: absent, {staff=Ranke} notified.
No [e:Morgagni hernia] in the patient of Dr. {staff=Morgagni}.
[d:Hickman line] was pulled by {staff=Hickman}, PA-C, on {prior}.
The [d:Port-a-Cath] that Dr. {staff=Port} put in is gone since {month}.
[e:Cobb angle] measured by {staff=Cobb} as [m:1# degrees] from [l:T5] to [l:T12].
[e:Blalock-Taussig shunt] in childhood, {year}, operated by {staff=Taussig}.
The [d:Dobbhoff tube] of {weekday} is out, nurse {staff=Dobbhoff} confirms.
[e:St. Jude valve] was exchanged in {month} at {hospital.other}.
[d:Medtronic] lead fragment, model serial {device}, no longer present after {prior}.
The implant card of the [a:shoulder] prosthesis says {device}.
Linear artifact of [m:#.# x #.# cm] over [l:rib #] on the [s:right], not on the film of {prior}.
[a:Trachea] [m:1.# cm] wide at [l:T#], before [m:1.# cm] ({prior}).
Marker of technologist {staff.initials} lies over the [s:left] [a:apex].
{title} {patient.family}'s braid projects over [l:C5-C6].
Jewelry reading "{patient.given}" overlies [l:T1/T2] on [w:image 1 of 2].
Annotation on the film, {patient.listed} {mrn}, hides the [s:left] [a:axilla].
Round [m:# mm] density at [m:9 o'clock] is a nipple shadow, as {staff} showed with markers at {time}.
Exposure at [w:kVp 110] by {staff}; grid [w:10:1].
Rotated to the [s:left], since {patient.given} could not stand; {relation} {relative} helped.
"""

IMPRESSION = """
As above; {title} {patient.family} [w:may] go home.
Unchanged for Dr. {staff.family}'s purposes since {prior}.
No cause found for what {patient} described on {weekday}.
This is patient {patient.initials}, not the person of accession {accession.other}.
Follow the plan made on {holiday}.
For comparison the set of {year} should be asked for in {town}.
"""

RECOMMENDATION = """
PLAN: film again on {later}.
Next control {later}, {time}, {ward}.
Would ask {hospital.other} for the disc (phone {phone.other}).
Send the letter to {patient.full}, {address}.
PLAN: low dose CT within [m:3 months], order {id}, before {later}.
Forms can be faxed to {fax}, attention {staff.family}.
Prior authorization with member no. {plan}, valid through {later}.
Please add the birth date ({dob}) to the order; [w:2 views] next time.
"""

COMMUNICATION = """
Result relayed to {staff.family} at {time}, read back and verified.
I spoke with {staff}, covering for {staff}, at {time} on {date}.
Paged {pager} twice; {staff.family} returned the call on {phone.other}.
{relation} {relative.full} was told and can be called back on {relative.phone}.
See {url} for key images.
Sent to {email} and to the chart.
Sent from {ip} through the gateway of {hospital}.
Invoice no. {account} to {patient.full}.
Guarantor {relative.full}, SSN {ssn}, account {account}.
Tax id on file {ssn}; chart {mrn}.
The desk has {patient.given}'s e-mail as {email}.
Message for {patient.listed}: ring {phone}.
Reader licence {licence}; second reader {staff.listed}.
Escort arrived in a van, plate {vehicle}, from {town}.
Verified two identifiers: {patient} and {dob}.
Copies: Dr. {staff} ({hospital.other}); Dr. {staff.family}
The signed copy went by telefax to {fax}.
Outside films requested, reply to {fax} or {email}.
Taxi {vehicle} was called for {patient.given}.
Fax {fax} was busy until {time}.
ID band: {patient.listed} / {mrn} / {dob}
Claim under {plan}, subscriber {relative.full}.
"""

SINCE = """
on {prior}
({prior} film)
done {prior}
of {prior}, a {weekday}
"""

DECOYS = """
findings: Neither [e:Hampton hump] nor [e:Westermark sign].
findings: The [d:Hickman catheter] of the last admission has been taken out.
findings: [e:Schmorl nodes] at [l:L1-L2], and spurs at [l:T9/T10].
findings: [e:Harrington rods] are not in the field; [e:Cobb angle] [m:2# degrees].
findings: [w:Patchy] technique artifact; focus distance [m:1.8 m].
findings: [a:Carina] angle [m:6# degrees], [a:aortic arch] [m:3.# cm].
findings: Skin fold [m:#.# x #.# cm] over [l:rib 5-7], [w:image 3 of 4].
findings: [w:Lung] markings reach the [s:right] [a:chest wall].
findings: What [w:may] look like a line at [m:11 o'clock] is the edge of the [a:scapula].
history: REASON FOR EXAM: {age}-year-old whose twin died at [g:89]; MRC grade [m:3/5], [f:weakness].
history: CLINICAL HISTORY: aged {age}, first child at [g:45], [m:2/6] systolic murmur; [w:brown] sputum.
history: TECHNIQUE: AP at [m:100 kVp], [w:1 of 2] views, [m:1:2] grid.
history: Hx: nineteen pack-years; [m:6.5 French] sheath taken out, [e:Apgar] [m:9/10] at birth.
end: Findings [w:may] be due to technique; long [w:white] lines are sheets.
end: MRI at [m:3 T] was stopped for lack of space at [l:C6].
end: [d:Foley], [d:Dobbhoff tube] and [d:PICC] kits are kept at the bedside, none in place.
end: A [w:young] patient [w:may] need no follow-up. [w:Stone] and [w:bone] windows were not made.
"""

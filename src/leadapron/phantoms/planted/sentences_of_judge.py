"""Sentences with gaps for the part that judges.

The signs are those of ``sentences_of_tune``, and so is the rule about findings.
"""

from __future__ import annotations

HISTORY = """
CLINICAL DATA: {age}yo {man} c/o [f:pleuritic pain], [s:L] > [s:R], onset {weekday} a.m.
CLINICAL DATA: {patient.passport}, {age} y, [f:orthopnea], [w:Lasix] [m:40 mg] daily since {prior}.
Clinical question: {title} {patient.family} underwent [e:Billroth II] resection in {month}, [f:infection]?
Background: known to Dr. {staff.signed}, {hospital.other}; takes [w:methotrexate] since {year}.
Reason for study: {patient.clipped}, {age}, slipped at {company} {prior}, landed on the [s:right] [a:shoulder].
PC: [f:chest tightness] since the {weekday} before {holiday}; BP [m:14#/8# mmHg].
Referral: Dear colleague, thank you for seeing {patient.short} (born {dob}), [f:hoarseness] for [m:3 months].
Reason for study: {relation} {relative} noticed [f:confusion] this past {weekday}, temp [m:38.# C].
CLINICAL DATA: s/p [e:Heller myotomy] {prior}, surgeon {staff.signed}; [f:dysphagia].
Background: grew up in {town}, cousin treated for [f:tuberculosis] at {hospital.other}.
PC: came off a quad bike, reg. {vehicle}, near {city}; [l:L#] tenderness, GCS [m:15/15].
Reason for study: ICU day [w:4], [d:Bivona] changed at {time}; family contact {relative.full}, {relative.phone}.
Background: great-aunt alive at {age.old}, no [e:Ehlers-Danlos] in the family; {patient.given} smokes [w:10/day].
CLINICAL DATA: {age}-year-old, still living alone at {address}, [f:weight loss] [m:# kg].
Referral: dust screening for {company}, employee {id}, [f:silica] contact [m:12 years].
PC: collapsed in the lobby of {hospital.other} around {time}, [f:syncope], [w:Xarelto] stopped {prior}.
Reason for study: immigration medical, {patient.full}, social security {ssn} seen.
Background: {patient.given}, who goes by {nickname}, has [e:Crohn] disease; [w:Humira] last given {prior}.
Clinical question: {patient.initials}, {age}, [w:DNR]; [f:crackles] at both [a:bases]?
Referral: covered by {plan}, sent over from {ward}, [f:cough] [m:> 3 weeks].
CLINICAL DATA: bed neighbour, {age.old} years old, has [f:norovirus]; moved to {ward} on {prior}.
Reason for study: {man} of {age}, flew in from {town} around {holiday}, [f:myalgia], [f:Legionella] antigen pending.
PC: looks after a neighbour of {age.old}, [f:insomnia], [f:back pain], [w:Flovent] twice a day.
Referral: {age} years, plays bowls every {weekday}, [f:ankle swelling].
PC: assaulted outside {address.house}, {prior} about {time}; [f:bruise] over [l:ribs 8-10].
Clinical question: hit by van {vehicle} while working for {company}, [s:left] [a:clavicle] sore.
"""

COMPARISON = """
Prior exams: {prior}; {prior.other} ({hospital.other}).
Relevant imaging: CT thorax {month}, accession {accession.other}.
Compared with the {prior} radiograph taken on {ward}.
Reference film: {prior}, {time}, reported by {staff.signed}.
Old films: the {year} series from {town}, [w:images 3-5].
Relevant imaging: outside PA film, {weekday} last week, Dr. {staff.family}.
Prior exams: most recent one the {weekday} after {holiday}.
"""

FINDINGS = """
No [e:Golden S sign]; Dr. {staff=Golden} had wondered on {prior}.
Nothing like a [e:Fleischner line], {staff=Fleischner} agrees.
[e:Rigler sign] negative, gone over with {staff=Rigler} at {time}.
{staff=Naclerio}, RN, feels no [f:crepitus]; no [e:Naclerio V sign] either.
The [d:Groshong catheter] was withdrawn by {staff=Groshong} on {prior}.
[d:Broviac line] out since {month}, see the note by Dr. {staff=Broviac}.
[d:Heimlich valve] no longer attached; {staff=Heimlich} took it off at {time}.
[e:Starr-Edwards valve] of {year} gave way to a newer one, {staff=Starr} operating.
[e:Hill-Sachs] deformity not assessed; Dr. {staff=Hill} will order [a:shoulder] views.
[e:Scheuermann] change at [l:T7-T9], known to {staff=Scheuermann} since {weekday}.
[d:Nuss bar] was extracted in {year} by Dr. {staff=Nuss}.
[e:Poland syndrome] can be excluded, contrary to the letter of {staff=Poland}.
No [e:Macklin effect]; advice given to {staff=Macklin} on {phone.other}.
[e:Sprengel deformity] ruled out for Dr. {staff=Sprengel}, {hospital.other}.
[d:Watchman] card gives {device}; not assessable on plain film.
[d:Micra] ({device}) was retrieved before {prior}.
ECG stickers only; the [d:Holter] with serial no. {device} was unplugged at {time}.
[d:Cochlear implant] {device} lies out of view.
[d:Spinal cord stimulator], {device}, was swapped {prior} and is not imaged today.
[a:Azygos arch] [m:# mm], formerly [m:# mm] ({prior}).
Film is stamped {mrn} {patient.upper} in one corner.
Safety pin and name tag "{patient.clipped}" over [l:T2].
Lead letter [w:L] with initials {staff.initials} beside the [s:left] [a:shoulder].
{title} {patient.family} was unable to raise the [s:right] arm; the [a:scapula] overlaps.
Vertebrae counted as agreed with {staff.signed}: [l:T12] bears ribs.
Second exposure at {time} by technologist {staff.clipped}, [m:85 kV].
Image [w:2/3] was filed under {accession.other} and moved by {staff.typist}.
Overlaid sticker {mrn.other} is another patient's.
Hairpin projects onto [l:C6], was not there {prior}.
{relation} {relative} stayed in the room in a lead apron, hand visible near the [a:diaphragm].
"""

IMPRESSION = """
Nothing new since Dr. {staff.family} saw the film of {prior}.
Same appearance as in {month}; {title} {patient.family} can be reassured.
Answer to Dr. {staff.signed}: no.
Study belongs to {patient.passport}, {mrn}; the sticker on the cassette was wrong.
[w:Will] need the {year} films from {hospital.other} to say more.
[w:Case] closed before {holiday}, nothing to add.
Registry entry {id} updated {date}.
"""

RECOMMENDATION = """
SUGGEST: same view in [m:4-6 weeks], slot held {later} {time}.
ADVICE: CT [a:thorax] at {hospital.other}, referral via {fax}.
To be shown at the {weekday} meeting with {staff.signed}.
Film copies by post: {patient.short}, {address}.
SUGGEST: review by Dr. {staff.family}, {ward}, not later than {later}.
ADVICE: [w:Coumadin] clinic to ring {phone} before {later}.
Authorisation {plan} runs out {later}.
Call {phone.other} if symptoms persist past {holiday}.
Come back to the {town} branch with the disc, quoting {accession}.
"""

COMMUNICATION = """
d/w {staff.signed} {time}.
Critical result line: {staff} to {staff}, {date}, {time}, heard and repeated.
Bleeped {pager}, Dr. {staff.family} rang back {time}.
Left word with {relation} {relative} on {relative.phone}.
Told {patient.given} in person, {relation} {relative.full} present.
Report and images under {url}.
Emailed: {email}; cc {email.house}.
Uploaded from {ip} at {time}.
Console {ip}, user {staff.typist}.
Statement {account} posted to {relative.full}, {address}.
Card holder {relative.full}, member {plan}.
SSN {ssn} on the old jacket belongs to somebody else.
Identity confirmed: soc. sec. no. {ssn}, DOB {dob}.
Co-reader {staff.signed}, reg. no. {licence}.
Driving licence {licence} copied at reception, {town} address.
Patient transport {vehicle} back to {hospital.other} at {time}.
{company} HR has asked for a copy (ref. {id}).
Car left in bay 7, {vehicle}; {relation} informed.
Telefax to {fax} failed, tried again {time}.
Kindly quote {mrn} / {accession} when calling {phone.house}.
Text message to {phone} at {time}, signed {staff.clipped}.
Interpreter {staff} assisted by phone ({phone.other}).
Films lent to {hospital.other} on {prior}, not returned.
Charge {account}, {patient.upper}.
Portal {url}, login {email}.
Prescriber {staff.signed} ({licence}) notified.
Tele-reading station {ip}, reader's licence {licence}.
Consent form {id} was mailed to {email}.
Old folder {mrn} was pulled by {staff.clipped} from the basement.
Order linked again to chart {mrn} on {date}.
My cover from {weekday} is Dr. {staff}, pager {pager}.
"""

SINCE = """
performed {prior}
taken {prior} at {time}
by Dr. {staff.family}, {prior}
- {prior} -
acquired {prior}
"""

DECOYS = """
findings: No [e:Fleischner sign], no [e:Golden S sign].
findings: [e:Luschka joints] at [l:C4-C7] are degenerative.
findings: [e:Hill-Sachs lesion] cannot be judged from this view.
findings: [w:Low] dose technique, [m:70 kV], [w:mAs 2.5], [w:image 2/2].
findings: [w:Burns] of the [a:chest wall] have healed.
findings: [w:Early] film of the set; the [w:mark] at [l:T10] is on the cassette.
findings: [a:Azygos] arch [m:# mm], [a:manubrium] at [l:T3/T4].
findings: [d:Impella] was removed; [d:Blakemore tube] never placed.
findings: [w:Back] of the [w:hand] projects over the [a:axilla], [w:short] of the [a:lung].
history: CLINICAL DATA: {age}-year-old, [e:Child-Pugh] [w:B], [w:GOLD 3], [m:4/10] on the [e:Borg scale].
history: Background: aunt diagnosed at [g:72]; [w:Augmentin] [m:625 mg] three times a day, [w:NYHA III].
history: Projection: AP erect, [m:72 in] distance, exposure [w:2/2].
history: PC: aged {age}, father's [f:stroke] at [g:51], [m:120/75 mmHg], [w:amber] urine.
history: Reason for study: [w:Lung-RADS 2], ex-smoker of {age}, brother [f:ill] at [g:60].
end: [w:Will] be compared when older films arrive. [w:Best] effort was made.
end: [w:St. John's wort] and [w:Plavix] were stopped; [m:22-gauge] needle kept ready.
end: [e:Trendelenburg] position not used; [d:Pleurx] kit returned unopened.
end: [e:Wells criteria] [m:1/7]; a [w:large] share of such cases needs no CT.
end: MR at [m:1.5 Tesla] is safe with an [d:Amplatzer] plug, should one be placed.
"""

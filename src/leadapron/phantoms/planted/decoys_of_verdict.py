"""Sentences without identifiers, full of terms that look like some, for the part that judges a finished de-identifier once.

The signs are those of ``sentences_of_tune``, and so is the rule about findings.
"""

from __future__ import annotations

DECOYS = """
findings: No [e:Felson] silhouette sign, no [e:Garland triad].
findings: [e:Monod sign] and [e:Rasmussen aneurysm] are absent.
findings: [e:Assmann focus] is not seen in either [a:apex].
findings: No [e:Simon foci], no [e:Luftsichel].
findings: No radiographic counterpart of the [e:Hoover sign] noted clinically.
findings: [e:Ewart sign] queried; the [s:left] [a:scapula] tip is clear of shadow.
findings: [e:Bertolotti] type transitional anatomy is described on the [l:L5/S1] MR.
findings: [e:Romanus] corners at [l:T11], old.
findings: No [e:Andersson lesion] at [l:T10-T11].
findings: [e:Forestier] bridging along [l:T6] through [l:T11].
findings: [e:Baastrup] contact at [l:L3-L4] on the lower edge.
findings: No [e:Pott] disease at [l:T8/9].
findings: [e:Klippel-Feil] block of [l:C5/6] is known.
findings: [w:Block] vertebra [l:C3-4], congenital.
findings: [e:Modic] [w:2] change cannot be told on plain film.
findings: [e:Sharpey fibres] at [l:T7] are calcified.
findings: [e:Meyerding] grade [w:I] slip at [l:L4-5], lateral edge.
findings: No [e:Paget] change in the [a:humerus].
findings: No [e:Codman triangle], no [e:Looser zone].
findings: No bony [e:Bankart] or reverse [e:McLaughlin] defect on this projection.
findings: Old [e:Rockwood] [w:II] separation of the [s:left] [a:AC joint].
findings: A [e:Neer] outlet view would show the [a:acromion] better.
findings: [e:Bigliani] type [w:3] [a:acromion] on the [s:right].
findings: [e:Risser] [w:5], [a:iliac crest] just seen.
findings: [e:Ferguson] method gives [m:1# degrees].
findings: [e:Lippman-Cobb] classification [w:group 1].
findings: No residue of the [w:power]-injected contrast.
findings: Necklace clasp [w:close] to the [a:sternal notch].
findings: Parallel [w:lines] over the [s:left] [a:flank] are gown folds.
findings: [w:Little] gas in the [a:fundus].
findings: [w:Bland] appearance of the [a:soft tissues].
findings: The [a:lung] [w:fields] are equally exposed.
findings: [w:Post] mastectomy contour on the [s:right], as by history.
findings: [a:Aortic] [w:root] not border-forming.
findings: The patient held [w:still]; no motion blur.
findings: Exposure [m:125 kVp], [m:1.# mAs], [w:S-number] [m:2##], [w:DAP] [m:0.1# Gy cm2].
findings: [w:REX 1850], [w:EXI 320], within range.
findings: [w:AP supine], [w:SID 110 cm], [w:grid out].
findings: [w:Im 1/1], [w:W 2048 L 1024] for display.
findings: [w:ILO] film quality [w:grade 2], [w:B-reader] form not filled.
findings: [e:Brasfield] score was last given as [m:23/25].
findings: [e:Chrispin-Norman] [m:2], as before.
findings: [w:RALE] and [w:Brixia] scores were not asked for.
findings: [w:VPW] [m:5# mm], [w:carinal angle] [m:6# degrees].
findings: [e:Lindblom] lordotic view not obtained.
findings: [d:Gianturco] coil was retrieved at the last admission.
findings: [d:Greenfield filter] has been retrieved.
findings: [d:Günther Tulip] taken out earlier.
findings: [d:Codman] and [d:Strata] shunts have been removed before this film.
findings: [d:Hemovac] and [d:Blake drain] are out.
findings: [d:Levin tube] has been withdrawn.
findings: [d:Sengstaken] balloon was never inflated.
findings: [d:Univent] tube was exchanged and later removed.
findings: [d:Trialysis] line out, no residue.
findings: [d:Vas-Cath] was removed.
findings: [d:AngioVac] cannula is no longer there.
findings: [d:CentriMag] and [d:TandemHeart] were weaned and explanted before.
findings: [d:HeartMate 3] evaluation was declined.
findings: [d:Evolut R] was discussed and not implanted.
findings: [d:MitraClip] was not placed.
findings: [d:Zephyr valve] treatment was cancelled.
findings: [d:Ommaya reservoir] is outside the field.
findings: [d:Steinmann pin] of the [a:tibia] by history only.
findings: [d:Luque] instrumentation has been taken out at [l:T5-L2].
findings: [d:K-wire] of the [s:left] [a:thumb] is not covered.
findings: [d:Miami J] collar was opened for the exposure.
findings: [d:Philadelphia collar] taken off.
findings: [d:Bair Hugger] hose runs over the [a:abdomen].
findings: [d:Stryker] bed rail at the edge.
findings: [d:Zoll pads] were peeled off before the film.
findings: [d:Bard] and [d:Arrow] caps lie on the sheet.
findings: [d:Passy-Muir] cap was taken off.
findings: [d:Shiley 6] was downsized and then removed.
findings: [a:Manubrium] ossified, [a:xiphoid] at [l:T10].
findings: [l:T12] ribs are short; [l:L1] has none.
findings: [l:C7] transverse process [m:1# mm].
findings: Spur at [l:T9-10], [m:# mm].
findings: [l:T3/4] disc height [m:#.# mm].
findings: No [e:Wrisberg] lobe.
findings: [a:Angle of Louis] at [l:T4/5].
findings: [e:Mach] band along the [s:right] [a:heart] border.
findings: [e:Riedel] lobe of the [a:liver] reaches the edge.
findings: [w:Max] inspiration, [w:10] posterior ribs.
history: PMHx: [w:T2DM], [w:HTN], [w:AF], [w:CKD 3b]; [w:Januvia], [w:Norvasc], [w:Toprol-XL].
history: Past history: [e:Barrett] oesophagus [w:C1M3], [w:Nexium] [m:40 mg].
history: Known: [e:Graves] disease, [w:Tapazole]; [e:Hashimoto] in a sister.
history: Co-morbidities: [e:Still] disease, adult onset, [w:Kineret] daily.
history: PMH - [e:Behçet], [e:Raynaud], [w:Plaquenil] [m:200 mg] b.i.d.
history: Dx list: [e:Wilson] disease, [w:Cuvrior]; [e:Kayser-Fleischer] rings.
history: PMHx: [e:Charcot-Marie-Tooth] [w:1A], uses a stick.
history: Past history: [e:Guillain-Barré] once, recovered.
history: Known: [e:Ménière], [w:Serc] [m:16 mg].
history: Co-morbidities: [e:Dupuytren], [e:Peyronie], otherwise well at {age}.
history: PMH - [e:Bell] palsy; [e:House-Brackmann] [w:II].
history: Dx list: [e:Osler-Weber-Rendu] was excluded by gene test.
history: PMHx: [e:von Willebrand] type [w:2A]; [w:Humate-P] before surgery.
history: Past history: factor [w:V Leiden], [w:Coumadin] stopped, [w:Pradaxa] [m:150 mg].
history: Known: [e:Waldenström], [w:IgM] [m:1# g/L], [w:Imbruvica].
history: Co-morbidities: [w:DLBCL], [e:Lugano] stage [w:IIE], [w:R-CHOP] x [m:6], [e:Deauville] [w:2].
history: PMH - [w:AML] [w:M3], [w:ATRA]; [w:t(15;17)].
history: Dx list: breast [w:pT1c pN0 M0], [w:ER 8/8], [w:HER2 1+], [w:Oncotype] [m:1#].
history: PMHx: prostate [e:Gleason] [m:3+4], [w:PSA] [m:6.#], [w:Lupron].
history: Past history: colon [e:Dukes] [w:B], [w:FOLFOX], [w:CEA] [m:2.#].
history: Known: melanoma [e:Breslow] [m:0.# mm], [e:Clark] level [w:II].
history: Co-morbidities: renal [e:Fuhrman] [w:2], [e:Bosniak] [w:IIF] cyst.
history: PMH - liver [w:MELD] [m:1#], [e:Milan] criteria met, [w:Xifaxan].
history: Dx list: [e:Budd-Chiari], [d:TIPS] declined, [w:Lovenox].
history: PMHx: [e:Zenker] pouch, [e:Dohlman] procedure done.
history: Past history: [e:Schatzki ring], dilated to [m:18 mm].
history: Known: [e:Ivor Lewis] operation, well since.
history: Co-morbidities: [e:Hartmann] reversed; [e:Pfannenstiel] scar.
history: PMH - [e:Lichtenstein] repair, [s:right].
history: Dx list: [e:Billroth I], [w:B12] shots.
history: PMHx: [e:Kocher] incision; gallbladder out.
history: Past history: [e:Maze] procedure and [e:Cox] lesion set, now sinus rhythm.
history: Known: [e:Tetralogy of Fallot], [e:Waterston] shunt in infancy taken down.
history: Co-morbidities: [e:Ebstein] ruled out by echo, [w:EF] [m:6#%].
history: PMH - [e:Wolff-Parkinson-White], ablated.
history: Dx list: [e:Dressler] after [w:STEMI], [w:colchicine] [m:0.5 mg].
history: PMHx: [e:Killip] [w:I], [w:TIMI] [m:2], [w:GRACE] [m:10#].
history: Past history: [w:CHA2DS2-VASc] [m:3], [w:HAS-BLED] [m:1].
history: Known: [e:Rutherford] [w:2], [e:Fontaine] [w:IIa], [w:ABI] [m:0.7#].
history: Co-morbidities: [e:Wagner] [w:1] ulcer, [d:Unna boot].
history: PMH - [e:Parkinson], [e:Hoehn and Yahr] [w:2], [w:Sinemet] [m:25/100].
history: Dx list: [e:Huntington] negative, [m:1#] repeats.
history: PMHx: [e:Alzheimer], [w:Aricept]; [e:Pick] was considered.
history: Past history: [e:Wernicke] in the past, [w:thiamine].
history: Known: [e:Tourette], [w:Haldol] rarely.
history: Co-morbidities: [e:Turner] mosaic, [w:45,X/46,XX].
history: PMH - [e:Down] syndrome ([w:trisomy 21]), [w:thyroxine].
history: Dx list: [e:Noonan] excluded, [w:PTPN11] negative.
history: PMHx: [w:CFTR] [w:F508del], [w:Trikafta], [w:Pseudomonas] free.
history: Past history: [w:alpha-1] [w:PiMZ], [m:1.# g/L].
history: Known: asthma, [w:Symbicort 160/4.5], [w:Singulair], [w:ACT] [m:2#].
history: Meds: [w:Dupixent] q2w, [w:Xolair] before; [w:FeNO] [m:3# ppb].
history: Drug history: [w:Ofev] stopped, [w:Esbriet] not tried.
history: Rx: [w:Keytruda] x [m:4], rash only.
history: Current drugs: [w:Rituxan], [w:Truxima] switch; [w:JC virus] negative.
history: Rx so far: [w:Enbrel] to [w:Stelara] to [w:Skyrizi].
history: Meds: [w:Prolia] q6mo, [w:T-score] [m:-2.#].
history: Is on [w:Zoloft], [w:Abilify], [w:Klonopin] prn.
history: Rx: [w:Suboxone] [m:8/2 mg], [w:Chantix] course.
history: Current drugs: [w:Ozempic], [w:Jardiance], [w:Lantus] [m:22 units] at night.
history: Takes [w:Synthroid] [m:88 mcg], [w:TSH] [m:2.# mIU/L].
history: Meds: [w:Flomax], [w:Avodart]; [w:Viagra] stopped.
history: Allergies: [w:Benadryl] reaction, [w:Demerol] reaction, [w:Ancef] tolerated.
history: Is on [w:Advil] and [w:Aleve] prn; allergic to [w:Rocephin].
history: Labs: [w:WBC] [m:1#.#], [w:CRP] [m:2#], [w:PCT] [m:0.# ng/mL], [w:BNP] [m:8#].
history: Labs: [w:ANA] [m:1:320], [w:anti-Jo-1] neg, [w:Scl-70] neg, [w:c-ANCA] neg.
history: Labs: [w:pH] [m:7.3#], [w:pCO2] [m:4#], [w:BE] [m:-2], [w:lactate] [m:1.#].
history: Labs: [w:K] [m:4.#], [w:Na] [m:13#], [w:Cr] [m:0.#], [w:A1c] [m:6.#].
history: Labs: [w:ESR] [m:4#], [w:ACE] [m:5#], [w:sIL-2R] pending.
history: Labs: [w:PT/INR] [m:1#.#/1.1], [w:aPTT] [m:31].
history: Micro: [w:Klebsiella] and [w:Serratia] in urine, none in sputum.
history: Micro: [w:Mycobacterium kansasii] grown once, judged a contaminant.
history: Micro: [w:Nocardia], [w:Actinomyces] not found; [w:Ziehl-Neelsen] negative.
history: Micro: [w:Moraxella catarrhalis] once; now well.
history: Micro: [w:Coxiella] titre [m:1:64], [w:Bartonella] negative.
history: Micro: [w:Candida auris] screen negative, [w:C. diff] toxin negative.
history: Micro: [w:Stenotrophomonas] in an old tracheal sample.
history: Micro: [w:Francisella] and [w:Yersinia] not suspected.
history: Micro: [w:H1N1] neg, [w:RSV] neg, [w:hMPV] neg, [w:XBB.1.5] earlier.
history: Micro: [w:Strep milleri] abscess of the [a:tonsil], drained.
history: Scores: [w:APACHE II] [m:1#], [w:SOFA] [m:2], [w:RASS] [m:-1].
history: Scores: [w:Geneva] [m:3], [e:Wells] low, [w:PERC] negative.
history: Scores: [w:NEWS2] [m:3], [e:Waterlow] [m:1#], [e:Braden] [m:1#].
history: Scores: [e:Glasgow] [m:E4V5M6], [w:NIHSS] [m:0].
history: Scores: [e:Karnofsky] [m:90], [w:ECOG] [w:1], [e:Charlson] [m:3].
history: Scores: [e:Mallampati] [w:III], [e:Cormack-Lehane] [w:2a].
history: Scores: [e:Rockall] [m:2], [e:Blatchford] [m:1], [e:Forrest] [w:III].
history: Scores: [e:Ranson] [m:1], [e:Balthazar] [w:B].
history: Scores: [e:Schatzker] [w:II], [e:Gustilo] [w:I], [a:leg] fixed.
history: Scores: [w:ISS] [m:9], [w:AIS] [m:2], {age} years.
history: TECHNIQUE NOTE: [w:PA erect], [m:6 ft], [m:110 kV], [w:AEC] on.
history: TECHNIQUE NOTE: mobile unit, [m:85 kV], [m:2 mAs], [w:semi-erect].
history: TECHNIQUE NOTE: dual energy, [m:60/120 kVp], [w:3 images].
history: Exposure data: [w:ESAK] [m:0.1# mGy], [w:DRL] met.
history: Family: mother breast cancer at [g:44], aunt [e:Lynch] at [g:58].
history: Family: brother [f:aneurysm] at [g:63]; father well at [g:88].
history: Family: [e:Osgood-Schlatter] in youth; grandfather [f:stroke] at [g:79].
history: Social: [m:1.5 packs] a day for [m:2# years]; stopped at [g:50].
history: Social: [w:nurse] by training, [w:cook] at home, asbestos [m:6 months].
history: Social: retired [w:engineer], [w:doctor]'s child, no pets; aged {age}.
history: Social: [w:contractor] with sand exposure [m:1# years]; [w:self] employed.
history: Airway: [m:7.5] tube at [m:22 cm] earlier, now out.
history: Airway: [d:Ambu] bag only, [d:Guedel] airway at scene.
history: Airway: [d:Bougie], [d:GlideScope], [e:Sellick] manoeuvre, grade [w:1] view, since extubated.
history: Vitals: [m:37.# C], [m:1##/7# mmHg], [w:RR] [m:1#], [w:SpO2] [m:97% RA].
history: Vitals: [m:98.# F], [w:HR] [m:7#], [w:O2] [m:2 L NC], [w:BMI] [m:2#.#].
history: Vitals: [w:GCS 15], [w:AVPU A], pain [m:4/10].
history: Request text: [w:r/o] [e:Boerhaave], [w:s/p] [e:Dor] wrap, age {age}.
history: Request text: [w:f/u] [w:RUL] biopsy under [w:ENB], [w:EBUS] [a:station] [w:4R] negative.
history: Request text: [e:Lemierre]? [e:Ludwig] angina treated with [w:Unasyn] [m:3 g].
history: Request text: [e:Tietze] vs [e:Bornholm]; [w:NSAID] trial.
history: Request text: [e:Löfgren] triad? [e:Heerfordt]? [w:ACE] normal.
history: Request text: [e:Meigs]? [w:CA-125] [m:3#].
history: Request text: [e:Horner], [s:left]; [w:apraclonidine] test positive.
history: Request text: pre [w:LVRS] work-up, [w:DLCO] [m:4#%], [w:6MWT] [m:3#0 m].
history: Request text: [w:PICC] was pulled; [w:tip culture] no growth.
history: Request text: [w:TAVR] clinic, [w:STS] [m:2.#%], {age} y.
history: Request text: [e:Child-Pugh] [w:A], [w:Hep C] [w:SVR12].
history: Request text: [w:MVA] without airbag; [w:seat belt sign]; [w:FAST] neg.
end: [w:MRCP] with [w:3D SPACE] is the better test.
end: [w:T1 DIXON] in and out of phase for the [a:adrenal].
end: [w:STIR] at [l:T7] if [f:pain] persists.
end: [w:TOF] angiography and [w:SWAN] of the [a:brain] were normal.
end: [w:Gadavist] [m:7.5 mL] is safe at this [w:eGFR].
end: [w:Lexiscan] stress with [w:Tc-99m] sestamibi may answer it.
end: [w:F-18 FDG] uptake time [m:60 min].
end: [w:I-123 MIBG] was normal by report.
end: [w:Visipaque 320], [m:1.5 mL/kg], [w:18 G] cannula.
end: [w:Isovue] allergy is mild; [w:prednisone] [m:50 mg] x [m:3].
end: [w:Power] Doppler of the [a:calf] with [m:9L] probe.
end: [w:LI-RADS 3] observation in segment [w:VIII] on the outside MR.
end: [w:BI-RADS 2] by the outside mammogram.
end: [e:Agatston] score [m:1##] by earlier CT.
end: [e:Couinaud] [w:VI] cyst by earlier CT, [m:1# mm].
end: [e:Stanford] and [e:DeBakey] types were excluded by CT.
end: [w:CAD-RADS 1] on the coronary CT.
end: [e:Evans] index [m:0.2#] on the head CT.
end: [e:Graf] [w:Ia] hips on the newborn screen.
end: [e:Böhler] angle [m:2# degrees] on the [a:heel] film.
end: [a:Hip] film described an old [e:Garden] [w:I].
end: [e:Kellgren-Lawrence] [w:2] [a:knee].
end: [e:Frankel] [w:E], [w:ASIA] [w:E].
end: [e:Pfirrmann] [w:III] at [l:L4-L5] on MR.
end: Old [e:Weber] [w:B] [a:ankle], [e:Lauge-Hansen] [w:SER 2].
end: [e:Sweet] syndrome is followed by dermatology.
end: [e:Chvostek] and [e:Trousseau] negative, [e:Homans] positive on the ward.
end: [e:Murphy] sign negative at ultrasound.
end: [e:McBurney] tenderness resolved, [e:Rovsing] negative.
end: [e:Courvoisier] gallbladder was not felt.
end: [e:Battle] sign absent per triage.
end: [e:Cullen] and [e:Grey Turner] signs absent.
end: [e:Kehr] sign was reported and is not explained here.
end: [e:Beck] triad not complete.
end: [e:Cheyne-Stokes] pattern seen by the ward during [w:PSG].
end: [e:Kussmaul] breathing has ceased.
end: No [e:Janeway] lesions, [e:Osler] nodes or [e:Roth] spots per ward team.
end: By [e:Light criteria] the old tap was a transudate.
end: [e:Seldinger] technique advised if access is wanted.
end: [e:Fowler] position for the next film.
end: [e:Sims] position was not possible.
end: [e:Bülau] position was discussed and not chosen.
end: [d:Yueh] needle and [d:Cope] loop kept ready, not used.
end: [d:Alaris] rack and [w:dobutamine] syringe moved out of the beam.
end: [d:BiPAP] [m:12/5], [d:Airvo] [m:40 L/min] used overnight, film without.
findings: [e:Mach] effect mimics an edge at [l:T6].
findings: [w:Blunt] trauma views of the [a:ribs] were not requested.
findings: [e:Harris] growth arrest [w:lines] in the [a:humerus].
findings: [d:Cook] pigtail has been removed.
findings: [d:Power] port has been explanted since.
findings: [d:Growing rod] was taken out at [l:T3-L1].
findings: [a:Aortic] [w:root] and [a:pulmonary trunk] keep their outline.
findings: Body habitus limits the film ([w:body mass index] [m:4#]).
findings: [d:Jackson-Pratt] and [d:Davol] drains have been removed.
findings: Nerve [w:root] block needle of [l:C6] is gone.
findings: [a:Costovertebral] joints [l:T1]-[l:T4] sclerotic.
findings: [e:Hahn] clefts at [l:T6] and [l:T7].
findings: [e:Kümmell] cleft not present at [l:T12].
findings: [e:Tarlov] cyst known at [l:S2].
findings: No [e:Kirklin complex] in the [a:fundus].
findings: [d:Kirschner wire] seen earlier in the [s:right] [a:clavicle] is out.
findings: Foil of a [w:lidocaine] [m:5%] patch under the [s:left] [a:scapula].
findings: [w:Grid cut-off] at the [s:left], [w:Potter-Bucky] angled [m:# degrees].
history: Past history: [e:Sweet] syndrome, [w:prednisone] taper.
history: Past history: [e:Pierre Robin] sequence, repaired in infancy.
history: Past history: left bundle branch [w:block], [w:PR] [m:2#0 ms].
history: Past history: [e:Mobitz] [w:I], [w:QTc] [m:44# ms].
history: Past history: [e:Little] area cautery for [f:epistaxis].
history: Diet: [w:honey]-thick liquids, [w:IDDSI] level [w:3].
history: Diet: [w:ginger] capsules for [f:nausea], [w:Ensure] twice daily.
history: Care level: [w:comfort] measures, [w:Roxanol] prn.
history: Care level: [w:self]-extubated on rounds, doing well.
history: Exam: [w:frank] haematuria, [a:abdomen] soft, [e:Murphy] negative.
history: Exam: bruit [w:heard] over the [s:left] [a:carotid]; [w:fine] crackles.
history: Exam: [w:bland] urine sediment, [w:UPCR] [m:0.#].
history: Exam: [w:sandy] eyes, [e:Schirmer] [m:4 mm].
history: Exam: [w:blunt] injury, [w:strong] pulses, [e:Tinel] negative.
history: Exam: [w:RPE] [e:Borg] [m:13], [w:VO2 max] [m:2# mL/kg/min].
history: Exam: [w:close] observation for [m:4 h], [e:Kernig] negative.
history: Exam: [w:Gene] test [w:MEFV] negative; [w:post] vaccine [f:fever] in youth.
history: Meds: witch [w:hazel] cream, [w:Lipitor] [m:20 mg], [w:max] dose [w:Tylenol].
history: Meds: [w:nurse]-given [w:Heparin SQ] [m:5000 U] q8h.
end: [w:HASTE] and [w:DWI b800] with [w:ADC] map would settle it.
end: [w:Close] interval film only if [f:fever] recurs.
end: No unborn [w:child] exposed: [w:hCG] negative.
end: [w:Comfort] care; no further films planned.
end: [w:Power] Doppler of the [a:thyroid] would be next.
end: [w:Self]-referred, no order on file.
end: [w:Ga-68 PSMA] and [w:F-18 NaF] scans are on the system.
end: [e:Bosniak] [w:I] cysts by earlier ultrasound.
end: [e:Hounsfield] value [m:-1#] on CT: [a:adrenal] adenoma.
end: [w:Root] canal filling is shown on the dental film.
"""

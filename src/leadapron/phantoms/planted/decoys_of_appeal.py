"""Clinical sentences without identifiers, of the part on which a verdict may be appealed against.

Their terms look like names, places, codes or dates, and must stay. The signs are those of ``sentences_of_tune``.
"""

from __future__ import annotations

DECOYS = """
findings: No [e:Kerley] A or B lines.
findings: No [e:Hampton] hump.
findings: No [e:Westermark] sign, no [e:Palla] sign.
findings: No [e:Golden] S configuration of the fissure.
findings: [e:Chilaiditi] configuration, a normal variant.
findings: No [e:Pancoast] mass.
findings: No [e:Ghon] focus and no [e:Ranke] complex.
findings: [e:Simon] foci are not present.
findings: No [e:Bochdalek] or [e:Morgagni] hernia.
findings: [e:Schmorl] nodes at [l:T9] and [l:T10].
findings: [e:Scheuermann] type wedging at [l:T7], [m:5 degrees].
findings: [e:Cobb] measurement from [l:T5] to [l:L1] is [m:1# degrees].
findings: [e:Harrison] sulcus is a normal variant here.
findings: [e:Rigler] sign is absent.
findings: No [e:Naclerio] V sign; no mediastinal air.
findings: [e:Spinnaker sail] sign is absent.
findings: No [e:Macklin] effect.
findings: [e:Felson] silhouette sign is negative.
findings: [e:Luftsichel] is not seen.
findings: The [e:Hoffman-Rigler] measurement is [m:1.# cm].
findings: [e:Sprengel] shoulder is excluded.
findings: [e:Poland] anomaly is not present, [a:pectoralis] shadows symmetric.
findings: [e:Klippel-Feil] is excluded on the lateral.
findings: [e:Kienbock] disease of the wrist is known and not shown.
findings: No [e:Looser] zones, no [e:Milkman] lines.
findings: [e:Paget] disease of bone is excluded.
findings: [e:Pellegrini-Stieda] calcification was a knee finding, not imaged.
findings: The former [d:Port-a-Cath] pocket is smooth.
findings: The [d:Blakemore] tube has been withdrawn.
findings: [d:Passy-Muir] valve removed before the exposure.
findings: [d:Shiley] no longer in place; stoma closed.
findings: [d:Amplatzer] occluder was not deployed in the end.
findings: No [d:Impella], no [d:Tandem] heart cannula any more.
findings: [d:Watchman] not implanted.
findings: [d:Tenckhoff] catheter was taken out last spring.
findings: No retained [d:Raytec] sponge.
findings: No [d:Penrose], [d:Jackson-Pratt] or [d:Blake] drain remains.
findings: [d:Greenfield] filter lies below the field.
findings: [d:Hickman] and [d:Broviac] lines are both gone.
findings: A [d:Miami J] collar limits the [a:apices].
findings: A [d:Philadelphia] collar overlies [l:C7].
findings: [d:Milwaukee] brace taken off for the film.
findings: [d:Boston] brace worn at night only, none today.
findings: [d:Aspen] collar in the way on the first try.
findings: [d:Zoll] pads overlie the [s:left] chest.
findings: [d:Holter] electrodes are projected over the [a:ribs].
findings: [d:Bair Hugger] folds cross the film.
findings: [d:Stryker] bed frame causes lines over the [a:spine].
findings: [d:Hill-Rom] mattress grid is visible.
findings: [d:Apple Watch] on the [s:left] wrist in the lateral.
findings: [d:Fitbit] band artifact below the [a:costal margin].
findings: [d:Velcro] of the gown simulates a line.
findings: [w:Pearl] necklace and [w:amber] beads were taken off.
findings: A [w:crystal] on the gown mimics a [m:4 mm] density.
findings: [w:Penny] sized coin shadow on the first film was in a pocket.
findings: [w:Bell] of the stethoscope at the edge of image [w:3].
findings: [w:Frank] misalignment of the grid was corrected.
findings: [w:Marked] rotation; [w:mark] [w:R] at the upper corner.
findings: Exposure [w:80 kV], [w:6.4 mAs], [w:EI 1450], [w:DI 0.2].
findings: Tube distance [m:182 cm], grid ratio [w:10:1].
findings: [w:DAP] [m:0.12] mGy per square metre.
findings: Images [w:1/2] and [w:2/2] are adequate.
findings: Series [w:3], image [w:45], window [w:1500/-600].
findings: Scout [w:0001] shows the whole [a:chest].
findings: See key image [w:11/24].
findings: Level of [l:C7-T1] to [l:T12-L1] covered.
findings: [l:L5/S1] and [l:L4/5] are not included.
findings: [l:D8] and [l:D9] have small spurs, [l:D10] has none.
findings: [a:Ribs] counted: [m:12] pairs, [l:10th] [w:posterior] at the [a:diaphragm].
findings: [l:C8] root symptoms have no correlate.
findings: [l:S1] is beyond the lower edge.
findings: Angle of [e:Louis] is well seen on the lateral.
findings: [e:Traube] space is free.
findings: [e:Adamkiewicz] artery cannot be judged here.
findings: [e:Bohler] angle was of the heel, not of this film.
findings: Sinus of [e:Valsalva] calcification is not seen.
findings: [e:Carpentier] ring is not present.
findings: [e:Blalock-Taussig] shunt was taken down in childhood.
findings: [e:Glenn] and [e:Fontan] circulations were ruled out by echo.
findings: No sign of [e:Eisenmenger] physiology.
findings: [e:Ebstein] box shape is absent.
findings: The [e:Kommerell] segment is not seen.
findings: [e:Scimitar] vein is absent.
findings: Snowman and [e:boot] shapes, once taught for [e:Fallot], are absent.
findings: No [e:Swyer-James] lucency.
findings: [e:Kartagener] excluded: [a:stomach] and [a:heart] on the usual side.
findings: No [e:Mounier-Kuhn] airways; [a:trachea] [m:1# mm] across.
findings: No [e:Caplan] nodules.
findings: No [e:Hamman-Rich] pattern.
findings: No [e:Loeffler] infiltrates.
findings: [e:Cheyne-Stokes] breathing made the timing hard.
findings: Poor [e:Valsalva], repeated once.
findings: [e:Trendelenburg] tilt [m:15 degrees] for the first attempt.
findings: [e:Fuchs] view was not needed.
findings: [e:Grashey] and [e:Stryker notch] views are reported apart.
findings: [e:Waters] view of the sinuses was not asked for.
findings: [e:Towne] and [e:Caldwell] projections are not part of this set.
findings: [e:Velpeau] view not possible.
findings: [e:Hounsfield] values cannot be had from a radiograph.
findings: [e:Gerota] fascia is not imaged.
findings: [e:Morison] pouch not assessed.
findings: Pouch of [e:Douglas] is not shown.
findings: [e:Riedel] lobe suspected by palpation; [a:liver] edge [m:3 cm] lower.
findings: Ligament of [e:Treitz] is out of the frame.
findings: No [e:Sister Mary Joseph] nodule by inspection.
findings: [e:Virchow] node was not palpable.
findings: [e:Mach] band along the [a:aorta], an optical effect.
findings: [e:Moire] pattern from the monitor.
findings: [e:Heinig] view shows the [a:sternoclavicular] joint well.
findings: [e:Larrey] space is normal.
findings: [w:May-Thurner] anatomy cannot be assessed.
findings: [w:Rugger jersey] look is absent at [l:T11].
findings: [w:Dromedary] hump of the [a:left kidney] is a variant.
findings: [w:Scottie dog] has no collar on the older obliques.
findings: [w:Stag horn] stones were never found.
history: Indication: {age}-year-old with [e:Parkinson] tremor.
history: Indication: {age}-year-old, [e:Bell] palsy resolved.
history: Indication: [e:Graves] disease, [e:Hashimoto] in a sister.
history: Indication: [e:Raynaud] phenomenon, [f:cough].
history: Indication: [e:Crohn], before [d:Remicade].
history: Indication: [e:Lyme] titer positive, [f:palpitations].
history: Indication: [e:Coxsackie] B exposure.
history: Indication: [e:West Nile] virus suspected, [f:headache].
history: Indication: [e:Rocky Mountain] spotted [f:fever] ruled out.
history: Indication: [e:Norwalk virus] outbreak on the cruise, [f:vomiting].
history: Indication: [w:COVID-19] and [w:H1N1] swabs negative.
history: Indication: [w:2019-nCoV] PCR negative, Ct [m:38].
history: Indication: [w:SARS-CoV-2] [w:BA.5] recovered, [f:fatigue].
history: Indication: [w:HLA-B27] positive back pain.
history: Indication: [w:BRCA1] carrier, [w:Ki-67] [m:12%].
history: Indication: [w:CD4] [m:310], on [d:Biktarvy].
history: Indication: staged [w:pT1c N0 M0], [e:Gleason] [m:3+4].
history: Indication: [w:G3P2], [m:28 weeks], shielded.
history: Indication: [w:J18.9] on the form, [f:cough] only.
history: Indication: [w:Z01.818], pre-op, [w:ASA III].
history: Clinical History: [e:Wells] [m:3], [e:Geneva] [m:4], [e:PERC] not met.
history: Clinical History: [e:Glasgow] coma scale [m:14/15].
history: Clinical History: [e:Karnofsky] [m:80], [w:ECOG 1].
history: Clinical History: [e:Child-Pugh] [w:B7], [e:MELD] [m:14].
history: Clinical History: [w:CURB-65] of [m:1], [w:qSOFA] [m:0].
history: Clinical History: [e:Killip] class [m:II] last year, now well.
history: Clinical History: [w:CHA2DS2-VASc] [m:4], on [d:Eliquis].
history: Clinical History: [e:Borg] [m:4/10] on exertion.
history: Clinical History: [e:Mallampati] [m:2], [e:Cormack] [m:1], pre-op.
history: Clinical History: [e:Braden] [m:18], [e:Morse] fall scale [m:45].
history: Clinical History: [e:Barthel] index [m:60], bedside film.
history: Clinical History: [e:Ranson] criteria [m:1], [f:epigastric pain].
history: Clinical History: [w:GOLD 2D], [w:FEV1] [m:61%], on [d:Spiriva].
history: Clinical History: [w:NYHA II], [w:LVEF] [m:55%], BP [m:132/78].
history: Clinical History: strength [m:4/5] [s:left] leg, pulses [m:2+], [e:Babinski] down.
history: Clinical History: murmur [m:2/6], pain [m:7/10] at [w:10/10] worst.
history: Clinical History: [e:Homans] negative, [e:Murphy] negative, [e:Rovsing] negative.
history: Clinical History: {age} years, [m:24/7] oxygen in the past, now off.
history: Clinical History: vision [m:20/40], [f:dizziness].
history: Clinical History: glucose [m:11.2], [w:HbA1c] [m:7.4], on [d:Januvia] and [d:Jardiance].
history: Clinical History: pH [m:7.36], pCO2 [m:41], lactate [m:1.8].
history: Clinical History: temp [m:38.4], RR [m:22], weight [m:81.5 kg].
history: Clinical History: troponin [m:12] then [m:13], [w:0/3] hour rule.
history: Clinical History: took [d:Tylenol] and [d:Motrin], then [d:Levaquin] [m:500] daily.
history: Clinical History: on [d:Lipitor], [d:Norvasc], [d:Plavix], [d:Synthroid].
history: Clinical History: [d:Keytruda] cycle [m:6], [d:Taxol] stopped.
history: Clinical History: [d:Eliquis] [m:5] mg BID, [d:Lasix] [m:40] daily, no [d:Coumadin].
history: Clinical History: [d:Advair] [w:250/50] twice a day, [d:Ventolin] prn.
history: Clinical History: [d:Percocet] [w:5/325] for back pain.
history: Clinical History: insulin [w:70/30], [d:Lantus] at night.
history: Clinical History: [d:Depo-Provera], no pregnancy.
history: Clinical History: [d:Botox] for spasm, [d:Juvederm] once.
history: Clinical History: shunt of the [e:LeVeen] type in the past, removed.
history: Reason for exam: after [e:Heimlich] maneuver, [f:soreness].
history: Reason for exam: [e:Boerhaave] or [e:Mallory-Weiss]? [f:Retching] after dinner.
history: Reason for exam: [e:Horner] signs, [f:ptosis] [s:right].
history: Reason for exam: [e:Lemierre] question, sore [a:neck].
history: Reason for exam: [e:Takayasu] in remission, [f:arm claudication].
history: Reason for exam: [e:Behcet] ulcers, stable.
history: Reason for exam: [e:Still] disease, adult onset, on [d:Kineret].
history: Reason for exam: [e:Felty], [e:Reiter], [e:Sjogren] all considered.
history: Reason for exam: [e:Guillain-Barre], vital capacity [m:2.# L].
history: Reason for exam: [e:Charcot-Marie-Tooth], before foot surgery.
history: Reason for exam: [e:Turner] syndrome, yearly check of the [a:aorta].
history: Reason for exam: [e:Noonan], [e:Williams] excluded by genetics.
history: Reason for exam: [e:Gaucher] type [m:1], [a:spleen] [m:16 cm].
history: Reason for exam: [e:Wilson] disease, on [d:Cuprimine].
history: Reason for exam: [e:Fanconi] anemia trial, arm [w:B].
history: Reason for exam: [e:Wernicke], [e:Korsakoff], [f:falls].
history: Reason for exam: [e:Alzheimer] dementia, aged [g:8#], [f:cough].
history: Reason for exam: [e:Legionnaires] antigen negative.
history: Reason for exam: [e:Chagas] serology from blood bank, negative.
history: Reason for exam: [e:Hansen] disease, treated.
history: Reason for exam: [e:Brucella melitensis] titers, goat farmer.
history: Reason for exam: [e:Valley fever] skin test, negative.
history: Reason for exam: [e:German measles] immunity, staff entry check.
history: Reason for exam: [e:Ebola] screen negative, [e:Marburg virus] not suspected.
history: Reason for exam: [e:Burkitt] lymphoma, remission for [m:9 years].
history: Reason for exam: [e:Wilms] tumour in infancy, well since.
history: Reason for exam: [e:Waldenstrom], on [d:Imbruvica].
history: Reason for exam: [e:Roux-en-Y] bypass, [f:hiccups].
history: Reason for exam: [e:Billroth II] in the past, [f:dumping].
history: Reason for exam: [e:Hartmann] reversal planned.
history: Reason for exam: [e:Ivor Lewis] planned, staging film.
history: Reason for exam: [e:McKeown] not feasible, staging film.
history: Reason for exam: [e:Ross] procedure discussed, decided against.
history: Reason for exam: [e:Dupuytren] release, pre-op film, aged [g:6#].
end: [e:Fleischner] criteria do not apply.
end: [w:May] return if symptoms get worse.
end: Follow [e:Ottawa] rules for the ankle.
end: [e:Canadian C-spine] rule was negative, no [a:neck] films.
end: [w:March] fracture of the foot was the old diagnosis; no foot film today.
end: [w:Hope] this helps; [w:grace] period for late reads is [m:24] hours.
end: Read on [d:Barco] monitors with [d:Siemens] software.
end: Dictated with [d:Dragon] [w:PowerScribe 360].
end: Unit: [d:Carestream DRX], [d:Philips] detector, [d:GE] tube.
end: [d:Agfa] plate [w:35x43].
end: [d:Fuji] cassette reader [w:CR 2] was used.
end: [d:Canon] flat panel, [d:Shimadzu] generator.
end: [w:ACR] appropriateness [m:7], usually fitting.
end: [w:CPT 71046] applies.
end: [w:LI-RADS], [w:PI-RADS] and [w:TI-RADS] do not apply.
end: [w:Lung-RADS 1] on the older screening CT.
end: [w:NASCET] method for carotids, not this film.
end: [w:RECIST 1.1] not measurable on films.
end: [e:Tanner-Whitehouse] method for hand films only.
end: [e:Greulich] and [e:Pyle] atlas not needed.
end: [e:Garden], [e:Pauwels] and [e:Evans] types are for hip films.
end: [e:Weber] [w:A], [e:Lauge-Hansen] [w:SA1], ankle healed long ago.
end: [e:Neer] two part, [e:Bankart] none, per the older shoulder films.
end: [e:Schatzker] [w:II] of the knee was on another report.
end: [e:Salter-Harris] injuries are not a question at this age.
end: [e:Gustilo] grading of the shin was done in theatre.
end: [e:Denis] columns intact on the older CT.
end: [e:Modic] type [m:1] at [l:L4-L5] on the older MR.
end: [e:Meyerding] grade [m:1] at [l:L5-S1], old.
end: [e:Kellgren-Lawrence] [m:2] of both knees, old.
end: [e:Bosniak] [m:1] cyst on the older ultrasound.
end: [e:Ann Arbor] stage is for the lymphoma team.
end: [e:Breslow] [m:0.8 mm], [e:Clark] [m:III], excised with margin.
end: [e:Duke] and [e:Astler-Coller] stages are in the pathology.
end: [e:Light] criteria were never needed.
end: [e:Gram] stain and [e:Ziehl-Neelsen] stain negative.
end: [e:Coombs] test negative, [e:Rh] factor known.
end: [e:Seldinger] kit returned unopened.
end: [e:Allen] test normal on both wrists.
end: [e:Doppler] of the legs was normal.
end: [e:Mayo] stand and tray were in the first image.
end: [e:Yankauer] suction at the bedside, not on the film.
end: [e:Ringer] lactate [m:500 mL] given before the second view.
end: [e:Foley] [m:16 Fr] is below the field.
end: [e:Kelly] clamp on the drape of the first image.
end: [e:Bovie] pad not on the film.
end: Weaned to [m:2 L]; [w:SpO2] [m:96%], [w:FiO2] [m:0.21].
end: [w:Q6H] checks, [w:PRN] film.
end: [d:Vicodin] [w:5/300] stopped for itching.
end: [d:Omnipaque 350] [m:80 mL] was planned, not given.
end: [d:Visipaque] and [d:Gadavist] allergies are not known.
end: [d:Xarelto] [m:20] held before the biopsy that was called off.
end: [d:Chantix] and [d:Nicorette] were offered.
end: [d:Shingrix] and [d:Prevnar 20] were offered.
impression: No [e:Kerley] lines, no [e:Hampton] hump.
impression: [e:Cobb] [m:1#] degrees, no change.
impression: No [e:Pancoast] mass.
impression: [w:Category 1], nothing to follow.
impression: [e:Scheuermann] change at [l:T8], old.
findings: The [a:heart] is normal in size and contour, [e:cardiothoracic ratio] [m:0.4#].
findings: The [a:trachea] and [a:main bronchi] are patent, [w:AP] diameter [m:1# mm].
findings: [a:Osseous structures] show mild spurs at [l:T8-T9] and [l:T11-T12].
findings: [s:Left] [a:shoulder] replacement of the [d:Zimmer] type was revised years ago and is not shown.
findings: [d:DePuy] hip stem is below the film.
findings: [d:St. Jude] valve was discussed, never implanted.
findings: [d:Medtronic] and [d:Boston Scientific] leads have all been extracted.
findings: [d:Cordis] sheath was pulled, [a:neck] soft tissues normal.
findings: [d:Lap-Band] removed, [a:stomach] bubble normal.
findings: Upright [w:PA] and [w:LAT] views at [m:72] inches.
findings: Patient is rotated to the [s:right] by [m:# degrees].
findings: [w:Stable] [m:3 mm] bone island in the [l:5th] [a:rib].
findings: Costal cartilage calcification of the [l:1st] [a:ribs], normal for [g:age].
findings: [e:Cooper] ligament calcification: none.
findings: [w:Rich] bowel gas, no dilated loop.
history: Reason for exam: yearly film under [e:OSHA] rule [w:1910.1053], [f:silica].
history: Reason for exam: [w:7/10] [f:pleuritic] pain, [m:2-3] days.
history: Reason for exam: [f:cough], [m:1/7]; [f:fever], [m:3/7]; [w:?LRTI].
history: Reason for exam: [e:Quinton] line pulled, routine check.
history: Reason for exam: [w:Rose] spots, [e:Widal] negative.
history: Reason for exam: [w:S/P] [w:CABG x3], [m:POD 90], [w:wound] well.
history: Reason for exam: [w:R/O] [w:TB], [w:IGRA] negative, new job.
end: Please correlate with [w:CBC], [w:BNP] and [w:ESR].
end: [w:Amber] zone in triage, [w:NEWS2] [m:3].
end: [w:Level 2] trauma criteria were not met.
"""

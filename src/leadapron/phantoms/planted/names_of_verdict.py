"""Names of people who do not exist, for the part that a finished de-identifier is judged on once."""

from __future__ import annotations

from leadapron.phantoms.planted.cultures import Culture, culture

CULTURES: tuple[Culture, ...] = (
    # English and North American, of every day
    culture("Hargreaves, Entwistle, Lathrop, Stoddard, Pruitt, Ogilvy-Hume, Thackrah", "Mildred, Darlene, Tammy Jo, Keisha, Wilma", "Clarence, Vernon, Jimmie Lee, Tyrone, Brayden"),
    # Cajun
    culture("Boudreaux, Arceneaux, Hebert, Fontenot, Landry", "Earline, Velma Ruth, Clothilde", "Alcide, Remy, Cletus, Alphonse"),
    # Pennsylvania Dutch
    culture("Stoltzfus, Zook, Beiler, Yoder, Esh, Hostetler", "Lavina, Mattie, Malinda", "Amos, Levi, Jonas, Menno"),
    # Jamaican and Trinidadian
    culture("Grandison, Bogle, Trotman, Ramkissoon, Braithwaite-Cole", "Latoya, Marva, Ionie", "Delroy, Winston, Glenroy"),
    # Québécois and Acadian
    culture("Gagnon-Thériault, Bouchard, Lachapelle, Cormier, Charbonneau", "Huguette, Ghislaine, Manon", "Réjean, Gaston, Normand"),
    # Crow, Cree, Hopi, Yup'ik
    culture("Medicine Horse, Bearskin, Tootoosis, Honyouti, Ayagalria, Old Coyote", "Chenoa, Sihu, Kimimela", "Chayton, Wapasha, Nukilik"),
    # Maltese
    culture("Borg, Zammit, Buttigieg, Xuereb, Micallef, Għaxaq", "Ċensa, Carmelina, Graziella", "Ġanni, Salvu, Karmenu"),
    # Albanian
    culture("Hoxha, Gjergji, Shkreli, Berisha, Krasniqi", "Drita, Vjollca, Teuta, Mimoza", "Agron, Skënder, Besnik, Fatmir"),
    # Slovene, Slovak, Macedonian
    culture("Žnidaršič, Zupančič, Čižmár, Hudáková, Trajkovski, Kovačič-Mlakar", "Metka, Zlatica, Biljana", "Janez, Ľubomír, Gašper, Goce"),
    # Belarusian, Tatar, Chechen
    culture("Kavalionak, Gilmutdinov, Akhmadulina, Dudayeva", "Gulnara, Zarema, Alesya", "Rinat, Ildar, Aslan"),
    # Kazakh, Kyrgyz, Uzbek
    culture("Nursultanova, Abdykadyrov, Tursunbaev, Yuldasheva, Mamytov", "Aizhan, Gulbahor, Zhyldyz, Nilufar", "Yerlan, Bakyt, Sherzod, Azamat"),
    # Mongolian
    culture("Batbayar, Ganbold, Enkhtuya-Dorj, Tsendsuren", "Oyunchimeg, Sarangerel, Narantsetseg", "Temüülen, Otgonbayar, Sükhbat"),
    # Tibetan, Bhutanese, Sherpa
    culture("Wangchuk, Namgyal, Dorjee, Rinzin, Sherpa", "Pema, Dolkar, Yangchen", "Sonam, Jigme, Phurba"),
    # Malayali
    culture("Kuruvilla, Panicker, Varghese, Puthenpurackal, Nambiar", "Aleyamma, Sosamma, Sreeja", "Kunjumon, Chacko, Unnikrishnan"),
    # Telugu and Kannada
    culture("Venkataraghavan, Yerramsetti, Chigurupati, Hiremath, Nagireddy-Rao", "Padmavathi, Kavya, Bhagyashree", "Srinivasulu, Basavaraj, Mallikarjun"),
    # Marathi and Goan
    culture("Deshpande, Kulkarni, Phadke, Noronha, Mascarenhas", "Sulbha, Mangala, Lourdes", "Vitthal, Pandurang, Agnelo"),
    # Parsi, whose names may be trades
    culture("Doctor, Contractor, Engineer, Batliwala, Sodawaterwala, Merchant", "Freny, Roshan, Khorshed", "Rustom, Jamshed, Sohrab"),
    # Manipuri, Naga, Mizo, Assamese
    culture("Laishram, Borgohain, Longkumer, Lalthanhawla, Phukan", "Linthoingambi, Zothanpuii, Thoibi", "Biren, Lalrinmawia, Temjen"),
    # Pashtun, Baloch, Sindhi
    culture("Bugti, Mengal, Jatoi, Yusufzai, Achakzai", "Zarghuna, Palwasha, Mahnoor", "Akbar, Zmarai, Sarfraz"),
    # Uyghur
    culture("Memetimin, Abliz, Tohti, Mijit", "Patigul, Ayshemgul, Rebiya", "Ekber, Turghun, Ilham"),
    # Cantonese, Hokkien, Teochew
    culture("Szeto, Au-Yeung, Kwok, Ng, Teoh, Goh, Hsieh, Tsai", "Siew Ling, Bee Hoon, Wai-man, Hsiu-ying", "Kok Leong, Ah Seng, Chi-keung, Tzu-wei"),
    # Mandarin
    culture("Gong, Pang, He, Bao, Hua-Sturgis, Yuan", "Lian, Caihong, Yuzhen", "Dawei, Xiaofeng, Baoguo"),
    # Okinawan and Japanese
    culture("Higa, Kinjo, Arakaki, Shimabukuro, Kayano", "Tsuruko, Fumie, Misao", "Kiyoshi, Masahide, Zenjiro"),
    # Korean
    culture("Eum, Pyo, So, Maeng, Ryu, Choe-Davis", "Mi-kyung, Jin-ok, Sun-hee", "Byung-chul, Kyu-sik, Won-ho"),
    # Ilocano, Visayan, Maranao
    culture("Dimaporo, Magbanua, Agbayani, Tumulak, Lacson-Uy", "Luzviminda, Jocelyn, Divina", "Rommel, Dodong, Crisanto"),
    # Malay and Iban
    culture("bin Ismail, anak Jugah, Megat, bte Salleh, Tengku Zafri", "Norhayati, Rohani, Dayang", "Hafizuddin, Shahrul, Entika"),
    # Javanese, Balinese, Acehnese
    culture("Sastrowardoyo, Pradnyana, Gunarsa, Tjokro, Sihombing", "Ni Wayan, Endang, Cut Nyak", "I Ketut, Slamet, Teuku"),
    # Karen, Shan, Burmese
    culture("Aye Mon, Paw Htoo, Kyaw Lin, Hsar, Sai Leng", "Naw Eh, Thida, Ei Phyu", "Saw Ler, Maung Tin, Nyunt"),
    # Khmer and Lao
    culture("Chhay, Prak, Oudomphone, Vongsa, Heng-Sar", "Sreymom, Chanthou, Khamla", "Ratha, Bounmy, Pheap"),
    # Fijian, Papuan, Timorese
    culture("Vakatawa, Waqanivalu, Somare, Ximenes Belo", "Litia, Asenaca, Domingas", "Epeli, Sitiveni, Mekere"),
    # Chamorro, Palauan, Marshallese
    culture("Taitano, Quitugua, Remengesau, Kabua", "Tarita, Dilmei, Rosalia", "Ibedul, Imata, Vicente"),
    # Coptic
    culture("Ghobrial, Boutros, Abdelmalak, Girgis-Shenouda", "Mervat, Nagwa, Demiana", "Wagih, Makram, Atef"),
    # Amazigh and Moroccan
    culture("Aït Benhaddou, Ouazzani, Belkacem, Zeroual, Tazi", "Tassadit, Zoulikha, Ghizlane", "Idir, Mouloud, Abdellatif"),
    # Assyrian and Lebanese
    culture("Khoshaba, Yonan, Shamoun, Haddad, Khoury, Abu Ghosh", "Shamiram, Ibtisam, Hiba", "Sargon, Elias, Nabil"),
    # Dinka and Nuer
    culture("Deng, Majok, Gatluak, Mabior, Kuol", "Nyandeng, Abuk, Nyakim", "Bol, Garang, Chuol"),
    # Ugandan, Rwandan, Burundian
    culture("Ssemakula, Mugisha, Uwimana, Ndayishimiye, Tumwesigye", "Nalubega, Immaculée, Birungi", "Wasswa, Kizito, Innocent"),
    # Zambian and Malawian
    culture("Mwansa, Chisanga, Phiri-Banda, Mulenga, Gondwe", "Bwalya, Thoko, Mutinta", "Chilufya, Kondwani, Mabvuto"),
    # Namibian, Tswana, Sotho
    culture("Shikongo, Hamutenya, Kgosietsile, Mokoena", "Ndapewa, Boitumelo, Palesa", "Tuhafeni, Thabiso, Kagiso"),
    # Angolan and Mozambican
    culture("Chissano, Kiluanji, Machel, Quissanga-Lopo", "Graça, Zulmira, Celeste", "Agostinho, Nelito, Armando"),
    # Gambian, Sierra Leonean, Liberian
    culture("Jammeh, Ceesay, Sesay, Koroma, Wreh", "Fatoumatta, Isatou, Kadiatu", "Ebrima, Lamin, Alhaji"),
    # Hausa and Fulani
    culture("Danjuma, Yar'Adua, Gambo, Dankwambo", "Hadiza, Rakiya, Laraba", "Sani, Garba, Tanko"),
    # Nigerian and South Sudanese names that are words
    culture("Ekpo, Idahosa, Osagie, Efiong", "Blessing, Comfort, Precious, Gift", "Sunday, Friday, Goodluck, Lucky"),
    # Ewe and Cameroonian
    culture("Agbeko, Dzidzienyo, Fotso, Mbarga, Ngono", "Dzifa, Clarisse, Pélagie", "Elikem, Selorm, Achille"),
    # Malagasy and Mauritian
    culture("Rakotomalala, Razafindrakoto, Ramgoolam, Bissoondoyal", "Voahangy, Hanitra, Devika", "Solofo, Haja, Anerood"),
    # Ethiopian, Eritrean, Somali
    culture("Gebreselassie, Araya, Ghirmay, Farah, Jama Nur", "Almaz, Saba, Fardowsa", "Yonas, Filmon, Liban"),
    # Quechua, Aymara, Mapuche
    culture("Mamani, Quispe Condori, Huenchumilla, Choquehuanca", "Nayra, Sayen, Illari", "Nahuel, Amaru, Inti"),
    # Maya and Antillean
    culture("Tzul, Cux Ajanel, Canché, Figueroa-Cintrón, Betances", "Ixchel, Yareli, Altagracia", "Balam, Wilfredo, Nicanor"),
    # Of the River Plate and the Andes
    culture("Etchegaray, Monsalve, Ospina Cárdenas, Zambrano", "Milagros, Graciela, Rocío", "Facundo, Gonzalo, Efraín"),
    # Catalan, Galician, Azorean
    culture("Puigdomènech, Casadevall, Loureiro, Bettencourt, Medeiros", "Meritxell, Uxía, Filomena", "Oriol, Breixo, Aníbal"),
    # Sardinian and Sicilian
    culture("Piras, Deiana, Zuccarello, Scattolin, Di Benedetto", "Assunta, Gavina, Rosaria", "Efisio, Calogero, Gino"),
    # Flemish and Luxembourgish
    culture("Vanderstraeten, Claes, De Smedt, Delvaux, Schmitz-Thill", "Godelieve, Mieke, Josiane", "Lode, Jef, Fernand"),
    # Bavarian, Austrian, Low German
    culture("Hinterholzer, Obermüller, Brandstätter, Petersen-Lüth, Graf", "Kreszenz, Traudl, Wiebke", "Xaver, Sepp, Hinnerk"),
    # Danish, Faroese, Finnish
    culture("Kjærgaard, Thorup, Patursson, Wikström, Hämäläinen", "Birgitte, Marjun, Tuulikki", "Bent, Jógvan, Seppo"),
    # Baltic
    culture("Grigaitytė, Kalniņš, Põldmäe, Paulauskas", "Birutė, Velta, Liivi", "Algirdas, Gunārs, Tõnu"),
    # Czech and Polish
    culture("Vondráčková, Hrdlička, Wojtkowiak, Krzyżanowski, Nowotny", "Zdeňka, Danuta, Stanisława", "Ctirad, Ryszard, Leszek"),
    # Russian and Bukharan
    culture("Goryunova, Shcherbakov, Gurevich, Pinkhasov", "Raisa, Galina, Inessa", "Boris, Semyon, Lev"),
    # Greek and Hungarian
    culture("Karagiannopoulou, Stathakis, Vlachos, Kerekes, Balogh-Tóth", "Kalliope, Stamatia, Erzsébet", "Thanasis, Aristides, Lajos"),
    # Turkish
    culture("Kılıçdar, Erdoğmuş, Bozkurt, Tekeli", "Emine, Hatice, Nurgül", "Mehmet, Kadir, Orhan"),
    # Iranian and Armenian
    culture("Mirzakhani, Ghasemi, Moghaddam, Petrosyan-Nazarian", "Golnaz, Nasrin, Anahit", "Kamran, Farhad, Garen"),
    # Moroccan and Persian Jews
    culture("Abergel, Yehoshua-Peretz, Sasportas, Tsfati", "Ofra, Hadas, Yocheved", "Shlomi, Gidon, Avraham"),
    # Names that are words, of families
    culture("Block, Close, Coffin, Fine, Lines, Savage, Power, Self, Nurse", "Ginger, Carol, Robin, Penny", "Frank, Grant, Gene, Norm"),
    culture("Graves, Child, Still, Mass, Bland, Strong, Cave, Post, Root", "Mercy, Prudence, Constance, Fern", "Pierce, Rod, Lance, Basil"),
    culture("Rush, Heard, Sweet, Little, Cook, Swift, Fields, Blunt, Spence", "Hazel, Eve, Sandy, Honey", "Drew, Max, Heath, Dean"),
)  # fmt: skip
NICKNAMES = (
    "Smokey", "Tootsie", "Boots", "Corky", "Moose", "Mimi", "Peanut", "Stretch", "Fuzzy", "Teddy", "Big Mike", "Coach",
    "Lola", "Pops", "Jojo",
)  # fmt: skip

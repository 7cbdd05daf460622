"""Names of people who do not exist, for the part that a de-identifier is judged on."""

from __future__ import annotations

from leadapron.phantoms.planted.cultures import Culture, culture

CULTURES: tuple[Culture, ...] = (
    # West African
    culture(
        "Nwosu-Eze, Oyelaran, Agyekum, Owusu-Ansah, Fofana, Dembélé, Amoako, Uzodinma",
        "Oluchi, Adwoa, Titilayo, Mariama, Nkechinyere, Akosua",
        "Obinna, Kwaku, Adebowale, Souleymane, Ikenna, Kojo",
    ),
    # Nordic and Sami
    culture(
        "Guðmundsdóttir, Ångström, Sørlie, Räikkälä, Hætta, Nørregaard, Skjelbred",
        "Þórunn, Gunvor, Päivi, Máret, Solveig",
        "Øystein, Sigurbjörn, Väinö, Áilu",
    ),
    # Vietnamese
    culture(
        "Trịnh, Phùng, Đoàn, Tạ, Nghiêm, Khuất", "Mỹ Duyên, Ánh Tuyết, Diễm, Quyên", "Thanh Tùng, Vĩnh, Nhật Minh, Lộc"
    ),
    # Arabic
    culture(
        "al-Dosari, bin Thani, Abd al-Rahim, al-Zubaidi, el-Khatib, Bou Saab, al-Mutairi",
        "Ghada, Maysoon, Nawal, Raghad",
        "Faisal, Mutaz, Abd al-Karim, Ziyad",
    ),
    # Polish and Czech
    culture(
        "Wróblewska, Przybyszewski, Chrząszcz, Dąbrówka, Źdźbłowski, Řezníčková",
        "Małgorzata, Wiesława, Květa, Halszka",
        "Przemysław, Kazimierz, Radosław, Bořivoj",
    ),
    # Tamil and Sinhala
    culture(
        "Balasubramaniam, Ramanujachari, Manickavasagam, Wickramasinghe, Jeyaraj, Ekanayake",
        "Nachiyar, Vaishnavi, Dilrukshi, Thenmozhi",
        "Velmurugan, Anbuselvan, Sanjeewa, Pugazhendi",
    ),
    # Hawaiian and Samoan
    culture("Kapuniai, Nākoa, Tuiasosopo, Keawe, Faʻalogo, Kaʻaihue", "Kuʻulei, Malia, Sina", "Nainoa, Kekoa, Tavita"),
    # Basque
    culture(
        "Arrizabalaga, Iturriaga, Otxoa, Zumalacárregui, Beitia, Uriarte-Sagasti",
        "Garazi, Amaia, Leire, Haizea",
        "Aitor, Beñat, Koldo, Unai",
    ),
    # Georgian and Armenian
    culture(
        "Beridze, Lomtadze, Javakhishvili, Ter-Grigoryan, Khachikyan, Abashidze",
        "Natia, Manana, Arevik",
        "Davit, Tornike, Levan, Hrachya",
    ),
    # Navajo and Lakota
    culture(
        "Bitsui, Manygoats, Etsitty, Iron Cloud, Attakai, Two Bulls",
        "Shandiin, Yanaha, Winona",
        "Tsela, Niyol, Chaska",
    ),
    # Welsh and Cornish
    culture(
        "ab Owain, Llywarch, Bevan-Prys, Trelawny, Carew-Pole, Ynyr", "Ffion, Gwenllian, Heledd", "Rhodri, Gethin, Jago"
    ),
    # Turkish and Azeri
    culture(
        "Demirtaşoğlu, Kocabıyık, Ağaoğlu, Üstündağ, Əliyev, Sarıkaya",
        "Gönül, Şebnem, Ülkü, Yasemin",
        "Çağlar, Gökhan, Yavuz, Ümit",
    ),
    # Irish and Scottish
    culture(
        "O'Muircheartaigh, McIlwraith, Ní Bhriain, MacGhille, O'Dubhda, McConaughey-Burke",
        "Aoibheann, Muireann, Róisín, Catrìona",
        "Ruairí, Lorcán, Fearghal, Domhnall",
    ),
    # Dutch and Frisian
    culture(
        "van der Veldt, de Wijkerslooth, van 't Schip, ten Kate, Hoekstra-Bouma, van Oosterzee",
        "Sietske, Annelies, Wilhelmien",
        "Sjoerd, Ruurd, Lieuwe",
    ),
    # Spanish and Portuguese, with two family names
    culture(
        "Buendía Casares, Gonçalves Frazão, de los Santos Urbina, Irigoyen Solís, Trujillo-Henao",
        "María Fernanda, Conceição, Yolotzin",
        "Juan de Dios, Tlacaelel, Estêvão",
    ),
    # Chinese
    culture(
        "Shangguan, Zhuo, Qiao, Xie-Barnett, Dongfang, Weng", "Ruolan, Xiaoyan, Shuzhen", "Haoran, Yongsheng, Zixuan"
    ),
    # Korean and Japanese
    culture(
        "Dokgo, Jegal, Bae-Rhee, Ishimoto, Kurogane, Tsukamoto",
        "Soo-ah, Yuriko, Min-seo",
        "Jae-won, Kenshiro, Tae-yang",
    ),
    # Ethiopian, Eritrean and Somali
    culture(
        "Woldemichael, Habtemariam, Negash, Teklehaimanot, Warsame, Kidane-Ghebre",
        "Selamawit, Hodan, Tigist, Letebrhan",
        "Abdirahman, Kifle, Dereje, Berhane",
    ),
    # Names that are words
    culture(
        "Bone, Hart, White, Long, Hope, Day, Frost, Gray, Rivers, Bright, Marsh, Head, Chest, Wall, Cross",
        "Hope, April, Faith, Violet, Pearl, Autumn",
        "Art, Forest, Dale, Cliff, Royal",
    ),
)
NICKNAMES = (
    "Buzz",
    "Birdie",
    "Chickie",
    "Bubba",
    "Trixie",
    "Dutch",
    "Lefty",
    "Cookie",
    "Whitey",
    "Peaches",
    "Bo",
    "Doc",
)

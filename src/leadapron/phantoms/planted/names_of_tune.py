"""Names of people who do not exist, for the part that a de-identifier may be tuned on."""

from __future__ import annotations

from leadapron.phantoms.planted.cultures import Culture, culture

CULTURES: tuple[Culture, ...] = (
    # West African
    culture(
        "Onwuachi, Ekwueme, Tetteh-Quaye, Boakye, Sarpong, Ndiaye, Ogunbiyi, Adu-Gyamfi",
        "Ngozika, Abena, Folasade, Aminata, Ifeyinwa, Esi",
        "Chukwudi, Kwabena, Olumide, Babacar, Ebuka, Yaw",
    ),
    # Nordic
    culture(
        "Bjørnstad, Håkansdotter, Þorsteinsson, Kivimäki, Østergård, Virtala, Lindqvist-Aas",
        "Sigríður, Ragnhild, Aino, Bodil",
        "Torbjørn, Eetu, Halvard, Åke, Snorri",
    ),
    # Vietnamese
    culture(
        "Đặng, Huỳnh, Vương, Quách, Thái, Lương", "Thùy Linh, Bích Ngọc, Tuyết, Hạnh", "Quốc Bảo, Đức Huy, Trọng, Khôi"
    ),
    # Arabic
    culture(
        "al-Rashidi, bin Saqr, al-Qahtani, Abu Zayd, el-Masrouki, ibn Tariq, al-Hakami",
        "Shayma, Rukayya, Lubna, Hessa",
        "Mubarak, Haytham, Suhayl, Bassam",
    ),
    # Polish
    culture(
        "Brzęczyszczak, Szczepańska, Gołąbek, Trzebiatowska, Żurawski, Kościelniak",
        "Grażyna, Bożena, Elżbieta, Jadwiga",
        "Zbigniew, Mieczysław, Wojciech, Bogusław",
    ),
    # Tamil
    culture(
        "Thirunavukkarasu, Ponnusamy, Arunachalam, Kandasamy, Vaithilingam, Sivagnanam",
        "Kayalvizhi, Tamilselvi, Poongodi, Yazhini",
        "Senthamizh, Kumaravel, Ilango, Muthiah",
    ),
    # Hawaiian
    culture(
        "Kealoha, Nāone, Kahananui, Makuakāne, Kalaniʻōpua", "Keikilani, Puanani, Noelani", "Kawika, Ikaika, Makoa"
    ),
    # Basque
    culture(
        "Etxeberria, Goikoetxea, Urrutikoetxea, Zubizarreta, Aranburu, Mendizabal",
        "Nekane, Itziar, Ainhoa, Maialen",
        "Iker, Gorka, Eneko, Xabier",
    ),
    # Georgian
    culture(
        "Gelashvili, Chikovani, Tsereteli, Dzhugeli, Mchedlishvili, Kobakhia",
        "Tamta, Ketevan, Mzia",
        "Zurab, Gocha, Irakli, Vakhtang",
    ),
    # Navajo
    culture("Yazzie, Begaye, Tsosie, Benally, Nez, Tohannie", "Nizhoni, Dezbah, Haseya", "Ahiga, Bidziil, Hastiin"),
    # Welsh
    culture(
        "ap Rhydderch, Llewelyn, Cadwaladr, Penhallow, Trefusis, Gwilym-Rees",
        "Angharad, Myfanwy, Eluned, Tegwen",
        "Gruffydd, Emrys, Iorwerth, Meurig",
    ),
    # Turkish
    culture(
        "Karabulutoğlu, Özdemirci, Çelikkol, Günaydın, Şahbaz, Yıldızhan",
        "Gülşen, Nurcan, Sevgül, Çiğdem",
        "Oğuzhan, Tuğrul, Şükrü, İlker",
    ),
    # Irish
    culture(
        "O'Shaughnessy, McGillicuddy, Ó Ceallaigh, MacDonncha, O'Loughlin, McElhinney",
        "Gráinne, Caoilfhionn, Sadhbh, Bláthnaid",
        "Cathal, Diarmuid, Fiachra, Tadhg",
    ),
    # Dutch
    culture(
        "van der Zwaluw, ter Borch, van 't Hof, van den Heuvelink, Hoogendijk, op den Camp",
        "Femke, Marijke, Liesbeth",
        "Wouter, Joost, Gijsbert",
    ),
    # Spanish, with two family names
    culture(
        "Quiñones Arriaga, Echavarría Peña, de la Fuente Ibáñez, Zaldívar Ruiloba, Ocampo-Villaseñor",
        "Guadalupe Inés, Xiomara, Itzel",
        "Heriberto, Cuauhtémoc, Eliseo",
    ),
    # Chinese
    culture("Ouyang, Xue, Zhuge, Qiu, Sima, Fei", "Xiulan, Yuxuan, Meiqi", "Zhiqiang, Guowei, Jianhong"),
    # Korean
    culture(
        "Namgoong, Seonwoo, Hwangbo, Pyeon, Tak, Gwak", "Eun-ji, Hye-rin, Bo-ra", "Dong-hyun, Seung-woo, Chang-min"
    ),
    # Ethiopian
    culture(
        "Gebremariam, Wolde-Yohannes, Tesfamichael, Hailemariam, Asfaw, Bekele-Desta",
        "Tsehay, Mekdes, Azeb, Hirut",
        "Getachew, Mulugeta, Tewodros",
    ),
    # Names that are words
    culture(
        "May, Brown, Lung, Young, Price, Field, Stone, Rich, Winter, Sharp, Moon, Ward, Pace, Small",
        "Rose, Grace, Dawn, Joy, Ivy, Summer",
        "Rusty, Chance, Clay, Miles, Sterling",
    ),
)
NICKNAMES = ("Skip", "Dot", "Mitzi", "Babe", "Pinky", "Duke", "Tilly", "Sonny", "Red", "Bunny", "Ace", "Queenie")

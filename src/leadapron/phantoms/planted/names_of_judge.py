"""Names of people who do not exist, for the part that judges: nothing is written or fitted with a look at it."""

from __future__ import annotations

from leadapron.phantoms.planted.cultures import Culture, culture

CULTURES: tuple[Culture, ...] = (
    # North American, of every day
    culture(
        "Patterson, Whitfield, Jennings, Caldbeck, Hutchins, McAllister, Brubaker, St. Clair, Tillotson-Meeks",
        "Brenda, Kimberly, Tanya, Peggy Sue, Lorraine, Shaniqua",
        "Kevin, Dwayne, Roger, Billy Ray, Deshawn, Curtis",
    ),
    # Mexican and Central American
    culture(
        "Hernández, Ramírez Ochoa, Villalobos, Chávez-Montoya, del Valle, Sandoval, Xicohténcatl",
        "Esperanza, Marisol, Lupita, Blanca Estela",
        "Jesús, Rigoberto, Ángel, José Luis",
    ),
    # Hungarian, which writes the family first
    culture(
        "Szentgyörgyi, Nagypál, Kőszegi, Hegedűs, Vörösmarty, Csányi", "Ildikó, Zsuzsanna, Piroska", "Géza, Ödön, Zsolt"
    ),
    # Greek and Cypriot
    culture(
        "Papadimitrakopoulos, Xanthakis, Theodorou, Kyriakidis, Mavros, Tzanetakou",
        "Despina, Chrysoula, Evangelia",
        "Stavros, Panagiotis, Lefteris",
    ),
    # Romanian and Moldovan
    culture("Munteanu, Ștefănescu, Țurcanu, Dragomir, Bălan", "Ileana, Doina, Luminița", "Mircea, Bogdan, Răzvan"),
    # Filipino
    culture(
        "Macapagal, Dimaculangan, de Guzman, Catacutan, Batungbakal, Panganiban",
        "Maricel, Ligaya, Cherry Mae",
        "Rodrigo, Jun-Jun, Benigno",
    ),
    # Thai, Lao and Khmer
    culture(
        "Suwannarat, Chaiyasit, Phommachanh, Srisai, Keo-Oudom, Sokhom",
        "Siriporn, Bopha, Malaythong",
        "Somchai, Vichit, Sovann",
    ),
    # Hmong
    culture("Vang, Xiong, Moua, Thao, Vue-Lor", "Mai Kou, Pa Nhia, Yer", "Tou Ger, Chue, Pao"),
    # Persian, Afghan and Kurdish
    culture(
        "Hosseinzadeh, Tabatabaei, Golzari, Karzay, Barzinji, Mohammad-Khani",
        "Parvaneh, Shirin, Zohreh, Rojin",
        "Behrouz, Dariush, Najibullah, Siamak",
    ),
    # Punjabi and Gujarati
    culture(
        "Dhaliwal, Gill, Chaudhry, Ahluwalia, Desai, Brahmbhatt",
        "Harpreet Kaur, Jasleen, Hetal, Simran",
        "Gurpreet Singh, Balwinder, Jignesh, Kuldip",
    ),
    # Bengali and Nepali
    culture(
        "Mukhopadhyay, Bhattacharjee, Sarkar, Gurung, Thapa-Magar, Chakma",
        "Sharmistha, Ananya, Pabitra",
        "Debashish, Subrata, Tenzing",
    ),
    # Kenyan and Tanzanian
    culture(
        "Wanjiru-Kamau, Ochieng', Kipchumba, Mwakyusa, Nyambura, Otieno",
        "Wairimu, Akinyi, Neema, Chebet",
        "Kamande, Odhiambo, Juma, Baraka",
    ),
    # Zulu, Xhosa and Shona
    culture("Mkhize, Ngcobo, Dlamini, Mutasa, Nkomazana, Xaba", "Nomvula, Thandeka, Rutendo", "Sipho, Mandla, Tafadzwa"),
    # Congolese and Haitian
    culture(
        "Tshibangu, Ilunga, Jean-Baptiste, Toussaint, Desrosiers, wa Mulumba",
        "Marie-Ange, Fabiola, Mireille",
        "Wilner, Jean-Robert, Dieudonné",
    ),
    # Russian and Ukrainian
    culture(
        "Shevchuk, Tymoshchuk, Vorobyova, Ponomarenko, Lukashenok, Zakharov-Belsky",
        "Lyudmila, Oksana, Zinaida, Yevgenia",
        "Vyacheslav, Taras, Arkady, Gennady",
    ),
    # Serbian, Croatian and Bulgarian
    culture("Đukić, Vukašinović, Hrvatin, Karadzhova, Šimunović, Petkov", "Dragica, Snežana, Radka", "Zoran, Krešimir, Plamen"),
    # Lithuanian, Latvian and Estonian
    culture("Kazlauskienė, Jankūnas, Bērziņš, Ozoliņa, Tammsaar, Mägi", "Daiva, Ilze, Rasa", "Vytautas, Jānis, Priit"),
    # Italian
    culture("Dell'Acqua, Castiglione, Lo Presti, D'Amico, Fumagalli", "Concetta, Ornella, Giusy", "Gaetano, Pasquale, Renzo"),
    # French and Breton
    culture(
        "Lefèvre, Le Goff, Beauchemin, de Kermadec, Thibodeaux, Saint-Onge",
        "Geneviève, Solange, Anne-Laure",
        "Thierry, Yannick, Jean-François",
    ),
    # German and Swiss
    culture(
        "Schwarzenbach, von Hagenow, Hußmann, Zurbriggen, Köllner-Wendt, Pfaff",
        "Hannelore, Waltraud, Anneliese",
        "Jürgen, Detlef, Karl-Heinz",
    ),
    # Hebrew and Yiddish
    culture("Rosenzweig, Ben-Shimon, Mizrahi, Lifshitz, Kaplansky", "Shoshana, Malka, Bracha", "Menachem, Yitzhak, Mordechai"),
    # Brazilian and Cape Verdean
    culture(
        "Albuquerque, dos Anjos, Nascimento Brandão, Tavares-Pina, Falcão",
        "Jussara, Rosângela, Dulcineia",
        "Ubirajara, Wellington, Adilson",
    ),
    # Japanese
    culture("Fujiwara, Nakagawa, Ōtsuka, Shimizu, Hayashi-Ross", "Kazuko, Sachiko, Aiko", "Hiroshi, Takeshi, Shinji"),
    # Indonesian, Malay and Burmese
    culture("Hutagalung, Kusumawardhani, binti Osman, Wijaya, Simanjuntak, Htun", "Dewi, Siti Aminah, Khin", "Bambang, Agus, Zaw"),
    # Maori and Tongan
    culture("Parata, Te Whaiti, Ngata-Hēnare, Fifita, Taufa", "Aroha, Hinemoa, Mele", "Wiremu, Rangi, Sione"),
    # Ojibwe, Cherokee and Inuit
    culture("Whitefeather, Swimmer, Littlewolf, Nungak, Walkingstick", "Ayasha, Leotie, Alasie", "Waya, Miigwan, Putulik"),
    # Names that are words
    culture(
        "Burns, Waters, Case, Early, Low, Hand, Wells, Noble, Blood, Gross, Large, Best, Back, Short, Wise, Temple",
        "Crystal, Melody, June, Amber, Olive, Iris, Patience",
        "Will, Mark, Bill, Hunter, Guy, Major, Rock",
    ),
)  # fmt: skip
NICKNAMES = (
    "Bud", "Sissy", "Tex", "Junior", "Pepper", "Gigi", "Chip", "Nana", "Slim", "Kitty", "Mac", "Poppy", "Big Al",
)  # fmt: skip

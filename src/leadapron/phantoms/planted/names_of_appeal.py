"""Names of people who do not exist, for the part on which a verdict may be appealed against."""

from __future__ import annotations

from leadapron.phantoms.planted.cultures import Culture, culture

CULTURES: tuple[Culture, ...] = (
    # English-speaking, of many families
    culture(
        "Abernathy, Haskell, Pemberton, Ridgeway, Tillman, Vickers, Crenshaw, Dunleavy, Forsythe, Garrison, Hollister, Kimbrough, Langley, Mayfield, Prescott, Rutledge, Thackeray, Underwood, Wainwright, Yarborough, Ashworth, Bainbridge, Cartwright, Dalrymple, Eastwood, Farnsworth, Gladstone, Hathaway, Kettering, Mercer, Ogden, Beauchamp, Chambers, Dawkins, Ellison, Fitzgibbon",
        "Deborah, Marlene, Candace, Rhonda, Tabitha, Gwendolyn, Joanna, Nadine, Paula, Roberta, Sharon, Tamara, Vivian, Yvonne, Beverly, Cynthia, Harriet, Imogen",
        "Bradley, Derek, Everett, Gregory, Harvey, Jeremy, Kenneth, Leonard, Malcolm, Nathaniel, Preston, Randall, Stanley, Terrence, Wallace, Clifford, Douglas, Franklin, Gordon, Lester",
    ),
    # names that are words
    culture(
        "Bell, Lamb, Peacock, Cotton, Stout, Shields, Battle, Speed, Gamble, Beach, Bishop, Drinkwater, Farrow, Hardy, Cage, Grave, Shakes, Fairchild, Loop, Legg, Doolittle, Merriman",
        "Candy, Misty, Sunny, Charity, Daisy, Clementine, Destiny, Opal",
        "Chase, Colt, Rex, Buck, Jay, Forrest, Christian, Ray",
    ),
    # German
    culture(
        "Brinkmann, Hoffmeister, Kretschmer, Lautenschläger, Schellenberg, Wiesinger, Oberhuber, Pfeiffer-Lang, Niedermayer, Gräfe, Ullrich, Vogelsang, Zimmerling, Kühnel, Rademacher, Strohmeyer, Tiedemann, von Arnsberg, Eickhoff, Dornbusch, Sauerwein, Hüttner, Bösch, Möllenkamp, Fassbender",
        "Annegret, Brigitte, Friederike, Ingeborg, Katharina, Liselotte, Mechthild, Renate, Sieglinde, Ulrike, Heike, Silke",
        "Burkhard, Ekkehard, Gerhard, Hartmut, Klaus-Dieter, Lothar, Norbert, Reinhold, Siegfried, Uwe, Volker, Wilfried, Thorsten",
    ),
    # Hindi and Punjabi
    culture(
        "Bhatnagar, Chaturvedi, Dhillon, Khurana, Malhotra, Saxena, Srivastava, Tripathi, Grewal, Sandhu, Bakshi, Chopra, Juneja, Mathur, Rastogi, Shekhawat, Sehgal, Vohra",
        "Aarti, Bhavna, Deepika, Jaswinder, Kiran, Mandeep, Neelam, Poonam, Rekha, Sunita, Vandana",
        "Amarjit, Devendra, Gurdeep, Jagdish, Lakhbir, Mohinder, Naresh, Pradeep, Rajinder, Vikram",
    ),
    # South Indian
    culture(
        "Balasubramanian, Chandrasekaran, Gopalakrishnan, Hegde, Kurian, Menon, Namboothiri, Padmanabhan, Raghunathan, Venkataraman, Shetty, Reddy, Narayanaswamy, Oommen, Jayaraman, Kutty, Bhat",
        "Ambika, Jayalakshmi, Lalitha, Meenakshi, Padma, Revathi, Saraswathi, Sreedevi, Vasantha, Anju",
        "Anand, Ganesh, Hariharan, Krishnan, Mohanan, Prakash, Rajesh, Suresh, Venkatesh, Shivakumar",
    ),
    # Bengali, Gujarati and Marathi
    culture(
        "Chattopadhyay, Mukherjee, Bandyopadhyay, Sengupta, Patwardhan, Gokhale, Parikh, Vaidya, Trivedi, Jhaveri, Shinde, Mehta, Dutta, Ghoshal",
        "Jyotsna, Madhuri, Nandini, Sharmila, Snehal, Urmila, Bhavika, Mitali",
        "Arindam, Bhaskar, Chirag, Dipankar, Hemant, Milind, Nitin, Sachin, Tushar, Utpal",
    ),
    # Pakistani
    culture(
        "Qureshi, Bhutta, Siddiqui, Rehmani, Abbasi, Niazi, Durrani, Kayani, Mirza, Gilani, Khokhar, Awan, Bukhari",
        "Fauzia, Mehwish, Rabia, Saima, Shazia, Uzma, Zubaida, Nighat",
        "Asif, Imran, Kashif, Nadeem, Shahid, Tahir, Waqar, Zafar, Irfan",
    ),
    # Nigerian
    culture(
        "Adeyemi, Okonkwo, Balogun, Chukwuemeka, Ezeokafor, Obasanya, Olatunji, Nwachukwu, Igwe, Akinwande, Uzoma, Abubakar, Okafor-Bello, Fashola, Adebayo, Odunsi, Eze, Onyekachi, Afolabi, Ikpeazu, Umeh",
        "Adaeze, Bukola, Chiamaka, Ebele, Funmilayo, Hauwa, Nkechi, Omotola, Temitope, Uche, Yetunde, Zainab",
        "Adewale, Babatunde, Chinedu, Emeka, Femi, Gbenga, Kelechi, Musa, Nnamdi, Rotimi, Segun, Tunde, Yakubu",
    ),
    # Filipino
    culture(
        "Magsaysay, Bautista, Macaraeg, Dela Cruz, Manalo, Sumulong, Tolentino, Villanueva, Pangilinan, Buenaventura, Salonga, Gatdula, Mangubat, de los Reyes, Quijano",
        "Rowena, Marites, Corazon, Analyn, Girlie, Perlita, Remedios, Rosalinda",
        "Jomar, Reynaldo, Danilo, Edgardo, Florante, Nestor, Renato, Arnel, Bienvenido",
    ),
    # Brazilian and Portuguese
    culture(
        "Cavalcanti, Figueiredo, Guimarães, Vasconcelos, Siqueira, Teixeira, Drummond, Moreira Sales, Bittencourt, Magalhães, Pinheiro, Quintanilha, Rezende, Seixas, Leitão",
        "Adriana, Benedita, Fabiana, Iracema, Luciana, Marlúcia, Tatiane, Vanessa, Lurdes",
        "Cláudio, Edson, Fábio, Gilberto, Joaquim, Leandro, Márcio, Osvaldo, Raimundo, Thiago, Wagner, Vinícius",
    ),
    # Arabic
    culture(
        "Abdelrahman, al-Harbi, Barakat, El-Sayed, Fakhoury, Ghanem, Khalil, Mansour, Nasrallah, al-Otaibi, Sabbagh, Shaheen, Zaki, Hijazi, Darwish, Elgendy, Kanaan, Tannous, al Najjar",
        "Amal, Dalal, Hanan, Iman, Khadija, Layla, Maha, Rania, Samira, Wafaa, Zahra",
        "Abdullah, Bilal, Faris, Hassan, Ibrahim, Jamal, Khaled, Mahmoud, Omar, Rashad, Sami, Tareq, Yousef, Ziad, Walid",
    ),
    # Iranian
    culture(
        "Ahmadinia, Farahani, Golestani, Karimi, Mousavi, Rostami, Tehrani, Yazdani, Shirazi, Ebrahimi",
        "Azadeh, Farzaneh, Mahnaz, Parisa, Roya",
        "Arash, Bijan, Hooshang, Kaveh, Mehrdad, Ramin",
    ),
    # Spanish-speaking
    culture(
        "Aguilar, Benavides, Cisneros, Dominguez, Escobedo, Fuentes, Gallegos, Huerta, Jaramillo, Ledesma, Maldonado, Navarrete, Orozco, Palacios, Quintero, Rosales, Valenzuela, Zamora, Montes de Oca, Peralta-Cruz, Carrasco Vega",
        "Alejandra, Beatriz, Consuelo, Dolores, Leticia, Norma, Pilar, Raquel, Socorro, Yolanda",
        "Alfredo, Baltazar, Fernando, Gerardo, Humberto, Ignacio, Lázaro, Octavio, Ramiro, Salvador, Ulises",
    ),
    # Italian
    culture(
        "Bellomo, Cacciatore, D'Agostino, Esposito, Ferraro, Giordano, Lombardi, Mastroianni, Pellegrini, Quattrocchi, Santangelo, Tagliaferri, Vitale, Zanetti, De Luca",
        "Antonella, Carmela, Donatella, Giuseppina, Loredana",
        "Cosimo, Domenico, Enzo, Luigi, Rocco, Vito, Salvatore",
    ),
    # French and Haitian
    culture(
        "Archambault, Boisvert, Charpentier, Fontaine, Lachance, Marchand, Pelletier, Rousseau, St-Laurent, Vaillancourt, Duvalier, Lefebvre",
        "Bernadette, Chantal, Élodie, Thérèse, Odette",
        "Antoine, Benoît, Émile, Marcel, Yves",
    ),
    # Slavic
    culture(
        "Baranowski, Dvorak, Fedorenko, Havel, Ivanchenko, Jankowski, Kovalenko, Lysenko, Milosevic, Novotny, Petrenko, Radic, Shevchenko, Tkachuk, Volkova, Zelenka, Markovic, Stojanov, Wisniewski, Bondarenko",
        "Anastasia, Halina, Irina, Jelena, Ljudmila, Milena, Natalya, Svetlana, Vesna, Zuzana",
        "Aleksandr, Bohdan, Dmitri, Goran, Igor, Jaroslav, Miroslav, Nikolai, Oleksiy, Stanislav, Vladimir",
    ),
    # Greek
    culture(
        "Papadopoulos, Economou, Karagiannis, Stavropoulos, Hatzis, Anagnostou, Theodorakis",
        "Calliope, Eleni, Stavroula, Vasiliki, Paraskevi, Athanasia",
        "Apostolos, Dimitrios, Konstantinos, Spyros, Stelios",
    ),
    # Armenian
    culture(
        "Manoukian, Sarkissian, Bedrosian, Hagopian, Terzian, Keshishian",
        "Siranush, Arpi, Nairi, Hasmik",
        "Garabed, Vartan, Hagop, Krikor, Ara",
    ),
    # Romanian
    culture(
        "Popescu, Ionescu, Dumitru, Vasilescu, Constantinescu, Ungureanu",
        "Mihaela, Rodica, Lavinia, Roxana",
        "Gheorghe, Costel, Florin, Marius",
    ),
    # Hungarian
    culture(
        "Bálint, Fekete, Kertész, Molnár, Szabóné, Szilágyi, Horváthné, Bodnár",
        "Zsófia, Etelka",
        "Attila, Ferenc, Zoltán, Gyula, Béla",
    ),
    # Chinese, Mandarin
    culture(
        "Zhao, Guo, Jiang, Shen, Pan, Tian, Wei",
        "Lihua, Jing, Hui-fen, Yanping, Xiuying, Shu-fen",
        "Jianguo, Ming-hsien, Wenbin, Yong, Zhijun",
    ),
    # Chinese, Cantonese
    culture(
        "Leung, Cheung, Fong, Tsang, Lau, Mak",
        "Suk-yee, Ka-yan, Pui-shan, Lai-kuen",
        "Tze-ho, Siu-ming, Ka-fai",
    ),
    # Japanese
    culture(
        "Hashimoto, Kobayashi, Matsuda, Takeuchi, Uchida, Yoshimura, Fujioka, Ishikawa",
        "Akiko, Chiyoko, Haruka, Michiko, Noriko, Yoshiko",
        "Daisuke, Kenji, Masao, Shigeru, Takashi",
    ),
    # Korean
    culture(
        "Bae, Noh, Seo, Yim, Hwang, Jeong, Kwon, Shim",
        "Soo-jin, Ji-hye",
        "Woo-sik, Kwang-soo, Jin-ho",
    ),
    # Vietnamese
    culture(
        "Ngo, Truong, Phan, Doan, Cao, Bui, Mai, Dinh, Lam",
        "Kim-Anh, Phuong, Yen, Thu Trang",
        "Duc, Quang, Tuan, Hoang Nam, Hung, Cuong",
    ),
    # East African and Somali
    culture(
        "Mwangi, Njoroge, Hirsi, Kiprotich, Nabwire, Mutesasira",
        "Achieng, Wambui, Ifrah, Nyokabi, Sahra",
        "Kimani, Barasa, Kipchoge, Abdi, Wekesa",
    ),
    # Jewish
    culture(
        "Abramowitz, Ben-Ami, Feldstein, Goldfarb, Horowitz, Lieberman, Perlmutter, Rabinovich, Shapira, Teitelbaum, Wasserman",
        "Avital, Chaya, Hadassah, Miriam, Rivka, Tova, Yael",
        "Moshe, Yossi, Eliezer, Shlomo, Zev",
    ),
    # Scots
    culture(
        "Abercrombie, Buchanan, Carruthers, Drysdale, Farquharson, Galbraith, MacAllister, McCorquodale, Ogilvie, Sutherland, McKechnie, MacPhail",
        "Ailsa, Fiona, Isla, Moira, Senga",
        "Alasdair, Callum, Fergus, Hamish, Lachlan, Struan",
    ),
    # Black American
    culture(
        "Booker, Gaines, Hairston, Merriweather, Pettway, Roundtree, Singletary, Stallworth, Witherspoon",
        "LaTonya, Shanice, Tanisha, Ebony, Aaliyah",
        "Darnell, Jamarcus, DeAndre, Marquis, Terrell",
    ),
    # American, much as in any telephone book
    culture(
        "Adkins, Barton, Bowers, Bradshaw, Carver, Conley, Dalton, Dickerson, Farley, Goodwin, Hampshire, Hendrickson, Holcomb, Jenkins, Kirkland, Lawson, Lockhart, Manning, McBride, McCarty, Norris, Pearson, Pruett, Ramsey, Sawyer, Simmons, Stanton, Sweeney, Tate, Thornton, Vaughn, Watkins, Weaver, Whitaker, Woodard, Yates",
        "Andrea, Angela, Barbara, Carla, Christine, Denise, Donna, Ellen, Erica, Gloria, Heather, Janet, Jessica, Judith, Kathleen, Lisa, Lynn, Melissa, Michelle, Nicole, Pamela, Rebecca, Sandra, Stephanie, Theresa, Tiffany, Tracy",
        "Aaron, Albert, Andrew, Anthony, Benjamin, Brian, Charles, Craig, Dennis, Donald, Edward, Eric, Gary, Harold, Jason, Jeffrey, Joseph, Joshua, Keith, Larry, Lawrence, Matthew, Michael, Nicholas, Patrick, Philip, Raymond, Ronald, Scott, Stephen, Timothy, Todd, Zachary",
    ),
    # American, of the East and the South
    culture(
        "Alderman, Ballard, Blankenship, Calhoun, Chastain, Culpepper, Deloach, Guidry, Hargrove, Hollingsworth, Kilpatrick, Ledbetter, Mabry, McClendon, Oglesby, Pickering, Ragsdale, Scarborough, Satterfield, Tidwell, Upchurch, Vandiver, Whitlock, Yancey",
        "Annabelle, Arlene, Bonnie, Charlotte, Doris, Eunice, Florence, Geraldine, Henrietta, Josephine, Lucille, Mabel, Maxine, Myrtle, Naomi, Ruby, Thelma, Winifred",
        "Alton, Bobby Ray, Cecil, Dwight, Earl, Elmer, Floyd, Herschel, Homer, Jerome, Luther, Marvin, Melvin, Orville, Percy, Roscoe, Rufus, Sherman, Thurman, Virgil, Wendell, Woodrow",
    ),
    # British
    culture(
        "Ackroyd, Barraclough, Clegg, Dyson, Eccles, Fairbanks, Greenhalgh, Higginbotham, Ingham, Jessop, Kirkby, Longbottom, Midgley, Nuttall, Openshaw, Pickersgill, Ramsbottom, Shuttleworth, Tattersall, Uttley, Wolstenholme",
        "Beryl, Daphne, Edith, Enid, Gillian, Hilary, Jacqueline, Lesley, Maureen, Pauline, Sheila, Vera",
        "Alistair, Barnaby, Clive, Desmond, Ernest, Giles, Graham, Hugh, Nigel, Rupert, Trevor",
    ),
)
NICKNAMES = (
    "Buddy", "Lolo", "Chuy", "Tito", "Moe", "Fritz", "Hansi", "Bibi", "Dodo", "Uschi", "Pepe", "Nonna", "Butch", "Babu", "Guddi", "Zé", "Zuca", "Scotty", "Ollie", "Winnie", "Mickey", "Betty", "Bob", "Jim", "Kathy", "Liz", "Maggie", "Ron", "Sue", "Ted", "Tom", "Vicky", "Hank", "Chuck", "Patsy", "Ned",
)  # fmt: skip

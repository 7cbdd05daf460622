"""Numbers, addresses and houses of the part that judges.

The signs in a shape and the ranges of numbers are those of ``shapes_of_tune``.
"""

from __future__ import annotations

SHAPES: dict[str, tuple[str, ...]] = {
    "mrn": ("%#######", "E%######", "@@@-%#####", "%##-##-##-#", "MR%####/YY", "%#####@", "%# ## ## ##", "000%#####"),
    "accession": ("DX-YYYY-######", "%########", "YYYY-CR-%###", "XR%####/YY", "@@%#########", "E%#######-@", "%##-YY-%####"),
    "account": ("HSP%#######", "%##-%####-%##", "CSN |%########", "P%########", "INV-YY-%###", "%### %### %###"),
    "plan": ("%@##@##@@##", "@@@@%######", "%## ### ####", "MCD-%#######", "GRP |%####-@", "@%########/##"),
    "ssn": ("%##/##/####", "%## - ## - ####", "ending in |####", "xxx-xx-####", "@@ ## ## ## @", "%##.%##.%##-##"),
    "licence": ("ME%#####", "GMC |%######", "DEA |@@%######", "%#####-@", "DO.%####", "@@##-##-####"),
    "vehicle": ("@@## @@@", "@@-@@ ###", "%###-@@@", "@@ ## @@ ####", "@@@ %@##", "@%#-###"),
    "device": ("LOT |@#####", "%######@@", "(21)%#########", "ZX-%###-%###", "@##@####", "%##/%####", "@@%####-#"),
    "id": ("SUBJ-###-####", "REQ%######", "YYYY/####/@", "1.2.840.99999.%.%####.%####", "@@@_%###", "EMP |##%##"),
    "phone": ("(%##)-555-01##", "%## - 555 - 01##", "+1-%##-555-01##", "%##-555-01## x%#", "%##/555/01##", "+1%##55501##",
              "1.%##.555.01##", "(01632) 960 ###", "07700 900###", "+33 6 39 98 ## ##", "0171 39200##", "031-390 06 ##",
              "5-01##"),
    "pager": ("%####", "x%###", "%##-%###", "bleep |%##"),
    "fax": ("(%##)55501##", "%##-55501##", "01632 960###", "+49 69 90009 ###", "%## 55501##"),
    "ip": ("192.168.%#.%#", "10.0.%.1##", "2001:db8:a%::%f", "198.51.100.%#:104", "172.31.%.%#"),
    "zip": ("0%###", "9%###", "3%###-####", "@@%# %@@"),
}  # fmt: skip
HOSPITALS = (
    "Vantage Peak Medical Group", "Holy Rood Hospice", "Dunnock Lane Surgery", "Ravenscombe Royal", "Torvane",
    "Silver Birch Rehabilitation Hospital", "Ospedale San Gervaso", "Klinikum Haldensee", "Kessock Sands Children's",
    "Blue Heron Open MRI", "Ivesworth Cancer Center", "Ste-Odile", "Penmarrick Health System", "KSMH",
    "Adelphine Cottage Hospital", "Zion Gate VA", "Lakeshorn Diagnostic Partners", "Good Shepherd of Orrin",
    "Eastlow", "University of South Caldera",
)  # fmt: skip
WARDS = (
    "Weatherby Day Surgery", "Lambourne 3", "Ketteridge", "the Oduya Burn Center", "Bramble Ward", "Fitzalan House",
    "Haldane ICU", "Goldcrest Clinic B",
)  # fmt: skip
COMPANIES = (
    "Hartnoll Boatworks",
    "Quickstep Logistics",
    "Marchesini Tile & Marble",
    "Sundowner Feedlot",
    "Orrin Valley Coal",
    "Zebedee Electric",
)
STREETS = (
    "Applegarth Close", "Old Post Rd East", "Farm to Market 1187", "Crow Hill", "Quai aux Tanneurs", "Sparrow Wynd",
    "Northolme Sq", "31st Avenue NW", "Copperfield Mews", "Via Lucertola", "Highway 61 South", "Tulip Tree Trail",
    "Kapellenweg", "Paseo del Sauce", "Broadway", "Pumphouse Pkwy",
)  # fmt: skip
TOWNS = (
    ("Tehachapi", "CA"), ("Ronkonkoma", "New York"), ("Sault Ste. Marie", "MI"), ("Truth or Consequences", "NM"),
    ("Bucyrus", "Ohio"), ("Ponchatoula", "LA"), ("Coeur d'Alene", "Idaho"), ("Mobile", "AL"), ("Normal", "IL"),
    ("Moose Jaw", "SK"), ("Wagga Wagga", "NSW"), ("Ballinasloe", "Co. Galway"), ("Thiruvalla", "Kerala"),
    ("Stow-on-the-Wold", "Glos."), ("Left Hand", "WV"), ("Saginaw", "Michigan"), ("Arecibo", "PR"),
)  # fmt: skip
DOMAINS = ("torvane.example", "ravenscombe.example.com", "ste-odile.example", "mail.vantagepeak.example", "example.edu")
PATHS = (
    "https://{}/s/%@#@%@",
    "pacs01.{}:8080/study/%####",
    "{}/portal?mrn=%######",
    "ftp://files.{}/incoming",
    "www2.{}/my",
)
MAILBOXES = (
    "{initial}.{family}",
    "{family}{initial}",
    "{given}{family}%#",
    "{family}-{given}",
    "{given}.{family}.rn",
    "x{family}",
)

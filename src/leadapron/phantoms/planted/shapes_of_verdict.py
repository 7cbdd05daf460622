"""Numbers, addresses and houses of the part that a finished de-identifier is judged on once.

The signs in a shape and the ranges of numbers are those of ``shapes_of_tune``.
"""

from __future__ import annotations

SHAPES: dict[str, tuple[str, ...]] = {
    "mrn": ("K-%######", "%##-###-###", "%######-%", "U%#####-##", "@#@####", "%### ####", "#%#-#%-##%", "SV%######", "%####-@@", "##%######"),
    "accession": ("%######-YY", "CR/YYYY/%###", "@YY-%######", "%###-@@-####", "RXYY/%#####", "BMC%#######", "YY@@#####", "YYYY%#######", "%#####_@"),
    "account": ("%#######-###", "HB%########", "F%#####-#", "GTR%######", "V-%#######", "Q%########-##", "%####.%###", "#%##########"),
    "plan": ("%@#% @#% @@##", "YPP%########", "U%#######01", "%###-###-###-@@", "@@@%##@%####", "@#########", "%##-%#####-%", "ZB%##### ##"),
    "ssn": ("%#0%1#-####", "last four |####", "%## %## %###", "% ## 0% 1# ### ### ##", "%### #### ####", "%##_##_####", "%##-##-#### @", "###-##-XXXX"),
    "licence": ("L%#####", "61%####", "%##.%######", "IMC-%#####", "TX-@%####", "@%##-%###-%###-##", "@@@@@%#####@@%@@", "RRT%#####", "S-%###-%"),
    "vehicle": ("@@@ %###", "@@@-@@ %##", "@@ %## @@", "@@-%##-@@", "%-@@@-%##", "@@@%@##", "%### @@@", "%@@ @##"),
    "device": ("%@%@%###", "@@-%#####-@", "A%#####-%", "%####.%###.@", "G%##-%#####", "ICD%#####-@@", "(01)00%##########", "@#@#@#%##", "NV%#### %###"),
    "id": ("PT-%###-%##", "@@@@-%###", "VOL%####", "#%##/@@/YY", "HCP-%#####", "R-YYYY-%###", "2.25.%##################", "@@@%##@", "TKT %#####"),
    "phone": ("%## 555-01##", "(%##) 555 01##", "1 (%##) 555-01##", "+1 %## 555 01##", "+1.%##.555.01##", "%##–555–01##",
              "%##-555-01## ext%##", "555 01##", "020 7946 0###", "0113 496 0###", "+44 (0)7700 900###", "0491 570 ###",
              "(03) 5550 %###", "01 99 00 ## ##", "+33 (0)6 39 98 ## ##", "040/66969-%##", "070-174 06 %#"),
    "pager": ("#%##", "*%###", "7-%###", "DECT |%####", "Vocera |%####", "%%-%##"),
    "fax": ("(%##) 555.01##", "+1 %##.555.01##", "0141 496 0###", "%##–555–01##", "1/%##/555-01##", "+33 (0)1 99 00 ## ##"),
    "ip": ("10.1##.%.%#", "192.168.1##.2%", "100.64.%#.1##", "169.254.%#.%#", "198.18.%#.%#", "203.0.113.1##", "fd00:%#::1%:%", "192.0.2.1##:11112"),
    "zip": ("7####", "4%###-%###", "6####", "1%###"),
}  # fmt: skip
HOSPITALS = (
    "Calloway-Finch Medical Center", "Port Amity General", "St. Eadnoth Hospital", "Hôtel-Dieu de Brévaux", "Ardmoyle",
    "Policlinico San Teodulo", "Hospital Nuestra Señora de las Aguas", "Sykehuset Nordvågen", "Gopalan Memorial",
    "Two Elk Indian Health Center", "Copper Basin Surgery Center", "Larchmere Cancer Institute", "Sand Draw VAMC",
    "Dovetail Imaging LLC", "Quayside MRI", "Bremworth NHS Foundation Trust", "PBRMC", "University Hospital of Carrow",
    "Westerhaven", "Fernhollow Women's & Children's", "Spital Oberwiesen", "Temple Beth-Oren Home for the Aged",
    "Tri-Valley Chest Clinic", "Uplands", "Immanuel Lutheran of Brisby",
)  # fmt: skip
WARDS = (
    "Ellingham Ward", "7 Thackeray", "Maple Court", "the Rosenblum Pavilion", "Kittiwake Bay", "Tresco Ward",
    "Nevis 2B", "Lister Day Unit", "Penrose Unit", "the Vandermeer NICU", "Juniper Lodge",
)  # fmt: skip
COMPANIES = (
    "Bannock Rail Yard", "Teller & Sons Roofing", "Amity Egg Farm", "Vossberg Chemicals", "Lindgren Cabinetry",
    "Rio Seco Mining", "Dockside Fish Co-op", "Northern Tier Sawmill", "Hinckley Granite Works", "Zephyr Couriers",
)  # fmt: skip
STREETS = (
    "Wapato Spur", "State Hwy 46 N", "Calle Ocho", "Jalan Cempaka", "S. Galena Trce", "Dogleg Run", "Corduroy Bend",
    "NE 188th Pl", "Chapel Brow", "Station Approach", "Ringstraße", "Lower Quarry Walk", "Kings Crescent", "US-2",
    "Plaza del Mercado", "Rural Route 3 Box 40", "Rua do Moinho", "Whippoorwill Holw", "Vine Alley", "M. L. King Jr. Blvd",
)  # fmt: skip
TOWNS = (
    ("Wapakoneta", "OH"), ("Natchitoches", "Louisiana"), ("Yreka", "CA"), ("Kalispell", "MT"), ("Weehawken", "NJ"),
    ("Okeechobee", "FL"), ("Cut Bank", "Montana"), ("Hurricane", "WV"), ("Reading", "PA"), ("Battle Creek", "MI"),
    ("Bend", "Oregon"), ("Beaver Dam", "WI"), ("Rolling Fork", "MS"), ("Hazard", "KY"), ("Cold Spring", "NY"),
    ("Bad Axe", "MI"), ("Oaxaca", "Mexico"), ("Ipoh", "Malaysia"), ("Pescara", "Italy"), ("Quimper", "France"),
    ("Chiang Rai", "Thailand"), ("Poltava", "Ukraine"), ("Rovaniemi", "Finland"), ("Lugo", "Spain"), ("Ocracoke", "N.C."),
)  # fmt: skip
DOMAINS = ("calloway-finch.example", "portamity.example.org", "quaysidemri.example", "bremworth.nhs.example", "inbox.example.net", "chu-brevaux.example")  # fmt: skip
PATHS = (
    "https://{}/v/%#@@#?acc=%#####",
    "share.{}/dl/@@@%##",
    "m.{}/results.aspx?id=%####",
    "http://{}:8042/app/explorer.html",
    "{}/r/%@%@",
    "https://imaging.{}/link/%###-%###",
)
MAILBOXES = (
    "{family}.{given}",
    "{initial}{family}-md",
    "{given}_%##",
    "{given}{initial}%",
    "{initial}_{family}##",
    "nana.{given}",
    "{family}family%###",
)

"""Numbers, addresses and houses of the part that a de-identifier is judged on.

The signs in a shape and the ranges of numbers are those of ``shapes_of_tune``.
"""

from __future__ import annotations

SHAPES: dict[str, tuple[str, ...]] = {
    "mrn": ("%#####", "H%#######", "##-##-##", "%## ### ###", "%####-#", "@%###-####", "00########"),
    "accession": ("YY-%#####", "@@@YY%####", "S%#######-1", "%###.######", "YYYY%######CR"),
    "account": ("%#########", "G-%######", "HAR |%######", "%####/######", "AC%###-%###"),
    "plan": ("W%####-#####", "@%## ### ###", "%#######-##", "HMO%########", "@@%@#-@@%-@@##"),
    "ssn": ("%##.##.####", "%########", "***-**-####", "%##–##–####"),
    "licence": ("A-%####", "@@@%##-##-####", "NPI |%#########", "C%#######"),
    "vehicle": ("@@%###@", "@@@ ###", "%##-@@@", "%@%@@%#@#@@######"),
    "device": ("BLC%#####@", "%######-###", "@%@######", "SN |%####@####", "@@@%##.####"),
    "id": ("CASE |%##-###", "@@-%####-YY", "TRIAL-%##-@@#", "0x%@#@%#", "ORD%#########"),
    "phone": ("%##/555-01##", "(%##)555-01##", "%## 555-01##, ext %###", "+1 (%##) 555 01##", "+33 1 99 00 ## ##",
              "+46 8 465 004 ##", "+61 2 5550 %###", "555.01##", "001-%##-555-01##", "%##55501##"),
    "pager": ("%## 555 01##", "%###", "beeper |%###-#"),
    "fax": ("%##.555.01##", "1 %## 555 01##", "+353 20 910 %###"),
    "ip": ("198.51.100.%#", "203.0.113.%##", "172.16.%#.%##", "fe80::%@##:%#@"),
    "zip": ("#%### %###", "@#@ #@#", "%####"),
}  # fmt: skip
HOSPITALS = (
    "Saint Wulfric's Hospital", "Pinnacle Ridge Regional", "Amberley Down", "Fox Hollow Community Hospital",
    "Our Lady of the Fens", "Bellwether Radiology Associates", "Quarry Heights Heart Institute", "Clínica Valdehermosa",
    "Northgate Veterans Home", "Thornapple", "Mercy-Delacroix", "Little Egret Pediatrics", "Strand & Holloway Imaging",
    "Krankenhaus Erlengrund-Süd", "Gannet Rock Nursing Center", "Driftwood Urgent Care",
)  # fmt: skip
WARDS = ("Pemberton 6", "Rosalind Wing", "the Abernethy Suite", "Nightjar Unit", "Station Müller", "Caldwell Tower")
COMPANIES = (
    "Halvorsen Shipyard",
    "Greywether Quarry",
    "Tidewell Poultry",
    "Castellan Brake & Clutch",
    "Mossbank Dairy",
)
STREETS = (
    "Heron's Gate", "Buttonwood Pl.", "County Road 517", "Rue des Glaïeuls", "SE Larch Terrace", "Avenida Tórtola",
    "Peddlers Row", "Upper Weir Lane", "Birdsong Cir", "E. 83rd St", "Lindenallee", "Pike", "Cannery Wharf",
)  # fmt: skip
TOWNS = (
    ("Skowhegan", "ME"), ("Nacogdoches", "Texas"), ("Puyallup", "WA"), ("Tuba City", "AZ"), ("Schenevus", "NY"),
    ("Kealakekua", "Hawaii"), ("Winnemucca", "NV"), ("Ville Platte", "LA"), ("Toccoa", "GA"), ("Hot Coffee", "MS"),
    ("Kotzebue", "Alaska"), ("Monongahela", "PA"), ("Wewahitchka", "FL"), ("Red Lung Hollow", "KY"), ("Bath", "ME"),
)  # fmt: skip
DOMAINS = ("wulfrics.example", "example.net", "bellwether-rad.example.org", "amberley.nhs.example")
PATHS = ("https://{}/mychart/%####", "view.{}/q/@%@%#", "{}/radiology", "https://rad.{}:8443/wado?id=%####")
MAILBOXES = ("{family}.{initial}", "{given}_{family}", "{given}-%###", "the{family}s%#", "dr.{family}")

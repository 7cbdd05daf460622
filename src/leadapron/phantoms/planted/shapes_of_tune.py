"""Numbers, addresses and houses of the part that a de-identifier may be tuned on.

In a shape ``#`` is a digit, ``%`` a digit but zero, ``@`` a capital letter, ``YY`` the year; what stands before ``|``
is a label and identifies nobody.
Telephone numbers, domains and addresses of computers lie in the ranges that are set aside for stories and manuals.
"""

from __future__ import annotations

SHAPES: dict[str, tuple[str, ...]] = {
    "mrn": ("%######", "M00######", "###-##-##", "%##.###.###", "@@######"),
    "accession": ("RAD-YY-#####", "%#######", "CXYY######", "A%####-YY"),
    "account": ("%###########", "V########", "FIN |##########", "###-#######-#"),
    "plan": ("@@@%########", "H%###-###", "%########A", "PPO-#######"),
    "ssn": ("%##-##-####", "%## ## ####", "XXX-XX-####"),
    "licence": ("MD#####", "@#######", "RN-######", "LIC |@###-####"),
    "vehicle": ("@@@-####", "%@@@###", "@@ ##### @"),
    "device": ("PJN######", "SN%######", "@@@######@", "##-####-###"),
    "id": ("WO-######", "BADGE |%####", "##@@####", "ENC%#######"),
    "phone": ("(%##) 555-01##", "%##-555-01##", "%##.555.01## x%##", "1-%##-555-01##", "+44 20 7946 0###",
              "+49 30 23125 ###", "555-01##", "%## 555 01## ext. %##"),
    "pager": ("#%###", "%##-555-01##", "p%####"),
    "fax": ("(%##) 555-01##", "%##-555-01##", "+44 161 496 0###"),
    "ip": ("192.0.2.%#", "10.%#.%##.%", "2001:db8:%#::%@#"),
    "zip": ("#%###", "%####-####"),
}  # fmt: skip
HOSPITALS = (
    "Kestrel Bay Hospital", "Marrowfield General", "St. Brannoc's", "Lantern Hill Medical Center", "Tarnside",
    "Osprey Point Imaging", "Three Rivers Orthopaedics", "Sister Ludmila Memorial", "Wexcombe Infirmary",
    "Coldwater Mesa Clinic", "Hôpital Sainte-Aldegonde", "Kirkhollow", "Ninebark Family Practice", "Vellacourt",
)  # fmt: skip
WARDS = ("Whitcombe Ward", "the Ellerbee Pavilion", "Tower Marchbank", "Ashgrove Unit", "Sedgewick 4 East")
COMPANIES = (
    "Pellworth Cannery",
    "Brightwater Transit",
    "Dunmore & Sabel Foundry",
    "Larkspur Paper Mill",
    "Ostrava Glass",
)
STREETS = (
    "Quillback Road", "Tamarack Ln", "Old Ferry Rd.", "Saltmarsh Drive", "N. Juniper St", "Calle Almendro",
    "Gooseberry Court", "Mill Race Way", "Ptarmigan Ave", "W 114th Street", "Hollow Oak Blvd", "Route 9W",
)  # fmt: skip
TOWNS = (
    ("Tukwila", "WA"), ("Oconto Falls", "WI"), ("Chincoteague", "Virginia"), ("Ypsilanti", "MI"), ("Kaunakakai", "HI"),
    ("Chinle", "AZ"), ("Zachary", "LA"), ("Ogunquit", "Maine"), ("Pawhuska", "OK"), ("Bemidji", "MN"),
    ("Truchas", "New Mexico"), ("Cle Elum", "WA"), ("Waxhaw", "NC"), ("Metlakatla", "AK"),
)  # fmt: skip
DOMAINS = ("kestrelbay.example", "mail.example.com", "marrowfield-health.example", "post.tarnside.example")
PATHS = ("portal.{}/results", "https://www.{}/pacs/view?study=%#####", "http://img.{}/~rad/%####", "www.{}")
MAILBOXES = ("{given}.{family}", "{initial}{family}", "{family}_%#", "{given}%#")

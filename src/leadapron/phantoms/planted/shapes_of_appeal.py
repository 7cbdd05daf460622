"""Numbers, addresses and houses of the part on which a verdict may be appealed against; the signs are those of ``shapes_of_tune``."""

from __future__ import annotations

SHAPES: dict[str, tuple[str, ...]] = {
    "mrn": ("%#### ###", "H%######", "MR%#######", "00%#####", "%###-####", "UHID%#####", "P%#####@", "0%##-##-##"),
    "accession": ("YYYY-%#####", "XR%#######", "@@@-YY-%####", "DXYY-####-%#", "R%###-####", "TELE-%######", "%#####YY"),
    "account": ("%####-#####", "HAR%########", "E%#########", "G%##-#####", "PA%##########", "%##-%##-####-#"),
    "plan": ("%@@#-@@#-@@##", "HMO%#######", "TPA-%#####-YY", "@%########", "%###-####-#####", "GRP%#####-0#"),
    "ssn": ("#%#-##-####", "#%# ## ####", "%##.###.###-##", "##-#######-#", "xxx-xx-%###"),
    "licence": ("PRC-0%#####", "MDCN/%####", "ME %#####", "NPI |1#########", "L-%######", "CRM-SP %#####", "@@-%#####-L"),
    "vehicle": ("%@@@ ###", "@@ %#-@@ ###", "@@@ %##@", "@@-@@ %##", "%@-####", "@@@-%@#"),
    "device": ("S%#####@@", "LOT |@%####", "@@%#-######", "REF |%##-@##", "@@@#####@##", "%####-###-##"),
    "id": ("EMP-%####", "ED%####-YY", "PT-@@-##", "%##-@-###", "CLM-%#######", "INC0%#####", "ST%##/YY", "@@@-###-@"),
    "phone": ("+1 (%##) 555-01##", "(%##) 555 - 01##", "%##.555-01##", "+1 %##-555-01##", "+1 %## 555-01##", "07700 900 ###",
              "030/23125-###", "+49 (0)30 23125-###", "(02) 5550 %###", "+353 20 91# ####", "%##-555-01## ext %###",
              "%##-555 01##", "1 (%##) 555 01##", "(%##) 555-01## x%###", "%## 555.01##"),
    "pager": ("%#-%###", "bp|%###", "SPOK %####", "%###-%#", "%##.555-01#%", "*%##-####"),
    "fax": ("1-(%##)-555-01##", "030 23125-###", "+44 (0)1632 960###", "(%##) 55501##", "%##/55501##", "%## 555-01#%"),
    "ip": ("198.51.100.1##", "203.0.113.%#", "172.20.%#.%#", "192.168.%.%#", "2001:db8::%#@#", "10.0.%#.1##"),
    "zip": ("2####", "3####", "1####", "8####", "4####"),
}  # fmt: skip
HOSPITALS = (
    "Cedar Crossing Regional Medical Center", "St. Walburga Hospital", "Klinikum Oberwiesental", "Pinemoor County Hospital",
    "Adeola Memorial Teaching Hospital", "Sri Venkatadri Institute of Medical Sciences", "Hospital Santa Rita do Vale",
    "Al Noor Specialist Hospital", "Mindoro Doctors Hospital", "Good Shepherd Medical Center", "Bayou Teche General",
    "Royal Strathmere Infirmary", "NightOwl Teleradiology", "Prairie Star Urgent Care", "Marienstift", "VA Elk Ridge",
    "Lagos Island Diagnostic Centre", "Sweetwater Imaging Associates", "Tri-County Family Health", "Mount Carmel East",
    "Hudson Flats Nursing and Rehab", "Sunnybank Care Home", "Northgate Women's Clinic", "Universitätsklinikum Altmark",
    "CCRMC",
)  # fmt: skip
WARDS = (
    "Ward 7B", "5 West", "Bauer Pavilion", "the Garrity Building", "St. Luke Ward", "Tulip Ward", "Station Sankt Anna",
    "Okoro Wing", "Linden House", "Male Medical Ward 2", "MICU Green", "Room 412B",
)  # fmt: skip
COMPANIES = (
    "Hartwell Granite", "Redline Trucking", "Delta Pride Poultry", "Kaufmann Chemie", "Blue Mesa Mining", "Oyelaran Textiles",
    "Cascade Roofing", "Greyhound Cold Storage", "Riverside Unified School District", "Ferrous Point Shipyard",
    "Manila Bay Stevedoring", "AgriSul Cooperativa",
)  # fmt: skip
STREETS = (
    "Sycamore Street", "Bergmannstraße", "Ikorodu Road", "Rua das Acácias", "E. Magnolia Ave.", "County Road 512",
    "Bonifacio St.", "Nehru Nagar", "Lakeshore Dr", "Old Post Road", "Pecan Grove Ln", "Kirchgasse", "SE 3rd Terrace",
    "Martin Luther King Jr. Blvd", "Corniche Road", "Highland Park Circle", "FM 1488", "Elmwood Pl.",
)  # fmt: skip
TOWNS = (
    ("Waxahachie", "TX"), ("Paducah", "KY"), ("Rancho Cordova", "CA"), ("Schenectady", "NY"), ("Opelousas", "LA"),
    ("Moline", "IL"), ("Fuquay-Varina", "NC"), ("Altoona", "PA"), ("Bad Tölz", "Germany"),
    ("Abeokuta", "Ogun State"), ("Kottayam", "Kerala"), ("Dumaguete", "Negros Oriental"), ("Londrina", "Paraná"),
    ("Muscatine", "Iowa"), ("Yuba City", "CA"), ("Ludhiana", "Punjab"), ("Hialeah", "Florida"), ("Nogales", "AZ"),
    ("Jeddah", "Saudi Arabia"), ("Iloilo", "Philippines"), ("Wolfenbüttel", "Germany"), ("Enugu", "Nigeria"),
)  # fmt: skip
DOMAINS = (
    "cedarcrossing.example",
    "inbox.example.org",
    "stwalburga-hosp.example",
    "nightowlrads.example",
    "webmail.example.net",
)
PATHS = (
    "https://{}/share/%@@##@", "my.{}/chart", "{}/viewer?acc=%######", "https://images.{}/link/@@%####", "https://{}/report/%####",
)  # fmt: skip
MAILBOXES = ("{given}-{family}", "{given}_{family}%#", "{initial}_{family}", "{given}{family}", "{family}{initial}%##")

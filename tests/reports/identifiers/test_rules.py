"""What the rules find and what they leave, phrase by phrase; and that looking around numbers alone loses nothing."""

from __future__ import annotations

import pytest

from leadapron.phantoms import Dials, build_clinic
from leadapron.reports.identifiers import calendar_words, finder, number_rules
from leadapron.reports.identifiers.date_rules import HOLIDAY_BEGINS
from leadapron.reports.identifiers.finder import find_identifiers
from leadapron.reports.identifiers.token_letters import code
from leadapron.reports.identifiers.tokens import Tokens, tokenise

FOUND = {
    "age": [
        ("95 y.o. woman", "95"), ("Age/Sex: 95/F", "95"), ("his 95th birthday", "95"), ("mother (95)", "95"),
        ("ninety-five year old", "ninety-five"), ("one hundred and one years old", "one hundred"),
    ],
    "mrn": [("MRN#4711223", "4711223"), ("Unit No. 123-45-67", "123-45-67"), ("Hosp # 12 34 56", "12 34 56")],
    "plan": [("Policy W 1234-88", "W 1234-88"), ("Medicare 1EG4-TE5-MK72", "1EG4-TE5-MK72")],
    "phone": [("mobile 0412 345 678", "0412 345 678"), ("call 4-7781", "4-7781"), ("(617) 555-0199 ext. 12", "(617) 555-0199 ext. 12")],
    "email": [("write to jane.doe@mail.example today", "jane.doe@mail.example")],
    "url": [("see www.clinic.example/r/12 for it", "www.clinic.example/r/12")],
    "ip": [("from 10.0.0.12 today", "10.0.0.12")],
    "ssn": [("SSN 123-45-6789", "123-45-6789")],
    "accession": [("accession CX-19-004512", "CX-19-004512")],
    "device": [("serial no. AB12-99X", "AB12-99X")],
    "vehicle": [("plate 7ABC123", "7ABC123"), ("Taxi VBL 314 was called", "VBL 314")],
    "time": [
        ("at 5:45 PM", "5:45 PM"), ("17h45", "17h45"), ("quarter to six", "quarter to six"), ("by 2 am", "2 am"),
        ("five forty-five in the morning", "five forty-five"), ("(0915)", "0915"),
    ],
    "date": [
        ("on 03/14/2019", "03/14/2019"), ("14-MAR-2021", "14-MAR-2021"), ("O3/l4/2O19", "O3/l4/2O19"), ("26NOV2016", "26NOV2016"),
        ("the third of March two thousand nineteen", "third of March two thousand nineteen"), ("None since 1999.", "1999"),
        ("on Christmas Eve", "Christmas Eve"), ("seen in May.", "May"), ("Compare 03/02.", "03/02"), ("on the 17th", "17th"),
        ("None since 20l7.", "20l7"), ("old film of I998, clear", "I998"),
    ],
    "hospital": [
        ("seen at Mercy General Hospital", "Mercy General Hospital"), ("St Luke's", "St Luke's"), ("on 4 West", "4 West"),
        ("transferred from Oakmont today", "Oakmont"), ("NORTH HILL INFIRMARY\nCHEST", "NORTH HILL INFIRMARY"),
    ],
    "place": [("14 Old Mill Road, Ambler", "14 Old Mill Road"), ("lives in Ambler, PA 19002", "Ambler, PA 19002")],
    "staff": [
        ("Dr. Swan placed a Swan-Ganz catheter", "Swan"), ("seen by N. Field", "Field"), ("Drs. Young and Bone agree", "Bone"),
        ("Dr. Brown's patient", "Brown"), ("nurse Grace was told", "Grace"), ("Amara Okafor, MD", "Amara Okafor"),
        ("Dictated by: JK", "JK"), ("signed, R. May MD", "May"),
        ("Typed 12/03/2019; or", "or"), ("Read 16:05 by rose brown; no change", "rose brown"),
    ],
    "name": [
        ("PATIENT: OKAFOR, AMARA   MRN: 12345", "OKAFOR, AMARA"), ("patient name: may brown", "may brown"), ("Pt. R.M. is stable", "R.M"),
        ("pt okonkwo-adeyemi c/o pain", "okonkwo-adeyemi"), ("her daughter Hope, who drove", "Hope"),
        ("OKAFOR^AMARA^J", "OKAFOR^AMARA"), ("J0hnson was here", "J0hnson"), ("Kerley thinks there are lines", "Kerley"),
    ],
}  # fmt: skip
KEPT = [
    ("nodule measures 95 mm", "95"), ("SpO2 95%", "95"), ("T4-T5 level", "T4-T5"), ("rib 5-7", "5-7"), ("2/6 murmur", "2/6"),
    ("image 14 of series 2", "14 of series 2"), ("kVp 120, mAs 4", "120"), ("7.5 ET tube", "7.5"), ("mass at 3 o'clock", "3 o'clock"),
    ("grid 10:1", "10:1"), ("may represent", "may"), ("3.2 x 1.1 cm", "3.2 x 1.1"), ("Mild edema", "Mild"), ("Patchy opacity", "Patchy"),
    ("Kerley B lines", "Kerley B"), ("Swan-Ganz catheter", "Swan-Ganz"), ("88-year-old", "88"), ("the 5th rib", "5th"), ("FiO2 40%", "FiO2"),
    ("1.5 T magnet", "1.5 T"), ("grade 2/4", "2/4"), ("C7/T1", "C7/T1"), ("Port-a-Cath", "Port-a-Cath"), ("Hampton hump", "Hampton"),
    ("Lung bases are clear", "Lung"), ("St. Jude valve", "Jude"), ("Hill-Sachs lesion", "Hill-Sachs"), ("Cobb angle 95 degrees", "95"),
    ("Blalock-Taussig shunt", "Blalock-Taussig"), ("young woman", "young"), ("brown sputum", "brown"), ("rose slightly", "rose"),
    ("White blood cell count", "White"), ("Hodgkin lymphoma", "Hodgkin"), ("Dobbhoff tube", "Dobbhoff"), ("pnuemothorax", "pnuemothorax"),
    ("hydropneumothorax", "hydropneumothorax"), ("on amiodarone", "amiodarone"), ("stage IIIb", "IIIb"), ("CPT 71260", "71260"),
    ("Bosworth fracture", "Bosworth"), ("No Wexcombe sign.", "Wexcombe"), ("a Marsh-Ollier syndrome", "Marsh-Ollier"),
    ("pain is 3/10", "3/10"), ("a 3/6 systolic murmur", "3/6"), ("CHEST 2V 3/4/2019", "2V"), ("meningioma", "meningioma"),
    ("Troponin 79, rising", "Troponin"), ("Keppra 500 mg", "Keppra"), ("on 3/4/2019, C5/6", "C5/6"),
]  # fmt: skip


def covered(text: str, part: str) -> list[str]:
    start = text.index(part)
    return [span.category for span in find_identifiers(text) if span.start < start + len(part) and span.end > start]


@pytest.mark.parametrize(
    ("category", "text", "part"), [(name, *one) for name, listed in FOUND.items() for one in listed]
)
def test_an_identifier_is_wholly_found_and_called_by_its_kind(category: str, text: str, part: str):
    start = text.index(part)
    found = {at for span in find_identifiers(text) for at in range(span.start, span.end)}
    assert all(at in found for at in range(start, start + len(part)) if text[at].isalnum())
    assert category in covered(text, part)


@pytest.mark.parametrize(("text", "part"), KEPT)
def test_a_clinical_term_stays(text: str, part: str):
    assert covered(text, part) == []


def test_a_title_decides_between_a_person_and_an_eponym():
    text = "Dr. Kerley notes Kerley B lines. No Chilaiditi sign, as Dr. Chilaiditi said."
    found = [(span.start, text[span.start : span.end]) for span in find_identifiers(text)]
    assert found == [(4, "Kerley"), (text.rindex("Chilaiditi"), "Chilaiditi")]


def test_every_token_has_one_letter_and_its_place():
    text = "Dr. Swan's   tip\nT4, J0hnson_12"
    tokens = tokenise(text)
    assert len(tokens.row) == len(tokens.words) == len(tokens.starts)
    assert all(text[start : start + len(word)] == word for word, start in zip(tokens.words, tokens.starts, strict=True))
    assert (code("the"), code("Okonkwo"), code("Kerley"), code("effusion"), code("12")) == ("f", "N", "E", "k", "#")


def test_looking_around_numbers_alone_loses_nothing(monkeypatch: pytest.MonkeyPatch):
    clinic = build_clinic(Dials(patients=40, identifiers="hard", identifiers_part="tune"))
    texts = clinic.cohort.records["report"].unique(maintain_order=True).to_list()
    quick = [find_identifiers(text) for text in texts]

    def whole(text: str) -> Tokens:
        tokens = tokenise(text)
        tokens.__dict__["windows"] = [(0, len(text))]
        tokens.__dict__["openers"] = list(range(len(text)))
        return tokens

    monkeypatch.setattr(finder, "tokenise", whole)
    assert [find_identifiers(text) for text in texts] == quick


def test_hints_lose_nothing():
    clinic = build_clinic(Dials(patients=20, identifiers="hard", identifiers_part="tune"))
    for text in clinic.cohort.records["report"].unique(maintain_order=True):
        tokens = tokenise(text)
        dates = {at for at in range(len(text)) if calendar_words.DATE.match(text, at)}
        assert dates <= {at for at in range(len(text)) if calendar_words.MAYBE_DATE.match(text, at)}
        aged = [found.span() for found in number_rules.AGED.finditer(text)]
        assert [found.span() for found in tokens.around(number_rules.OLD, number_rules.AGED)] == aged
        assert number_rules.MAYBE_IP.search(text) or not number_rules.IP.search(text)
        named = [found.start() for found in calendar_words.HOLIDAY.finditer(text)]
        begins = [found.start() for found in tokens.headed(calendar_words.HOLIDAY, HOLIDAY_BEGINS)]
        assert set(begins) >= set(named) - {at for at in named if text[at : at + 3].lower() == "the"}

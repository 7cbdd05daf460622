"""Stand-ins: the same for the same person in whatever form, others for others, and nothing of the original."""

from __future__ import annotations

import itertools
import re
from collections import Counter

import pytest

from deid_reports import KEY, OTHER_KEY
from leadapron.defences.reports.key_file import SHIFTS
from leadapron.defences.reports.name_pools import pool_of, same_names
from leadapron.defences.reports.stand_ins import MINUTES, StandIns
from leadapron.reports.identifiers.typos import one_edit_apart

NAMES = [("name", "Amara"), ("name", "Okafor"), ("name", "Okafor"), ("staff", "Adams"), ("name", "Okfor")]


@pytest.fixture
def ours():
    return StandIns(KEY, "p1", NAMES)


def test_a_person_keeps_one_stand_in_in_any_order_case_and_spelling(ours):
    given, family = ours.of("name", "Amara Okafor").split()
    assert ours.of("name", "Okafor, Amara") == f"{family}, {given}"
    assert ours.of("name", "OKAFOR, AMARA") == f"{family}, {given}".upper()
    assert ours.of("name", "amara okafor") == f"{given} {family}".lower()
    assert ours.of("name", "Okfor") == family
    assert ours.of("name", "A. Okafor") == f"{given[0]}. {family}"
    assert ours.of("name", "A.O.", initials=True) == f"{given[0]}.{family[0]}."
    assert ours.of("name", "OKAFOR^AMARA") == f"{family}^{given}".upper()


def test_an_initial_is_that_of_its_own_kind_of_person(ours):
    assert ours.of("staff", "A. Lindqvist")[0] == ours.of("staff", "Adams")[0]
    assert ours.of("name", "A. Lindqvist")[0] == ours.of("name", "Amara")[0]
    assert ours.of("name", "Z.") not in ("Z.", "z.")


def test_letters_that_begin_names_are_initials_without_dots_too():
    ours = StandIns(
        KEY, "p1", [*NAMES, ("staff", "OAA"), ("name", "AOO"), ("staff", "kjt"), ("name", "NG"), ("name", "Lee")]
    )
    given, family = ours.of("name", "Amara Okafor").split()
    assert ours.of("staff", "OAA") == family[0] + 2 * ours.of("staff", "Adams")[0]
    assert ours.of("name", "AOO") == given[0] + 2 * family[0]
    assert re.fullmatch("(?!kjt)[a-z]{3}", ours.of("staff", "kjt"))
    assert len(ours.of("name", "NG")) > 2
    assert ours.of("name", "NG, BARBARA").split(",")[0] == ours.of("name", "Ng").upper()


@pytest.mark.parametrize("ending", ["III", "Jr.", "MD"])
def test_what_stands_behind_a_name_stays(ours, ending):
    assert ours.of("name", f"Amara Okafor {ending}") == f"{ours.of('name', 'Amara Okafor')} {ending}"


def test_a_name_that_was_taken_for_a_place_is_still_the_person(ours):
    family = ours.of("name", "Okafor")
    assert ours.of("hospital", "amara okafor") == ours.of("name", "amara okafor")
    assert ours.of("place", "Okafor") == family
    for house in ("Okafor Clinic", "Okafor Radiology", "12 Okafor Street"):
        assert family not in ours.of("hospital", house)


def test_patients_and_keys_have_stand_ins_of_their_own(ours):
    others = [StandIns(KEY, f"p{number}", NAMES) for number in range(2, 30)] + [StandIns(OTHER_KEY, "p1", NAMES)]
    for category, text in (("name", "Amara Okafor"), ("mrn", "4471902"), ("phone", "555-0142")):
        assert ours.of(category, text) not in {one.of(category, text) for one in others}
    assert len({one.days for one in others}) > 20
    again = StandIns(KEY, "p1", reversed(NAMES))
    assert again.of("name", "Amara Okafor") == ours.of("name", "Amara Okafor")


def test_shifts_go_back_and_differ_from_patient_to_patient():
    days = [StandIns(KEY, str(number)).days for number in range(400)]
    minutes = {StandIns(KEY, str(number)).minutes for number in range(400)}
    assert all(-day in SHIFTS for day in days)
    assert max(Counter(days).values()) < 6
    assert minutes <= set(MINUTES)
    assert len(minutes) > 60


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("4471902", r"\d{7}"),
        ("AB-12/99z", r"[A-Z]{2}-\d\d/\d\d[a-z]"),
        ("(617) 555-0142", r"\(\d{3}\) \d{3}-\d{4}"),
        ("7", r"\d"),
        ("Q", r"[A-Z]"),
        ("9" * 200, r"\d{200}"),
        ("five five five zero", r"[a-z]+ [a-z]+ [a-z]+ [a-z]+"),
    ],
)
def test_numbers_keep_their_shape_and_nothing_else(ours, text, shape):
    new = ours.of("id", text)
    assert re.fullmatch(shape, new)
    assert new != text


def test_a_number_is_the_same_with_other_separators(ours):
    bare = [re.sub(r"\W", "", ours.of("mrn", text)) for text in ("4471902", "447-19-02", "447 1902", "4 4 7 1 9 0 2")]
    assert len(set(bare)) == 1


def test_a_number_is_the_same_beside_another_one(ours):
    alone = ours.of("accession", "77812234")
    assert ours.of("accession", "77-81-2234 / 77812234") == f"{ours.of('accession', '77-81-2234')} / {alone}"
    assert ours.of("accession", "77812234, 4471902") == f"{alone}, {ours.of('accession', '4471902')}"


def test_a_date_that_was_taken_for_a_code_with_its_label_moves(ours):
    assert ours.of("id", "DOB 03/02/1931") == f"DOB {ours.of('date', '03/02/1931')}"
    assert ours.of("id", "DOB: 1931-03-02") == f"DOB: {ours.of('date', '1931-03-02')}"
    assert not ours.of("id", "QX 03/02/1931").startswith("QX")


def test_no_short_number_is_its_own_stand_in():
    assert all(StandIns(KEY, str(one)).of("id", str(one % 10)) != str(one % 10) for one in range(200))


def test_names_differ_in_their_first_letter_and_from_everybody_there():
    for patient in range(100):
        new = StandIns(KEY, str(patient), NAMES).of("name", "Okafor")
        assert new[0] != "O"
        assert new.lower() not in {"amara", "okafor", "adams", "okfor"}


@pytest.mark.parametrize(
    ("like", "names"),
    [
        ("jessica", ["maria", "rose", "may", "grace", "priya", "thandeka"]),
        ("michael", ["peter", "mark", "frank", "jose", "bob"]),
        ("keller", ["okafor", "nguyen", "zzyzxq"]),
    ],
    ids=["women", "men", "surnames"],
)
def test_names_that_are_words_or_of_other_languages_keep_their_kind(like, names):
    assert all(pool_of(name) is pool_of(like) for name in names)
    assert len({id(pool_of(name)) for name in ("jessica", "michael", "keller")}) == 3


def test_women_are_called_like_women():
    given = {StandIns(KEY, str(one)).of("name", "Jessica") for one in range(30)}
    others = {StandIns(KEY, str(one)).of("name", "Jennifer") for one in range(30)}
    men = {StandIns(KEY, str(one)).of("name", "Michael") for one in range(30)}
    assert len(given) > 20
    assert not given & men
    assert not others & men


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("Maria de la Cruz", r"[A-Z]\w+ [A-Z]\w+"),
        ("al-Rashid", r"[A-Z]\w+"),
        ("Dr. Rashid", r"Dr\. [A-Z]\w+"),
        ("O'Brannigan", r"[A-Z]\w+"),
        ("Zoe\u0308 Brannigan", r"[A-Z]\w+ [A-Z]\w+"),  # an accent of its own
        ("Brann1gan", r"[A-Z][a-z]+"),  # a digit by character recognition
        ("Brannigan-Rashid", r"[A-Z]\w+-[A-Z]\w+"),
        ("Brannigan,\nTom", r"[A-Z]\w+,\n[A-Z]\w+"),
    ],
)
def test_names_are_written_as_names_are(ours, text, pattern):
    new = ours.of("name", text)
    assert re.fullmatch(pattern, new), new
    assert not words(text) - {"dr"} & words(new)


@pytest.mark.parametrize(
    ("category", "text", "pattern"),
    [
        ("age", "94", "90"),
        ("age", "ninety-four", "90"),
        ("time", "14:30", r"\d\d:\d\d"),
        ("email", "amara.okafor@mail.example", r"[a-z]+@example\.org"),
        ("url", "https://okafor.example/amara", r"www\.example\.org/\d{6}"),
        ("ip", "10.20.30.40", r"192\.0\.2\.\d+"),
        ("hospital", "Brannigan General Hospital", r"[A-Z][a-z]+ General Hospital"),
        ("hospital", "University Hospital", r"[A-Z][a-z]+ Hospital"),
        ("hospital", "Hospital of Brannigan", r"Hospital of [A-Z][a-z]+"),
        ("place", "12 Brannigan Street, Okaforton, MA 02139", r"\d\d \w+ Street, \w+, [A-Z]{2} \d{5}"),
        ("place", "(Brannigan", r"\([A-Z]\w+"),
        ("place", "'Brannigan-on-Sea'", r"'\w+-on-\w+'"),
        ("demographic", "woman", r"\[DEMOGRAPHIC\]"),
        ("date", "99/99/9999", r"\d\d/\d\d/\d{4}"),
    ],
)
def test_every_kind_of_identifier_has_its_own_form(ours, category, text, pattern):
    new = ours.of(category, text)
    assert re.fullmatch(pattern, new), new
    assert new != text
    assert not words(text) & words(new) - {"hospital", "general", "of", "street", "on", "www", "example", "org"}


def words(text):
    return set(re.findall(r"[a-z]{2,}|\d{2,}", text.lower()))


# Misspellings


def test_misspellings_are_found_as_by_comparing_all_pairs():
    letters = ["".join(one) for one in itertools.product("abc", repeat=5)][::7]
    counted = Counter({word: 1 + len(word.replace("a", "")) for word in letters})
    order = sorted(counted, key=lambda word: (-counted[word], word))
    slow: dict[str, str] = {}
    for at, word in enumerate(order):
        first = next((one for one in order[:at] if one_edit_apart(word, one)), None)
        if first is not None:
            slow[word] = slow.get(first, first)
    assert same_names(counted) == slow


def test_short_names_are_not_misspellings_of_each_other():
    assert same_names(Counter({"anna": 2, "hanna": 1, "ann": 1, "okafor": 1})) == {}

"""The parts share nothing but plain dates, and each is large enough to judge by."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from datetime import date
from itertools import combinations
from random import Random

import pytest

from leadapron.phantoms.identifiers import GIVEN, SURNAMES
from leadapron.phantoms.planted.disfiguring import scanned, with_breaks, with_slips, without_accents
from leadapron.phantoms.planted.gap_filling import CATEGORIES, GapFiller
from leadapron.phantoms.planted.persons import Name, born, draw_person, draw_visit
from leadapron.phantoms.planted.planted_vocabulary import PARTS, VOCABULARIES
from leadapron.phantoms.planted.template_pieces import Gap, Piece, parse
from leadapron.phantoms.planted.written_dates import DATES, HOLIDAYS, MONTHS_OF_YEARS, PLAIN, write_time

PAIRS = list(combinations(PARTS, 2))
LATER = [(part, other) for part in ("judge", "verdict", "appeal") for other in PARTS[: PARTS.index(part)]]
"""Each part that judges, beside every part that was there before it."""
WORDS_OF_NOBODY = {"title", "man", "sex", "relation"}


def families(part) -> set[str]:
    return {name.casefold() for culture in VOCABULARIES[part].cultures for name in culture.families}


def givens(part) -> set[str]:
    cultures = VOCABULARIES[part].cultures
    return {name.casefold() for culture in cultures for name in (*culture.women, *culture.men)}


def templates(part) -> list[str]:
    words = VOCABULARIES[part]
    sentences = [template for _, template in (*words.sentences, *words.decoys)]
    return [*sentences, *words.headers, *words.footers, *words.since]


def named_staff(part) -> set[str]:
    """Staff who share their name with a sign, a line or a valve."""
    return {gap.given for template in templates(part) for gap in parse(template) if isinstance(gap, Gap) and gap.given}


def words_of_names(part) -> set[str]:
    """Every word of a name, without case and accents."""
    names = " ".join((*families(part), *givens(part), *VOCABULARIES[part].nicknames, *named_staff(part)))
    folded = unicodedata.normalize("NFKD", names).encode("ascii", "ignore").decode().casefold()
    return {word for word in re.split(r"[^a-z]+", folded) if len(word) > 3}


def runs_of_words(part, length: int = 5) -> set[tuple[str, ...]]:
    """What stands between the gaps, in runs of a few words."""
    runs = set()
    for template in templates(part):
        stretches = "".join(piece.text if isinstance(piece, Piece) else "|" for piece in parse(template)).split("|")
        for words in (re.findall(r"\w+", stretch.casefold()) for stretch in stretches):
            runs |= {tuple(words[at : at + length]) for at in range(len(words) - length + 1)}
    return runs


def shapes_of_times(part) -> set[str]:
    return {re.sub(r"\d+", "9", write_time(part, Random(seed))) for seed in range(300)}


@pytest.mark.parametrize("part", PARTS)
def test_each_part_is_large(part):
    words = VOCABULARIES[part]
    assert len(families(part)) >= 120
    assert len(givens(part)) >= 120
    assert len(words.sentences) == len(set(words.sentences)) >= 60
    assert len(words.headers) >= 8
    assert len(words.footers) >= 6
    assert len(DATES[part]) >= 9
    assert len(named_staff(part)) >= 8


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_the_parts_share_nothing_but_the_plain_dates(one, other):
    words, others = VOCABULARIES[one], VOCABULARIES[other]
    assert not (families(one) | givens(one)) & (families(other) | givens(other))
    assert not named_staff(one) & named_staff(other)
    for field in (
        "nicknames", "hospitals", "wards", "companies", "streets", "towns", "domains", "paths", "mailboxes", "headers",
        "footers", "sentences", "since", "decoys",
    ):  # fmt: skip
        assert not set(getattr(words, field)) & set(getattr(others, field)), field
    assert words.shapes.keys() == others.shapes.keys()
    for kind in words.shapes:
        assert not set(words.shapes[kind]) & set(others.shapes[kind]), kind
    shared = set(DATES[one].values()) & set(DATES[other].values())
    assert shared == set(PLAIN.values())
    assert min(len(set(DATES[part].values()) - shared) for part in (one, other)) >= 4
    assert not set(HOLIDAYS[one]) & set(HOLIDAYS[other])


@pytest.mark.parametrize(("part", "other"), LATER)
def test_a_judging_part_shares_no_word_of_a_name_no_notation_and_no_turn_of_phrase(part, other):
    assert not words_of_names(part) & words_of_names(other)
    assert not runs_of_words(part) & runs_of_words(other)
    day = date(2019, 3, 4)  # no two notations give it the same characters
    own = set(DATES[part]) - set(PLAIN)
    written = {DATES[part][way](day) for way in own}
    assert len(written) == len(own) >= 12
    assert not written & {way(day) for way in DATES[other].values()}
    assert not {way(day) for way in MONTHS_OF_YEARS[part]} & {way(day) for way in MONTHS_OF_YEARS[other]}
    assert not shapes_of_times(part) & shapes_of_times(other)


@pytest.mark.parametrize(("part", "other"), [(part, other) for part, other in LATER if part in ("verdict", "appeal")])
def test_a_last_part_writes_no_date_number_or_house_as_an_earlier_part_does(part, other):
    """Not even with other digits, for another kind of number, or under another house's proper name."""
    words, others, day = VOCABULARIES[part], VOCABULARIES[other], date(2019, 3, 4)

    def shapes_of_dates(part):
        return {re.sub(r"\d", "9", way(day)) for name, way in DATES[part].items() if name not in PLAIN}

    def said(vocabulary):
        return {shape for kind in vocabulary.shapes for shape in vocabulary.shapes[kind]}

    plain = {re.sub(r"\d", "9", way(day)) for way in PLAIN.values()}
    assert not shapes_of_dates(part) & (shapes_of_dates(other) | plain)
    assert not said(words) & said(others)
    assert not {town for town, _ in words.towns} & {town for town, _ in others.towns}


@pytest.mark.parametrize("part", ["verdict", "appeal"])
def test_a_last_part_has_hundreds_of_names_of_sentences_and_of_clinical_sentences(part):
    words = VOCABULARIES[part]
    assert min(len(families(part)), len(givens(part))) >= 300
    assert len(words.sentences) >= 250
    assert len(words.decoys) == len(set(words.decoys)) >= 250
    assert any("\n" in template for _, template in words.sentences)  # lists and addenda
    assert not any("¶" in template for template in templates(part))
    for _, template in words.sentences:
        assert any(isinstance(piece, Gap) and piece.what.split(".")[0] in CATEGORIES for piece in parse(template))
    for _, template in words.decoys:
        pieces = parse(template)
        assert any(isinstance(piece, Piece) and piece.term for piece in pieces), template
        assert {piece.what for piece in pieces if isinstance(piece, Gap)} <= {"age"}, template


@pytest.mark.parametrize("part", ["judge", "verdict", "appeal"])
def test_names_of_a_judging_part_are_not_those_of_plain_identifiers(part):
    assert not (families(part) | givens(part)) & {name.casefold() for name in (*GIVEN, *SURNAMES)}


@pytest.mark.parametrize("pair", PAIRS)
def test_templates_that_open_a_field_are_said_by_one_part_alone(pair):
    """Labels of a history or comparison are part of the layout, too."""
    labels = [
        {
            template.split(":")[0]
            for place, template in VOCABULARIES[one].sentences
            if place in ("history", "comparison")
        }
        for one in pair
    ]
    assert not labels[0] & labels[1]


@pytest.mark.parametrize("part", PARTS)
def test_every_gap_is_known_and_every_category_has_one(part):
    gaps = [gap for template in templates(part) for gap in parse(template) if isinstance(gap, Gap)]
    heads = {gap.what.split(".")[0] for gap in gaps}
    assert heads <= set(CATEGORIES) | WORDS_OF_NOBODY
    assert {CATEGORIES[head] for head in heads & set(CATEGORIES)} == set(CATEGORIES.values())


@pytest.mark.parametrize("part", PARTS)
def test_every_sign_of_a_template_is_read(part):
    for template in templates(part):
        said = "".join(piece.text for piece in parse(template) if isinstance(piece, Piece))
        assert not re.search(r"[{}\[\]]", said), template


def test_dates_are_written_in_many_ways():
    day = date(2019, 3, 3)
    assert {way(day) for part in ("tune", "test") for way in DATES[part].values()} == {
        "2019-03-03", "03/03/2019", "March 3, 2019", "3/3/19", "03.03.2019", "3-Mar-19", "the 3rd of March 2019",
        "03MAR2019", "2019/03/03", "Sunday, March 3", "March the third twenty nineteen", "03-03-2019", "Mar. 3, 2019",
        "3 March 2019", "20190303", "3.3.19", "March 3rd", "Sun 3/3", "3 Mar '19",
        "the third of March two thousand nineteen",
    }  # fmt: skip
    later = date(2019, 3, 14)
    assert {way(later) for way in DATES["judge"].values()} - {way(later) for way in PLAIN.values()} == {
        "14/03/2019", "2019.03.14", "2019-Mar-14", "14.III.2019", "03-14-19", "03.14.19", "14-Mar-2019", "14Mar19",
        "3/14/2019", "Mar 14 2019", "March 14th, 2019", "14th March 2019", "Thu 14 Mar 2019", "March 14", "3/14",
        "Thursday the 14th", "March fourteenth, two thousand nineteen", "three slash fourteen slash twenty nineteen",
    }  # fmt: skip
    assert {way(later) for way in DATES["verdict"].values()} - {way(later) for way in PLAIN.values()} == {
        "14/03/19", "3-14-2019", "14. March 2019", "Mar-14-2019", "MAR 14, 2019", "2019 Mar 14", "14 Mar 2019",
        "14-March-2019", "14/Mar/2019", "March 14 of 2019", "14th of March, 2019", "Mar 14th '19", "2019/3/14",
        "03 / 14 / 2019", "14 03 2019", "14/3-2019", "Thursday 14 March 2019", "Thu 3/14/19", "Thu 14-Mar",
        "Thursday, 14th March", "Mar 14th", "14 Mar", "fourteen March two thousand nineteen",
        "oh three fourteen twenty nineteen",
    }  # fmt: skip
    assert {way(later) for way in DATES["appeal"].values()} - {way(later) for way in PLAIN.values()} == {
        "Mar 14, 2019", "14MAR19", "14-MAR-2019", "14 MAR 2019", "14.3.2019", "14.Mar.2019", "14-3-19", "2019-3-14",
        "Mar/14/2019", "14th Mar 2019", "14th of March 2019", "March 14th 2019", "14 Mar. 2019", "March 14 2019",
        "Thursday, March 14, 2019", "Thu, 14 Mar 2019", "March fourteenth twenty nineteen", "Thu Mar 14",
        "Thursday 3/14", "14/03", "14-Mar", "14th of March", "March fourteenth",
    }  # fmt: skip
    dictated = DATES["test"]["dictated"]
    assert dictated(date(1941, 6, 22)) == "the twenty-second of June nineteen forty-one"
    assert dictated(date(2000, 12, 12)) == "the twelfth of December two thousand"
    assert dictated(date(1909, 1, 30)) == "the thirtieth of January nineteen oh nine"


@pytest.mark.parametrize("part", PARTS)
def test_times_are_written_in_several_ways(part):
    shapes = {re.sub(r"\d", "9", re.sub("[a-z]{3,}.*", "word", write_time(part, Random(seed)))) for seed in range(200)}
    assert len(shapes) >= 4


def test_names_are_torn_spaced_and_made_into_logins():
    person = replace(
        draw_person(Random(3), "verdict", sex="M", birth_date=date(1950, 2, 1)),
        name=Name("Ġanni", "Salvu", "Buttigieg"),
    )
    filler = GapFiller(draw_visit(Random(3), "verdict", person, date(2015, 6, 1), None), Random(3), "verdict")
    forms = {
        "cited": "Buttigieg ĠS",
        "login": "gbuttigieg",
        "small": "ġanni buttigieg",
        "spaced": "Ġ A N N I   B U T T I G I E G",
        "torn": "Ġanni Butt-\nigieg",
    }
    for form, written in forms.items():
        assert filler.fill(f"{{patient.{form}}}") == [Piece(written, identifier="name")]
    [other] = filler.fill("{patient.other}")
    assert "Buttigieg" not in other.text
    figures = {filler.fill("{age.figures}")[0].text for _ in range(40)}
    assert figures == {"65"}
    [weekday] = filler.fill("{weekday.short}")
    assert len(weekday.text) == 3


def test_a_person_is_as_old_as_the_register_says():
    rng, day = Random(5), date(2015, 6, 1)
    for age in (18.0, 64.6, 89.9, 90.1, 95.0):
        person = draw_person(rng, "test", sex="F", birth_date=born(day, age))
        visit = draw_visit(rng, "test", person, day, None)
        assert visit.age in (int(age), int(age - 0.01))


def test_scans_and_slips_touch_no_term_and_no_category():
    pieces = [Piece("MRN: "), Piece("1050881", identifier="mrn"), Piece("Kerley B", term="eponym"),
              Piece("Ragnhild Kivimäki", identifier="name")]  # fmt: skip
    for seed in range(50):
        rng = Random(seed)
        worn = scanned(with_breaks(with_slips(without_accents(pieces), rng, 1), rng, 1), rng)
        assert [(piece.identifier, piece.term) for piece in worn] == [(one.identifier, one.term) for one in pieces]
        assert worn[2] == pieces[2]
        assert "\n" in worn[3].text
        assert all(piece.text == piece.text.strip() for piece in worn[1:])

"""The two parts share nothing but plain dates, and each is large enough to judge by."""

from __future__ import annotations

import re
from datetime import date
from random import Random

import pytest

from leadapron.phantoms.planted.disfiguring import scanned, with_breaks, with_slips, without_accents
from leadapron.phantoms.planted.gap_filling import CATEGORIES
from leadapron.phantoms.planted.persons import born, draw_person, draw_visit
from leadapron.phantoms.planted.planted_vocabulary import PARTS, VOCABULARIES
from leadapron.phantoms.planted.template_pieces import Gap, Piece, parse
from leadapron.phantoms.planted.written_dates import DATES, HOLIDAYS, PLAIN, write_time

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


def test_the_parts_share_nothing_but_the_plain_dates():
    tune, test = (VOCABULARIES[part] for part in PARTS)
    assert not (families("tune") | givens("tune")) & (families("test") | givens("test"))
    assert not named_staff("tune") & named_staff("test")
    for field in (
        "nicknames", "hospitals", "wards", "companies", "streets", "towns", "domains", "paths", "mailboxes", "headers",
        "footers", "sentences", "since", "decoys",
    ):  # fmt: skip
        assert not set(getattr(tune, field)) & set(getattr(test, field)), field
    for kind in tune.shapes:
        assert not set(tune.shapes[kind]) & set(test.shapes[kind]), kind
    shared = set(DATES["tune"].values()) & set(DATES["test"].values())
    assert shared == set(PLAIN.values())
    assert min(len(set(DATES[part].values()) - shared) for part in PARTS) >= 4
    assert not set(HOLIDAYS["tune"]) & set(HOLIDAYS["test"])


@pytest.mark.parametrize("part", PARTS)
def test_templates_that_open_a_field_are_said_by_one_part_alone(part):
    """Labels of a history or comparison are part of the layout, too."""
    other = next(one for one in PARTS if one != part)
    labels = [
        {
            template.split(":")[0]
            for place, template in VOCABULARIES[one].sentences
            if place in ("history", "comparison")
        }
        for one in (part, other)
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
    assert {way(day) for part in PARTS for way in DATES[part].values()} == {
        "2019-03-03", "03/03/2019", "March 3, 2019", "3/3/19", "03.03.2019", "3-Mar-19", "the 3rd of March 2019",
        "03MAR2019", "2019/03/03", "Sunday, March 3", "March the third twenty nineteen", "03-03-2019", "Mar. 3, 2019",
        "3 March 2019", "20190303", "3.3.19", "March 3rd", "Sun 3/3", "3 Mar '19",
        "the third of March two thousand nineteen",
    }  # fmt: skip
    dictated = DATES["test"]["dictated"]
    assert dictated(date(1941, 6, 22)) == "the twenty-second of June nineteen forty-one"
    assert dictated(date(2000, 12, 12)) == "the twelfth of December two thousand"
    assert dictated(date(1909, 1, 30)) == "the thirtieth of January nineteen oh nine"


@pytest.mark.parametrize("part", PARTS)
def test_times_are_written_in_several_ways(part):
    shapes = {re.sub(r"\d", "9", re.sub("[a-z]{3,}.*", "word", write_time(part, Random(seed)))) for seed in range(200)}
    assert len(shapes) >= 4


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

"""Identifiers planted in the reports, with the characters they occupy kept as truth.

The names are drawn from lists of common given names and surnames, the numbers from a seed: nobody is meant.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from random import Random

GIVEN = (
    "Alice", "Amir", "Anna", "Carlos", "Chen", "Daniel", "Elena", "Emma", "Fatima", "George", "Hana", "Ines",
    "James", "Joan", "Kofi", "Laura", "Maria", "Mei", "Nadia", "Oscar", "Paul", "Ravi", "Rosa", "Samuel", "Sofia",
    "Thomas", "Uma", "Victor", "Wanda", "Yusuf",
)  # fmt: skip
SURNAMES = (
    "Adams", "Ahmed", "Baker", "Bianchi", "Brown", "Castro", "Clark", "Diaz", "Evans", "Fischer", "Garcia", "Green",
    "Hall", "Ito", "Jones", "Khan", "Kim", "Kowalski", "Lee", "Lopez", "Martin", "Nguyen", "Novak", "Okafor", "Patel",
    "Reed", "Rossi", "Silva", "Smith", "Tanaka", "Walker", "Young",
)  # fmt: skip
HOSPITALS = (
    "Phantom General Hospital",
    "Saint Roentgen Medical Center",
    "Harbor View Clinic",
    "North Hill Infirmary",
)


@dataclass
class Draft:
    """A text under way: which of its characters identify somebody, and which are clinical terms and must be kept."""

    parts: list[str] = field(default_factory=list)
    spans: list[tuple[str, int, int]] = field(default_factory=list)
    keep: list[tuple[str, int, int]] = field(default_factory=list)
    length: int = 0

    def say(self, text: str) -> None:
        self.parts.append(text)
        self.length += len(text)

    def identify(self, category: str, text: str) -> None:
        self.spans.append((category, self.length, self.length + len(text)))
        self.say(text)

    def say_term(self, category: str, text: str) -> None:
        self.keep.append((category, self.length, self.length + len(text)))
        self.say(text)

    @property
    def text(self) -> str:
        return "".join(self.parts)


@dataclass(frozen=True)
class Identifiers:
    """Who a report is about: the patient's for good, the dates the study's."""

    name: str
    mrn: str
    hospital: str
    study_date: str
    prior_date: str | None

    def plant_header(self, rng: Random, draft: Draft) -> None:
        draft.identify("hospital", self.hospital)
        draft.say("\nPATIENT: ")
        draft.identify("name", self.name)
        draft.say("   MRN: ")
        draft.identify("mrn", self.mrn)
        draft.say("\nDATE OF EXAM: ")
        draft.identify("date", self.study_date)
        draft.say("   REFERRING: Dr. ")
        draft.identify("staff", _name(rng))
        draft.say("\n\n")

    def plant_footer(self, rng: Random, draft: Draft) -> None:
        if rng.random() < 0.4:
            draft.say("\n\nFindings were discussed with Dr. ")
            draft.identify("staff", _name(rng))
            draft.say(" by telephone at ")
            draft.identify("phone", f"({rng.randint(200, 999)}) 555-{rng.randint(100, 9999):04d}")
            draft.say(".")


def patient_identity(rng: Random) -> tuple[str, str, str]:
    """A name, a medical record number and the hospital the patient goes to."""
    return _name(rng), f"{rng.randint(0, 9_999_999):07d}", rng.choice(HOSPITALS)


def write_date(day: date) -> str:
    return day.strftime("%m/%d/%Y")


def _name(rng: Random) -> str:
    return f"{rng.choice(GIVEN)} {rng.choice(SURNAMES)}"

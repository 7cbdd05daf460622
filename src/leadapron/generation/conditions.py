"""From what prompts say to numbers: what is said as it is, what is unsaid as odds among those who say it.

Training uses the odds themselves: the mean over what an unsaid detail may be is then right, whatever it was. Drawing
uses one throw of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from leadapron.cohort import FINDINGS
from leadapron.reports.prompt_reading import DEVICES, Reading, Said

Floats = NDArray[np.float32]

PLACED = tuple(name for name in FINDINGS if name not in ("No Finding", "Support Devices"))
WITHOUT_SIDE = ("Cardiomegaly", "Edema", "Enlarged Cardiomediastinum")
SIDED = tuple(name for name in PLACED if name not in WITHOUT_SIDE)
ZONES = ("upper", "mid", "lower")
KINDS = tuple(DEVICES)
SIDED_KINDS = ("jugular", "arm", "chest")
FEWEST = 10
"""Prompts that must say a detail of a finding before their odds are taken; with fewer, all values are as likely."""


@dataclass(frozen=True)
class Conditions:
    """A row a prompt: probabilities between 0 and 1, or 0 and 1 where it is said or thrown.

    Of each of ``PLACED``: is it there (``present``), is it not spoken of (``unsaid``), is it on the ``right`` and on
    the ``left``, in which ``zone``, of which ``grade`` (−1 to 1) and ``measure`` (standardised). Of each of
    ``KINDS``: is it there, is it on the right, how far down is its ``tip`` (−1 to 1). ``ap`` is the projection.
    """

    present: Floats
    unsaid: Floats
    right: Floats
    left: Floats
    zone: Floats
    grade: Floats
    measure: Floats
    device: Floats
    device_right: Floats
    tip: Floats
    ap: Floats

    def at(self, rows: NDArray[np.integer] | slice) -> Conditions:
        return Conditions(**{field.name: getattr(self, field.name)[rows] for field in fields(self)})

    def __len__(self) -> int:
        return len(self.ap)


@dataclass(frozen=True)
class Odds:
    """How often training prompts that speak of a finding or a device say what of it."""

    side: Floats  # right, left, both
    zone: Floats
    grade: Floats
    measure: Floats  # mean and spread, and the mean by grade
    device: Floats  # of each kind, where some device is there and none is named
    device_right: Floats
    ap: float


def learn_odds(readings: Sequence[Reading]) -> Odds:
    """The odds among what is said; a detail that hardly any prompt says is as likely one way as another."""
    of = {name: [one.present[name] for one in readings if name in one.present] for name in PLACED}
    named = [one.devices for one in readings if one.devices]
    kinds = [[devices[kind] for devices in named if kind in devices] for kind in KINDS]
    views = [one.view for one in readings if one.view]
    return Odds(
        side=np.stack([_shares([said.side for said in of[name]], ("right", "left", "both")) for name in PLACED]),
        zone=np.stack([_shares([said.zone for said in of[name]], ZONES) for name in PLACED]),
        grade=np.stack([_shares([said.grade for said in of[name]], (1, 2, 3)) for name in PLACED]),
        measure=np.stack([_measures(of[name]) for name in PLACED]),
        device=np.array([len(one) / max(1, len(named)) for one in kinds], np.float32),
        device_right=np.stack([_shares([said.side for said in one], ("right", "left")) for one in kinds])[:, 0],
        ap=float(_shares(views, ("AP", "PA"))[0]),
    )


def _shares(said: Sequence[object], values: Sequence[object]) -> Floats:
    counts = np.array([sum(one == value for one in said) for value in values], np.float32)
    return counts / counts.sum() if counts.sum() >= FEWEST else np.full(len(values), 1 / len(values), np.float32)


def _measures(said: Sequence[Said]) -> Floats:
    known = np.array([one.measure for one in said if one.measure is not None])
    if len(known) < FEWEST:
        return np.array([0, 1, 0, 0, 0], np.float32)
    mean, spread = known.mean(), known.std() or 1.0
    by_grade = [[one.measure for one in said if one.measure is not None and one.grade == grade] for grade in (1, 2, 3)]
    return np.array([mean, spread, *(np.mean(one) if one else mean for one in by_grade)], np.float32)


def expected(readings: Sequence[Reading], odds: Odds) -> Conditions:
    """Each prompt's conditions, with the odds for what it does not say."""
    rows, count = len(readings), len(PLACED)
    present, unsaid = np.zeros((rows, count), np.float32), np.zeros((rows, count), np.float32)
    sides = np.zeros((rows, count, 3), np.float32)
    zone, grades = np.zeros((rows, count, 3), np.float32), np.zeros((rows, count, 3), np.float32)
    measure = np.zeros((rows, count), np.float32)
    device, device_right = np.zeros((rows, len(KINDS)), np.float32), np.zeros((rows, len(KINDS)), np.float32)
    tip, ap = np.zeros((rows, len(KINDS)), np.float32), np.zeros(rows, np.float32)
    for row, reading in enumerate(readings):
        ap[row] = odds.ap if reading.view is None else reading.view == "AP"
        for column, name in enumerate(PLACED):
            said = reading.present.get(name)
            unsaid[row, column] = said is None and name not in reading.absent
            if said is None:
                continue
            present[row, column] = 1
            sides[row, column] = _said(said.side, ("right", "left", "both"), odds.side[column])
            zone[row, column] = _said(said.zone, ZONES, odds.zone[column])
            grades[row, column], measure[row, column] = _size(said, odds.grade[column], odds.measure[column])
        if "Support Devices" in reading.present and not reading.devices:
            device[row] = odds.device
        for column, kind in enumerate(KINDS):
            named = reading.devices.get(kind)
            device[row, column] = 1 if named else device[row, column]
            side = None if named is None else named.side
            device_right[row, column] = odds.device_right[column] if side is None else side == "right"
            tip[row, column] = 0 if named is None or named.measure is None else 2 * named.measure - 1
    right, left = sides[..., 0] + sides[..., 2], sides[..., 1] + sides[..., 2]
    grade = grades @ np.array([-1, 0, 1], np.float32)
    return Conditions(present, unsaid, right, left, zone, grade, measure, device, device_right, tip, ap)


def _said(value: object, values: Sequence[object], odds: Floats) -> Floats:
    return odds if value is None else np.array([value == one for one in values], np.float32)


def _size(said: Said, odds: Floats, measures: Floats) -> tuple[Floats, np.float32]:
    """Grade and measure: where one alone is said, the other is what goes with it."""
    mean, spread, *by_grade = measures
    grade = said.grade
    if grade is None and said.measure is not None:
        grade = int(np.argmin(np.abs(np.array(by_grade) - said.measure))) + 1 if any(by_grade) else None
    grades = _said(grade, (1, 2, 3), odds)
    measure = np.float32(grades @ np.array(by_grade)) if said.measure is None else np.float32(said.measure)
    return grades, np.float32(np.clip((measure - mean) / spread, -4, 4))


def thrown(readings: Sequence[Reading], odds: Odds, rng: np.random.Generator) -> Conditions:
    """The same with one throw for what is not said. Every row takes as many random numbers as every other."""
    return expected([_thrown(one, odds, rng.random((len(PLACED) + len(KINDS) + 1, 4))) for one in readings], odds)


def _thrown(reading: Reading, odds: Odds, throws: NDArray[np.float64]) -> Reading:
    present = dict(reading.present)
    for column, name in enumerate(PLACED):
        if name in present:
            said, throw = present[name], throws[column]
            grade = _throw(throw[2], (1, 2, 3), odds.grade[column]) if said.measure is None else None
            missing = Said(
                _throw(throw[0], ("right", "left", "both"), odds.side[column]),
                _throw(throw[1], ZONES, odds.zone[column]),
                grade,
            )
            present[name] = said.joined(missing)
    devices = dict(reading.devices)
    if "Support Devices" in present and not devices:
        share = odds.device / odds.device.sum() if odds.device.sum() > 0 else np.zeros(len(KINDS), np.float32)
        kind = _throw(throws[-1, 0], KINDS, share)
        devices = {kind: Said()} if kind else {}
    for column, kind in enumerate(KINDS):
        if kind in devices:
            throw = throws[len(PLACED) + column]
            side = _throw(throw[0], ("right", "left"), np.array([odds.device_right[column], 1]))
            devices[kind] = devices[kind].joined(Said(side=side, measure=float(throw[1])))
    view = reading.view or ("AP" if throws[-1, 1] < odds.ap else "PA")
    return Reading(present, reading.absent, devices, view)


def _throw(throw: float, values: Sequence, odds: NDArray[np.floating]):  # type: ignore[no-untyped-def,type-arg]  # noqa: ANN202
    """The value at which the summed odds pass the throw."""
    passed = np.flatnonzero(np.cumsum(odds) > throw)
    return values[passed[0]] if len(passed) else (values[-1] if odds.sum() > 0 else None)


def design(conditions: Conditions) -> Floats:
    """The conditions as columns of a linear model: each finding by side and zone, and with its grade and measure."""
    columns = [np.ones((len(conditions), 1), np.float32), 2 * conditions.ap[:, None] - 1, conditions.unsaid]
    for column, name in enumerate(PLACED):
        present, grade = conditions.present[:, column, None], conditions.grade[:, column, None]
        measure = conditions.measure[:, column, None]
        if name in WITHOUT_SIDE:
            columns += [present, present * grade, present * measure]
            continue
        for side in (conditions.right, conditions.left):
            there = side[:, column, None]
            columns += [there * conditions.zone[:, column], there * grade, there * measure]
    for column, kind in enumerate(KINDS):
        there, right = conditions.device[:, column, None], conditions.device_right[:, column, None]
        tip = conditions.tip[:, column, None]
        sides = (there * right, there * (1 - right)) if kind in SIDED_KINDS else (there,)
        for one in sides:
            columns += [one, one * tip]
    return np.concatenate(columns, axis=1)


def owners() -> list[tuple[str, str]]:
    """For each column of the design the finding or device that it belongs to, with the side; empty for the others."""
    found = [("", "")] * (2 + len(PLACED))
    for name in PLACED:
        sides = [""] * 3 if name in WITHOUT_SIDE else ["right"] * 5 + ["left"] * 5
        found += [(name, side) for side in sides]
    for kind in KINDS:
        sides = ["right", "right", "left", "left"] if kind in SIDED_KINDS else ["right", "right"]
        found += [(kind, side) for side in sides]
    return found

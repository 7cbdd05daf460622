"""Clock times moved by a number of minutes, and written as they were where that is possible."""

from __future__ import annotations

import re

from leadapron.reports.identifiers.calendar_words import DIGITS, ONES, TENS

CLOCK = re.compile(r"(?P<h>\d{1,2})(?:(?P<sep>\s?[:.h]\s?|\s?)(?P<m>\d{2}))?(?P<s>:\d{2})?(?P<rest>.*)", re.DOTALL)
MISREAD = re.compile(r"^(?:\d|[Ool](?=\d))[\dOol]*(?:[:.][\dOol]+)*")
HALF = re.compile(r"(?i)([ap])(?:\s?\.?\s?m|$|(?=\s))")
DAY = 24 * 60


def shift_time(text: str, minutes: int) -> str:
    """The time so many minutes later, on the same clock; spoken times are written in digits.

    >>> shift_time("2:15 pm", 60), shift_time("2350 hrs", 20), shift_time("half past ten", 60)
    ('3:15 pm', '0010 hrs', '11:30')
    """
    found = CLOCK.fullmatch(MISREAD.sub(lambda one: one.group().translate(DIGITS), text))
    if found is None:
        later = (_spoken(text.lower()) + minutes) % DAY
        return f"{later // 60}:{later % 60:02d}"
    hour, digits, rest = int(found["h"]), found["m"], found["rest"]
    half = HALF.match(rest.lstrip())
    now = (hour % 12 + (12 if half[1].lower() == "p" else 0) if half else hour) * 60 + int(digits or 0)
    later = (now + minutes) % DAY
    hour = later // 60
    if half:
        at = len(rest) - len(rest.lstrip())
        new = "p" if hour >= 12 else "a"
        rest = rest[:at] + (new.upper() if rest[at].isupper() else new) + rest[at + 1 :]
        hour = hour % 12 or 12
    written = f"{hour:02d}" if len(found["h"]) == 2 else str(hour)
    shown = f"{found['sep'] if digits else ':'}{later % 60:02d}" if digits or later % 60 else ""
    return f"{written}{shown}{found['s'] or ''}{rest}"


def _spoken(text: str) -> int:
    """Minutes since midnight, as well as the words tell."""
    if "noon" in text.split() or "midday" in text:
        return DAY // 2
    values = [TENS.get(one) or ONES.index(one) for one in re.findall(r"[a-z]+", text) if one in TENS or one in ONES]
    if not values:
        return 0
    later = bool(re.search(r"afternoon|evening|night|p\.?\s?m", text)) and "midnight" not in text
    if relation := re.search(r"\b(past|after|to|of)\b", text):
        said = 30 if "half" in text else 15 if "quarter" in text else sum(values[:-1])
        return (values[-1] % 12 + 12 * later) * 60 + (said if relation[1] in ("past", "after") else -said)
    return (values[0] % (12 if later else 24) + 12 * later) * 60 + sum(values[1:]) % 60

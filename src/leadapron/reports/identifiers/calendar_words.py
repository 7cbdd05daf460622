"""How dates and times are written: patterns, and the words that they are made of."""

from __future__ import annotations

import re

MONTH_NAMES = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
WEEKDAY_NAMES = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
ORDINALS = [
    "zeroth",
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
    "twentieth",
]

_D = r"[\dOoIlSB|]"
"""A digit, or what character recognition makes of one."""
MONTH = r"(?:jan(?:uary)?|feb(?:r(?:uary)?)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
WEEKDAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?"
_NUMBER = "|".join([*TENS, *sorted(ONES[1:], key=len, reverse=True)])
_ORDINAL = "|".join(sorted(ORDINALS[1:], key=len, reverse=True))
_DAY = rf"(?:(?:3[01]|[12]\d|0?[1-9])(?:\s?(?:st|nd|rd|th))?|(?:twenty|thirty)[\s-](?:{_ORDINAL})|thirtieth|{_ORDINAL})"
_YEAR = rf"(?:(?:19|20|2O|l9|I9)[\dOol]{{2}}|['’]\d\d|(?:two\sthousand|nineteen|twenty)(?:[\s-]+(?:and\s+)?(?:hundred|oh|{_NUMBER}))*)"
_YY = r"(?:\d{4}|\d{2})"
_BETWEEN = (r"\s?/\s?", r"\s?-\s?", r"\.\s?(?=[\dOoIl|]{1,2}\.|\d{4})", r"\.", "_", r"\\")
_DD = rf"(?:{_D}{{1,2}}|{_D}\s{_D})"
_NUMERIC = "|".join(
    rf"(?:19|20){_D}{{2}}{one}{_DD}{one}{_DD}(?!\d)|{_DD}{one}{_DD}{one}(?:(?:19|20|2O|I9|l9)?{_D}{{2}}|{_D}\s{_D}(?:{_D}{{2}})?|{_D}{{3}}\s{_D})(?!\d)"
    for one in _BETWEEN
)

DATE = re.compile(
    rf"""(?ix)(?<![\w./-])(?:
    (?:{WEEKDAY}\.?,?\s+)?(?:the\s+)?(?:
      {_DAY}\s*(?:of\s+)?[-/.\s]?\s*{MONTH}\b\.?(?:\s?[-/.,]?\s*(?:of\s+)?(?:{_YEAR}|\d\d\b(?!\s?(?:mm|cm|%|:))))?
    | {MONTH}\b\.?\s*[-/,]?\s*(?:the\s+)?{_DAY}\b(?!\s?(?:mm|cm|%|:\d\d))(?:\s?[-/.,]?\s*(?:of\s+)?(?:in\s+)?(?:{_YEAR}|(?<=[-/])\d\d\b))?
    | {MONTH}\b\.?\s*[-/,]?\s*(?:of\s+)?(?:the\s+year\s+)?{_YEAR}
    | (?:19|20)\d\d\s?[-/.,]?\s?{MONTH}\b(?:\s?[-/.,]?\s?\d\d?\b)?
    | (?:3[01]|[12]\d|0?[1-9]){MONTH}(?:(?:19|20)?\d\d)(?!\d)
    | {_NUMERIC}
    | (?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?!\d)
    ) | (?:0?[1-9]|1[0-2])\s?/\s?(?:19|20)\d\d(?!\d)
    )(?![\w])"""
)
SHORT = re.compile(r"(?<![\w./])(?:3[01]|[12]\d|0?[1-9])[/.-](?:3[01]|[12]\d|0?[1-9])(?![\w/%]|\.\d|-\d)")
"""A month and a day without a year: only where something says that it is a date, since fractions look the same."""
SAYS_DATE = re.compile(
    r"(?i)\b(?:on|from|dated?|since|until|till|of|mon|tues?|wed|thu|thurs|fri|sat|sun|prior|previous|comparison|compared|with|to|study|exam|radiographs?|film|"
    r"films|ct|compare|yest|yesterday|taken|next|last|reviewed|agree|seen|performed|obtained|admitted|discharged|d|t|dob|and|through|by|before|after|study)\W{0,3}$"
)
GRADED = re.compile(
    r"(?i)\b(?:image|series|slice|lobe|ribs?|(?:grade|graded|murmur|scores?|scored|scoring|pain|discomfort|gcs|strength|power|motor|"
    r"rated|rates|rating|reflexes|pulses?|intensity|severity|scale|apgar|vas|mrc|nyha|ecog|dyspn\w+|vision|acuity|tenderness|weakness)"
    r"(?:\W+(?:is|was|now|currently|at|of|about|only|a|the|today|as|level|score|around|near)\b){0,3})\W{0,3}$"
)
GRADE = re.compile(
    r"(?i)\s?(?:(?:in |of )?(?:pain|murmurs?|systolic|diastolic|strength|power|motor|reflex|reflexes|severity|intensity|tenderness|"
    r"weakness|throughout|bilaterally)\b|on (?:the|a) (?:\w+ )?(?:scale|score))"
)
"""What stands before and behind a grade such as 3/6 or 2/10."""
YEAR = re.compile(
    r"""(?ix)(?<![\w./:\#-])(?:19[3-9]|20[0-4])[\dO](?:\s?[-–/]\s?(?:(?:19[3-9]|20[0-4])\d|\d\d))?
    (?!\w|\.\d|[/:-]\d|\s?(?:ml|mm|cm|mg|hrs?|hours?|cc|h|kcal|units?|iu|cells|g|steps|psi|mcg|gy|hu)\b)"""
)
MISREAD_YEAR = re.compile(
    r"(?<![\w./:#-])(?=\w*[OolISB])(?:[1lI]9[3-9SB]|2[0Oo][0-4OolI])[\dOolISB](?:[01OolI][\dOolISB][0-3OolI][\dOolISB])?"
    r"(?!\w|\.\d|[/:-]\w)"
)
"""A year, or eight digits of a date, in which character recognition read a letter."""
SPLIT_YEAR = re.compile(
    r"(?i)(?:(?<=\bsince )|(?<=\bin )|(?<=\bof )|(?<=\bfrom ))(?:(?:19|20) \d\d|[12] \d{3})(?![\w/]| ?(?:mm|cm|ml))"
)
NOT_A_YEAR = re.compile(
    r"(?i)\b(?:image|series|slice|room|rm|x|ext|pager|bleep|at|line|code|number|no|box|suite|bed|frame|mas|kvp|station|tr|te|ti|score|count|total|value|mean|sd|serial)\W{0,2}$"
)
ALONE = re.compile(
    rf"(?:(?<=\bin )|(?<=\bIn )|(?<=\blast )|(?<=\bsince )|(?<=\bthis )|(?<=\bearly )|(?<=\blate )|(?<=\bmid-)|(?<=\bof )|(?<=\buntil )|(?<=\bby )|(?<=\bfrom )|(?<=\bto ))(?:{'|'.join(one.capitalize() for one in MONTH_NAMES)}|{'|'.join(one for one in MONTH_NAMES if one not in ('may', 'march'))}|[Mm]arch(?= \w+ed|[.,;])|Sept|Oct|Nov|Dec|Jan|Feb|Aug|Apr)\b"
)
DAY = re.compile(
    rf"\b(?:{'|'.join(WEEKDAY_NAMES)}|{'|'.join(one.capitalize() for one in WEEKDAY_NAMES)}|{'|'.join(one.upper() for one in WEEKDAY_NAMES)}|(?:(?<=on )|(?<=, )|(?<=than )|(?<=last )|(?<=this )|(?<=next )|(?<=from )|(?<=since )|(?<=until ))(?:Mon|Tues?|Wed|Thurs?|Fri|Sat|Sun|MON|TUES?|WED|THURS?|FRI|SAT|SUN)|(?:Mon|Tues?|Weds?|Thurs?|Thu|Fri|Sun|Sat(?! ?\d))(?=\.?(?:[ ,;)\n]|$)))s?\b"
)
HOLIDAY = re.compile(
    r"(?i)\b(?:christmas(?: eve| day)?|xmas|new year['’]?s?(?: eve| day)?|thanksgiving(?: day)?|easter(?: sunday| monday)?|good friday|"
    r"memorial day|labor day|labour day|independence day|(?:the )?(?:fourth|4th) of july|halloween|hallowe'en|valentine['’]?s day|"
    r"st\.? patrick['’]?s day|mother['’]?s day|father['’]?s day|veterans day|columbus day|presidents['’]? day|martin luther king day|mlk day|"
    r"boxing day|guy fawkes|bastille day|canada day|anzac day|diwali|hanukkah|chanukah|ramadan|eid(?: al-fitr| al-adha)?|passover|yom kippur|"
    r"rosh hashanah|lunar new year|chinese new year|nowruz|holi|juneteenth|epiphany|pentecost|whitsun|ash wednesday|"
    r"hogmanay|leap day|ides of march|whit monday|whit sunday|mothering sunday|bank holiday monday|bank holiday|public holiday|burns night|shrove tuesday|maundy thursday|ascension day|corpus christi|assumption|all hallows|st\.? stephen['’]?s day|st\.? andrew['’]?s day|st\.? george['’]?s day|st\.? david['’]?s day|candlemas|michaelmas|lammas|martinmas|purim|sukkot|shavuot|vesak|tet|songkran|setsubun|obon|navratri|pongal|onam|holi|eid|palm sunday|all saints['’]? day|midsummer(?: eve| day)?|st\.? lucia(?:['’]?s)? day|kwanzaa|cinco de mayo|mardi gras|groundhog day|super bowl sunday)\b"
)
_DIGITS = r"[\dOoIlSB|]"
MAYBE_DATE = re.compile(
    rf"(?i)(?:the\s+)?(?:{_DIGITS}[\dOoIlSB|\s]{{0,8}}(?:[-/.,_\\]|st|nd|rd|th|of\b|jan|feb|mar|apr|may|ju[nl]|aug|sep|oct|nov|dec)|\d{{8}}|[a-z])"
)
"""Matches wherever a date begins, and is much quicker to fail."""
TIME = re.compile(
    rf"""(?ix)(?<![\w:./])(?:
    (?:[01lIO]?\d|2[0-4])\s?[:;]\s?[0-5SO][\dOolISB](?::[0-5]\d)?(?:\s?(?:[ap]\.?\s?m\b\.?|hrs?\b|hours\b|h\b|z\b))?(?!\d|:\d|\s?(?:ratio|mm|cm))
    | (?:1[0-2]|0?[1-9])(?:[.:][0-5]\d)?\s?(?:[ap]\.m\b\.?|[ap]m\b|o['’]?\s?clock(?=\s(?:in\sthe|this|at\snight|on|am|pm)))
    | (?:[01]\d|2[0-3])[.h]?[0-5]\d\s?(?:hrs?\b|hours\b|h\b|uhr\b)
    | (?:[01]?\d|2[0-3])\s?h\s?[0-5]\d\b | (?:(?<=~)|(?<=@)|(?<=@\s))(?:[01]\d|2[0-3])[0-5]\d\b | (?:[01]\d|2[0-3])[0-5]\d(?=\s(?:local|zulu)\b)
    | (?<=\bat\s)(?:[01]\d|2[0-3])[0-5]\d(?=[\s.,;)]|$)(?!\s?(?:ml|mg|cc|mm|cm|h\w))
    | 0\d[0-5]\d[LZ]?(?=[\s.,;:)"-]|$)(?!\s?(?:ml|mg|cc|mm|cm|of|\d))
    | (?:[01]?\d|2[0-3])[:.][0-5]\d\s?[ap]\b | (?:1[0-2]|[1-9])[ap]\b(?=\s*(?:$|\n))
    | (?:(?<=\bat\s)|(?<=T:\s)|(?<=:\s)|(?<=,\s)|(?<=~)|(?<=\bkl\.\s)|(?<=\bround\s)|(?<=\d\s)|(?<=\babout\s)|(?<=\baround\s))(?:[01]\d|2[0-3])\.[0-5]\d(?!\d|\s?(?:mm|cm|ml|%|mg|x|kg))
    | (?<=~)(?:[01]?\d|2[0-3])h\b | (?<=\bat\s)(?:[01]\d|2[0-3])\s[0-5]\d\b | half\s(?:{_NUMBER})\b(?=\s(?:on|in|this|last|today|am|pm|[.,;]))
    | (?:(?<=injected\s)|(?<=imaged\s)|(?<=scanned\s)|(?<=taken\s)|(?<=called\s)|(?<=paged\s)|(?<=since\s)|(?<=until\s)|(?<=by\s)|(?<=arrived\s))(?:[01]\d|2[0-3])[0-5]\d(?=[\s.,;)]|$)(?!\s?(?:ml|mg))
    | (?:(?<=\bat\s)|(?<=\bto\s)|(?<=\baround\s)|(?<=\babout\s)|(?<=\boff\s)|(?<=\bcall:\s)|(?<=\buntil\s)|(?<=\bfrom\s)|(?<=\bby\s)|(?<=\bbefore\s)|(?<=\bafter\s)|(?<=\bgone\s)|(?<=\bbegan\s)|(?<=\btime\s))(?:half\s)?(?:twenty[\s-](?:one|two|three)|{_NUMBER})(?:[\s-](?:fifteen|thirty|forty(?:[\s-]five)?|twenty(?:[\s-]\w+)?|ten|five|fifty(?:[\s-]\w+)?|oh[\s-]\w+|hundred))(?:\s[ap]\.?\s?m\b\.?)?(?=[\s.,;)]|$)(?!\s(?:mm|cm|percent|degrees|ml|years?|mg|minutes|days|weeks))
    | (?:(?<=\bfrom\s)|(?<=\buntil\s)|(?<=\bat\s)|(?<=\babout\s)|(?<=\bby\s))half\s(?:{_NUMBER})\b | 12\snoon\b | (?:(?<=\baround\s)|(?<=\babout\s)|(?<=\bgone\s))(?:1[0-2]|[1-9])(?:-?ish)\b
    | (?<=\bbetween\s)(?:1[0-2]|[1-9])(?=\sand\s\d{{1,2}}(?::\d\d)?\s?[ap]\.?m)
    | (?<=\btime\s)(?:[01]\d|2[0-3])[0-5]\d\b | (?<=\btime:\s)(?:[01]\d|2[0-3])[0-5]\d\b
    | (?:half\spast|quarter\s(?:past|to|after|of)|(?:{_NUMBER})(?:[\s-]+minutes)?\s(?:past|to|after))\s(?:{_NUMBER}|midnight|noon)\b(?:\s(?:in\sthe\s(?:morning|afternoon|evening)|at\snight|[ap]\.?m\.?))?
    | (?:{_NUMBER})(?:[\s-]+(?:hundred|oh|{_NUMBER}))*\s(?:hours\b|in\sthe\s(?:morning|afternoon|evening)|at\snight|[ap]\.\s?m\.?|[ap]m\b|o['’]?clock(?=\s(?:in|this|at)))(?:\s(?:in\sthe\s(?:morning|afternoon|evening)|at\snight))?
    )"""
)
NOON = re.compile(r"(?i)(?:(?<=\bat )|(?<=\bbefore )|(?<=\bafter )|(?<=\buntil )|(?<=\bby ))(?:noon|midnight|midday)\b")
ORDINAL = re.compile(
    r"(?i)\b(?:on|of|for|by|until|from|since|list|till|the|before|after)\s(?:the\s)?((?:3[01]|[12]\d|[1-9])(?:st|nd|rd|th)(?:\s(?:inst|ult|prox)\b)?)"
    r"(?!\s?(?:rib|ribs|inter|thoracic|lumbar|cervical|vertebra|percentile|finger|toe|digit|nerve|ventricle|space|and|or|to|day|post|hour|"
    r"edition|generation|floor|grade|order|metatarsal|metacarpal|costal|anterior|posterior|lateral|left|right|level|left-|right-|th\b|time|view|image|part|portion|dose|cycle|week|month|year))"
)
SEASON = re.compile(
    r"(?i)\b(?:(?:early|late|mid)[- ])?(?:spring|summer|fall|autumn|winter)(?: of)? (?=(?:19|20)\d\d|['’]\d\d)(?:\d{4}|['’]\d\d)|(?<=\blast )(?:spring|summer|fall|autumn|winter)\b(?! asleep)"
)
QUARTER = re.compile(r"\b[QH][1-4][ /-](?:19|20)\d\d\b")
SHORT_YEAR = re.compile(r"(?<![\w'’])['’]\d{2,3}\b(?!\s?(?:mm|cm|s\b))")
ANY_DAY = re.compile(
    r"\b(?!(?:Op|Operative|Hospital|Post|Per|Every|Each|Same|Next|First|Second|Third|Present|Modern|All|Sick|Study|Treatment|Rest|One|Two|The|Last|Other|Which|What|A|Any|This|That|Of|ICU|POD|Postop|Postoperative|Chemo|Cycle|Life)\b)[A-Z][a-z]+['’]?s?['’]? Day\b(?! \d)"
)
DIGITS = str.maketrans("OoIlSB|", "0011581")


def real_digits(text: str) -> int:
    return sum(one.isdigit() for one in text)


def is_date(text: str) -> bool:
    """Whether numbers between separators can be a day, a month and a year in some order."""
    parts = [int(one) for one in re.findall(r"\d+", re.sub(r"(?<=\d)\s(?=\d)", "", text.translate(DIGITS)))]
    if re.search(r"(?i)[a-z]{3}", text) or len(parts) != 3:
        return True
    first, second, third = parts
    if first > 31:
        return 1 <= second <= 12 and 1 <= third <= 31
    return 1 <= min(first, second) <= 12 and max(first, second) <= 31 and min(first, second) >= 1

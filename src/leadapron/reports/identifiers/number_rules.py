"""Numbers and codes: telephones, addresses on the net, record numbers, serial numbers; measurements are none of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from leadapron.reports.identifiers.categories import Span
from leadapron.reports.identifiers.field_labels import label_before
from leadapron.reports.identifiers.lexicon import lexicon, words_of
from leadapron.reports.identifiers.tokens import Tokens

CODES = frozenset({"mrn", "accession", "account", "plan", "licence", "vehicle", "device", "id", "ssn", "phone", "fax"})
"""Categories of labels behind which a number stands."""
EMAIL = re.compile(r"(?i)[\w.+%-]+\s?(?:@|\(at\)|\[at\])\s?[\w-]+(?:\s?(?:\.|\(dot\)|\[dot\])\s?[\w-]+)+")
URL = re.compile(
    r"(?i)\b(?:https?://|ftp://|www\.)[^\s<>\"]+[^\s<>\".,;:)\]]|(?<![\w@.])(?:[\w-]+\.)+(?:com|org|net|edu|gov|io|info|health|example|invalid|local|int|uk|de|ca|au|fr|nl|co)(?:/[^\s,;)]*[^\s.,;)])?(?![\w@])"
)
IP = re.compile(
    r"(?<![\w.])\d{1,3}(?:\s?\.\s?\d{1,3}(?:\s\d{1,2}(?=\.))?){3}(?![\w]|\.\d)|(?i:(?<![\w:])(?:[0-9a-f]{1,4}:){2,7}:?[0-9a-z:]{1,4}(?![\w:]))"
)
MAYBE_IP = re.compile(r"\d\s?\.\s?\d{1,3}(?:\s\d{1,2})?\s?\.\s?\d|[0-9a-fA-F]:[0-9a-fA-F]{1,4}:")
SSN = re.compile(r"(?<![\w-])(?:\d{3}|[X*]{3})[-\s](?:\d{2}|[X*]{2})[-\s]\d{4}(?![\w-])")
PLATE = re.compile(
    r"(?i)\b(?:plates?|reg(?:o|istration)?\.?|tail|tag|taxi|cab|car|van,|van|truck|vehicle|motorcycle|motorbike|bus|ambulance|chopper|helicopter|plane|aircraft|licen[cs]e plate)\b(?:\s(?:number|no\.?|is))?[\s:#(]{1,3}((?-i:[A-Z0-9]{1,4}(?:[ -][A-Z0-9]{1,5}){1,2}|[A-Z]{1,3}\d{2,5}[A-Z]{0,3}))(?!\w)"
)
LAST_DIGITS = re.compile(
    r"(?i)\b(?:ending(?: in)?|last (?:four|4|three|3))(?: digits)?(?: of)?\W{1,3}((?=\w*\d)[\dOlS]{3,5})\b"
)
_NOT_AGE = r"(?!\s?-?(?:per\s?cent|%|degrees?|°|mm|cm|ml|cc|days?|minutes?|seconds?|mg|units?|hours?|met(?:er|re)s|bpm|hu\b|kg|lbs?|kvp?|mas|weeks?|months?|beats|of\s(?:the|\d)|x\s?\d|/\d|:\d|\.\d|mcg|msec|ms\b|mmhg|fps|gy|msv|mbq|mci))"
_OLD = r"(?:9\s?[\dOlSB]|1[01]\d)"
AGED = re.compile(
    rf"""(?ix)
    \b(?:who['’]?s|who\sis|age(?:\s?/\s?sex)?)[\s.:]+({_OLD})(?=[\s,.;)/-]|$){_NOT_AGE}
    | (?<=\w\s)\(({_OLD})\)
    | (?<=,\s)({_OLD})(?=,)
    | \b(?:she|he|him|her|now|also|turned|rising|says|(?:wo)?man|lady|gentleman|male|female|patient|mother|father|sister|brother|twin|aunt|uncle|wife|husband|nan|gran\w*
      |shy|died|death|alive|living|well|neighbou?r|friend|cousin|resident|somebody|someone|age|aged|ages|makes|lived|past|nearly|almost|reached|just|spry|sprightly)(?:,|\sis|\swas|\sof|\sat|\sto|\sa|\saged|\shimself|\sherself|\salso|\snow|\sjust|\sturned){{0,3}}\s+({_OLD})(?:st|nd|rd|th)?(?=[\s,.;)!?-]|$){_NOT_AGE}
    | \b[MF]\s?/\s?({_OLD})\b{_NOT_AGE}
    | (?<![\w./-])({_OLD})(?:st|nd|rd|th)?(?=\s(?:birthday|summers|winters)|\s?/\s?[MF]\b|,?\s(?:fe)?male\b|[-\s]?(?:[WB]\s?)?(?-i:[MF])\b|[-\s]?y(?:ears?|rs?|\.?\s?/?\s?o)?\b)
    | \bat\s({_OLD})(?=,?\ss?he\b) | \b0(9\d)Y\b
    """
)
OLD = re.compile(r"(?:9\s?[\dOlSB]|1[01]\d)(?!\d)")
SPOKEN_AGE = re.compile(
    rf"(?i)\b(?:(?:a\s)?hundred[\s-](?:and[\s-])?(?:one|two|three|four|five|six|seven|eight|nine)|ninet(?:ieth|y(?:[\s-]+(?:one|two|three|four|five|six|seven|eight|nine|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth))?)|one[\s-]hundred(?:[\s-](?:and[\s-])?(?:one|two|three|four|five|six|seven|eight|nine|ten)))\b{_NOT_AGE}"
)
SPOKEN = re.compile(
    r"(?i)\b(?:(?:zero|oh|one|two|three|four|five|six|seven|eight|nine|double)[\s-]+){3,}(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)\b"
)
_D = r"[\dOol]"
PHONE = re.compile(
    rf"""(?x)(?<![\w/.-])(?:
    \+\s?\d{{1,3}}(?:[\s.()/-]{{0,2}}\d{{1,5}}){{2,6}}
    | (?:1[\s.-])?\(\s?\d{{3}}\s?\)\s?{_D}{{3}}[\s.-]{{0,3}}{_D}{{4}}
    | (?:1[\s.-])?\d{{3}}[.\s/-]\s?{_D}{{3}}[.\s-]\s?{_D}{{4}}
    | 0\d{{2,4}}/\d{{3}}/\d{{3,4}} | 0\d{{2,4}}[\s/-]\d{{3,4}}[\s-]?\d{{3,4}}
    | \d{{3}}[-.]{_D}\d{{3}} | \d-\d{{4}}
    | 00\d{{1,3}}(?:[\s.-]?\d{{2,4}}){{2,4}}
    )(?:[,\s]*(?i:x|ext|extension)\.?\s?\#?\s?[\dOlS]{{1,6}})?(?![\w]|-\d|\.\d)"""
)
CALLS = re.compile(
    r"(?i)(?<!\d )(?<!\d)\b(?:pager|beeper|ext(?:ension)?|x|vocera|spectralink|phone|tel|telephone|cell|mobile|call(?:ed)?(?: back)?(?: at)?|reach(?:ed|able)? (?:at|on)|dial(?:led|ed)?|desk|bleep(?:ed)?|radio|extn|page|paged at|voicemail|hotline|line)\b[\s.:#]{0,3}(?:(?:no|number|is|at|on)\.?\s?)?(?:#\s?|x\s?)?([\dOol][\dOol\s().-]{1,16}\d)(?![\w%]|\s?(?:mm|cm|of\b))"
)
FAX = re.compile(r"(?i)\b(?:fax|facsimile)\b")
AGE = re.compile(
    r"""(?ix)(?<![\w./-])(?:(?:9\d|1[0-2]\d)(?=\s?-?\s?(?:years?\b|yrs?\b|y\.?\s?/?\s?o\b|yo\b|yof\b|yom\b|y\b|[FM]\b|[- ]year|(?:wh?ite\s|black\s)?(?:fe)?male))
    | (?:ninety(?:[\s-](?:one|two|three|four|five|six|seven|eight|nine))?|(?:one|a)\shundred(?:\s(?:and\s)?(?:one|two|three|four|five|six|seven|eight|nine|ten))?)(?=[\s-]*years?\b|[\s-]*yrs?\b))
    | (?<=\baged\s)(?:9\d|1[0-2]\d)\b | (?<=\bage\s)(?:9\d|1[0-2]\d)\b | (?<=\bage:\s)(?:9\d|1[0-2]\d)\b | (?<=\bage\sof\s)(?:9\d|1[0-2]\d)\b | (?<=\baged\s)ninety(?:[\s-]\w+)?\b | (?<=\bage\sof\s)ninety(?:[\s-]\w+)?\b
    | (?:(?<=\bmother,\s)|(?<=\bfather,\s)|(?<=\bis\s)(?=(?:9\d|1[01]\d)\s(?:and|years|now|but)\b)|(?<=\blived\sto\s)|(?<=\blived\sto\sbe\s)|(?<=\bdied\sat\s)|(?<=\bturned\s)|(?<=\bturning\s)|(?<=\bnearly\s)|(?<=\bat\sage\s)|(?<=aunt\sof\s)|(?<=uncle\sof\s)|(?<=mother\sof\s)|(?<=father\sof\s))(?:9\s?\d|1[0-2]\d)(?=[\s,.;)])(?!\s?(?:%|mm|cm|ml|kg))
    | (?<![\w./-])9\s\d(?=[\s-]year)"""
)
CODE = re.compile(r"[^\W_]+(?:[-/.:][^\W_]+)*")
BILLED = re.compile(r"(?i)\b(?:cpt|icd|icd-10|drg)\W{1,2}$")
GROUPS = re.compile(r"(?:[ ]?[/-]?[ ]?[A-Z]{0,2}\d[\dA-Z]*(?![.:]\d|[/-]\d|\s?(?:mm|cm|ml|years?|yo|y/o|F\b|M\b)))+")
"""Further groups of one number: 00 12 34 56."""
CLINICAL_CODE = re.compile(
    r"""(?ix)(?:
    [CTLS]\d{1,2}(?:[-/](?:[CTLS]?\d{1,2}))*(?:th|st|nd|rd)? | [CTLS]\d{1,2}[-/]?[A-Z]?  # vertebrae
    | \d{1,5}(?:\.\d+)?(?:[x×/-]\d+(?:\.\d+)?)*-?(?:mm|cm|m|ml|cc|mg|kg|g|f|fr|t|kv|kvp|mas|ma|hu|hz|s|h|d|w|y|yo|yr|yrs|mo|wk|wks|hrs?|min|mins|sec|lb|lbs|bpm|mcg|iu|units?|x|th|st|nd|rd|%|l|dl|mhz|mgy|gy|msv|fps|o'clock|k|d|f|m|pm|am)
    | (?:grade|stage|type|class|level|zone|segment|rib|ribs|image|series|im|ser|se|img|view|views|no|x|v|q|g|p|b|a|h|fio|spo|sao|pao|paco|co|o|n|m|s|t|hb|hba|vit|kvp|ma|mas|f|fr|pgy|cd|il|ca|fdg|ph|birads|lungrads|tnm|covid|sars|h\dn|pod|day|hd|dol|ga|wk|nyha|asa|gcs|abcd|pt|pn|pm|cN|cT|cM)[-]?\d{1,3}[a-z]?\d?
    | \d+-(?:year|yr|month|week|day|hour)s?(?:-old)? | th\d{1,2}(?:/th\d{1,2})? | [cpy]?t\d[a-c]?n\d[a-c]?m\d[a-c]? | fev1 | fvc | [a-z]\d\d\.\d{1,3} | \d{1,2}[lr](?:/\d{1,2}[lr])* | ki-?67 | ttf-?1 | cd\d{1,3} | f508del | g551d
    | \d{1,2}(?:st|nd|rd|th)-\d{1,2}(?:st|nd|rd|th) | \d{1,3}[a-z]? | \d{1,4}[-/]\d{1,4} | [a-z]\d[a-z]?\d? | \d[a-z]{1,2}\d? | h\dn\d | covid-?19 | sars-cov-?2 | p\d{1,2}f\d | \d{1,3}[a-z]-\d{1,3}[a-z] | \d{1,3}(?:st|nd|rd|th) | \dd | f-?18 | tc-?99m? | i-?131 | ga-?68
    )"""
)
UNIT = re.compile(
    r"(?i)\s?-?\s?(?:mm|cm|(?-i:[mglf])\b|ml|cc|mg|mcg|kg|fr\b|french|%|kvp?|mas?\b|hu\b|units?|mgy|gy\b|msv|cells|/\s?(?:min|hr?\b|day|kg|dl|ml|hpf|mm|l\b)|x\s?\d|degrees?|°|seconds?|minutes?|hours?|days?|weeks?|months?|years?|images?|slices|liters?|lbs?|pounds|per\b|mmhg|bpm|tesla|gauge|mmol|meq|iu\b|mbq|cmh2o|kpa|msec|[kmg]?hz\b|db\b|views?\b|pack|ng\b|ch\b)"
)


DIGITS = re.compile("[#Z]")
REACHED = words_of("rules.toml", "reached")
VEHICLES = frozenset(
    {
        "plate",
        "plates",
        "reg",
        "rego",
        "registration",
        "tail",
        "tag",
        "taxi",
        "cab",
        "car",
        "van",
        "truck",
        "vehicle",
        "motorcycle",
    }
    | {"motorbike", "bus", "ambulance", "chopper", "helicopter", "plane", "aircraft"}
)
SPACED = re.compile(r"(?<![\w./:,-])(?<!\d )(?:[A-Z]{1,3} )?\d{1,4}(?: \d{2,4}){2,4}(?![\w./:%-]| ?(?:mm|cm|ml|x)\b)")
"""One number in groups."""
NUMERALS = frozenset({"zero", "oh", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "double"})
PATTERNS: tuple[tuple[re.Pattern[str], str, str, re.Pattern[str] | frozenset[str]], ...] = (
    (SPACED, "id", "groups of digits", re.compile(r"\d \d{2,4} \d\d")),
    (SSN, "ssn", "ssn", re.compile(r"[\dX*][- ]?[\dX*]{2}[- ]\d{4}")),
    (AGE, "age", "age", re.compile(r"(?:9 ?\d|1[0-2]\d)(?!\d)")),
    (AGE, "age", "age", frozenset({"ninety", "hundred"})),
    (SPOKEN_AGE, "age", "age in words", frozenset({"ninety", "ninetieth", "hundred"})),
    (SPOKEN, "id", "spoken digits", NUMERALS),
    (LAST_DIGITS, "id", "last digits", frozenset({"ending", "last"})),
)
"""Each with a hint that is quick to look for, words or a pattern, and without which there is nothing to find."""
SITE = frozenset(
    {"www", "com", "org", "net", "edu", "gov", "io", "info", "health", "example", "invalid", "local", "int"}
    | {"uk", "de", "ca", "au", "fr", "nl", "co"}
)
"""Words in addresses on the net, of which one must be there."""


def find_numbers(tokens: Tokens) -> Iterator[Span]:
    text = tokens.text
    if "@" in text or "at)" in text or "at]" in text:
        yield from (Span(*found.span(), "email", "email") for found in EMAIL.finditer(text))
    if tokens.lowered & SITE or "://" in text:
        yield from (Span(*found.span(), "url", "url") for found in URL.finditer(text))
    if tokens.lowered & VEHICLES:
        yield from (Span(*found.span(1), "vehicle", "plate") for found in PLATE.finditer(text))
    for pattern, category, name, hint in PATTERNS:
        if tokens.lowered & hint if isinstance(hint, frozenset) else hint.search(text):
            looked = (
                tokens.begun(pattern) if pattern is AGE and not isinstance(hint, frozenset) else tokens.scan(pattern)
            )
            yield from (Span(*found.span(found.lastindex or 0), category, name) for found in looked)
    for found in tokens.around(OLD, AGED):
        yield Span(*found.span(found.lastindex or 0), "age", "age")
    if (text.count(".") > 2 or text.count(":") > 2) and MAYBE_IP.search(text):
        yield from (Span(*found.span(), "ip", "ip") for found in tokens.begun(IP) if _is_address(found.group()))
    for found in tokens.begun(PHONE):
        before = text[max(0, found.start() - 24) : found.start()]
        yield Span(*found.span(), "fax" if FAX.search(before) else "phone", "phone")
    for found in tokens.scan(CALLS) if tokens.lowered & REACHED else ():
        digits = sum(one.isdigit() for one in found.group(1))
        if 3 <= digits <= 15 and not UNIT.match(text[found.end(1) : found.end(1) + 9]):
            yield Span(*found.span(1), "phone", "phone context")
    yield from _codes(tokens)


def _codes(tokens: Tokens) -> Iterator[Span]:
    """Tokens with digits, joined with their neighbours; a label, a length or a shape says what they are."""
    text, row = tokens.text, tokens.row
    done = -1
    for digits in DIGITS.finditer(row):
        at = digits.start()
        if tokens.starts[at] < done:
            continue
        start = _begin(tokens, at)
        found = CODE.match(text, start)
        assert found is not None
        said, done = found.group(), found.end()
        first = _first_token(tokens, at, start)
        category = label_before(tokens, first)
        if category not in CODES and first and row[first - 1] in "IXC" and tokens.words[first - 1].isupper():
            category, start = label_before(tokens, first - 1), tokens.starts[first - 1]  # Policy W 1234
        if category in CODES and not UNIT.match(text[done : done + 9]):
            more = GROUPS.match(text, done)
            done = more.end() if more else done
            if _long_enough(text[start:done], category):
                yield Span(start, done, category, "label")
        elif (
            _is_code(said)
            and not BILLED.search(text[max(0, start - 6) : start])
            and not UNIT.match(text[done : done + 9])
        ):
            yield Span(start, done, category if category in CODES else "id", "code")


def _begin(tokens: Tokens, at: int) -> int:
    """Where the code that a token belongs to begins: letters and separators right before it are part of it."""
    text, start = tokens.text, tokens.starts[at]
    while start and (
        text[start - 1].isalnum()
        or (text[start - 1] in "-/.:" and start > 1 and text[start - 2].isalnum() and text[start - 1] != ":")
    ):
        start -= 1
    while start < tokens.starts[at] and not text[start].isalnum():
        start += 1
    return start


def _first_token(tokens: Tokens, at: int, start: int) -> int:
    while at and tokens.starts[at - 1] >= start:
        at -= 1
    return at


def _long_enough(said: str, category: str) -> bool:
    digits = sum(one.isdigit() for one in said)
    return digits >= (2 if category in ("device", "vehicle", "mrn", "accession", "licence", "ssn") else 3)


def _is_code(said: str) -> bool:
    """Too long or too mixed for a measurement, a level or a grade."""
    digits, letters = sum(one.isdigit() for one in said), sum(one.isalpha() for one in said)
    if CLINICAL_CODE.fullmatch(said):
        return False
    if not letters:
        parts = re.split(r"[-/.:]", said)
        return (
            max(map(len, parts)) >= 5
            or (len(parts) > 2 and digits >= 7)
            or (digits >= 6 and len(parts) > 1 and "." not in said and "/" not in said and ":" not in said)
        )
    if digits < 2:
        return digits == 1 and letters <= 6 and said.isupper() and len(said) >= 6
    words = re.findall(r"[A-Za-z]{3,}", said)
    if (
        words
        and all(lexicon().is_clinical(one.lower()) or lexicon().is_english(one.lower()) for one in words)
        and digits < 4
    ):
        return False
    return len(said) >= 5


def _is_address(said: str) -> bool:
    return ":" in said or all(int(one.replace(" ", "")) < 1000 for one in said.split("."))

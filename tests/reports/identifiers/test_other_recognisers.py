"""Models and patterns of others, through the very code that loads the real ones."""

from __future__ import annotations

import importlib.util
import json
import shutil
from types import SimpleNamespace

import pytest

from leadapron.errors import ConfigError, DataError, MissingExtraError
from leadapron.reports.identifiers.finder import Finder
from leadapron.reports.identifiers.other_recognisers import (
    meaning,
    presidio_patterns,
    presidio_recogniser,
    recogniser_of,
    transformers_recogniser,
)

LABELS = ["O", "PATIENT", "HCW", "HOSPITAL", "DATE", "ID", "PHONE", "VENDOR"]
KNOWN = {"zorblatt": "PATIENT", "quimby": "HCW", "brackenwick": "HOSPITAL", "zeiphon": "VENDOR", "5550142": "PHONE"}
PIECES = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    "the",
    "lungs",
    "are",
    "clear",
    ".",
    "zor",
    "##blatt",
    "12",
    "cm",
]
TAKEN = {"zor": "PATIENT", "##blatt": "O", "12": "ID", "lungs": "PATIENT"}
"""The model sees half of a name, and takes a short number and the lungs for identifiers."""


def found_by(recogniser, text):
    return {(text[one.start : one.end], one.category) for one in recogniser([text])[0]}


# transformers


@pytest.fixture(scope="module")
def model_folder(tmp_path_factory):
    """A model of one layer that does nothing: what a token is stands in its embedding."""
    torch = pytest.importorskip("torch", reason="not run: torch is not installed")
    transformers = pytest.importorskip("transformers", reason="not run: transformers is not installed")
    words = [*PIECES, *KNOWN]
    config = transformers.BertConfig(
        vocab_size=len(words), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16,
        max_position_embeddings=32, id2label=dict(enumerate(LABELS)),
        label2id={label: at for at, label in enumerate(LABELS)},
    )  # fmt: skip
    model = transformers.BertForTokenClassification(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
        for module in model.modules():
            if isinstance(module, torch.nn.LayerNorm):
                module.weight.fill_(1)
        for at, word in enumerate(words):
            label = {**KNOWN, **TAKEN}.get(word, "O")
            model.bert.embeddings.word_embeddings.weight[at, LABELS.index(label)] = 1
        model.classifier.weight.copy_(torch.eye(len(LABELS), 16))
    folder = tmp_path_factory.mktemp("model")
    model.save_pretrained(folder)
    (folder / "vocab.txt").write_text("\n".join(words))
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "BertTokenizer", "do_lower_case": True})
    )
    return folder


@pytest.fixture(scope="module")
def tagger(model_folder):
    return transformers_recogniser(model_folder)


def test_the_labels_of_a_model_become_our_categories(tagger):
    text = "Quimby of Brackenwick: the lungs are clear. Zeiphon 5550142."
    assert found_by(tagger, text) == {
        ("Quimby", "staff"),
        ("Brackenwick", "hospital"),
        ("Zeiphon", "hospital"),
        ("5550142", "phone"),
    }


def test_the_medicine_and_short_numbers_are_not_taken_from_a_model(tagger):
    assert found_by(tagger, "The lungs are clear. 12 cm.") == set()


def test_half_a_name_becomes_a_whole_one(tagger):
    text = "Effusion. zorblatt."
    spans = Finder(recognisers=(tagger,)).find([text])[0]
    assert {text[one.start : one.end] for one in spans} == {"zorblatt"}


def test_a_report_that_is_longer_than_the_model_is_read_to_its_end(tagger):
    text = "the lungs are clear. " * 60 + "Quimby"
    assert found_by(tagger, text) == {("Quimby", "staff")}


def test_a_folder_that_holds_no_model_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="neither 'spacy' nor the folder of a transformers model"):
        transformers_recogniser(tmp_path)
    (tmp_path / "config.json").write_text('{"model_type": "bert"}')
    with pytest.raises(DataError, match="the model cannot be loaded"):
        transformers_recogniser(tmp_path)


def test_weights_that_are_cut_short_are_refused(model_folder, tmp_path):
    broken = shutil.copytree(model_folder, tmp_path / "broken")
    (broken / "model.safetensors").write_bytes(b"x")
    with pytest.raises(DataError, match="the model cannot be loaded"):
        transformers_recogniser(broken)


def test_a_model_is_asked_for_by_its_folder(model_folder):
    (found,) = recogniser_of(str(model_folder), ())
    assert found_by(found, "Quimby") == {("Quimby", "staff")}


# spaCy


def test_without_spacy_the_extra_is_named():
    if importlib.util.find_spec("spacy") is not None:
        pytest.skip("not run: spaCy is installed")
    with pytest.raises(MissingExtraError, match="deid-model"):
        list(recogniser_of("spacy", ()))


# Presidio


FILE = """
recognizers:
  - name: lockers
    supported_entity: LOCKER
    supported_languages: [en]
    patterns:
      - {name: locker, regex: 'zq-\\d+', score: 0.9}
      - {name: weak, regex: '\\b\\d{4}\\b', score: 0.1}
    context: [Badge, 77]
  - name: mascots
    supported_entity: PERSON
    deny_list: [Zottel, 4711, a+b]
"""


@pytest.fixture
def patterns(tmp_path):
    (tmp_path / "ours.yaml").write_text(FILE)
    return presidio_recogniser(presidio_patterns(tmp_path / "ours.yaml"))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("in ZQ-17 and zq-", {("ZQ-17", "id")}),
        ("number 1234 alone", set()),
        ("badge number 1234", {("1234", "id")}),
        ("1234 on a badge", set()),
        ("badge" + " " * 70 + "1234", set()),
        ("zottel and Zottels", {("zottel", "name")}),
        ("4711 or a+b", {("4711", "name"), ("a+b", "name")}),
    ],
)
def test_patterns_context_and_words_of_a_file_are_found(patterns, text, found):
    assert found_by(patterns, text) == found


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("recognizers: [{name: x, patterns: [{regex: '(', score: 1}]}]", "'x' cannot be read"),
        ("recognizers: [{name: x, patterns: [{regex: 'a'}]}]", "'x' cannot be read"),
        ("recognizers: [{name: x, patterns: [{regex: 'a', score: high}]}]", "'x' cannot be read"),
        ("recognizers: [{name: x, patterns: a}]", "'x' cannot be read"),
        ("recognizers: [{name: x, deny_list: [a], context: badge}]", "context is not a list"),
        ("recognizers: [{name: UsSsnRecognizer, type: predefined}]", "neither patterns nor a deny_list"),
        ("recognizers: [a, b]", "no list of recognisers"),
        ("recognisers: []", "no list of recognisers"),
        ("just words", "no list of recognisers"),
        ("", "no list of recognisers"),
        ("a: [", "cannot be read"),
    ],
)
def test_a_broken_file_is_refused(tmp_path, content, said):
    (tmp_path / "bad.yaml").write_text(content)
    with pytest.raises(DataError, match=said):
        presidio_patterns(tmp_path / "bad.yaml")


def test_a_binary_or_missing_file_is_refused(tmp_path):
    (tmp_path / "bad.yaml").write_bytes(b"\xff\xfe\x00")
    for name in ("bad.yaml", "nowhere.yaml"):
        with pytest.raises(DataError, match="cannot be read"):
            list(recogniser_of(None, [tmp_path / name]))


class Locker:
    """As users of Presidio write their own."""

    name, supported_entities = "locker", ["PERSON", "DATE_TIME"]

    def analyze(self, text, entities, nlp_artifacts):
        assert entities == self.supported_entities
        assert nlp_artifacts is None
        at = text.find("Zottel")
        return [
            SimpleNamespace(entity_type=kind, start=at, end=at + 6, score=score)
            for kind, score in (("PERSON", 0.5), ("DATE_TIME", 0.2))
            if at >= 0
        ]


def test_recognisers_of_presidio_work_as_they_are():
    recogniser = presidio_recogniser([Locker()])
    assert found_by(recogniser, "with Zottel") == {("Zottel", "name")}
    found = Finder(recognisers=(recogniser,)).find(["with Zottel", "no edema"])
    assert [len(spans) for spans in found] == [1, 0]


@pytest.mark.parametrize(
    ("label", "category"),
    [("B-PATIENT", "name"), ("PERSON", "name"), ("GPE", "place"), ("mrn", "mrn"), ("I-DATE", "date"), ("ZIP", "id")],
)
def test_labels_of_others_are_understood(label, category):
    assert meaning(label) == category

"""Attackers in plain words: what each does whom the results name by a key."""

from __future__ import annotations

from leadapron.report.results import Results

PLAIN = {
    "linkage": {
        "cosine": "one who takes the nearest embedding",
        "csls": "one who corrects for candidates that are near to everybody",
        "pooled": "one who takes a patient's images together",
        "realigned": "one who learns from a few known pairs how images and reports lie to each other",
        "assignment": "one who gives every radiograph a report over the whole release and no report twice",
    },
    "identity": {
        "cosine": "one who compares embeddings by their angle",
        "euclidean": "one who compares embeddings by their distance",
        "whitened": "one who lets no direction count for more because images vary much in it",
        "learned": "one who has learned from other patients what varies within a patient",
        "network": "one who has trained a network to recognise patients",
    },
    "membership": {
        "lira": "one who asks whether an answer is likelier from models with the record or without it",
        "lira-per-label": "one who asks of label after label whether models with the record likelier give this answer",
        "lira-sum": "one who adds up the labels and asks whether models with the record likelier give this answer",
        "lira-offline": "one who asks how far an answer is above those of models without the record",
        "rmia": "one who asks whether a model is surer than others are and more so than on other records",
        "rmia-offline": "one who asks whether a model is surer than others without the record, more so than elsewhere",
        "rmia-500": "one who asks the same as rmia-offline and compares with 500 records drawn at random",
        "target-alone": "one who looks at how sure the model is and at nothing else",
    },
}


def in_words(results: Results, attacker: str) -> str:
    """What an attacker does, with the key; the key alone where nobody has put it in words."""
    plain = PLAIN.get(results.content["attack"], {}).get(attacker)
    return f"{plain} ({attacker})" if plain else attacker


def explained(attack: str) -> str:
    """All attackers of an audit, for a glossary."""
    return " ".join(f"{name}: {plain}." for name, plain in PLAIN[attack].items())

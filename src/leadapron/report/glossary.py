"""Terms that every report needs, each in a sentence or two; an attack's own are added to them."""

from __future__ import annotations

from collections.abc import Mapping

from leadapron.report.numerals import escape

SHARED = {
    "Confidence interval (95 %)": "The range of values that fit the data, found by redrawing patients. "
    "Of 100 audits like this one, about 95 give an interval that holds the true value.",
    "Embedding": "The list of numbers by which a model represents an image or a text.",
    "Enrichment": "The attacker's success divided by that of guessing. 1× is no better than guessing.",
    "Measured, declared, combined": "Measured: found by attacking this release. Declared: said by the maker and not "
    "tested. Combined: calculated from both.",
    "p, adjusted": "How often a difference this large comes up when the groups do not differ; raised by Holm's "
    "method because many groups are tested.",
}


def with_shared(own: Mapping[str, str]) -> dict[str, str]:
    """An attack's terms among the shared ones, in the order of the alphabet."""
    terms = {**SHARED, **own}
    return {term: terms[term] for term in sorted(terms, key=str.lower)}


def as_html(terms: Mapping[str, str]) -> str:
    """What stands inside the list of definitions."""
    return "\n".join(f"<div><dt>{escape(term)}</dt><dd>{escape(text)}</dd></div>" for term, text in terms.items())

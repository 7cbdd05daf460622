"""Terms that every page needs, each in a sentence or two; an audit's own are added to them."""

from __future__ import annotations

from leadapron.audits.audit import Audit
from leadapron.pages.page import Definitions

SHARED = {
    "Confidence interval (95 %)": "The range of values that fit the data; patients are its units. Of 100 audits like "
    "this one, about 95 give an interval that holds the true value.",
    "Embedding": "The list of numbers by which a model represents an image or a text.",
}
OF_RISK = {
    "Enrichment": "The attacker's success divided by that of guessing. 1× is no better than guessing.",
    "Measured, declared, combined": "Measured: found by attacking this release. Declared: said by the maker and not "
    "tested. Combined: calculated from both.",
    "p, adjusted": "How often a difference this large comes up when the groups do not differ; raised by Holm's "
    "method because many groups are tested.",
}


def glossary(audit: Audit) -> Definitions:
    """An audit's terms among the shared ones, in the order of the alphabet, and its attackers.

    A shared term that an audit explains by an empty text has no place on its page.
    """
    shared = {**SHARED, **(OF_RISK if audit.about == "risk" else {})}
    terms = {term: text for term, text in {**shared, **audit.page.glossary}.items() if text}
    if audit.attackers:
        term, each = f"{audit.who.capitalize()}s", [f"{name}: {plain}." for name, plain in audit.attackers.items()]
        terms[term] = " ".join([terms.get(term, ""), *each]).strip()
    return Definitions({term: terms[term] for term in sorted(terms, key=str.lower)}, "glossary")

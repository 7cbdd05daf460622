"""The page of a federation audit, beyond the standard one."""

from __future__ import annotations

from leadapron.attacks.federation import federation_tables as tables
from leadapron.attacks.federation import federation_words as words
from leadapron.audits.page_parts import PageParts

COUNT_NAMES = {
    "hospitals": "hospitals",
    "rounds": "rounds",
    "patients": "patients of hospitals asked about",
    "records": "records of theirs",
    "outsiders": "patients of no hospital asked about",
    "public_records": "records of the public set",
}
GLOSSARY = {
    "Embedding": "",
    "AUC": "How often a patient of a hospital is told from somebody who was at none. A half is guessing, one always.",
    "False alarm": "Somebody who was at no hospital and is taken for a patient of one.",
    "Null control": "The same attack with patients of no hospital in the place of the hospitals' own. It must find "
    "nothing, or it is wrong.",
    "Partner": "The public record that lends its other half to a record in a round.",
    "Planted patients": "A few patients on whom a small federation is trained many times over. The attack must find "
    "them, or it is too weak to say anything.",
    "Round": "The server sends a model, every hospital trains it on its own records and sends it back, and the mean is "
    "the next model.",
    "Secure aggregation": "The server learns the sum of the updates, and no hospital's own.",
    "Update": "What a hospital sends back in a round: the model after training on its own records.",
}

PAGE = PageParts(
    verdict=words.verdict,
    basis=words.basis,
    strongest=words.strongest,
    support=words.support,
    facts=words.facts,
    count_names=COUNT_NAMES,
    things=frozenset({"hospitals", "rounds", "public_records"}),
    tables=tables.shown,
    glossary=GLOSSARY,
    card=tables.card,
    summary=tables.attackers,
)

"""Clinical words of a chest report: what has to be there still when identifiers have been taken out."""

from __future__ import annotations

import re

_WORDS = {
    "eponym": r"Kerley B lines?|Kerley B|Swan-Ganz|Dobbhoff|Bochdalek|Morgagni|Ghon|Schmorl",
    "measurement": r"\d+(?:\.\d+)?(?: ?[x×] ?\d+(?:\.\d+)?){0,2} ?(?:mm|cm)\b|0\.\d\d\b",
    "level": r"\b[CTL]\d{1,2}(?: ?[-/] ?[CTL]?\d{1,2})?\b|\b\d{1,2}(?:st|nd|rd|th) ribs?\b",
    "device": r"\b(?:endotracheal tube|et tube|ett|nasogastric tube|ng tube|ngt|enteric tube|picc(?: line)?"
    r"|(?:internal jugular|ij) (?:central line|catheter|line|cvc)|chest tube|pleural drain|pacemaker|pacing device"
    r"|median sternotomy wires|sternal wires|(?:surgical )?clips|support devices|port-a-cath)\b",
    "finding": r"\b(?:atelectasis|cardiomegaly|consolidations?|o?edema|effusions?|pneumothorax|ptx|pneumonia"
    r"|opacit(?:y|ies)|fractures?|lesions?|nodules?|granulomas?|pleural (?:thickening|scarring|plaque)"
    r"|(?:dextro|levo)?scoliosis|osteopenia|hyperinflat(?:ed|ion)|emphysema|infiltrates?|congestion|collapse"
    r"|volume loss|clear)\b",
    "anatomy": r"\b(?:lungs?|heart|cardiac silhouette|mediastinum|mediastinal|cardiomediastinal|hil(?:um|a|ar)|aorta"
    r"|(?:hemi)?diaphragm|ribs?|spine|thoracic|(?:upper|middle|lower) (?:lobe|zone)|apex|bases?|carina"
    r"|superior vena cava|svc|right atrium|stomach|axilla|costophrenic angles|bones|pleura|pleural)\b",
    "laterality": r"\b(?:right|left|bilateral|bilat)(?:-sided|ly)?\b",
}
# the longer first where several begin at the same letter: "right atrium" is a place, not a side
_ANY = re.compile(
    "|".join(f"(?P<{category}>{pattern})" for category, pattern in _WORDS.items()),
    re.IGNORECASE,
)


def clinical_terms(text: str) -> list[tuple[str, int, int]]:
    """Category, start and end of each clinical word, in the order of the text."""
    return [(str(found.lastgroup), found.start(), found.end()) for found in _ANY.finditer(text)]

"""What may be said of the numbers of a parrot audit."""

from __future__ import annotations

from leadapron.audits.measure import Measure

PARROT_NAME = "imitation"
SUSPICION = "suspicion"
TPR, AMONG = "tpr@fpr=", "leaks-among@fpr="
RATES = (0.05, 0.01)
PLAIN = {
    PARROT_NAME: "one who marks what looks like an identifier in some reports, trains a tagger on it that imitates the "
    "de-identifier, and takes what the tagger does not find for real"
}
"""What the attacker does."""
MEASURES = (
    Measure("auc", "Leak told from stand-in (AUC)", "a leak stands out more than a stand-in", "leaks", scale="auc"),
    Measure(
        "tpr@fpr",
        "Leaks that stand out, at {of_percent} of stand-ins flagged",
        "an imitation that flags {of_percent} of the stand-ins flags the leak",
        "leaks",
    ),
    Measure(
        "leaks-among@fpr",
        "Leaks among what is flagged, at {of_percent} of stand-ins flagged",
        "the identifier is a leak, with {of_percent} of the stand-ins flagged,",
        "flagged identifiers",
    ),
)

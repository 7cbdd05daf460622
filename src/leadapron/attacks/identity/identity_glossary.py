"""The terms of an identity audit."""

from __future__ import annotations

from leadapron.attacks.open_world_words import GLOSSARY as OPEN_WORLD

GLOSSARY = {
    "Attackers": "Ways to score how alike two images are.",
    "Alike strangers, matched": "Two images of different patients that agree in all that the release tells of "
    "them: age, sex, view, source, findings. What is still recognised there is more than these.",
    "AUC": "How often a pair of one patient scores higher than a pair of strangers. A half is guessing.",
    "Chance, guessing": "What an attacker gets who picks an image or says “one patient” blindly. With several "
    "images of the patient in the gallery, a blind pick is right more often.",
    "Equal error rate": "The share of wrong answers at the threshold at which patients are missed as often as "
    "strangers are taken for one patient.",
    "False alarm": "Two strangers' images that are taken for one patient's. Among millions of pairs, even one "
    "in a thousand is many.",
    "Gallery": "The images among which the attacker searches. A gallery of N images holds all other images of the "
    "patient and N − 1 of strangers; the largest holds all other images of the release.",
    "Mate": "Another image of the same patient.",
    "mAP@R, R-precision": "With R mates in the release: the share of mates among the first R images; for mAP@R, "
    "averaged over all places down to R, so that early hits count more.",
    "Null control": "The same attack on images dealt to patients at random. It must do no better than guessing, or "
    "the audit is wrong.",
    **OPEN_WORLD,
    "Planted copies": "Near copies that were put there on purpose. The attack must find them, or it is too weak to "
    "say anything.",
    "Precision@1": "The share of the radiographs for which an image of the same patient comes first.",
    "Taken apart": "Pairs of one patient that are neither of one day or study nor one and the same picture.",
}

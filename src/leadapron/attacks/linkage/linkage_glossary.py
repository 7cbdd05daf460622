"""The terms of a linkage audit."""

from __future__ import annotations

from leadapron.attacks.open_world_words import GLOSSARY as OPEN_WORLD

GLOSSARY = {
    "Attackers": "Ways to pair radiographs with reports.",
    "Chance, guessing": "What an attacker gets who picks a candidate blindly: one in N for a pool of N.",
    "Coverage": "The share of the queries for which an attacker who may stay silent gives an answer.",
    "Direction": "Radiograph → report: a radiograph is given, its report is sought. Report → radiograph: the reverse.",
    "Mean reciprocal rank (mrr)": "The average of one over the rank of the right candidate; 1 if it is always first.",
    "Null control": "The same attack on shuffled pairs. It must do no better than guessing, or the audit is wrong.",
    "Pathology-matched pool": "A pool of candidates whose findings are the most like those of the right one: what "
    "is still found there is more than the diagnosis.",
    "Planted leak": "Pairs that were made easy to find on purpose. The attack must find them, or it is too weak to "
    "say anything.",
    "Pool": "The candidates among which the attacker searches. A larger pool is a harder search.",
    "Precision": "The share of the answers given that are right.",
    **OPEN_WORLD,
    "Recall@K": "The share of the queries whose right candidate is among the first K of the pool.",
}

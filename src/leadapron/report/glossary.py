"""The terms of the report, each in a sentence or two."""

from __future__ import annotations

GLOSSARY = {
    "Attacker": "A method that pairs radiographs with reports. "
    "cosine: nearest embedding. csls: the same, corrected for candidates that are near to everything. "
    "assignment: one report for each radiograph over the whole release. pooled: a patient's images together. "
    "realigned: a map fitted on a few known pairs comes first.",
    "Chance, guessing": "What an attacker gets who picks a candidate blindly: one in N for a pool of N.",
    "Confidence interval (95 %)": "The range of values that fit the data, found by redrawing patients. "
    "Of 100 audits like this one, about 95 give an interval that holds the true value.",
    "Coverage": "The share of the queries for which an attacker who may stay silent gives an answer.",
    "Direction": "Radiograph → report: a radiograph is given, its report is sought. Report → radiograph: the reverse.",
    "Embedding": "The list of numbers by which a model represents an image or a text.",
    "Enrichment": "The attacker's success divided by that of guessing. 1× is no better than guessing.",
    "Mean reciprocal rank (mrr)": "The average of one over the rank of the right candidate; 1 if it is always first.",
    "Measured, declared, combined": "Measured: found by attacking this release. Declared: said by the maker and not "
    "tested. Combined: calculated from both.",
    "Null control": "The same attack on shuffled pairs. It must do no better than guessing, or the audit is wrong.",
    "p, adjusted": "How often a difference this large comes up when the groups do not differ; raised by Holm's "
    "method because many groups are tested.",
    "Pathology-matched pool": "A pool of candidates whose findings are the most like those of the right one: what is "
    "still found there is more than the diagnosis.",
    "Planted leak": "Pairs that were made easy to find on purpose. The attack must find them, or it is too weak to "
    "say anything.",
    "Pool": "The candidates among which the attacker searches. A larger pool is a harder search.",
    "Precision": "The share of the answers given that are right.",
    "Recall@K": "The share of the queries whose right candidate is among the first K of the pool.",
}

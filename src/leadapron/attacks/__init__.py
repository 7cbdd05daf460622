"""Attacks: a release and the truth in, evidence for every record out."""

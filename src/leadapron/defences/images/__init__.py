"""Defences of a cohort's images: counterparts that are of nobody, and plain coarsening to compare with."""

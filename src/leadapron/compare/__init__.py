"""The comparison: two audits of the same records, before and after, pair by pair."""

from leadapron.compare.comparison import Change, Comparison, PairedChange, compare
from leadapron.compare.rendering import RENDERERS, as_table

__all__ = ["RENDERERS", "Change", "Comparison", "PairedChange", "as_table", "compare"]

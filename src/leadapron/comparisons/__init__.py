"""The comparison: two audits of the same records, before and after."""

from leadapron.comparisons.comparison import Change, Comparison, PairedChange, compare
from leadapron.comparisons.comparison_page import RENDERERS, as_table

__all__ = ["RENDERERS", "Change", "Comparison", "PairedChange", "as_table", "compare"]

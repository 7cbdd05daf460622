"""The comparison: two audits of the same records, before and after."""

from leadapron.comparisons.comparison import Change, Comparison, PairedChange, compare
from leadapron.comparisons.comparison_page import RENDERERS, as_table
from leadapron.comparisons.use_changes import UseChange, use_changes

__all__ = ["RENDERERS", "Change", "Comparison", "PairedChange", "UseChange", "as_table", "compare", "use_changes"]

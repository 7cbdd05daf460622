"""Reports as text: what they say."""

from leadapron.reports.labeller import Label, label_report

__all__ = ["Label", "label_report"]

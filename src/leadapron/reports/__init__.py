"""Reports as text: what they say, and where they identify someone."""

from leadapron.reports.labeller import Label, label_report

__all__ = ["Label", "label_report"]

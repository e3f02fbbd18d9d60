"""A run as a document: one page that can be filed, handed in and printed."""

from vincolo.report.figures import Plot, key_plots
from vincolo.report.write import report_html, write_report

__all__ = ["Plot", "key_plots", "report_html", "write_report"]

"""The page of a report: one self-contained HTML file."""

from doxel.reports.page.page import render

__all__ = ["render"]

"""The page of a report: one HTML file that needs nothing but itself."""

from doxel.reports.page.page import render

__all__ = ["render"]

"""The page of a report, without a browser."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("broken", [{}, {"format": 0}])
def test_data_of_another_format_are_rejected(broken):
    from doxel.errors import InputError
    from doxel.reports.report_page import render_report

    with pytest.raises(InputError, match="report: wanted format 2"):
        render_report(broken)

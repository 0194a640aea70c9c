"""The page of a report, without a browser."""

from __future__ import annotations

import json
import re

import pytest

from doxel.evaluation import evaluate
from doxel.reports.report_page import build_aspects


@pytest.mark.parametrize("broken", [{}, {"format": 0}])
def test_data_of_another_format_are_rejected(broken):
    from doxel.errors import InputError
    from doxel.reports.report_page import render_report

    with pytest.raises(InputError, match="report: wanted format 2"):
        render_report(broken)


def test_a_page_shows_which_aspects_each_run_missed():
    aspects = [
        {"topic": "1", "aspect": "x<", "place": "a 0 to 9", "weight": 2.0, "vital": True, "ranks": [1, None]},
        {
            "topic": "1",
            "aspect": None,
            "place": "b 0 to 9",
            "weight": 1,
            "vital": False,
            "ranks": [None, None],
        },
        {"topic": "2", "aspect": "y", "place": "c 0 to 9", "weight": 1.0, "vital": True, "ranks": [3, 1]},
    ]
    table = build_aspects({"runs": ["mine", "yours"], "aspects": aspects})
    rows = re.findall(r"<tr>(.*?)</tr>", table)
    texts = [[re.sub("<[^>]*>", "", cell) for cell in re.findall(r"<t[hd].*?</t[hd]>", row)] for row in rows]
    assert texts == [
        ["topic", "aspect", "weight", "vital", "mine", "yours"],
        ["missed of 3", "1", "2"],
        ["1", "x&lt;", "2", "yes", "1", "missed"],
        ["1", "b 0 to 9", "1", "no", "missed", "missed"],
    ]
    assert build_aspects({"runs": ["mine"], "aspects": []}) is None
    assert build_aspects({"runs": ["mine"]}) is None  # data of an older report


def test_a_report_has_the_aspects_of_its_runs(tmp_path):
    gold = [
        {"topic": "1", "doc": "a", "start": 0, "end": 9, "aspect": "x"},
        {"topic": "1", "doc": "a", "start": 20, "end": 29, "aspect": "y"},
    ]
    result = evaluate({"mine": [("1", "a", 0, 9)], "yours": [("1", "a", 20, 29)]}, gold, "aspect_rec")
    result.report(tmp_path / "out")
    data = json.loads((tmp_path / "out" / "report.json").read_text())
    assert [(aspect["aspect"], aspect["ranks"]) for aspect in data["aspects"]] == [
        ("x", [1, None]),
        ("y", [None, 1]),
    ]
    assert '<section id="aspects">' in (tmp_path / "out" / "index.html").read_text()
    plain = [{**row, "aspect": None} for row in gold]
    evaluate({"mine": [("1", "a", 0, 9)]}, plain, "aspect_rec").report(tmp_path / "plain")
    assert '<section id="aspects">' not in (tmp_path / "plain" / "index.html").read_text()

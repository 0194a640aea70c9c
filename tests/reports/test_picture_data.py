"""Pictures as data: colours, bands, and the ends of axes."""

import numpy as np
import pytest

from doxel.evaluation import evaluate
from doxel.reports import picture_data
from doxel.reports.picture_data import (
    BANDS_UP_TO,
    COLOURS,
    Picture,
    PictureLine,
    build_comparison_picture,
    select_lines,
)
from reports.curve_picture import picture


def test_neighbouring_colours_differ_in_lightness_or_hue():
    rgb = np.array([[int(colour[at : at + 2], 16) for at in (1, 3, 5)] for colour in COLOURS]) / 255
    distance = np.abs(rgb[:, None] - rgb[None, :]).sum(axis=2) + 9 * np.eye(len(rgb))
    assert distance.min() > 0.3


def test_many_runs_have_no_bands():
    assert picture(*"abcdef").has_bands
    assert len("abcdef") == BANDS_UP_TO
    assert not picture(*"abcdefg").has_bands


def test_a_rank_axis_ends_at_the_last_change():
    flat = np.concatenate([np.linspace(0, 1, 30), np.ones(1000)])
    line = PictureLine("a", np.arange(1.0, 1031), flat)
    assert Picture("c", "", "rank", "y", ranks=True, lines=(line,)).right == 30


def test_the_end_of_a_rank_axis_is_searched_once(monkeypatch):
    searched = []
    monkeypatch.setattr(picture_data, "_find_last_change", lambda line: searched.append(line.name) or 1.0)
    many = picture(*"abcd", ranks=True)
    assert (many.top, many.right) == (many.top, many.right)
    assert searched == [*"abcd"]


def test_selected_lines_are_named_in_the_note():
    whole = picture(*"abcdefgh")
    few = select_lines(whole, ["c", "a"], ["b", "x"], level=0.9)
    assert [line.name for line in few.lines] == ["c", "a"]
    assert [line.name for line in few.others] == ["b"]
    assert few.note == "mean of 9 topics, 90% interval; grey: 1 other run"
    everything = select_lines(whole, level=0.9)
    assert (len(everything.lines), everything.note) == (8, "mean of 9 topics")


def test_axes_reach_the_lines_in_grey():
    low, high = picture("a", "b").lines
    tall = PictureLine("c", high.x * 2, high.y + 3)
    assert Picture("c", "", "x", "y", ranks=False, lines=(low,), others=(tall,)).top > 3
    assert Picture("c", "", "x", "y", ranks=False, lines=(low,), others=(tall,)).right == 2


def test_a_comparison_is_drawn_with_the_best_run_first():
    gold = [(str(topic), "d", 0, 100) for topic in range(8)]
    sizes = {"low": 20, "high": 80, "other": 80}
    runs = {name: [(str(topic), "d", 0, size + topic) for topic in range(8)] for name, size in sizes.items()}
    result = evaluate(runs, gold, "char_rec@1")
    drawn = build_comparison_picture(result.compare(test="tukey", resamples=200))
    assert [(row.name, row.mark) for row in drawn.rows] == [("high", "a"), ("other", "a"), ("low", "b")]
    assert (drawn.note, drawn.baseline) == ("mean of 8 topics, 95% interval", None)
    few = build_comparison_picture(result.compare(baseline="high", resamples=200), ["low"])
    assert [(row.name, row.mark) for row in few.rows] == [("low", "")]
    assert few.baseline == pytest.approx(0.835)  # the mean of 0.80, 0.81, ... 0.87

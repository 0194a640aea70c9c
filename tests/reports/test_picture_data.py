"""Pictures as data: colours, bands, and the ends of axes."""

import numpy as np

from doxel.reports.picture_data import BANDS_UP_TO, COLOURS, Picture, PictureLine
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

"""Pictures of studies: their content, and the same bytes each time."""

from __future__ import annotations

import numpy as np
import pytest

from doxel.reports.study_pictures import Matrix, Scatter, build_study_pictures, draw_study
from doxel.studies import study_power, study_settings
from reports.small_study import GOLD, MEASURES, PNG, RUNS


def test_the_matrix_shows_every_pair_and_ones_on_its_diagonal(study_result):
    (matrix,) = build_study_pictures(study_result).values()
    assert isinstance(matrix, Matrix)
    assert np.diag(matrix.values).tolist() == [1, 1]
    assert matrix.values[0, 1] == matrix.values[1, 0] == study_result.pairs["tau"][0]


def test_the_significance_curve_falls():
    pictures = build_study_pictures(study_power(RUNS, GOLD, MEASURES))
    for line in pictures["asl"].lines:
        assert line.x.tolist() == [1, 2, 3]
        assert (np.diff(line.y) <= 0).all()


def test_settings_are_drawn_against_each_other():
    study_result = study_settings(RUNS, GOLD, "char_prec@1", b="limit=2")
    (scatter,) = build_study_pictures(study_result).values()
    assert isinstance(scatter, Scatter)
    assert (scatter.x_label, scatter.y_label) == ("A: as it is", "B: limit=2")
    assert scatter.x.tolist() == study_result.runs["a"].to_list()


@pytest.mark.parametrize(
    "picture",
    [
        Matrix("t", "n", ("a", "b"), ("a", "b"), np.array([[1, np.nan], [-1, 1.0]]), -1, 1),
        Matrix("places", "", ("a",), ("x, y", "z"), np.array([[1.0, 2.0]]), 3, 1, 0),
        Scatter(
            "t", "n", "x", "y", ("a", "$b"), np.array([0.1, 0.2]), np.array([0.3, 0.4]), np.zeros((0, 2))
        ),
        Scatter("none", "", "x", "y", (), np.zeros(0), np.zeros(0), np.zeros((0, 2))),
    ],
    ids=lambda picture: picture.title,
)
def test_a_picture_has_the_same_bytes_each_time(picture):
    assert draw_study(picture, "png").startswith(PNG)
    assert draw_study(picture, "svg") == draw_study(picture, "svg")

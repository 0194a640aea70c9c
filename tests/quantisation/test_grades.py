"""Grades on the scale of each year, between 0 and 1 (section 4)."""

import numpy as np
import pytest

from doxel.quantisation.quantisations import TOO_SMALL, UNGRADED, Grades


@pytest.mark.parametrize(
    ("scale", "exhaustivity", "specificity"),
    [
        ("2002", [0, 1 / 3, 2 / 3, 1, 0, 0], [1, 2 / 3, 1 / 3, 0, 0, 0]),
        ("2003", [0, 1 / 3, 2 / 3, 1, 0, 0], [1, 2 / 3, 1 / 3, 0, 0, 0]),
    ],
)
def test_grades_of_2002_and_2003_are_normalised_to_thirds(scale, exhaustivity, specificity):
    grades = Grades(
        scale, np.array([0, 1, 2, 3, UNGRADED, TOO_SMALL]), np.array([3, 2, 1, 0, UNGRADED, UNGRADED])
    )
    assert grades.normalised_exhaustivity.tolist() == exhaustivity
    assert grades.normalised_specificity.tolist() == specificity


def test_grades_of_2005_are_normalised_to_halves_and_shares():
    grades = Grades("2005", np.array([0, 1, 2, TOO_SMALL, UNGRADED]), np.array([0, 0.25, 1, 0.5, 0.75]))
    assert grades.normalised_exhaustivity.tolist() == [0, 0.5, 1, 0, 0]
    assert grades.normalised_specificity.tolist() == [0, 0.25, 1, 0.5, 0.75]

"""The quantisations as the papers print them (section 1), and grades between 0 and 1 (section 4)."""

from fractions import Fraction as F  # noqa: N817 - there are dozens of them

import numpy as np
import pytest

from doxel.errors import MeasureError
from doxel.quantisation import QUANTISATIONS, find_quantisation
from doxel.quantisation.quantisations import COVERAGES, TOO_SMALL, UNGRADED, Grades

PAIRS = [(e, s) for e in (3, 2, 1) for s in (3, 2, 1)]

# relevance 3, 2, 1, each with coverage E, L, S
OF_2002 = {
    "strict2002": [1, 0, 0, 0, 0, 0, 0, 0, 0],
    "gen2002": [1, F(3, 4), F(3, 4), F(3, 4), F(1, 2), F(1, 2), F(1, 2), F(1, 4), F(1, 4)],
}
# exhaustivity 3, 2, 1, each with specificity 3, 2, 1
OF_2003 = {
    "strict2003": [1, 0, 0, 0, 0, 0, 0, 0, 0],
    "gen2003": [1, F(3, 4), F(3, 4), F(3, 4), F(1, 2), F(1, 2), F(1, 2), F(1, 4), F(1, 4)],
    "sog": [1, F(3, 4), F(1, 4), F(9, 10), F(1, 2), F(1, 10), F(3, 4), F(1, 4), F(1, 10)],
    "e3s321": [1, 1, 1, 0, 0, 0, 0, 0, 0],
    "e3s32": [1, 1, 0, 0, 0, 0, 0, 0, 0],
    "e321s3": [1, 0, 0, 1, 0, 0, 1, 0, 0],
    "e32s3": [1, 0, 0, 1, 0, 0, 0, 0, 0],
    "product": [F(e * s, 9) for e, s in PAIRS],
    "strict01": [1, 0, 0, 0, 0, 0, 0, 0, 0],
}
# exhaustivity 2, 2, 1, too small, 0, 2, none, with specificity 1, 1/2, 1, 1/2, 1, 0, 1
GRADES_2005 = Grades(
    "2005", np.array([2, 2, 1, TOO_SMALL, 0, 2, UNGRADED]), np.array([1, 0.5, 1, 0.5, 1, 0, 1])
)
OF_2005 = {
    "strict2005": [1, 0, 0, 0, 0, 0, 0],
    "gen2005": [2, 1, 1, 0, 0, 0, 0],
    "genlifted": [3, F(3, 2), 2, F(1, 2), 1, 0, 0],
    "product": [1, F(1, 2), F(1, 2), 0, 0, 0, 0],
    "strict01": [1, 0, 0, 0, 0, 0, 0],
    "spec": [1, F(1, 2), 1, F(1, 2), 1, 0, 1],
    "strict2006": [1, 0, 1, 0, 1, 0, 1],
}


def gains(name, grades):
    return find_quantisation(name, grades.scale)(grades).tolist()


@pytest.mark.parametrize("name", OF_2002)
def test_the_functions_of_2002_equal_their_tables(name):
    coverage = [float(COVERAGES.index(letter)) for _ in range(3) for letter in "ELS"]
    grades = Grades("2002", np.repeat([3.0, 2.0, 1.0], 3), np.array(coverage))
    assert gains(name, grades) == OF_2002[name]
    nothing = Grades("2002", np.array([0.0, UNGRADED]), np.array([0.0, UNGRADED]))
    assert gains(name, nothing) == [0, 0]


@pytest.mark.parametrize("name", OF_2003)
def test_the_functions_of_2003_equal_their_tables(name):
    grades = Grades("2003", np.array([float(e) for e, _ in PAIRS]), np.array([float(s) for _, s in PAIRS]))
    assert gains(name, grades) == pytest.approx([float(q) for q in OF_2003[name]], rel=1e-15)
    nothing = Grades("2003", np.array([0.0, UNGRADED]), np.array([0.0, UNGRADED]))
    assert gains(name, nothing) == [0, 0]


@pytest.mark.parametrize("name", OF_2005)
def test_the_functions_of_2005_equal_their_tables(name):
    assert gains(name, GRADES_2005) == OF_2005[name]


@pytest.mark.parametrize(("name", "expected"), [("spec", [1, 0.25, 0]), ("strict2006", [1, 0, 0])])
def test_the_functions_of_2006_equal_their_tables(name, expected):
    assert gains(name, Grades("2006", np.ones(3), np.array([1, 0.25, 0]))) == expected


def test_every_quantisation_is_tested():
    assert {*OF_2002, *OF_2003, *OF_2005} == set(QUANTISATIONS)


@pytest.mark.parametrize("name", QUANTISATIONS)
def test_the_highest_gain_is_declared(name):
    tables = (OF_2002, OF_2003, OF_2005)
    assert max(max(table[name]) for table in tables if name in table) == QUANTISATIONS[name].highest


def test_only_spec_applies_to_passages():
    assert [name for name, function in QUANTISATIONS.items() if function.is_specificity] == ["spec"]


@pytest.mark.parametrize(
    ("name", "scale", "resolved"),
    [
        ("gen", "2002", "gen2002"),
        ("gen", "2003", "gen2003"),
        ("gen", "2005", "gen2005"),
        ("gen", "2006", "spec"),
        ("strict", "2002", "strict2002"),
        ("strict", "2003", "strict2003"),
        ("strict", "2005", "strict2005"),
        ("strict", "2006", "strict2006"),
        ("strict5", "2005", "strict2005"),
        ("gen5", "2005", "gen2005"),
        ("product", "2003", "product"),
        ("strict01", "2005", "strict01"),
        ("spec", "2005", "spec"),
        ("strict2006", "2005", "strict2006"),
    ],
)
def test_a_name_resolves_by_the_scale(name, scale, resolved):
    assert find_quantisation(name, scale).name == resolved


@pytest.mark.parametrize(
    ("name", "scale"),
    [("spec", "2003"), ("product", "2002"), ("strict01", "2006"), ("sog", "2005"), ("gen2005", "2006")],
)
def test_a_quantisation_of_another_scale_is_rejected_with_those_that_fit(name, scale):
    fitting = [function.name for function in QUANTISATIONS.values() if scale in function.scales]
    with pytest.raises(
        MeasureError, match=f"'{name}' belongs to another scale; available for assessments of {scale}: "
    ) as caught:
        find_quantisation(name, scale)
    names = str(caught.value).split(": ")[-1].split(", ")
    assert names[: len(fitting)] == fitting
    assert set(names[len(fitting) :]) == {"gen", "strict"}


def test_an_unknown_quantisation_is_rejected():
    with pytest.raises(
        MeasureError, match="unknown quantisation 'general'; available for assessments of 2006: spec"
    ):
        find_quantisation("general", "2006")


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

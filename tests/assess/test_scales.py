"""The scales: their names, and the grades that they have."""

import pytest

from doxel.assess.scales import find_scale
from doxel.errors import InputError


@pytest.mark.parametrize(
    ("scale", "grades", "message"),
    [
        ("2002", {"relevance": "1", "coverage": "X"}, "coverage: wanted one of N, L, S, E, found 'X'"),
        ("2003", {"exhaustivity": "1"}, "wanted exhaustivity and specificity, found exhaustivity"),
        ("2005", {"exhaustivity": "U"}, "wanted one of 0, \\?, 1, 2"),
        ("2006", {"exhaustivity": "1"}, "no grades on this scale"),
    ],
)
def test_grades_that_a_scale_lacks_are_refused(scale, grades, message):
    import re

    assert re.search(message, find_scale(scale).find_fault(grades))


def test_an_unknown_scale_is_refused():
    with pytest.raises(InputError, match="wanted one of 2006, 2005, 2003, 2002, found '1999'"):
        find_scale("1999")

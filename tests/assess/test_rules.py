"""The rules for when a document is done, on every scale; other clients share the cases."""

import json
from pathlib import Path

import numpy as np
import pytest

from doxel.assess.document_state import (
    ElementOutline,
    State,
    find_breaches,
    infer_grades,
    state_from_json,
    state_to_json,
)
from doxel.assess.scales import SCALES, find_scale
from doxel.errors import InputError

RULES = json.loads(Path(__file__).with_name("vectors").joinpath("rules.json").read_text("utf-8"))


def outline():
    path, start, end, parent = zip(*RULES["elements"], strict=True)
    return ElementOutline(path, *(np.array(column, dtype=np.int64) for column in (start, end, parent)))


@pytest.mark.parametrize("case", RULES["cases"], ids=lambda case: case["name"])
def test_vectors_of_rules(case):
    state = state_from_json({**state_to_json(State()), **case["state"]})
    breaches = find_breaches(state, find_scale(case["scale"]), outline(), case["pooled"])
    assert [[breach.code, breach.path] for breach in breaches] == case["breaches"]
    assert all(breach.message for breach in breaches)


def test_every_scale_has_a_case():
    assert {case["scale"] for case in RULES["cases"]} == {scale.name for scale in SCALES}


def test_elements_inside_a_too_small_element_are_too_small():
    state = State(((0, 10),), 0, {"/a[1]": {"exhaustivity": "1"}, "/a[1]/s[1]": {"exhaustivity": "?"}})
    assert {path: grades["exhaustivity"] for path, grades in _effective(state).items()} == {
        "/a[1]": "1",
        "/a[1]/s[1]": "?",
        "/a[1]/s[1]/p[1]": "?",
        "/a[1]/s[1]/p[2]": "?",
    }


def _effective(state):
    return infer_grades(state, find_scale("2005"), outline())


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

    assert re.search(message, find_scale(scale).fault(grades))


def test_an_unknown_scale_is_refused():
    with pytest.raises(InputError, match="wanted one of 2006, 2005, 2003, 2002, found '1999'"):
        find_scale("1999")

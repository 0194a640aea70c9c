"""Parameters of measures: accepted values in their canonical form, and errors for the others."""

import math

import pytest

from doxel.errors import MeasureError
from doxel.measures import MEASURES
from doxel.measures.measure_parameters import (
    DEPENDS,
    LARGEST,
    Choice,
    Flag,
    Number,
    Parameter,
    Text,
    check_budget,
    check_spending,
    check_unit,
    show_value,
)


def accept(kind, value):
    return Parameter("p", kind, "a parameter").accept(value, owner="M")


@pytest.mark.parametrize(
    ("kind", "value", "normal_form"),
    [
        (Number(), 0.10, 0.1),
        (Number(), "0.5", 0.5),
        (Number(), 5.0, 5),
        (Number(0, 1), 0, 0),
        (Number(0, 1), 1, 1),
        (Number(1, whole=True), 10.0, 10),
        (Number(1, none=True), None, None),
        (Number(1, none=True), "none", None),
        (Number(0, 1, above=True), 1e-9, 1e-9),
        (Number(0, 1, above=True, part=True), 0.01, 0.01),
        (Number(0, 1, above=True, part=True), 1 / 3, 1 / 3),
        (Choice(("a", "b")), "b", "b"),
        (Flag(), True, True),
        (Flag(), "False", False),
        (Text(), "any thing", "any thing"),
    ],
)
def test_accepted_values_are_normalised(kind, value, normal_form):
    accepted = accept(kind, value)
    assert accepted == normal_form
    assert type(accepted) is type(normal_form)


@pytest.mark.parametrize(
    ("kind", "value", "message"),
    [
        (Number(0, 1), 1.1, "wanted a number from 0 to 1, found 1.1"),
        (Number(0, 1), -0.1, "wanted a number from 0 to 1, found -0.1"),
        (Number(0, 1, above=True), 0, "wanted a number above 0 to 1, found 0"),
        (Number(1, whole=True), 0, "wanted a whole number from 1, found 0"),
        (Number(1, whole=True), 2.5, "wanted a whole number from 1, found 2.5"),
        (Number(1, whole=True, none=True), "x", 'wanted a whole number from 1, or None, found "x"'),
        (Number(1, 9, whole=True), LARGEST + 1, "wanted a whole number from 1 to 9, found 1000000001$"),
        (Number(), None, "wanted a number, found None"),
        (Number(), True, "wanted a number, found True"),
        (Number(), [1], r"wanted a number, found \[1\]"),
        (Number(), math.nan, "wanted a number, found nan"),
        (Number(0), math.inf, "wanted a number from 0, found inf"),
        (Number(0, 1, above=True, part=True), 0.3, "wanted a number above 0 to 1 that divides 1, found 0.3"),
        (
            Choice(("path", "greedy")),
            "greedi",
            'wanted "path" or "greedy", found "greedi"; did you mean "greedy"?',
        ),
        (Choice(("on", "off")), 1, 'wanted "on" or "off", found 1'),
        (Flag(), "perhaps", 'wanted True or False, found "perhaps"'),
        (Flag(), 1, "wanted True or False, found 1"),
        (Text(), 3, "wanted a text without double quotes, found 3"),
        (Text(), 'a "b"', "wanted a text without double quotes"),
    ],
)
def test_errors_state_the_wanted_and_the_found_value(kind, value, message):
    with pytest.raises(MeasureError, match=f"^M: p: {message.replace('?', '[?]')}"):
        accept(kind, value)


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.1, "0.1"), (2.0, "2"), (-0.0, "0"), (1e-7, "1e-07"), ("a", '"a"'), (None, "None"), (True, "True")],
)
def test_values_are_shown_in_their_shortest_form(value, shown):
    assert show_value(value) == shown


def test_the_default_depends_is_printed_in_words():
    assert repr(DEPENDS) == "depends on run and assessments"


@pytest.mark.parametrize(
    ("kind", "value", "found"),
    [
        (Number(1, whole=True), 1e300, "1e+300"),
        (Number(1, whole=True), 10**400, "1" + "0" * 59 + "..."),
        (Number(), 10**400, "1" + "0" * 59 + "..."),
        (Number(1, whole=True), 1_000_000_001, "1000000001"),
        (Number(0, 1, above=True, part=True), 5e-324, "5e-324"),
    ],
)
def test_numbers_that_are_too_large_or_too_small_are_rejected(kind, value, found):
    with pytest.raises(MeasureError) as caught:
        accept(kind, value)
    hint = f"; the largest is {LARGEST}" if value > LARGEST else ""
    assert str(caught.value) == f"M: p: wanted {kind}, found {found}{hint}"


# measures.md, section 15: the measures of sections 8 and 12, and section 14
WITH_BUDGET = {
    *(f"{unit}_{kind}" for unit in ("char", "token") for kind in ("rec", "prec", "iou", "f1")),
    *("span_rec", "hit", "span_RR", "iP", "MAiP"),
    *("aspect_rec", "all_aspects", "aspect_AP", "alpha_nDCG", "nugget_F", "aspect_char_rec"),
}


def test_these_measures_take_a_budget():
    declared = {measure.declaration.name: measure.declaration.parameters for measure in MEASURES}
    assert {name for name, parameters in declared.items() if "budget" in parameters} >= WITH_BUDGET
    for name in WITH_BUDGET:
        assert {"budget", "unit", "fit", "charge", "tokens"} <= set(declared[name]), name
        defaults = [declared[name][key].default for key in ("budget", "unit", "fit", "charge", "tokens")]
        assert defaults == [None, "chars", "cut", "all", "words"]


def test_two_budgets_exclude_each_other():
    for check in (check_budget, check_spending):
        check({"chars": 5, "budget": None})
        with pytest.raises(MeasureError, match="chars=5 and budget=6"):
            check({"chars": 5, "budget": 6})


def test_a_tokeniser_needs_tokens_to_count():
    check_unit({"tokens": "mine", "unit": "tokens"})
    check_unit({"tokens": "words", "unit": "chars"})
    with pytest.raises(MeasureError, match='needs unit="tokens"'):
        check_unit({"tokens": "mine", "unit": "words"})

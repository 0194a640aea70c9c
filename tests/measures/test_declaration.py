"""Measures as values: parameters and their canonical form, checked cutoffs, undefined topics."""

import math

import numpy as np
import pytest

from doxel.errors import MeasureError
from doxel.measures.declaration import (
    DEPENDS,
    LARGEST,
    Choice,
    Flag,
    Number,
    Parameter,
    Text,
    View,
    declare,
    show_value,
)
from doxel.measures.measure_table import map_measures
from doxel.measures.text_views import ReadText
from measures.arrays import each, rows

nxCG, char_prec = map_measures()["nxCG"], map_measures()["char_prec"]  # noqa: N816


def test_parameters_are_as_written_else_from_the_options_else_as_declared():
    written = nxCG(alpha=0.5)
    settled = written.resolve_parameters({"alpha": 1, "limit": 10, "task": "thorough", "unknown": 3})
    assert settled["alpha"] == 0.5
    assert settled["limit"] == 10
    assert settled["task"] == "thorough"
    assert settled["construction"] == "path"
    assert settled["quant"] is DEPENDS
    assert "unknown" not in settled


def test_writing_parameters_does_not_change_the_measure():
    before = str(nxCG)
    nxCG(alpha=1)
    assert str(nxCG) == before


def test_topics_with_nothing_to_find_are_undefined():
    view = ReadText(*(rows([1, 2], [1, 2]) for _ in range(4)), total=each(4, 0))
    scores = char_prec.compute(view, {"repeats": "once"})
    assert scores[0] == 1
    assert math.isnan(scores[1])


def test_a_view_must_define_its_defined_topics():
    with pytest.raises(NotImplementedError):
        View().defined  # noqa: B018


def test_a_measure_receives_only_its_own_parameters_and_its_cutoff():
    def measure(view, *, weight, cutoff):
        return view.total * weight + cutoff

    own = Parameter("weight", Number(0), "a weight", 2)
    declared = declare(
        "m",
        measure,
        view=ReadText,
        own=(own,),
        at=Parameter("cutoff", Number(1), "rank"),
        summary="",
        reference="",
    )
    view = ReadText(*(rows([1]) for _ in range(4)), total=each(5))
    at_three = declared @ 3
    assert at_three.compute(view, {**at_three.resolve_parameters({}), "more": 1}).tolist() == [13]
    assert list(declared.declaration.parameters) == ["weight", "task", "limit", "chars", "article_chars"]


def test_a_missing_cutoff_is_an_error_only_if_the_measure_needs_it():
    assert char_prec.check() is char_prec
    with pytest.raises(MeasureError, match="nxCG needs a cutoff"):
        nxCG.check()


def test_scores_are_doubles():
    view = ReadText(*(rows([1]) for _ in range(4)), total=each(5))
    assert char_prec.compute(view, {"repeats": "once"}).dtype == np.float64


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
        (Number(1, whole=True), 10**400, "1" + "0" * 400),
        (Number(), 10**400, "1" + "0" * 400),
        (Number(1, whole=True), 1_000_000_001, "1000000001"),
        (Number(0, 1, above=True, part=True), 5e-324, "5e-324"),
    ],
)
def test_numbers_that_are_too_large_or_too_small_are_rejected(kind, value, found):
    with pytest.raises(MeasureError) as caught:
        accept(kind, value)
    hint = f"; the largest is {LARGEST}" if kind.whole else ""
    assert str(caught.value) == f"M: p: wanted {kind}, found {found}{hint}"

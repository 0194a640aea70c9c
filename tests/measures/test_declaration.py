"""Measures as values: parameters and their canonical form, checked cutoffs, undefined topics."""

import math

import numpy as np
import pytest

from doxel.errors import MeasureError
from doxel.measures.declaration import View, declare
from doxel.measures.measure_parameters import (
    DEPENDS,
    Number,
    Parameter,
)
from doxel.measures.measure_table import map_measures, parse_measure
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
    names = [parameter.name for parameter in ReadText.parameters]
    names.insert(names.index("limit"), "unjudged")
    assert list(declared.declaration.parameters) == ["weight", *names]


def test_a_missing_cutoff_is_an_error_only_if_the_measure_needs_it():
    assert char_prec.check() is char_prec
    with pytest.raises(MeasureError, match="nxCG needs a cutoff"):
        nxCG.check()


def test_scores_are_doubles():
    view = ReadText(*(rows([1]) for _ in range(4)), total=each(5))
    assert char_prec.compute(view, {"repeats": "once"}).dtype == np.float64


def test_a_parameter_that_needs_another_is_refused_without_it():
    with pytest.raises(MeasureError, match=r"^char_rec: fit= needs budget=, found none$"):
        parse_measure('char_rec(fit="cut")')
    assert parse_measure('char_rec(fit="cut", budget=5)')[0].name == "char_rec(budget=5)"

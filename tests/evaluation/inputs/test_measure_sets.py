"""Named sets: the official measures of a year and task (section 11)."""

from __future__ import annotations

import re

import pytest

from doxel.errors import MeasureError
from doxel.evaluation import evaluate
from doxel.evaluation.inputs.measure_sets import SETS, expand_sets
from doxel.measures import parse_measure


@pytest.mark.parametrize("name", SETS)
def test_every_set_contains_each_measure_once(name):
    measures = expand_sets([name])
    assert measures == parse_measure(SETS[name])
    assert len(set(measures)) == len(measures)
    assert expand_sets([f" {name} ", name]) == measures


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("inex2006-relevant-in-context", {"beta": 1}),
        ("inex2007-relevant-in-context", {"beta": 1}),
        ("inex2008-relevant-in-context", {"beta": 0.25}),
        ("inex2009-relevant-in-context", {"beta": 0.25}),
        ("inex2007-best-in-context", {"score": "bep", "n": 1000}),
        ("inex2008-best-in-context", {"score": "bep", "n": 500}),
        ("inex2009-best-in-context", {"score": "bep", "n": 500}),
        ("inex2010-relevant-in-context", {"score": "t2i", "T": 300}),
        ("inex2010-restricted-relevant-in-context", {"score": "t2i", "T": 300, "article_chars": 500}),
    ],
)
def test_in_context_sets_have_the_official_parameters(name, parameters):
    # section 11: MAgP and gP@5,10,25,50 with the year's parameters
    measures = expand_sets([name])
    assert [measure.declaration.name for measure in measures] == ["MAgP", "gP", "gP", "gP", "gP"]
    assert [measure.at for measure in measures] == [None, 5, 10, 25, 50]
    assert all(
        {**measure.resolve_parameters({}), **parameters} == measure.resolve_parameters({})
        for measure in measures
    )


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("inex2009", "unknown measure or set 'inex2009'; similar sets: inex2009-focused, inex2009-"),
        ("inex2006-focussed", "set 'inex2006-focussed'; similar sets: inex2006-focused"),
        ("documents@5", "set 'documents@5'; similar sets: documents"),
        ("nxcg@5", "there is no measure 'nxcg' (in 'nxcg@5', character 1); did you mean nxCG"),
        ("foo", "there is no measure 'foo'; 'doxel measures' lists all measures"),
    ],
)
def test_an_unknown_name_is_compared_with_sets_and_measures(written, message):
    with pytest.raises(MeasureError, match=re.escape(message)):
        expand_sets(written)


GOLD = [("1", "d", 100, 200)]
LIST = [("1", "d", 50, 150), ("1", "d", 100, 200), ("1", "d", 300, 400)]


def test_trec_files_without_spans_get_the_document_measures(tmp_path):
    (tmp_path / "qrels").write_text("1 0 d 2\n1 0 e 0\n1 0 f 1\n2 0 d 0\n")
    (tmp_path / "a.run").write_text("1 Q0 e 1 9.0 mine\n1 Q0 d 2 8.0 mine\n")
    result = evaluate(tmp_path / "a.run", tmp_path / "qrels")
    assert result.means["measure"].to_list() == ["AP", "nDCG@10", "P@10", "R@100", "RR"]
    means = dict(result.means.select("measure", "score").iter_rows())
    assert means["AP"] == pytest.approx(0.25)
    assert means["RR"] == 0.5
    assert means["R@100"] == 0.5
    assert any("documents" in warning for warning in result.warnings)
    assert not any("not found" in warning for warning in result.warnings)


def test_spans_without_a_measure_get_the_set_for_chunks():
    result = evaluate(LIST, GOLD)
    assert result.means["measure"].to_list() == [
        "char_rec@1", "char_rec@3", "char_rec@5", "char_rec@10", "char_prec@5", "char_iou@5", "span_rec@5",
        "span_RR", 'MAiP(task="thorough")',
    ]  # fmt: skip

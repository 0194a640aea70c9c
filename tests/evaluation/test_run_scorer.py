"""Results that are kept with the scores of a run, compared with measures."""

from __future__ import annotations

import polars as pl
import pytest

import doxel
from doxel.assessments import Assessments
from doxel.assessments.assessments import ELEMENTS, JUDGED
from doxel.documents import read_collection
from doxel.documents.ingestion import ingest
from doxel.errors import MeasureError

GOLD = [("1", "d", 10, 30), ("1", "d", 40, 50), ("1", "e", 0, 100), ("2", "d", 0, 10)]


def test_counts_of_kept_results_equal_those_of_the_measures():
    run = [("1", "d", 0, 20), ("1", "d", 15, 45), ("1", "e", 50, 60), ("2", "x", 0, 9), ("3", "d", 0, 1)]
    result = doxel.evaluate(run, GOLD, ["char_rec@2", "char_rec@3", "char_prec@3"], keep=3)
    results = result.results
    assert results is not None
    assert results["topic"].to_list() == ["1", "1", "1", "2"]  # topic 3 was not assessed
    first = results.filter(topic="1")
    scores = dict(result.scores.filter(topic="1").select("measure", "score").iter_rows())
    assert first["new_relevant"].head(2).sum() / 130 == scores["char_rec@2"]
    assert first["new_relevant"].sum() / 130 == scores["char_rec@3"]
    assert first["new_relevant"].sum() / first["new"].sum() == scores["char_prec@3"]
    assert first["relevant"].to_list() == [10, 20, 10]  # counted by hand
    assert doxel.evaluate(run, GOLD, "char_rec@2", keep=1).results["rank"].to_list() == [1, 1]
    assert doxel.evaluate(run, GOLD, "char_rec@2").results is None


def test_an_entry_point_is_kept_as_an_empty_span():
    gold = [{"topic": "1", "doc": "d", "bep": 3}]
    results = doxel.evaluate([("1", "d", 4, 4)], gold, "BEPD(A=1, L=100)", keep=2).results
    assert results.select("start", "end", "new").row(0) == (4, 4, 0)


def evaluated(results, gold, collection=None):
    result = doxel.evaluate(results, gold, "char_rec@5", collection=collection, keep=10)
    return result.results


def test_kept_results_have_declared_columns():
    from doxel.evaluation.run_scorer import KEPT_RESULTS

    results = evaluated([("1", "d", 5, 50)], [("1", "d", 10, 30)])
    assert dict(results.schema) == KEPT_RESULTS.schema
    assert results.select(pl.all().is_null().sum()).row(0) == (0, 0, 0, 0, 1, 0, 0, 0, 0, 0)  # no path


def test_a_run_of_the_focused_task_that_overlaps_itself_is_named():
    from evaluation.small_inputs import run_of

    spans = [("1", "d", 0, 20), ("1", "d", 15, 45)]
    message = (
        "mine: the focused task allows no overlap, "
        "but results overlap earlier ones: 1 result, first in topic 1 at rank 2"
    )
    assert message in doxel.evaluate(run_of(*spans, task="focused"), GOLD, "char_rec@5").warnings
    assert message in doxel.evaluate(run_of(*spans), GOLD, "char_rec@5", task="focused").warnings
    for run in (run_of(*spans, task="thorough"), run_of(*spans), run_of(*spans[:1], task="focused")):
        assert not any("focused" in warning for warning in doxel.evaluate(run, GOLD, "char_rec@5").warnings)


@pytest.fixture
def listed(tmp_path):
    """Return the collection of one document, and a function that grades its paragraph without highlights."""
    (tmp_path / "d.xml").write_text("<a><p>some words</p></a>", encoding="utf-8")
    ingest([str(tmp_path / "d.xml")], str(tmp_path / "c"))

    def grade(scale, **grades):
        elements = [{"topic": "1", "doc": "d", "path": "/a[1]/p[1]", **grades}]
        judged = JUDGED.from_rows([{"topic": "1", "doc": "d"}])
        return Assessments(scale, judged, elements=ELEMENTS.from_rows(elements))

    return read_collection(tmp_path / "c"), grade


RESULTS = [{"topic": "1", "doc": "d", "start": 0, "end": 4}, {"topic": "1", "doc": "d", "path": "/a[1]/p[1]"}]


def test_passages_without_grades_are_noted_in_hixeval(listed):
    collection, grade = listed
    graded = grade("2003", exhaustivity="3", specificity="3")
    result = doxel.evaluate(RESULTS, graded, "HiXEval_P@2", collection=collection)
    assert result.means["score"].item() == 10 / 14
    note = (
        "1 result is a passage and gains nothing in HiXEval from grades, which are defined for elements only"
    )
    assert f"run: {note}" in result.warnings
    # with highlights a passage counts like an element, and nothing is noted
    plain = doxel.evaluate(RESULTS, [("1", "d", 0, 4)], "HiXEval_P(alpha=0)@2", collection=collection)
    assert plain.means["score"].item() == 8 / 14
    assert not plain.warnings


def test_the_coverage_of_2002_is_not_a_scale_of_hixeval(listed):
    collection, grade = listed
    graded = grade("2002", relevance="3", coverage="E")
    with pytest.raises(MeasureError, match="the coverage of 2002 is not a scale"):
        doxel.evaluate(RESULTS, graded, "HiXEval_P@2", collection=collection)


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("GR(p=0.3)@1", r'p needs a model of near misses \(parent, child, sibling\), found model="identity"'),
        ("GR(model=mine, p=0.3)@1", 'found model="mine"'),
        ("GR(model=parent, p=0)@1", "GR: p: wanted a number above 0 to 1, found 0"),
        ("GR(model='parent(2)')@1", r"wanted a probability above 0 to 1 in 'parent\(2\)', found 2"),
        ("GR(exponents=words)@1", 'exponents="words" needs model="inex2003", found model="identity"'),
        ("nxCG(paths=any, construction=leaves)@1", 'paths="any" needs construction="path"'),
        ("PRUM(binary=False)", "PRUM has no parameter 'binary'"),
    ],
)
def test_parameters_that_conflict_are_rejected(measure, message):
    with pytest.raises(MeasureError, match=message):
        doxel.evaluate([("1", "d", 0, 4)], GOLD, measure)

"""The data of claims: choices among assessments, and changes to runs worked out by hand."""

from __future__ import annotations

import polars as pl
import pytest

from doxel.assessments import read_assessments
from doxel.errors import InputError
from doxel.evaluation.inputs.input_tables import as_assessments, as_runs
from doxel.runs import RESULTS, Run
from doxel.studies.claims.claim_data import (
    ClaimData,
    average_by_run,
    drop_overlap,
    keep_order,
    reverse_first,
    swap_nested,
)
from studies.toy_runs import GOLD, RUNS


def make_run(*spans, rank=None):
    """A run with the spans of one document, for one topic."""
    rows = [{"topic": "1", "doc": "a", "start": start, "end": end} for start, end in spans]
    frame = RESULTS.from_rows(rows)
    return Run("r", frame if rank is None else frame.with_columns(rank=pl.Series(rank, dtype=pl.Int64)))


def list_spans(run):
    return [tuple(row) for row in run.results.sort("rank").select("start", "end").iter_rows()]


@pytest.fixture
def toy():
    """Three runs of spans, without a collection."""
    return ClaimData(tuple(as_runs(RUNS)), {"2006": as_assessments(GOLD)}, None, {})


def test_only_the_first_results_are_reversed():
    run = make_run((0, 1), (2, 3), (4, 5), (6, 7))
    assert list_spans(reverse_first(3, None, run)) == [(4, 5), (2, 3), (0, 1), (6, 7)]
    assert list_spans(reverse_first(9, None, run)) == [(6, 7), (4, 5), (2, 3), (0, 1)]


def test_the_order_of_ranks_is_kept_and_ties_are_gone():
    run = keep_order(None, make_run((0, 1), (2, 3), rank=[7, 3]))
    assert list_spans(run) == [(2, 3), (0, 1)]
    assert run.results["rsv"].null_count() == 2


def test_nested_neighbours_are_exchanged_once():
    # the first two are nested; the next two are not; of a chain of three, only one pair is exchanged
    assert list_spans(swap_nested(None, make_run((0, 9), (2, 3)))) == [(2, 3), (0, 9)]
    assert list_spans(swap_nested(None, make_run((0, 9), (5, 12)))) == [(0, 9), (5, 12)]
    chain = make_run((0, 9), (2, 8), (3, 4), (20, 30))
    assert list_spans(swap_nested(None, chain)) == [(2, 8), (0, 9), (3, 4), (20, 30)]


def test_of_overlapping_results_the_better_ranked_one_stays():
    run = make_run((0, 9), (2, 3), (10, 20), (15, 30), rank=[2, 1, 4, 3])
    # (2, 3) is first and pushes (0, 9) out; (15, 30) pushes (10, 20) out
    assert list_spans(drop_overlap(None, run)) == [(2, 3), (15, 30)]


def test_results_of_different_topics_or_documents_do_not_meet():
    rows = [{"topic": topic, "doc": doc, "start": 0, "end": 9} for topic in "12" for doc in "ab"]
    run = Run("r", RESULTS.from_rows(rows))
    assert drop_overlap(None, run).results.height == 4
    assert list_spans(swap_nested(None, run)) == list_spans(keep_order(None, run))


def test_of_several_assessments_those_with_most_topics_are_chosen(demo):
    judged = {name: read_assessments(demo.assessments[f"inex{name}"]) for name in ("2003", "2005")}
    data = ClaimData((), judged, None, {})
    assert data.choose_assessments(("2003", "2005")).scale == "2005"  # 14 topics against 4
    assert data.choose_assessments(("2003",)).scale == "2003"
    with pytest.raises(InputError, match="wanted the scale of 2002 or 2006, found 2003, 2005"):
        data.choose_assessments(("2002", "2006"))


def test_what_is_missing_is_named(toy):
    with pytest.raises(InputError, match="runs: wanted at least 4, found 3"):
        toy.choose_runs(("2006",), fewest=4)
    with pytest.raises(InputError, match="wanted a collection"):
        toy.choose_systems(("2006",))
    with pytest.raises(InputError, match="wanted topics"):
        toy.require_structure()
    with pytest.raises(InputError, match="with overlapping results, found none"):
        toy.measure_overlap(toy.choose_runs(("2006",)))


def test_scores_keep_the_names_that_were_requested(toy):
    scores = toy.score(toy.choose_runs(("2006",)), ["char_rec@1", "char_prec( repeats=once )@1"])
    assert average_by_run(scores["char_rec@1"]) == {"half": 0.5, "whole": 1.0, "twice": 1.0}
    assert average_by_run(scores["char_prec( repeats=once )@1"])["twice"] == 0.5


def test_a_study_is_run_once(toy):
    first = toy.compare_measures(["char_rec@1", "char_prec@1"], ("2006",))
    assert toy.compare_measures(["char_rec@1", "char_prec@1"], ("2006",)) is first


def test_repeats_follow_the_perfect_system_and_lie_inside_it(demo):
    from doxel.documents import read_collection

    judged = {"2006": read_assessments(demo.assessments["qrels"])}
    data = ClaimData((), judged, read_collection(demo.collection), {})
    runs = {run.id: run.results for run in data.choose_systems(("2006",)).runs}
    key = ["topic", "doc", "path"]
    first = runs["repeats"].filter(pl.col("rsv") >= 0)
    assert first.select(key).rows() == runs["perfect"].select(key).rows()
    # every further element lies inside one of the perfect system, and none is one of them
    outer = {tuple(row) for row in runs["perfect"].select(key).iter_rows()}
    for topic, doc, path in runs["inside"].select(key).iter_rows():
        parents = {path.rsplit("/", count)[0] for count in range(1, path.count("/"))}
        assert any((topic, doc, parent) in outer for parent in parents)
        assert (topic, doc, path) not in outer

"""Builders and parameters of views, and the views of articles and of overlap."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from doxel.errors import InputError
from doxel.evaluation.views.view_builders import (
    BUILDERS,
    IDEALS,
    build_articles,
    build_result_overlap,
    build_retrieved_articles,
    build_view,
    list_chunks,
    list_ideal,
    select_view_parameters,
)
from doxel.measures import MEASURES
from doxel.measures.gain_views import GainVectors
from doxel.measures.judged_views import JudgedText
from doxel.measures.text_views import DocumentRanking, GoldSpans, ReadText, TouchingChunks, ValuedText
from evaluation.laid_out import lay_out

GOLD = [("1", "d", 0, 10), ("1", "e", 0, 10), ("2", "d", 5, 10)]
RUN = [("1", "d", 0, 8), ("1", "z", 0, 5), ("1", "d", 6, 12), ("2", "d", 0, 5)]


def test_every_view_of_a_measure_has_a_builder():
    assert {measure.declaration.view for measure in MEASURES} <= set(BUILDERS)
    assert set(IDEALS) <= set(BUILDERS)


def test_a_result_overlaps_from_the_rank_at_which_both_are_shown():
    run = [("1", "d", 0, 8), ("1", "z", 0, 5), ("1", "d", 6, 12), ("1", "d", 11, 20), ("2", "d", 0, 5)]
    view = build_result_overlap(lay_out(run, GOLD))
    never = np.inf
    assert view.overlaps_from.tolist() == [[3, never, 3, 4], [never] * 4]
    assert view.length.tolist() == [4, 1]
    assert build_result_overlap(lay_out(RUN[:2], GOLD)).overlaps_from.tolist() == [[never] * 2, [never] * 2]


def test_articles_count_once_at_their_first_result():
    view = build_retrieved_articles(lay_out(RUN, GOLD))
    assert view.relevant.tolist() == [[1, 0], [1, 0]]
    assert (view.retrieved.tolist(), view.total.tolist()) == ([2, 1], [2, 1])


def test_articles_are_scored_by_all_their_results():
    view = build_articles(lay_out(RUN, GOLD), score="f", beta=1.0, n=1.0, T=1.0)
    # d in topic 1: [0, 12) was read, 10 of its characters are relevant, and all that are; in topic 2 none
    precision = 10 / 12
    assert view.score[0].tolist() == pytest.approx([2 * precision / (precision + 1), 0])
    assert view.score[1].tolist() == [0, 0]
    assert view.relevant.tolist() == [[1, 0], [1, 0]]


def test_articles_are_relevant_by_their_entry_points_if_these_score_them():
    gold = [{"topic": "1", "doc": "d", "bep": 5}, {"topic": "1", "doc": "e", "start": 0, "end": 10}]
    ranked = lay_out([("1", "d", 15, 15), ("1", "e", 0, 9)], gold)
    by_entry_point = build_articles(ranked, score="bep", beta=1.0, n=100.0, T=1.0)
    assert by_entry_point.score.tolist() == [[1 - 10 / 100, 0]]
    assert by_entry_point.relevant.tolist() == [[1, 0]]
    assert by_entry_point.total.tolist() == [1]
    by_text = build_articles(ranked, score="f", beta=1.0, n=100.0, T=1.0)
    assert by_text.relevant.tolist() == [[0, 1]]


def test_a_view_takes_its_own_parameters_and_none_that_were_applied_to_the_run():
    parameters = {"min": 0.5, "limit": 10, "budget": 9, "unit": "words", "cutoff": 3, "alpha": 1}
    assert select_view_parameters(GoldSpans, parameters) == {"min": 0.5}
    # a builder that passes parameters on gets all those of the view
    values = {**parameters, "task": "focused", "quant": "spec", "construction": "path", "tie": "ancestor"}
    assert select_view_parameters(ValuedText, values) == {
        name: values[name] for name in ("alpha", "task", "quant", "construction", "tie")
    }


@pytest.mark.parametrize("view", [ReadText, JudgedText])
def test_views_that_add_up_text_see_all_pieces_of_a_result(view):
    assert build_view(view, pieced_run(), {}).new_size.tolist() == [[5 + 12, 3]]


def test_other_views_see_the_largest_piece_of_a_result():
    view = build_view(DocumentRanking, pieced_run(), {})
    assert view.grade.tolist() == [[1, 0]]  # of e, where the larger piece is; then that of z


def pieced_run():
    """Return a run whose first result has 5 characters of d and 12 of e."""
    run = [("1", "d", 0, 5), ("1", "e", 3, 15), ("1", "z", 0, 3)]
    return replace(lay_out(run, [("1", "e", 0, 10)]), result=np.array([0, 0, 1]))


def test_ideal_rankings_and_chunks_are_those_of_the_view():
    ranked = lay_out(RUN, GOLD)
    parameters = {
        "task": "focused",
        "quant": "spec",
        "exclude_tags": None,
        "construction": "path",
        "tie": "ancestor",
        "paths": "leaf",
        "cutoff": 4,
    }
    assert list_ideal(GainVectors, ranked, 0, parameters)["doc"].to_list() == ["d", "e"]
    assert list_ideal(GainVectors, ranked, 1, parameters).select("doc", "start").rows() == [("d", 5)]
    assert list_ideal(ReadText, ranked, 0, parameters) is None
    with pytest.raises(InputError, match="need all chunks of the chunking"):
        list_chunks(TouchingChunks, ranked, {})

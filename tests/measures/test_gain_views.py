"""The views of gains: cumulated gain, what a topic needs to count, and details for explanations."""

import numpy as np
import pytest

from doxel.errors import MeasureError
from doxel.measures.gain_views import (
    ArticleGains,
    BrowseGains,
    ConceptSpace,
    GainVectors,
    RankedRelevance,
    TiedLevels,
    cumulate_gains,
)
from measures.arrays import each, rows

GAINS = rows([0.5, 0, 1], [0, 0, 0])
IDEAL = rows([1, 0.5, 0.25, 0.25], [])


def test_cumulated_gain_is_cut_or_stays_constant_past_the_end():
    assert cumulate_gains(GAINS, 2).tolist() == [[0.5, 0.5], [0, 0]]
    assert cumulate_gains(GAINS, 5).tolist() == [[0.5, 0.5, 1.5, 1.5, 1.5], [0] * 5]


def test_a_topic_counts_if_there_is_something_to_gain():
    for view in (GainVectors(GAINS, IDEAL, each(4, 0)), ArticleGains(GAINS, IDEAL, each(4, 0))):
        assert view.defined.tolist() == [True, False]
        assert view.attainable.tolist() == [2, 0]
        assert view.cumulated_ideal[0].tolist() == [1, 1.5, 1.75, 2]
        assert view.width == 4


def test_one_ideal_element_is_enough_for_a_topic_to_count():
    assert GainVectors(rows([0], [0]), rows([0.25], [0]), each(1, 0)).defined.tolist() == [True, False]


def test_the_limit_of_gains_of_articles_counts_articles():
    assert (GainVectors.limited_by, ArticleGains.limited_by) == ("results", "articles")


def test_explanations_cumulate_both_rankings_to_the_longer_one():
    quantities = {quantity.symbol: quantity.compute for quantity in GainVectors.quantities}
    view = GainVectors(GAINS, IDEAL, each(4, 0))
    assert quantities["xCG"](view, {})[0].tolist() == [0.5, 0.5, 1.5, 1.5]
    assert quantities["nxCG"](view, {})[0].tolist() == [0.5 / 1, 0.5 / 1.5, 1.5 / 1.75, 1.5 / 2]
    assert quantities["gr"](view, {})[0].tolist() == [0.5 / 2, 0.5 / 2, 1.5 / 2, 1.5 / 2]
    assert quantities["room"](view, {}) is None


def test_details_are_computed_once_and_only_if_needed():
    calls = []

    def compute():
        calls.append("call")
        return {"q": GAINS}

    view = GainVectors(GAINS, IDEAL, each(4, 0), compute)
    assert calls == []
    assert view.get_detail("q") is GAINS
    assert view.get_detail("xG") is None
    assert calls == ["call"]


def test_gains_inside_articles_are_spread_over_the_ranks_of_their_topic():
    # two articles of topic 0, with results at ranks 1 and 3, and at 2; one of topic 2, never retrieved
    articles = GainVectors(rows([5, 6], [7, 0], [0, 0]), rows([9], [9], [9]), each(1, 1, 1))
    view = BrowseGains(articles, np.array([0, 0, 2]), 3, np.array([[1, 3], [2, 0], [0, 0]]))
    assert view.spread(articles.gains).tolist() == [[5, 7, 6], [0, 0, 0], [0, 0, 0]]
    assert view.defined.tolist() == [True, False, True]
    (place, _) = (quantity.compute(view, {}) for quantity in BrowseGains.quantities)
    assert place[0].tolist() == [1, 1, 2]


def test_a_topic_counts_for_precall_and_inex_eval_ng_if_an_element_is_relevant():
    first = np.zeros((2, 1), dtype=np.int64)
    total, matrix = each(0, 2), rows([1], [1])
    assert RankedRelevance(matrix, total).defined.tolist() == [False, True]
    assert TiedLevels(matrix, first, first, each(1, 1), each(1, 1), total).defined.tolist() == [False, True]
    assert ConceptSpace(matrix, matrix, matrix, matrix, total).defined.tolist() == [False, True]


@pytest.mark.parametrize("view", [GainVectors, RankedRelevance, TiedLevels])
def test_rules_for_paths_apply_to_the_construction_by_path_only(view):
    rules = {"construction": "greedy", "tie": "ancestor", "paths": "any"}
    with pytest.raises(MeasureError, match="paths"):
        view.check_parameters(rules)
    view.check_parameters({**rules, "construction": "path"})

"""Recall bases of all topics: gains, ideal elements, relevance, and what they need; computed once."""

from __future__ import annotations

import pickle

import pytest

from doxel.errors import InputError, MeasureError
from doxel.evaluation.inputs.token_counts import Tokeniser
from evaluation.laid_out import IDEAL_RULES, grade_elements, lay_out, results_of

# the elements are a[0,25) > b[0,10) c[10,25) > e[20,25) of d, and a[0,5) > b[0,5) of f
GOLD = [("1", "d", 0, 10), ("1", "d", 20, 25), ("2", "f", 0, 5)]
RUN = results_of("/a[1]")


@pytest.fixture(scope="module")
def bases(trees):
    return lay_out(RUN, GOLD, trees).bases


def test_gains_are_those_of_the_quantisation(bases):
    assert bases.gains("spec", None).tolist() == [15 / 25, 1, 5 / 15, 1, 1, 1]
    assert bases.gains("spec", "b,c").tolist() == [15 / 25, 0, 0, 1, 1, 0]
    assert bases.excluded("b,c").tolist() == [False, True, True, False, False, True]
    assert bases.quantisation("strict").name == "strict2006"


def test_relevance_is_a_probability_with_a_total_per_topic(bases, trees):
    q, total = bases.relevance("spec", None)
    assert total.tolist() == pytest.approx([15 / 25 + 1 + 5 / 15 + 1, 2])
    q, total = bases.relevance("spec", None, **IDEAL_RULES)
    assert q.tolist() == [0, 1, 0, 1, 1, 0]  # of a and b in f, which are the same text, a is ideal
    assert total.tolist() == [2, 1]
    # gen2005 is exhaustivity times specificity, at most 2; b is (2, 1), c is (1, 0.5)
    graded = grade_elements("2005", [(0, 10), (20, 25)], b=("2", "1"), c=("1", "0.3333"))
    q, total = lay_out(RUN, graded, trees).bases.relevance("gen2005", None)
    assert (q[1], q[2]) == (1, pytest.approx(5 / 15 / 2, abs=1e-4))


def test_each_set_of_rules_has_its_own_ideal_elements(bases):
    # a and b of f have the same text
    assert bases.ideal("spec", None, **IDEAL_RULES)[4:].tolist() == [True, False]
    assert bases.ideal("spec", None, **{**IDEAL_RULES, "tie": "descendant"})[4:].tolist() == [False, True]


def test_vectors_list_the_gains_of_each_topic_in_descending_order(bases):
    q = bases.gains("spec", None)
    assert bases.vectors(("all",), q).tolist() == [[1, 1, 15 / 25, 5 / 15], [1, 1, 0, 0]]
    is_ideal = bases.ideal("spec", None, **IDEAL_RULES)
    assert bases.vectors(("ideal",), q, is_ideal).tolist() == [[1, 1], [1, 0]]
    assert bases.total(q).tolist() == pytest.approx([15 / 25 + 1 + 5 / 15 + 1, 2])


def test_a_value_is_computed_once_and_left_out_of_a_pickle(bases):
    assert bases.once("key", lambda: [1]) is bases.once("key", lambda: [2])
    copy = pickle.loads(pickle.dumps(bases))  # noqa: S301 -- written by this test
    assert copy.once("key", lambda: [2]) == [2]
    assert copy.gains("spec", None).tolist() == bases.gains("spec", None).tolist()


def test_the_mean_length_of_documents_is_that_of_the_collection_unless_it_is_given(bases):
    assert bases.mean_length(None) == (25 + 5) / 2
    assert bases.mean_length(7.0) == 7


def test_without_a_collection_only_features_of_spans_are_available():
    bases = lay_out([("1", "x", 0, 1)], [("1", "x", 3, 9)]).bases
    assert (bases.topics, bases.scale, bases.format) == (1, "2006", "jsonl")
    assert (bases.has_elements, bases.has_chunks, bases.has_only_grades) == (False, False, False)
    with pytest.raises(InputError, match="element measures need the elements of the judged documents"):
        _ = bases.elements
    with pytest.raises(InputError, match=r"the mean document length \(unless L= is given\) needs the docum"):
        bases.mean_length(None)
    with pytest.raises(InputError, match="wanted chunks= "):
        _ = bases.chunks


def test_grades_without_highlights_are_recognised(trees):
    assert lay_out(RUN, grade_elements("2003", b=("3", "3")), trees).bases.has_only_grades
    assert not lay_out(RUN, grade_elements("2005", b=("2", "1")), trees).bases.has_only_grades


def test_an_unknown_tokeniser_is_an_error_with_the_available_names(trees):
    letters = Tokeniser("letters", lambda text: [(place, place + 1) for place in range(len(text))])
    bases = lay_out(RUN, GOLD, trees, tokenisers={"letters": letters}).bases
    assert bases.tokens("letters") is bases.tokens("letters")
    with pytest.raises(MeasureError, match="unknown tokeniser 'letter'; available: words, letters"):
        bases.tokens("letter")


def test_steady_probabilities_add_up_to_1_over_labels(bases, trees):
    # the relatives of structural relevance: one probability per label path, or per tag
    labels = trees.all_labels()
    by_path, by_tag = bases.steady("path"), bases.steady("tag")
    assert len(by_path) == len(labels.path_ids)
    paths = dict(zip(labels.path_ids.tolist(), by_path.tolist(), strict=True))
    tags = dict(zip(labels.name_ids.tolist(), by_tag.tolist(), strict=True))
    assert sum(paths.values()) == pytest.approx(1)
    assert sum(tags.values()) == pytest.approx(1)

"""Aspects on views and through ``evaluate``: alternatives, weights, results taken out, and equalities."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxel.evaluation import evaluate
from doxel.measures.aspect_views import AspectGains, ShownAspects
from doxel.measures.chunks.aspects import all_aspects, alpha_ndcg, aspect_ap, aspect_rec, nugget_f
from measures import ideals
from measures.arrays import rows
from random_share import count_cases

IDEAL_RUNS = [
    ("random", ideals.gold, "aspect_rec, all_aspects, aspect_char_rec, aspect_rec(min=1)"),
    ("perfect", ideals.passages, "aspect_AP, alpha_nDCG, alpha_nDCG@3, nugget_F, alpha_nDCG(alpha=1)"),
]
SPANS = st.lists(st.tuples(st.integers(0, 40), st.integers(1, 15)), min_size=1, max_size=6)


def view(reached, weight=None, vital=None, size=(0, 0, 0), redundant=(0, 0, 0)):
    ones = [1.0] * len(reached)
    return ShownAspects(
        rows(reached), rows(weight or ones), rows(vital or ones), rows(size), rows(size), rows(redundant)
    )


def test_recall_is_the_weight_of_the_aspects_shown():
    seen = view([2, 0, 1], weight=[1, 2, 5])
    assert [aspect_rec(seen, cutoff=cutoff)[0] for cutoff in (1, 2, None)] == [5 / 8, 6 / 8, 6 / 8]


def test_all_vital_aspects_must_be_shown():
    assert all_aspects(view([2, 0], vital=[1, 0]), cutoff=2).tolist() == [1]
    assert all_aspects(view([2, 0], vital=[1, 0]), cutoff=1).tolist() == [0]
    assert all_aspects(view([2, 0]), cutoff=None).tolist() == [0]
    assert math.isnan(all_aspects(view([2, 0], vital=[0, 0]), cutoff=None)[0])


def test_redundant_results_do_not_lower_average_precision():
    assert aspect_ap(view([1, 3], redundant=[0, 1, 0])).tolist() == [1]
    assert aspect_ap(view([1, 3])).tolist() == [pytest.approx((1 + 2 / 3) / 2)]


def test_gains_are_discounted_by_rank():
    seen = AspectGains(rows([0, 1]), rows([1, 1]))
    assert alpha_ndcg(seen, cutoff=1).tolist() == [0]
    assert alpha_ndcg(seen, cutoff=None).tolist() == [
        pytest.approx((1 / math.log2(3)) / (1 + 1 / math.log2(3)))
    ]


def test_each_aspect_shown_allows_for_some_text():
    seen = view([1, 2], vital=[1, 0], size=[100, 300, 0])
    parameters = {"beta": 1, "allowance": 100, "repeats": "once"}
    assert nugget_f(seen, cutoff=1, **parameters).tolist() == [1]
    assert nugget_f(seen, cutoff=2, **parameters).tolist() == [pytest.approx(2 / 3)]  # P = 200/400
    assert nugget_f(view([0], size=[0, 0, 0]), cutoff=None, **parameters).tolist() == [0]
    assert np.isnan(nugget_f(view([1], vital=[0]), cutoff=None, **parameters)).all()


def score(run, gold, measures):
    return evaluate(run, gold, measures).scores["score"].to_list()


def test_one_of_several_alternatives_is_enough():
    gold = [
        {"topic": "1", "doc": "a", "start": 0, "end": 10, "aspect": "x"},
        {"topic": "1", "doc": "b", "start": 0, "end": 90, "aspect": "x"},
        {"topic": "1", "doc": "a", "start": 20, "end": 30, "aspect": "y"},
    ]
    assert score([("1", "a", 0, 10)], gold, "aspect_rec, all_aspects, aspect_char_rec") == [0.5, 0, 0.5]
    assert score([("1", "b", 0, 90), ("1", "a", 20, 30)], gold, "all_aspects@1,2") == [0, 1]


def test_the_same_result_again_gains_nothing():
    gold = [("1", "a", 0, 10)]
    run = [("1", "a", 0, 10), ("1", "a", 0, 10), ("1", "a", 0, 11)]
    first, second, third = score(run, gold, "alpha_nDCG@1,2,3")
    assert (first, second) == (1, 1)
    assert third == pytest.approx(1 + 0.5 / math.log2(4))  # another result that shows the aspect again


def test_a_passage_that_the_budget_cuts_is_not_the_same_again():
    gold = [("1", "a", 0, 10)]
    run = [("1", "a", 0, 20), ("1", "a", 0, 20)]
    assert score(run, gold, "alpha_nDCG") == [1]
    assert score(run, gold, "alpha_nDCG(budget=30)") == [pytest.approx(1 + 0.5 / math.log2(3))]


def test_a_highlight_of_grade_0_has_no_aspect():
    gold = [
        {"topic": "1", "doc": "a", "start": 0, "end": 10, "grade": 0.0, "aspect": "x"},
        {"topic": "1", "doc": "a", "start": 20, "end": 30, "grade": 2.0, "aspect": "y"},
    ]
    assert score([("1", "a", 20, 30)], gold, "aspect_rec, aspect_AP, span_rec") == [1, 1, 1]


def spans_of(pairs, doc="a"):
    return [("1", doc, start, start + length) for start, length in pairs]


@given(retrieved=SPANS, gold=SPANS, share=st.sampled_from([0.1, 0.5, 1.0]), at=st.integers(1, 6))
def test_on_plain_gold_aspect_rec_is_span_rec(retrieved, gold, share, at):
    measures = f"aspect_rec(min={share})@{at}, span_rec(min={share})@{at}"
    first, second = score(spans_of(retrieved), spans_of(gold), measures)
    assert first == second


@given(retrieved=SPANS, lengths=st.lists(st.integers(1, 9), min_size=1, max_size=5), at=st.integers(1, 6))
def test_on_plain_disjoint_gold_aspect_char_rec_is_char_rec(retrieved, lengths, at):
    gold = [(10 * place, length) for place, length in enumerate(lengths)]
    first, second = score(spans_of(retrieved), spans_of(gold), f"aspect_char_rec@{at}, char_rec@{at}")
    assert first == second


def genomics_aspect_map(run, gold):
    """ASPECT of Genomics 2007: a passage has the aspects of the first gold passage that it overlaps."""
    seen, rank, useful, total = set(), 0, 0, Fraction(0)
    for start, end in run:
        aspects = next((names for first, last, names in gold if start < last and first < end), None)
        new = set() if aspects is None else aspects - seen
        if aspects is not None and not new:
            continue
        rank += 1
        if new:
            useful += 1
            total += Fraction(len(new) * useful, rank)
            seen |= new
    return total / len(set().union(*(names for _, _, names in gold)))


@pytest.mark.integration
def test_with_one_gold_passage_per_result_aspect_ap_is_the_aspect_map_of_genomics():
    """Section 14: weights 1, min near 0, no result touching two gold passages."""
    random = Random(2007)
    for _ in range(count_cases(400)):
        gold = [
            (100 * place, 100 * place + 50, set(random.sample("vwxyz", random.randint(1, 3))))
            for place in range(random.randint(1, 5))
        ]
        starts = [
            100 * random.randint(0, 5) + random.choice((0, 20, 60)) for _ in range(random.randint(1, 9))
        ]
        run = [(start, start + random.randint(1, 30)) for start in starts]
        lines = [
            {"topic": "1", "doc": "a", "start": start, "end": end, "aspect": name}
            for start, end, names in gold
            for name in sorted(names)
        ]
        (measured,) = score([("1", "a", *span) for span in run], lines, "aspect_AP(min=0.000001)")
        assert measured == pytest.approx(float(genomics_aspect_map(run, gold)), rel=1e-12)


@given(retrieved=SPANS, gold=SPANS)
def test_more_results_never_lower_what_has_been_shown(retrieved, gold):
    for name in ("aspect_rec", "all_aspects", "aspect_char_rec"):
        values = score(spans_of(retrieved), spans_of(gold), f"{name}@1,2,3,4,5,6")
        assert values == sorted(values)

"""Precall on arrays: weak orders, search lengths, generalised precision and recall (section 3)."""

import numpy as np
import pytest

from doxel.errors import MeasureError
from doxel.measures import parse_measure
from doxel.measures.gain_views import RankedRelevance, TiedLevels
from doxel.measures.inex.precall import compute_precision_at, inex_eval, inex_eval_p, qp, qr
from measures.arrays import F, each, exactly, rows
from measures.ideals import base

IDEAL_RUNS = [  # relevance must be certain
    (
        "random",
        base("strict"),
        (
            "qP(quant=strict)@1, inex_eval(quant=strict), inex_eval(quant=strict, step=0.1), "
            "inex_eval(quant=strict, method=rank, step=1), inex_eval_P(quant=strict)@0.3,1"
        ),
    ),
    (
        "random",
        base("strict", "path"),
        "inex_eval(quant=strict, base=ideal), qR(quant=strict, base=ideal)@100",
    ),
    ("random", base(), "qR@100"),
]


def tied(*levels, total, distinct=None):
    """Return the view of one topic, from the relevance of results in tied levels."""
    flat = [q for level in levels for q in level]
    begins = np.cumsum([0, *(len(level) for level in levels)])
    first = [begin for begin, level in zip(begins, levels, strict=False) for _ in level]
    last = [begin + len(level) - 1 for begin, level in zip(begins, levels, strict=False) for _ in level]
    return TiedLevels(
        relevance=rows(flat),
        first=np.array([first], dtype=np.int64).reshape(1, -1),
        last=np.array([last], dtype=np.int64).reshape(1, -1),
        length=each(len(flat)),
        distinct=each(len(flat) if distinct is None else distinct),
        total=each(total),
    )


def precisions(view, points, method="precall", size=None):
    return compute_precision_at(view, np.array([float(x) for x in points]), method, size)[0].tolist()


QUARTERS = [F(k, 4) for k in range(1, 5)]


def test_the_precision_of_a_weak_order_equals_the_worked_numbers():
    # (exact) levels {1,1,0},{1,0,0,1}, n = 4
    view = tied([1, 1, 0], [1, 0, 0, 1], total=4)
    assert precisions(view, QUARTERS) == exactly([F(3, 4), F(3, 4), F(9, 14), F(12, 19)])


def test_the_precision_of_a_single_tied_level_equals_the_worked_numbers():
    # (exact) q = 1,0,0,1 with equal rsv
    assert precisions(tied([1, 0, 0, 1], total=2), [0.5, 1]) == exactly([F(3, 5), F(3, 5)])
    assert inex_eval(
        tied([1, 0, 0, 1], total=2), method="precall", collection_size=None, step=0.5
    ).tolist() == (exactly([F(3, 5)]))


def test_the_expected_search_length_is_that_of_van_rijsbergen():
    # j = 3, i = 3, r = 2, s = 1 gives esl 4; with 2 relevant results before the level NR = 3, P = 3/(3 + 4)
    view = tied([0, 1, 0, 1, 0], [1, 0, 0, 1, 0], total=4)
    assert precisions(view, [F(3, 4)]) == exactly([F(3, 7)])


GRADED = tied([1], [0], [F(1, 2)], [F(1, 4)], total=2)  # and 1/4 that was not retrieved


def test_the_mean_precision_of_graded_relevance_equals_the_worked_numbers():
    # (exact) q = 1, 0, 1/2, 1/4 and 1/4 unretrieved, n = 2
    for method, size, mean in (
        ("precall", None, 0.6948267967386282),
        ("precall", 5, 0.7528878586651043),
        ("rank", None, 0.4089),
        ("rank", 5, 0.4089),
    ):
        scores = inex_eval(GRADED, method=method, collection_size=size, step=0.01)
        assert scores.tolist() == pytest.approx([mean], rel=1e-14)


def test_the_mean_is_over_the_single_points():
    steps = [
        inex_eval_p(GRADED, method="precall", collection_size=None, recall=x).item()
        for x in (0.25, 0.5, 0.75, 1)
    ]
    mean = inex_eval(GRADED, method="precall", collection_size=None, step=0.25).item()
    assert mean == pytest.approx(sum(steps) / 4, rel=1e-14)
    assert steps[3] == 0  # the run ends before this point


def test_the_rank_method_ignores_ties():
    view = tied([0, 1, 0, 1], total=2)
    assert precisions(view, [0.5, 1], "rank") == exactly([F(1, 2), F(1, 2)])
    assert precisions(view, [F(1, 4)], "rank") == exactly([F(1, 4)])  # NR is half a result, at rank 2


def test_elements_not_retrieved_form_one_last_level():
    # C = 10: 2 retrieved, 1 relevant missing among 8; NR = 2: j = 1, s = 1, i = 7, r = 1
    view = tied([1], [0], total=2)
    assert precisions(view, [1], size=10) == exactly([2 / (2 + 1 + F(7, 2))])
    # an empty run: NR = 2, s = 2, i = 8, r = 2
    assert precisions(tied(total=2), [1], size=10) == exactly([2 / (2 + F(16, 3))])
    # a collection smaller than the run has no rest; passages can find more than the total
    assert precisions(tied([0], [0], total=1), [1], size=1) == exactly([1 / F(3)])


def test_precision_is_0_if_the_run_ends_before_the_recall_point():
    assert precisions(tied([1], [0], total=2), [F(1, 2), F(51, 100), 1]) == exactly([1, 0, 0])
    assert precisions(tied(total=2), [F(1, 2)]) == [0]
    assert precisions(tied(total=2), [F(1, 2)], "rank") == [0]


def test_padding_does_not_count_as_a_result():
    short = tied([1], [0], total=1)
    longer = TiedLevels(
        relevance=rows([1, 0, 0, 0]),
        first=np.array([[0, 1, 2, 3]]),
        last=np.array([[0, 1, 2, 3]]),
        length=each(2),
        distinct=each(2),
        total=each(2),
    )
    assert precisions(longer, [1], size=10) == precisions(tied([1], [0], total=2), [1], size=10)
    assert precisions(short, [1]) == [1]


def test_generalised_precision_and_recall_equal_those_computed_by_hand():
    view = RankedRelevance(rows([1, 0, F(1, 2), F(1, 4)]), each(2))
    ranks = (1, 2, 3, 4, 8)
    assert [qp(view, cutoff=k).item() for k in ranks] == exactly([1, F(1, 2), F(1, 2), F(7, 16), F(7, 32)])
    assert [qr(view, cutoff=k).item() for k in ranks] == exactly(
        [F(1, 2), F(1, 2), F(3, 4), F(7, 8), F(7, 8)]
    )


@pytest.mark.parametrize("name", ["inex_eval", "SRPL"])
def test_too_many_recall_points_are_rejected(name):
    assert parse_measure(f"{name}(step=0.0001)")
    with pytest.raises(MeasureError, match=r"step: wanted a number from 0\.0001 to 1 that divides 1"):
        parse_measure(f"{name}(step=1e-9)")

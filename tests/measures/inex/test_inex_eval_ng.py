"""inex_eval_ng on arrays.

The example of section 4 takes specificity from the highlights of tree A and exhaustivity in thirds.  No year
has such a scale, so it can only be written as arrays.
"""

import pytest

from doxel.measures.gain_views import ConceptSpace
from doxel.measures.inex.inex_eval_ng import concept_precision, concept_recall, inex_eval_ng
from measures.arrays import F, each, exactly, rows
from measures.ideals import base

IDEAL_RUNS = [
    (
        "perfect",
        base(),
        (
            "inex_eval_ng, inex_eval_ng(variant=s), inex_eval_ng(grades=strict), inex_eval_ng_P@1,3, "
            "inex_eval_ng_R@100, inex_eval_ng_R(variant=s)@100"
        ),
    )
]

# (exact) tree A, run p4 S2 p1; exhaustivity p4 1/3, S2 2/3, p1 1, p3 2/3, S1 1, A 1
VIEW = ConceptSpace(
    specificity=rows([F(1, 2), F(3, 4), 1]),
    exhaustivity=rows([F(1, 3), F(2, 3), 1]),
    size=rows([300, 600, 200]),
    seen=rows([0, F(1, 2), 0]),
    total=each(F(14, 3)),
)


@pytest.mark.parametrize(
    ("variant", "precision", "recall"), [("o", F(5, 8), F(1, 7)), ("s", F(2, 3), F(3, 14))]
)
def test_precision_and_recall_equal_those_computed_by_hand(variant, precision, recall):
    assert concept_precision(VIEW, variant=variant, cutoff=2).tolist() == exactly([precision])
    assert concept_recall(VIEW, variant=variant, cutoff=2).tolist() == exactly([recall])


@pytest.mark.parametrize("variant", ["o", "s"])
def test_scores_stay_constant_past_the_end(variant):
    for measure in (concept_precision, concept_recall):
        last = measure(VIEW, variant=variant, cutoff=3)
        assert measure(VIEW, variant=variant, cutoff=99).tolist() == last.tolist()


def test_the_mean_takes_the_best_precision_from_each_point_on():
    # recall .5 with precision 1/2, then recall 1 with precision 3/4: the second is best everywhere
    rising = ConceptSpace(rows([0.5, 1]), rows([1, 1]), rows([10, 10]), rows([0, 0]), each(2))
    assert inex_eval_ng(rising, variant="o").tolist() == exactly([F(3, 4)])
    falling = ConceptSpace(rows([1, 0.5]), rows([1, 1]), rows([10, 10]), rows([0, 0]), each(2))
    assert inex_eval_ng(falling, variant="o").tolist() == exactly([F(1, 2) + F(1, 2) * F(3, 4)])
    half = ConceptSpace(rows([1]), rows([1]), rows([10]), rows([0]), each(2))
    assert inex_eval_ng(half, variant="o").tolist() == [0.5]


def test_text_that_was_all_seen_before_is_not_read_again():
    seen = ConceptSpace(rows([1, 0]), rows([1, 1]), rows([10, 90]), rows([0, 1]), each(2))
    assert concept_precision(seen, variant="o", cutoff=2).tolist() == [1]
    assert concept_precision(seen, variant="s", cutoff=2).tolist() == exactly([F(1, 10)])

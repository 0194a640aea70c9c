"""Every exact number of sections 6 and 9 of measures.md."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F  # noqa: N817 - there are dozens of them
from math import isclose

import pytest

from . import MEASURES, Case, Document, Refused, Result, grow, plant
from .cases import element, spans
from .discovery import (
    eprum_points,
    expected_found,
    generalised_recall,
    ideal_list_rank,
    prum_points,
)
from .helpers import at, score
from .structural import steady_state, weights
from .user_models import Setting, unit_rows

# ---- section 6


def words(count: int) -> str:
    return "w " * count


def test_the_model_of_2003_gives_the_values_computed_by_hand() -> None:
    root = plant(grow("sec", 0, 200, grow("p", 0, 80), grow("p", 80, 200)))
    case = Case(
        [Document("d", 200, root, text=words(100))],
        grades={("d", "/sec[1]"): (3, "L"), ("d", "/sec[1]/p[1]"): (3, "E")},
        scale="2002",
    )
    case = replace(case, results=[element(case, "d", "/sec[1]"), element(case, "d", "/sec[1]/p[2]")])
    recalls = at("GR", case, [0, 1, 2, 3], model="inex2003")
    assert recalls[0] == 0
    assert [round(float(value or 0), 10) for value in recalls[1:]] == [
        0.5029733719,
        0.7514866859,
        0.7514866859,
    ]


def test_generalised_recall_equals_that_computed_by_hand() -> None:
    run = Setting([F(1), F(1, 2)], [[F(1, 2), F(0)], [F(0), F(1)]], [1, 1], None)
    assert [generalised_recall(run, k) for k in (0, 1, 2)] == [0, F(1, 3), F(2, 3)]


def test_generalised_recall_inside_a_tied_level_equals_that_computed_by_hand() -> None:
    run = Setting([F(1), F(1)], unit_rows([F(1), F(1)]), [2], None)
    assert [generalised_recall(run, k) for k in (1, 2)] == [F(1, 2), 1]


def test_discovery_equals_that_computed_by_hand() -> None:
    rows = [[F(8, 10), F(0)], [F(1, 2), F(4, 10)], [F(0), F(1)]]
    run = Setting([F(1), F(1)], rows, [1, 1, 1], unit_rows([F(1), F(1)]))
    points = eprum_points(run, binary=True) or []
    assert points == [F(89, 100), F(18, 25)]
    assert sum(points) / 2 == F(161, 200)
    expected_counts = [expected_found(rows[:k], run.weights) for k in (1, 2, 3)]
    ranks = [ideal_list_rank(run, number, binary=True) for number in expected_counts]
    assert [rank / k for k, rank in enumerate(ranks, start=1) if rank is not None] == [
        F(4, 5),
        F(13, 20),
        F(19, 30),
    ]
    assert prum_points(run) == [F(50, 63), F(2, 3)]
    assert prum_points(run, unreached="ignored") == [F(50, 63), F(31, 44)]
    assert eprum_points(run, binary=True, expectation="lengths") == [F(50, 63), 0]
    sure = replace(run, rows=[[F(1), F(0)], *rows[1:]])
    assert prum_points(sure) == eprum_points(sure, binary=True, expectation="lengths") == [1, F(10, 13)]


def test_targets_found_surely_give_classical_precision() -> None:
    single_row = [[F(1), *[F(0)] * 5]]
    assert prum_points(Setting([F(1)] * 6, single_row, [1], None)) == [1, 0, 0, 0, 0, 0]
    rows = [[F(1), F(0), F(0)], [F(0)] * 3, [F(0), F(1), F(0)]]
    run = Setting([F(1)] * 3, rows, [1, 1, 1], None)
    assert prum_points(run) == eprum_points(run, binary=True) == [1, F(2, 3), 0]
    assert eprum_points(run, binary=True, expectation="lengths") == [1, F(2, 3), 0]


def best_in_context() -> Case:
    documents = [Document(name, 1000) for name in ("a", "b", "c", "d", "e")]
    results = [Result("a", 100, 100), Result("e", 5, 5), Result("b", 300, 300)]
    return Case(documents, results=results, beps={"a": 100, "b": 0, "c": 7, "d": 8}, task="best-in-context")


def test_bepd_and_eprum_of_2006_equal_those_computed_by_hand() -> None:
    case = best_in_context()
    assert score("BEPD", case, A=0.1) == F(5, 16)
    assert score("BEPD", case, A=0.1, L=1000) == F(5, 16)
    points = at("EPRUM_P", case, [0.25, 0.5, 0.75, 1], model="bep_distance", A=0.1)
    assert points == [1, F(1, 6), 0, 0]
    assert score("EPRUM", case, model="bep_distance", A=0.1) == F(7, 24)
    again = replace(case, results=[*case.results, Result("a", 0, 0)])
    with pytest.raises(Refused):
        MEASURES["BEPD"](again, A=1)
    with pytest.raises(Refused):
        MEASURES["EPRUM"](again, A=1, model="bep_distance")


def test_eprum_weighs_graded_targets() -> None:
    run = Setting([F(1), F(1, 2)], [[F(0), F(1)], [F(1), F(0)]], [1, 1], unit_rows([F(1), F(1, 2)]))
    # weight 1/2 after rank 1 does not reach 1; both points are reached at rank 2
    assert eprum_points(run, binary=False) == [F(1, 2), 1]
    assert ideal_list_rank(run, F(1, 2), binary=False) == F(1, 2)


def test_tolerance_to_irrelevance_equals_that_computed_by_hand() -> None:
    case = spans([(50, 60), (80, 90)], [(0, 10), (0, 12), (81, 82), (95, 99)])
    # 50 irrelevant characters, then 50 + 20, then at once but seen, then nothing left
    assert at("T2I", case, [1, 2, 3, 4, 5]) == [1, 1, F(2, 3), F(1, 2), F(2, 5)]
    assert at("T2I", case, [1, 2, 3], T=50) == [0, 0, F(1, 3)]
    assert at("T2I", case, [1, 2], T=51) == [1, F(1, 2)]
    assert score("T2I_AP", case) == 1


# ---- section 9


def slide() -> Case:
    """root > {a > 2 children, b}: the tree behind the matrix of 002."""
    root = plant(
        grow("root", 0, 30, grow("a", 0, 20, grow("c", 0, 10), grow("c", 10, 20)), grow("b", 20, 30))
    )
    case = Case([Document("d", 30, root)], {"d": [(0, 20)]})
    return replace(
        case, results=[element(case, "d", "/root[1]/a[1]"), element(case, "d", "/root[1]/a[1]/c[1]")]
    )


def test_the_matrix_is_that_of_the_slides() -> None:
    groups = ["root", "root/a", "root/b", "root/a/c"]
    counts = weights(slide())
    assert [[counts.get((row, column), 0) for column in groups] for row in groups] == [
        [1, 1, 1, 2], [1, 1, 0, 2], [1, 0, 1, 0], [2, 2, 0, 2],
    ]  # fmt: skip
    pi = steady_state(slide())
    assert [pi[group] for group in groups] == [F(5, 17), F(4, 17), F(2, 17), F(6, 17)]


def test_srp_equals_that_computed_by_hand() -> None:
    case = slide()
    assert score("SRP", case, at=2) == F(14, 17)
    assert score("SRP", case, at=2, among="all") == F(12, 17)
    assert score("SRP", case, at=2, isolation="ratio") == F(4, 5)
    assert score("SRP", case, at=2, isolation="ratio", among="all") == F(1, 2)
    assert score("SRP", case, at=4) == F(7, 17)


def test_srpl_equals_that_computed_by_hand() -> None:
    case = slide()
    # n = 1 + 1 + 1 + 2/3; at x = .3 NR = 11/10 is in the second level with q = 11/17
    wanted = F(3, 10) * F(11, 3)
    assert wanted == F(11, 10)
    q = F(11, 17)
    esl = (wanted - 1) * (1 - q) / (q + 1)
    first_points = [point for point in range(1, 101) if F(point, 100) * F(11, 3) <= 1]
    later = [F(point, 100) * F(11, 3) for point in range(1, 101) if 1 < F(point, 100) * F(11, 3) <= 1 + q]
    expected = len(first_points) + sum(nr / (nr + (nr - 1) * (1 - q) / (q + 1)) for nr in later)
    assert esl > 0
    assert score("SRPL", case) == expected / 100
    # among="all": a counts 13/17, because of its child; the child 11/17
    first, points = F(13, 17), [F(point, 100) * F(11, 3) for point in range(1, 101)]
    early = [(1 + first) / 2 for nr in points if nr <= first]
    late = [
        nr / (nr + (1 - first) + (nr - first) * (1 - q) / (q + 1)) for nr in points if first < nr <= first + q
    ]
    assert score("SRPL", case, among="all") == sum(early + late) / 100
    assert score("SR", case, at=2) == F(28, 17)
    assert isclose(score("SRPL", case, summary="tag"), expected / 100)

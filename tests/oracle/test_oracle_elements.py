"""Every exact number of sections 1 to 5 of measures.md."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F  # noqa: N817 - there are a hundred of them
from math import isclose
from typing import TYPE_CHECKING

import pytest

from . import MEASURES, Case, Document, Result, grow, plant
from .cases import NAMES, element, link_in_paragraph, spans, tree_a
from .gains import Weighing, gain_vectors, raw_gains
from .helpers import at, score
from .inex_eval_ng import Entry, precision, recall
from .precall import esl, precall, tied
from .quantisation import FITTING, quantiser, resolve
from .recall_bases import full_base, ideal_base
from .rules import Seen

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from .case_model import Grade, Span
    from .recall_bases import Target

THOROUGH_RUN = "S2 p1 - A"


def names(targets: Iterable[Target]) -> set[str]:
    return {name for name, path in NAMES.items() for target in targets if target.element.path == path}


def graded(
    scale: str,
    grades: Sequence[Grade | None],
    run: Iterable[int] = (),
    highlights: Mapping[str, Sequence[Span]] | None = None,
) -> Case:
    """A flat document whose children have these grades (None: not assessed); a run names them from 0."""
    root = plant(
        grow("a", 0, 10 * len(grades), *(grow("p", 10 * i, 10 * i + 10) for i in range(len(grades))))
    )
    case = Case(
        [Document("d", root.size, root)],
        grades={
            ("d", f"/a[1]/p[{i}]"): grade for i, grade in enumerate(grades, start=1) if grade is not None
        },
        scale=scale,
        highlights=highlights or {},
    )
    return replace(case, results=[element(case, "d", f"/a[1]/p[{i + 1}]") for i in run])


# ---- section 1


def values(
    scale: str,
    quant: str | None,
    grades: Sequence[Grade | None],
    highlights: Mapping[str, Sequence[Span]] | None = None,
) -> list[F]:
    case = graded(scale, grades, range(len(grades)), highlights)
    q = quantiser(case, quant)
    return [q.result(each) for each in case.results]


def test_quantisations_of_2002_equal_their_tables() -> None:
    grades: list[Grade | None] = [(r, c) for r in (3, 2, 1) for c in "ELS"]
    assert values("2002", "strict", grades) == [1, 0, 0, 0, 0, 0, 0, 0, 0]
    assert values("2002", None, grades) == [
        1,
        F(3, 4),
        F(3, 4),
        F(3, 4),
        F(1, 2),
        F(1, 2),
        F(1, 2),
        F(1, 4),
        F(1, 4),
    ]
    assert values("2002", "gen2002", [(0, "N"), None]) == [0, 0]


def test_quantisations_of_2003_equal_their_tables() -> None:
    pairs = [(e, s) for e in (3, 2, 1) for s in (3, 2, 1)]
    q = {name: values("2003", name, [*pairs]) for name in FITTING["2003"]}
    assert q["strict2003"] == [1, 0, 0, 0, 0, 0, 0, 0, 0]
    assert q["gen2003"] == [1, F(3, 4), F(3, 4), F(3, 4), F(1, 2), F(1, 2), F(1, 2), F(1, 4), F(1, 4)]
    assert q["sog"] == [1, F(3, 4), F(1, 4), F(9, 10), F(1, 2), F(1, 10), F(3, 4), F(1, 4), F(1, 10)]
    assert q["e3s321"] == [1, 1, 1, 0, 0, 0, 0, 0, 0]
    assert q["e3s32"] == [1, 1, 0, 0, 0, 0, 0, 0, 0]
    assert q["e321s3"] == [1, 0, 0, 1, 0, 0, 1, 0, 0]
    assert q["e32s3"] == [1, 0, 0, 1, 0, 0, 0, 0, 0]
    assert q["product"] == [F(e * s, 9) for e, s in pairs]
    assert q["strict01"] == q["strict2003"]


def test_quantisations_of_2005_equal_their_tables() -> None:
    highlights = {"d": [(0, 10), (10, 15), (20, 30), (30, 35), (40, 50)]}
    grades: list[Grade | None] = [2, 2, 1, "?", 0, 2]
    expected: dict[str, list[F | int]] = {
        "strict2005": [1, 0, 0, 0, 0, 0],
        "gen2005": [2, 1, 1, 0, 0, 0],
        "genlifted": [3, F(3, 2), 2, F(1, 2), 1, 0],
        "product": [1, F(1, 2), F(1, 2), 0, 0, 0],
        "strict01": [1, 0, 0, 0, 0, 0],
        "spec": [1, F(1, 2), 1, F(1, 2), 1, 0],
        "strict2006": [1, 0, 1, 0, 1, 0],
    }
    assert {name: values("2005", name, grades, highlights=highlights) for name in FITTING["2005"]} == expected


def test_names_resolve_and_unknown_names_are_rejected() -> None:
    assert [resolve("gen", scale) for scale in FITTING] == ["gen2002", "gen2003", "gen2005", "spec"]
    assert [resolve("strict", scale) for scale in FITTING] == [
        "strict2002",
        "strict2003",
        "strict2005",
        "strict2006",
    ]
    assert [resolve("strict5", "2005"), resolve("gen5", "2005")] == ["strict2005", "gen2005"]
    for quant, scale in (("spec", "2003"), ("product", "2002"), ("sog", "2005"), ("gen2005", "2006")):
        with pytest.raises(ValueError, match="does not fit"):
            resolve(quant, scale)


# ---- section 2


def test_the_bases_of_tree_a_are_the_worked_ones() -> None:
    q = quantiser(tree_a())
    full = full_base(q)
    assert {name: target.q for target in full for name in names([target])} == {
        "p1": 1, "S1": F(1, 2), "p3": 1, "p4": F(1, 2), "S2": F(3, 4), "A": F(13, 20),
    }  # fmt: skip
    assert sorted((target.q for target in full), reverse=True) == [1, 1, F(3, 4), F(13, 20), F(1, 2), F(1, 2)]
    assert sum(target.q for target in full) == F(22, 5)
    assert names(ideal_base(q)) == {"p1", "S2"}
    assert [target.q for target in ideal_base(q)] == [1, F(3, 4)]
    for construction in ("greedy", "best-sum", "leaves"):
        assert names(ideal_base(q, construction)) == {"p1", "p3", "p4"}


def test_the_tie_rule_chooses_the_ancestor_or_the_descendant() -> None:
    root = plant(grow("a", 0, 10, grow("b", 0, 10, grow("c", 0, 5), grow("c", 5, 10))))
    q = quantiser(Case([Document("d", 10, root)], {"d": [(0, 10)]}))
    for construction in ("path", "greedy"):
        assert [each.element.tag for each in ideal_base(q, construction)] == ["a"]
        assert [each.element.tag for each in ideal_base(q, construction, "descendant")] == ["c", "c"]
    assert [each.element.tag for each in ideal_base(q, "best-sum")] == ["c", "c"]  # 2 is more than 1


# ---- section 3


def test_precall_on_weak_orders_equals_the_worked_numbers() -> None:
    cut = tied([F(v) for v in (1, 1, 0, 1, 0, 0, 1)], [3, 4])
    assert [precall(cut, F(4), F(k, 4)) for k in range(1, 5)] == [F(3, 4), F(3, 4), F(9, 14), F(12, 19)]
    equal = tied([F(v) for v in (1, 0, 0, 1)], [4])
    assert [precall(equal, F(2), F(1, 2)), precall(equal, F(2), F(1))] == [F(3, 5), F(3, 5)]
    assert esl(j=3, i=3, r=2, s=1) == 4  # van Rijsbergen's example


def test_inex_eval_on_graded_elements_equals_the_worked_numbers() -> None:
    case = graded("2003", [(3, 3), (0, 0), (2, 2), (1, 1), (1, 1)], range(4))
    assert isclose(score("inex_eval", case), 0.6948267967386282, rel_tol=1e-15)
    assert isclose(score("inex_eval", case, collection_size=5), 0.7528878586651043, rel_tol=1e-15)
    assert score("inex_eval", case, method="rank") == F(4089, 10000)
    assert at("qP", case, [1, 2, 3, 4, 8]) == [1, F(1, 2), F(1, 2), F(7, 16), F(7, 32)]
    assert at("qR", case, [1, 2, 3, 4, 8]) == [F(1, 2), F(1, 2), F(3, 4), F(7, 8), F(7, 8)]


def test_inex_eval_with_equal_rsv_equals_the_worked_numbers() -> None:
    case = graded("2003", [(3, 3), (0, 0), (0, 0), (3, 3)], range(4))
    tie = replace(case, results=[replace(each, rank=i, rsv=7) for i, each in enumerate(case.results)])
    assert at("inex_eval_P", tie, [0.5, 1], quant="strict") == [F(3, 5), F(3, 5)]
    assert at("inex_eval_P", tie, [0.5, 1], quant="strict", ties="rank") == [1, F(1, 2)]
    assert score("inex_eval", tie, step=0.5) == F(3, 5)


def test_inex_eval_on_the_ideal_base_equals_the_worked_numbers() -> None:
    case = tree_a("p3 S2 p1")
    # n = 7/4; p3 is not ideal: q = 0, 3/4, 1
    assert score("inex_eval_P", case, at=1, base="ideal", method="rank") == F(7, 12)


# ---- section 4


def test_inex_eval_ng_on_tree_a_equals_the_worked_numbers() -> None:
    exh = {"p4": F(1, 3), "S2": F(2, 3), "p1": F(1), "p3": F(2, 3), "S1": F(1), "A": F(1)}
    case = tree_a("p4 S2 p1")
    q, seen, rows = quantiser(case), Seen(case), []
    for name, result in zip(("p4", "S2", "p1"), case.results, strict=True):
        rows.append(Entry(q.result(result), exh[name], result.size, seen.overlap(result)))
        seen.add(result)
    total = sum(exh.values(), F(0))
    assert [precision(rows[:2]), recall(rows[:2], total)] == [F(5, 8), F(1, 7)]
    flat = [replace(each, overlap=F(0)) for each in rows]
    assert [precision(flat[:2]), recall(flat[:2], total)] == [F(2, 3), F(3, 14)]


def test_inex_eval_ng_on_a_case_equals_the_worked_numbers() -> None:
    case = graded("2003", [(3, 3), (1, 2), (2, 0)], [1, 0])
    assert at("inex_eval_ng_P", case, [1, 2, 5]) == [F(2, 3), F(5, 6), F(5, 6)]
    assert at("inex_eval_ng_R", case, [1, 2, 5]) == [F(1, 6), F(2, 3), F(2, 3)]
    assert score("inex_eval_ng", case) == F(66, 100) * F(5, 6)
    assert score("inex_eval_ng", case, grades="strict") == F(1, 2)


# ---- section 5


def raw(case: Case, alpha: F | int, partial: str = "children") -> list[F]:
    return raw_gains(Weighing(quantiser(case), F(alpha), partial), case.results)


def test_raw_gains_equal_the_worked_ones() -> None:
    assert raw(tree_a("p4 S2"), 1) == [F(1, 2), F(1, 2)]
    assert raw(tree_a("p4 S2"), 1, "retrieved") == [F(1, 2), F(1, 4)]
    assert raw(link_in_paragraph(), 1) == [0, F(1, 2)]
    assert raw(tree_a("p1 p2 S1"), F(1, 2))[2] == F(1, 4)  # fully seen


def test_normalised_gains_equal_the_worked_ones() -> None:
    case = tree_a("A S2 p1")
    assert gain_vectors(case, alpha=0.5).run == [F(13, 20), F(3, 8), F(7, 20)]
    assert score("nxCG", case, at=3, alpha=0.5) == F(11, 14)
    assert gain_vectors(tree_a("p4 A"), alpha=1).run == [F(1, 2), F(1, 2)]


def test_overlap_off_is_not_bounded_by_1() -> None:
    case = tree_a("p3 S2 p1 A")
    assert at("nxCG", case, [1, 2, 3, 4], overlap="off") == [1, 1, F(11, 7), F(68, 35)]
    assert score("MAep", case, overlap="off") == F(19, 24)


def test_thorough_scores_on_tree_a_equal_the_worked_ones() -> None:
    case = tree_a(THOROUGH_RUN, task="thorough")
    assert at("nxCG", case, range(1, 7)) == [F(3, 4), F(7, 8), F(7, 11), F(12, 17), F(8, 13), F(6, 11)]
    assert score("MAnxCG", case, at=4) == F(4439, 5984)
    assert at("gr", case, range(1, 5)) == [F(15, 88), F(35, 88), F(35, 88), F(6, 11)]
    assert score("MAep", case) == F(271, 720)
    assert score("MAep", case, ideal_curve="step") == F(11, 24)
    expected = [F(3, 4), F(88, 113), F(132, 157), F(221, 360), 0]
    assert at("ep", case, [0.1, 0.2, 0.3, 0.5, 0.6]) == expected
    assert score("nxCG", tree_a("p1 p1"), at=2, task="thorough") == F(1, 2)


def test_interpolated_effort_precision_on_tree_a_equals_the_worked_numbers() -> None:
    case = tree_a(THOROUGH_RUN, task="thorough")
    assert round(float(score("iMAep", case)), 10) == 0.4000126941
    assert round(float(score("iMAep", case, run_curve="step")), 5) == 0.28431
    assert score("iMAep", case, run_curve="step", ideal_curve="step") == F(4625, 10000)
    assert round(float(score("iMAep", case, run_curve="points")), 5) == 0.41988
    with pytest.raises(ValueError, match="needs run_curve"):
        MEASURES["iMAep"](case, ideal_curve="step")


def test_focused_scores_on_tree_a_equal_the_worked_ones() -> None:
    first = tree_a("p4 S2 p1")
    assert gain_vectors(first).run == [F(1, 2), F(1, 4), 1]
    assert at("nxCG", first, [1, 2, 3]) == [F(1, 2), F(3, 7), 1]
    assert score("MAep", first) == F(37, 72)
    second = tree_a("p3 S2 p1 S1")
    assert gain_vectors(second).run == [F(3, 4), 0, 1, 0]
    assert at("nxCG", second, [1, 2, 3, 4]) == [F(3, 4), F(3, 7), 1, 1]
    assert score("MAep", second) == F(17, 24)


def test_gains_over_bare_spans_equal_the_worked_ones() -> None:
    # two adjacent gold spans stay apart, two that overlap are one
    case = spans([(0, 10), (10, 20), (30, 40), (35, 50)], [(0, 20), (5, 15), (30, 70), (20, 30)])
    vectors = gain_vectors(case)
    assert list(vectors.ideal) == [F(1)] * 3
    assert vectors.run == [1, 0, F(1, 2), 0]
    assert at("nxCG", case, [1, 2, 3, 9]) == [1, F(1, 2), F(1, 2), F(1, 2)]


def test_fetch_and_browse_equal_the_worked_numbers() -> None:
    case = tree_a("- p4 S2", task="thorough")
    # article b is first and not relevant; the root of a has q 13/20, the only relevant root
    assert score("fetch_MAep", case) == F(1, 2)
    inside = tree_a("p4 S2", task="thorough")
    assert score("browse_MAep", case) == score("MAep", inside)


def test_passages_gain_their_unseen_highlighted_share() -> None:
    case = tree_a("p4")
    case = replace(case, results=[*case.results, Result("a", 600, 1000)])
    # p4 gains 1/2 of S2's 3/4; the passage has 100 unseen highlighted of 400, room 1/4
    assert gain_vectors(case).run == [F(1, 2), F(1, 4)]
    assert gain_vectors(case, alpha=0.5).run == [F(1, 2), F(1, 4)]
    assert raw(case, F(1, 2))[1] == F(1, 2) * F(1, 4) + F(1, 2) * F(5, 8)

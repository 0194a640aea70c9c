"""Every exact number of sections 2 to 5 and 7, through ``evaluate``.

Runs over tree A (section 2) are the topics of one run over one collection.  The numbers of section 4 fit no
scale of any year and are tested on arrays, in tests/measures/test_inex_eval_ng.py.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F  # noqa: N817 - there are a hundred of them

import pytest

from measures.worked import Table, exactly, graded, nested, with_rsv
from oracle import Case, Document, Result, grow, plant, tree_a
from oracle.cases import element, link_in_paragraph

RUNS = [
    "S2 p1 - A",
    "p4 S2 p1",
    "p3 S2 p1 S1",
    "p3 S2 p1 A",
    "p1 p1",
    "A S2 p1",
    "p4 A",
    "p4 S2",
    "p1 p2 S1",
    "p4 S2 A",
    "p1 S2",
    "p1 p3 p4",
    "p3 p1 p4",
    "A",
]


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    cases = {run: tree_a(run) for run in RUNS}
    cases["passage"] = replace(tree_a("p4"), results=[*tree_a("p4").results, Result("a", 600, 1000)])
    cases["passage S2"] = replace(tree_a("S2"), results=[Result("a", 700, 850), *tree_a("S2").results])
    cases["p4 S2 again"] = tree_a("p4 S2 S2 p1")
    return Table(cases, tmp_path_factory.mktemp("tree-a"))


# ---- section 2


def test_specificity_and_the_full_base_of_tree_a_are_the_worked_ones(tree):
    # A 13/20 of a full base of 22/5; p1 1, S2 3/4
    assert tree("A", "qP@1") == pytest.approx(13 / 20)
    assert tree("A", "qR@1") == pytest.approx(float(F(13, 20) / F(22, 5)))
    assert tree.at("p1 S2", "qP", [1, 2]) == exactly(1, F(7, 8))


@pytest.mark.parametrize(
    ("construction", "base", "other", "share"),
    [("path", "p1 S2", "p1 p3 p4", F(4, 7))]
    + [(name, "p1 p3 p4", "p1 S2", F(2, 5)) for name in ("greedy", "best-sum", "leaves")],
)
def test_the_ideal_bases_of_tree_a_are_the_worked_ones(tree, construction, base, other, share):
    result = f"qR(base=ideal, construction={construction})@3"
    assert tree(base, result) == pytest.approx(1)
    assert tree(other, result) == pytest.approx(float(share))  # only p1 is in both
    assert tree.at(base, f"nxCG(construction={construction})", range(1, 5)) == exactly(1, 1, 1, 1)


def test_the_two_tie_rules_choose_different_elements(tmp_path):
    # b and c have the same text, all highlighted: the ideal element is b, or c
    case = nested("a", "b", "c", highlights=[(0, 10)], run=["b"])
    result = Table({"b": case}, tmp_path).scores(
        "b", ["qR(base=ideal, tie=ancestor)@1", "qR(base=ideal, tie=descendant)@1"]
    )
    assert result == [1, 0]


# ---- section 3


@pytest.fixture(scope="module")
def precall(tmp_path_factory):
    hit, miss = (3, 3), (0, 0)
    cases = {
        "two levels": with_rsv(graded("2003", [hit, hit, miss, hit, miss, miss, hit]), 2, 2, 2, 1, 1, 1, 1),
        "grades": graded("2003", [hit, miss, (2, 2), (1, 1), (1, 1)], range(4)),
        "one level": with_rsv(graded("2003", [hit, miss, miss, hit]), 7, 7, 7, 7),
        # 2 relevant and 3 other results, then a level of 2 relevant and 3 others
        "rijsbergen": with_rsv(
            graded("2003", [hit, hit, miss, miss, miss, hit, hit, miss, miss, miss]), *[9] * 5, *[8] * 5
        ),
    }
    return Table(cases, tmp_path_factory.mktemp("precall"))


def test_precall_on_weak_orders_equals_the_worked_numbers(precall):
    points = [F(1, 4), F(1, 2), F(3, 4), 1]
    result = precall.at("two levels", "inex_eval_P", [float(x) for x in points])
    assert result == exactly(F(3, 4), F(3, 4), F(9, 14), F(12, 19))
    assert precall.at("one level", "inex_eval_P", [0.5, 1]) == exactly(F(3, 5), F(3, 5))
    # ties="rank" looks at ranks only, which differ; every level is then one result
    assert precall.at("one level", "inex_eval_P(ties=rank)", [0.5, 1]) == exactly(1, F(1, 2))


def test_the_expected_search_length_is_that_of_van_rijsbergen(precall):
    # j = 3, i = 3, r = 2, s = 1 gives esl 4: P = NR/(NR + esl) = 3/7 at recall 3/4
    assert precall("rijsbergen", "inex_eval_P@0.75") == pytest.approx(3 / 7, rel=1e-14)


def test_inex_eval_on_graded_elements_equals_the_worked_numbers(precall):
    assert precall("grades", "inex_eval") == pytest.approx(0.6948267967386282, rel=1e-14)
    assert precall("grades", "inex_eval(collection_size=5)") == pytest.approx(0.7528878586651043, rel=1e-14)
    assert precall("grades", "inex_eval(method=rank)") == pytest.approx(0.4089, rel=1e-14)
    assert precall.at("grades", "qP", [1, 2, 3, 4, 8]) == exactly(1, F(1, 2), F(1, 2), F(7, 16), F(7, 32))
    assert precall.at("grades", "qR", [1, 2, 3, 4, 8]) == exactly(F(1, 2), F(1, 2), F(3, 4), F(7, 8), F(7, 8))


# ---- section 5

RAW = "gr(alpha={}, task=thorough, partial={})"  # Thorough with a written alpha: gains without normalisation


def raw_gains(table, name, count, alpha, partial="children", total=F(22, 5)):
    reached = [0.0, *table.at(name, RAW.format(float(alpha), partial), range(1, count + 1))]
    return [float(total) * (reached[k] - reached[k - 1]) for k in range(1, count + 1)]


def test_gains_before_normalisation_equal_the_worked_ones(tree):
    assert raw_gains(tree, "p4 S2", 2, 1) == exactly(F(1, 2), F(1, 2))
    assert raw_gains(tree, "p4 S2", 2, 1, "retrieved") == exactly(F(1, 2), F(1, 4))
    assert raw_gains(tree, "p1 p2 S1", 3, F(1, 2)) == exactly(1, 0, F(1, 4))  # fully seen
    # a passage of 150 characters, all highlighted, is inside S2 like an element
    assert raw_gains(tree, "passage S2", 2, 1, "retrieved") == exactly(1, F(150, 600))


def test_an_element_keeps_the_gain_of_its_own_text(tmp_path):
    # p[0,100) > link[0,10), highlighted [50,100), list link p; the full base is p alone, 1/2
    table = Table({"link p": link_in_paragraph()}, tmp_path)
    assert raw_gains(table, "link p", 2, 1, total=F(1, 2)) == exactly(0, F(1, 2))


def test_text_of_an_excluded_child_is_own_text(tmp_path):
    # p[0,100) > link[0,10) it[50,60), all highlighted; it, then p, at alpha 1/2: it is seen and counts half
    root = plant(grow("p", 0, 100, grow("link", 0, 10), grow("it", 50, 60)))
    case = Case([Document("d", 100, root)], {"d": [(0, 100)]}, judged={"d"})
    case = replace(case, results=[element(case, "d", path) for path in ("/p[1]/it[1]", "/p[1]")])
    table = Table({"it p": case}, tmp_path)
    measure = "gr(alpha=0.5, task=thorough, exclude_tags={})@{}"
    without_exclusion = [3 * table("it p", measure.format("none", rank)) for rank in (1, 2)]
    assert without_exclusion == exactly(1, 1 + F(1, 2) * F(5 + 90, 100) + F(1, 2))
    without = [2 * table("it p", measure.format("links", rank)) for rank in (1, 2)]
    assert without == exactly(1, 1 + F(1, 2) * F(5 + 90, 100) + F(1, 2))


def test_an_empty_element_is_seen_with_its_ancestor(tmp_path):
    # a[0,10) > e[10,10), both graded (3,3): seen when its ancestor was returned, a repeat when it comes again
    root = plant(grow("a", 0, 10, grow("e", 10, 10)))
    grades = {("d", "/a[1]"): (3, 3), ("d", "/a[1]/e[1]"): (3, 3)}
    case = Case([Document("d", 10, root)], {"d": []}, grades=grades, scale="2003", judged={"d"})
    a, e = (element(case, "d", path) for path in ("/a[1]", "/a[1]/e[1]"))
    runs = {"a e": [a, e], "e a": [e, a], "e e": [e, e]}
    table = Table({name: replace(case, results=results) for name, results in runs.items()}, tmp_path)
    assert raw_gains(table, "a e", 2, 1, total=2) == exactly(1, 0)
    assert raw_gains(table, "a e", 2, F(1, 2), total=2) == exactly(1, F(1, 2))
    assert raw_gains(table, "e a", 2, 1, total=2) == exactly(1, 1)
    assert table.at("a e", "inex_eval_ng_R", [1, 2]) == exactly(F(1, 2), F(1, 2))
    assert table.at("e e", "qP", [1, 2]) == exactly(1, F(1, 2))


def focused_gains(table, name, count, alpha=1):
    """Gains after normalisation; the ideal base of tree A has a gain of 7/4."""
    reached = [0.0, *table.at(name, f"gr(alpha={float(alpha)}, task=focused)", range(1, count + 1))]
    return [1.75 * (reached[k] - reached[k - 1]) for k in range(1, count + 1)]


def test_gains_after_normalisation_equal_the_worked_ones(tree):
    assert focused_gains(tree, "A S2 p1", 3, F(1, 2)) == exactly(F(13, 20), F(3, 8), F(7, 20))
    assert tree("A S2 p1", "nxCG(alpha=0.5)@3") == pytest.approx(11 / 14)
    assert focused_gains(tree, "p4 A", 2) == exactly(F(1, 2), F(1, 2))


def capped(table, name, count, cap="on", alpha=0, overlap="on"):
    """Cumulated gains of a Focused run."""
    reached = table.at(name, f"xCG(alpha={alpha}, cap={cap}, overlap={overlap})", range(1, count + 1))
    return [after - before for before, after in zip([0.0, *reached], reached, strict=False)]


def test_capped_gains_equal_the_worked_numbers(tree):
    # section 5: alpha 0, cap on
    assert capped(tree, "A S2 p1", 3) == exactly(F(13, 20), F(3, 4), F(7, 20))
    assert tree.at("A S2 p1", "nxCG(alpha=0, cap=on)", [1, 2, 3]) == exactly(F(13, 20), F(4, 5), 1)
    assert capped(tree, "p4 S2 p1", 3) == exactly(F(1, 2), F(1, 4), 1)
    assert tree.at("p4 S2 p1", "nxCG(alpha=0, cap=on)", [1, 2, 3]) == exactly(F(1, 2), F(3, 7), 1)
    assert capped(tree, "p3 S2 p1 S1", 4) == exactly(F(3, 4), 0, 1, 0)
    # overlap off is plain q, which on caps and auto does not
    assert capped(tree, "p3 S2 p1 S1", 4, alpha=1, overlap="off") == exactly(F(3, 4), 0, 1, 0)
    assert capped(tree, "p3 S2 p1 S1", 4, "auto", 1, "off") == exactly(1, F(3, 4), 1, F(1, 2))
    # off leaves the gains of overlap: S2 after p3 has 150 of 600 unseen highlighted characters
    assert capped(tree, "p3 S2 p1 S1", 4, "off", 1) == exactly(1, F(1, 4), 1, 0)
    assert tree("p3 S2 p1 S1", "gr(task=thorough, cap=on)@4") == tree("p3 S2 p1 S1", "gr(task=thorough)@4")


def test_cumulated_gains_of_run_and_ideal_are_the_figure_of_001(tree):
    # section 5: Thorough S2 p1 - A; the full base sorted is 1 1 3/4 13/20 1/2 1/2
    assert tree.at("S2 p1 - A", "xCG(task=thorough)", [1, 2, 3, 4, 9]) == exactly(
        F(3, 4), F(7, 4), F(7, 4), F(12, 5), F(12, 5)
    )
    assert tree.at("S2 p1 - A", "xCI(task=thorough)", [1, 2, 3, 6, 9]) == exactly(
        1, 2, F(11, 4), F(22, 5), F(22, 5)
    )
    assert tree.at("S2 p1 - A", "xCI", [1, 2, 3]) == exactly(1, F(7, 4), F(7, 4))


def test_paths_to_any_relevant_element_make_the_roots_ideal(tree):
    # section 2: the footnotes of 001 and 004 read literally
    assert tree("A", "qR(base=ideal, paths=any)@1") == 1
    assert tree("p1 S2", "qR(base=ideal, paths=any)@2") == 0
    assert tree("p1 S2", "qR(base=ideal, paths=leaf)@2") == 1


def test_a_passage_is_bounded_by_the_ideal_elements_it_overlaps(tree):
    # p4 takes 1/2 of S2's 3/4; the passage [600,1000) has 100 unseen highlighted of 400, room 1/4
    assert focused_gains(tree, "passage", 2) == exactly(F(1, 2), F(1, 4))
    assert raw_gains(tree, "passage", 2, F(1, 2)) == exactly(F(1, 2), F(1, 2) * F(1, 4) + F(1, 2) * F(5, 8))


def test_overlap_off_is_not_bounded_by_1(tree):
    run = "p3 S2 p1 A"
    assert tree.at(run, "nxCG(overlap=off)", range(1, 5)) == exactly(1, 1, F(11, 7), F(68, 35))
    assert tree(run, "MAep(overlap=off)") == pytest.approx(19 / 24)
    # Thorough ignores it
    assert tree(run, "MAep(overlap=off, task=thorough)") == tree(run, "MAep(task=thorough)")


def test_thorough_xcg_of_every_run_equals_the_worked_numbers(tree):
    run = "S2 p1 - A"
    ranks = range(1, 7)
    assert tree.at(run, "nxCG(task=thorough)", ranks) == exactly(
        F(3, 4), F(7, 8), F(7, 11), F(12, 17), F(8, 13), F(6, 11)
    )
    assert tree(run, "MAnxCG(task=thorough)@4") == pytest.approx(4439 / 5984, rel=1e-14)
    assert tree.at(run, "gr(task=thorough)", range(1, 5)) == exactly(
        F(15, 88), F(35, 88), F(35, 88), F(6, 11)
    )
    assert tree(run, "MAep(task=thorough)") == pytest.approx(271 / 720, rel=1e-14)
    assert tree(run, "MAep(task=thorough, ideal_curve=step)") == pytest.approx(11 / 24, rel=1e-14)
    points = [0.1, 0.2, 0.3, 0.5, 0.6]
    assert tree.at(run, "ep(task=thorough)", points) == exactly(
        F(3, 4), F(88, 113), F(132, 157), F(221, 360), 0
    )
    assert tree("p1 p1", "nxCG(task=thorough)@2") == 0.5


def test_mean_effort_precision_over_recall_points_equals_the_worked_numbers(tree):
    run = "S2 p1 - A"
    assert round(tree(run, "iMAep(task=thorough)"), 10) == 0.4000126941
    assert round(tree(run, "iMAep(task=thorough, run_curve=step)"), 5) == 0.28431
    both = tree(run, "iMAep(task=thorough, run_curve=step, ideal_curve=step)")
    assert both == pytest.approx(0.4625, rel=1e-14)
    assert round(tree(run, "iMAep(task=thorough, run_curve=points)"), 5) == 0.41988


def test_focused_xcg_of_every_run_equals_the_worked_numbers(tree):
    assert focused_gains(tree, "p4 S2 p1", 3) == exactly(F(1, 2), F(1, 4), 1)
    assert tree.at("p4 S2 p1", "nxCG", [1, 2, 3]) == exactly(F(1, 2), F(3, 7), 1)
    assert tree("p4 S2 p1", "MAep") == pytest.approx(37 / 72, rel=1e-14)
    assert focused_gains(tree, "p3 S2 p1 S1", 4) == exactly(F(3, 4), 0, 1, 0)
    assert tree.at("p3 S2 p1 S1", "nxCG", [1, 2, 3, 4]) == exactly(F(3, 4), F(3, 7), 1, 1)
    assert tree("p3 S2 p1 S1", "MAep") == pytest.approx(17 / 24, rel=1e-14)


def test_a_repeat_gains_nothing_and_keeps_its_rank(tree):
    for alpha in (0, 0.5, 1):
        assert raw_gains(tree, "p4 S2 again", 4, alpha)[2] == pytest.approx(0)
    assert tree("p4 S2 again", "nxCG@4") == pytest.approx(1)


# ---- section 7


def test_hixeval_equals_the_worked_numbers(tree):
    ranks = [1, 2, 3]
    assert tree.at("p4 S2 p1", "HiXEval_P", ranks) == exactly(F(1, 2), F(1, 2), F(13, 22))
    assert tree.at("p4 S2 p1", "HiXEval_R", ranks) == exactly(F(3, 13), F(9, 13), 1)
    assert tree("p4 S2 p1", "HiXEval_F@3") == pytest.approx(float(2 * F(13, 22) / F(35, 22)))
    # alpha 1/2, run p4 S2 A: the third result is worth 775/2 of 650
    reached = tree.at("p4 S2 A", "HiXEval_R(alpha=0.5)", [2, 3])
    assert 650 * (reached[1] - reached[0]) == pytest.approx(775 / 2)


TAGS = ("A", "S1", "p1", "p2", "S2", "p3", "p4")


@pytest.fixture(scope="module")
def grades(tmp_path_factory):
    """Tree A without highlights: e = 3 throughout, s: p1 p3 3, S1 S2 2, p4 A 1 (section 7)."""
    case = tree_a("p1 p3")
    paths = {tag: each.path for tag, each in zip(TAGS, case.documents[0].elements(), strict=True)}
    specificities = {"p1": 3, "p3": 3, "S1": 2, "S2": 2, "p4": 1, "A": 1}
    case = replace(
        case,
        highlights={},
        scale="2003",
        grades={("a", paths[tag]): (3, s) for tag, s in specificities.items()},
    )
    runs = {name: tree_a(name).results for name in ("p1 p3", "p4 S2 A", "p3 p4 S2")}
    runs["passage"] = [Result("a", 0, 100), *tree_a("p1").results]
    return Table(
        {name: replace(case, results=results) for name, results in runs.items()},
        tmp_path_factory.mktemp("grades"),
    )


def test_hixeval_from_grades_equals_the_worked_numbers(grades):
    # rsize: p1 200, p3 300, S1 800/3, S2 400, p4 100, A 1000/3; the ideal base is {A}
    assert grades("p1 p3", "HiXEval_R@2") == pytest.approx(3 / 2)
    assert grades("p1 p3", "HiXEval_P@2") == pytest.approx(1)
    full = 200 + 300 + F(800, 3) + 400 + 100 + F(1000, 3)
    assert grades("p1 p3", "HiXEval_R(task=thorough)@2") == pytest.approx(float(500 / full))
    # S2 is worth 400 less the 100 of p4 inside it, A 1000/3 less 100 and 300, which is nothing
    assert grades.at("p4 S2 A", "HiXEval_P", [1, 2, 3]) == exactly(F(100, 300), F(400, 900), F(400, 1900))
    assert grades.at("p3 p4 S2", "HiXEval_P(alpha=0.5)", [2, 3]) == exactly(F(400, 600), F(600, 1200))
    # strict2003: the ideal base is p1 and p3, 500 of 500
    assert grades("p1 p3", "HiXEval_R(quant=strict2003)@2") == pytest.approx(1)
    assert grades("passage", "HiXEval_P@2") == pytest.approx(200 / 300)


def test_values_of_inner_results_never_make_a_value_negative(tmp_path):
    # alpha 1/2: d is worth 10, then c, b, a each half of it; more than the element around them: 10 - 25/2
    case = nested("o", "a", "b", "c", "d", highlights=[(0, 10)], run="dcbao")
    table = Table({"all": case}, tmp_path)
    assert table.at("all", "HiXEval_R(alpha=0.5)", [1, 4, 5]) == exactly(1, F(5, 2), F(5, 2))


def test_hixeval_in_thorough_counts_every_element(tree):
    # rsize: p1 200, S1 200, p3 300, p4 150, S2 450, A 650 = 1950
    assert tree("A", "HiXEval_R(task=thorough)@1") == pytest.approx(650 / 1950)


def test_the_overlap_of_every_run_equals_the_worked_numbers(tree):
    assert tree.at("p4 S2 p1", "overlap", [1, 2, 3, 9]) == exactly(0, 1, F(2, 3), F(2, 3))


# ---- section 8, fetch and browse


def test_fetch_and_browse_equal_the_worked_numbers(tree):
    # one relevant article, at rank 1 of each run except those that start with another article
    assert tree("S2 p1 - A", "fetch_MAep") == 1
    assert tree("S2 p1 - A", "browse_MAep") == pytest.approx(
        float((F(3, 4) / 1 + F(7, 4) / 2 + F(38, 15) / 3) / 6)
    )

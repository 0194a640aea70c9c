"""Properties of gains that section 5 requires of every topic."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import doxel.evaluation.views.result_gains
from doxel.evaluation import evaluate
from doxel.evaluation.views.partial_overlap import compute_values_from_children
from doxel.measures import MEASURES
from doxel.measures.gain_views import GainVectors
from measures.instances import instances
from oracle import Case, Document, Result, grow, plant, random_case
from oracle.bridge import build
from oracle.rules import ordered
from random_share import count_cases

SCALES = ("2002", "2003", "2005", "2006")
OVER_GAINS = [measure for measure in MEASURES if measure.declaration.view is GainVectors]


def random_bridge(folder, seed, topics=30, **switches):
    random = Random(seed)
    return build([random_case(random, **switches) for _ in range(topics)], folder)


def scores(bridge, measures):
    table = evaluate(bridge.run, bridge.assessments, measures, collection=bridge.collection).scores
    return table["score"].to_numpy().reshape(-1, len(bridge.cases))


# ---- bounds


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("construction", ["path", "greedy"])
def test_focused_element_runs_never_exceed_the_ideal(tmp_path, scale, construction):
    bridge = random_bridge(tmp_path, 5, scale=scale, kind="elements", elements=25, length=25)
    options = f"alpha=1, construction={construction}"
    measures = [
        f"nxCG({options})@1,2,3,5,10,30",
        f"gr({options})@30",
        f"MAep({options})",
        f"iMAep({options})",
    ]
    values = scores(bridge, measures)
    assert np.nanmax(values) <= 1 + 1e-12
    assert np.nanmax(values) > 0.9  # at least one list is nearly ideal


@pytest.mark.parametrize(
    ("passage", "gains"),
    [
        ((50, 150), [2, 1]),  # contains all relevant text of x and y
        ((100, 150), [1, 0.5]),  # is inside y and starts where x ends
        ((50, 100), [1, 0.5]),
    ],
)
def test_a_passage_across_two_ideal_elements_exceeds_the_ideal(tmp_path, passage, gains):
    # A[0,300) > x[0,100) y[100,200), highlighted [50,150): x and y are ideal, with 1/2 each
    root = plant(grow("A", 0, 300, grow("x", 0, 100), grow("y", 100, 200)))
    document = Document("d", 300, root, "x" * 300)
    case = Case([document], {"d": [(50, 150)]}, [Result("d", *passage)], judged={"d"})
    assert scores(build([case], tmp_path), ["nxCG@1", "gr@1"])[:, 0].tolist() == gains


# ---- scaling


@st.composite
def gain_vectors(draw):
    """Draw two topics with gains in tenths, which need not be below the ideal."""
    gains = draw(st.lists(st.lists(st.integers(0, 10), min_size=4, max_size=4), min_size=2, max_size=2))
    ideal = draw(st.lists(st.lists(st.integers(1, 10), min_size=3, max_size=3), min_size=2, max_size=2))
    ordered_ideal = np.array([sorted(row, reverse=True) for row in ideal]) / 10
    return GainVectors(np.array(gains) / 10, ordered_ideal, np.array([3.0, 4.0]))


CUMULATED = {"xCG", "xCI"}  # gains themselves, which grow with them


@settings(deadline=None, max_examples=count_cases(40))
@given(
    gain_vectors(), st.sampled_from([0.001, 0.3, 7.0, 1e6]), st.sampled_from([2.0**-20, 0.5, 4.0, 2.0**30])
)
def test_scaling_all_gains_changes_cumulated_gains_only(view, factor, power_of_two):
    def scaled(by):
        return replace(view, gains=view.gains * by, ideal=view.ideal * by)

    for declared in OVER_GAINS:
        for measure in instances(declared):
            parameters = measure.resolve_parameters({})
            plain = measure.compute(view, parameters)
            grown, doubled = (factor, power_of_two) if declared.name in CUMULATED else (1.0, 1.0)
            expected = pytest.approx(plain * grown, rel=1e-9)
            assert measure.compute(scaled(factor), parameters) == expected, measure
            exact = measure.compute(scaled(power_of_two), parameters)
            assert exact.tolist() == (plain * doubled).tolist(), measure


# ---- order


def test_thorough_scores_do_not_depend_on_the_order_of_equal_gains(tmp_path):
    random = Random(11)
    cases = [random_case(random, kind="elements", ties=False, repeats=False, scale="2003") for _ in range(25)]
    by_gain, shuffled = [], []
    for case in cases:
        results = [replace(result, rank=None, rsv=None) for result in ordered(case)]
        grades = [(case.grades or {}).get((result.doc, result.path)) for result in results]
        places = list(range(len(results)))
        for grade in set(grades):  # shuffle the results of each grade among their places
            equals = [place for place in places if grades[place] == grade]
            for place, source in zip(equals, random.sample(equals, len(equals)), strict=True):
                places[place] = source
        by_gain.append(replace(case, results=results))
        shuffled.append(replace(case, results=[results[source] for source in places]))
    measures = [
        "nxCG(task=thorough)@1,3,10",
        "MAep(task=thorough)",
        "iMAep(task=thorough)",
        "MAnxCG(task=thorough)@7",
    ]
    first, second = (
        scores(build(order, tmp_path / name), measures) for name, order in (("a", by_gain), ("b", shuffled))
    )
    assert [case.results for case in by_gain] != [case.results for case in shuffled]
    assert np.array_equal(first, second, equal_nan=True)


# ---- partly seen elements


def test_partly_seen_elements_gain_their_unseen_highlighted_share(tmp_path):
    bridge = random_bridge(tmp_path, 21, elements=25, length=20)
    # Thorough with a written alpha is not normalised: the gains are gr times the total
    ranks = range(1, 21)
    reached = scores(bridge, [f"gr(alpha=1, task=thorough)@{rank}" for rank in ranks])
    everything = scores(bridge, ["qR@1"])[0]  # defined where there is something to gain
    checked = 0
    for topic, case in enumerate(bridge.cases):
        if np.isnan(everything[topic]):
            continue
        total = sum(
            len(element.positions & case.relevant(name)) / element.size
            for name, element in case.elements()
            if element.size
        )
        seen: dict[str, set[int]] = {}
        keys, gained = set(), 0.0
        for rank, result in zip(ranks, ordered(case), strict=False):
            new = (result.positions - seen.get(result.doc, set())) & case.relevant(result.doc)
            gained += len(new) / result.size if result.size and result.key not in keys else 0
            keys.add(result.key)
            seen.setdefault(result.doc, set()).update(result.positions)
            assert reached[rank - 1, topic] * total == pytest.approx(gained, abs=1e-9)
            checked += 1
    assert checked > 100


def test_the_short_cut_under_spec_equals_the_sum_over_children(tmp_path, monkeypatch):
    """At alpha 1 under spec, the short cut gives the same gains as the computation from the children."""
    compared = []
    original = doxel.evaluation.views.result_gains.compute_gains

    def both(located, gain, quantisation, excluded, *, alpha, partial):
        gains = original(located, gain, quantisation, excluded, alpha=alpha, partial=partial)
        partly_seen = (
            (located.overlap > 0) & (located.overlap < 1) & (located.row >= 0) & ~located.ranked.is_repeat
        )
        rows = np.flatnonzero(partly_seen)
        slow = compute_values_from_children(located, rows, gain, excluded, alpha=1.0, by_share=True)
        compared.append(len(rows))
        assert gains[rows] == pytest.approx(slow)
        return gains

    bridge = random_bridge(tmp_path, 22, topics=60, documents=1, kind="elements", elements=25, length=25)
    monkeypatch.setattr("doxel.evaluation.views.gain_view_builders.compute_gains", both)
    scores(bridge, ["nxCG(alpha=1)@3"])
    assert sum(compared) > 20


# ---- rounding


def test_a_rounding_error_of_a_bound_is_not_a_rank_with_gain(tmp_path):
    # one gain of this topic reaches its bound except for rounding; the next result gains the tiny rest
    bridge = random_bridge(tmp_path, 202, topics=1, documents=1, length=40)
    for alpha in (0.5, 0.9):
        assert bridge.compare("MAep", alpha=alpha) == 1

"""Budgets: what is kept of a list, what is refused, and which budgets are the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxel.errors import InputError, MeasureError
from doxel.evaluation import evaluate
from doxel.evaluation.result_budgets import find_gaps
from doxel.measures import parse_measure

GOLD = [("1", "A", 0, 100)]
RUN = [("1", "B", 0, 60), ("1", "A", 0, 50), ("1", "A", 30, 100), ("1", "A", 0, 20)]
SPANS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)).map(sorted), max_size=6)


def score(measure, run=RUN, gold=GOLD, **options):
    return evaluate(run, gold, measure, **options).scores["score"].to_list()


@pytest.mark.parametrize("budget", [1, 59, 60, 61, 110, 150, 1000])
def test_chars_is_a_budget_of_characters_with_the_defaults(budget):
    for name in ("char_rec", "char_prec", "char_iou", "span_rec", "hit", "span_RR", 'MAiP(task="thorough")'):
        measure = parse_measure(name)[0]
        pair = [measure(chars=budget), measure(budget=budget)]
        first, second = score(pair)
        assert first == second, name
        assert pair[0].name != pair[1].name  # printed as written


@pytest.mark.parametrize("written", ['unit="words"', 'unit="chars"', 'fit="skip"', 'charge="all"'])
@pytest.mark.parametrize("name", ["char_rec", "token_prec", "span_rec", "MAiP", "aspect_rec"])
def test_unit_fit_and_charge_need_a_budget(name, written):
    with pytest.raises(MeasureError, match=r"needs budget="):
        parse_measure(f"{name}({written})")


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("char_rec(budget=10, chars=10)", "wanted one of them"),
        ("token_rec(budget=10, chars=10)", "wanted one of them"),
        ('char_rec(budget=10, tokens="mine")', 'needs unit="tokens"'),
        ("char_rec(budget=0)", "a whole number from 1"),
        ("char_rec(budget=1.5)", "a whole number"),
        ('char_rec(budget=5, fit="half")', "found"),
        ("read(budget=5)", "no parameter"),
    ],
)
def test_budgets_that_mean_nothing_are_refused(written, message):
    with pytest.raises(MeasureError, match=message):
        parse_measure(written)


def test_words_need_the_texts():
    with pytest.raises(InputError, match="counting tokens needs the documents"):
        score('char_rec(budget=3, unit="words")')


def test_a_cutoff_counts_the_results_that_were_taken():
    # B does not fit and is skipped, so A is the first result
    assert score('char_rec(budget=50, fit="skip")@1') == [0.5]
    assert score("char_rec(budget=50)@1") == [0.0]


def test_nothing_follows_once_the_budget_is_spent():
    """An empty result costs nothing, but comes too late."""
    run = [("1", "A", 0, 50), ("1", "B", 7, 7)]
    for fit in ("cut", "whole", "skip"):
        assert score(f'overlap@2, char_rec(budget=50, fit="{fit}")', run=run)[1] == 0.5
        assert score(f'span_RR(budget=50, fit="{fit}", min=1)', run=run, gold=[("1", "A", 50, 51)]) == [0]


def test_a_topic_spends_its_own_budget():
    run = [*RUN, ("2", "A", 0, 50), ("2", "A", 50, 100)]
    gold = [*GOLD, ("2", "A", 0, 100), ("3", "A", 0, 10)]
    assert score("char_rec(budget=80)", run=run, gold=gold) == [0.2, 0.8, 0.0]
    assert score('char_rec(budget=80, fit="skip", charge="new")', run=run, gold=gold) == [0.2, 0.5, 0.0]


@given(spans=SPANS, span=st.tuples(st.integers(0, 30), st.integers(0, 30)).map(sorted))
def test_gaps_are_the_characters_that_no_other_span_covers(spans, span):
    covered = {place for start, end in spans for place in range(start, end)}
    gaps = find_gaps(sorted(map(tuple, spans)), *span)
    assert [place for start, end in gaps for place in range(start, end)] == [
        place for place in range(*span) if place not in covered
    ]


def test_recall_never_falls_with_the_budget_under_cut_and_whole():
    budgets = range(1, 210, 7)
    for fit in ("cut", "whole"):
        for charge in ("all", "new"):
            names = [f'char_rec(budget={budget}, fit="{fit}", charge="{charge}")' for budget in budgets]
            values = score(names)
            assert values == sorted(values)
            assert values[0] < values[-1]

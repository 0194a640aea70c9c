"""The numbers that measures.md works out in section 15, budgets, and the same by the oracle."""

from __future__ import annotations

from fractions import Fraction as F  # noqa: N817 - there are dozens of them

import pytest

from doxel.evaluation import evaluate
from doxel.measures import parse_measure
from oracle import MEASURES, Case, Document, Result

GOLD = [("1", "A", 0, 100)]
RUN = [("1", "B", 0, 60), ("1", "A", 0, 50), ("1", "A", 30, 100), ("1", "A", 0, 20)]
TEXT = "one two three four five six"
WORDS_GOLD = [("1", "A", 4, 13)]
WORDS_RUN = [("1", "A", 1, 18), ("1", "A", 8, 27)]

# measures.md, section 15, the paragraph marked (exact)
CHARACTERS = {
    "char_rec(budget=100)": F(2, 5),
    'char_rec(budget=100, fit="whole")': F(0),
    'char_rec(budget=100, fit="skip")': F(1, 5),
    "char_rec(budget=150)": F(7, 10),
    "char_prec(budget=150)": F(7, 13),
    'char_prec(budget=150, repeats="charged")': F(7, 15),
    'char_rec(budget=150, charge="new")': F(9, 10),
    'char_prec(budget=150, charge="new")': F(3, 5),
    'char_prec(budget=150, charge="new", repeats="charged")': F(9, 17),
    'char_rec(budget=150, fit="whole")': F(1, 2),
    'char_rec(budget=150, fit="skip")': F(1, 2),
    'char_prec(budget=150, fit="skip")': F(5, 11),
    'char_prec(budget=150, fit="skip", repeats="charged")': F(5, 13),
    "char_rec(chars=100)": F(2, 5),  # the same as budget=100
}
# gold [4, 13); the kept text in brackets
WORDS = {
    'char_rec(budget=1, unit="words")': F(4, 9),  # [1, 8)
    'char_prec(budget=1, unit="words")': F(4, 7),
    'char_prec(budget=4, unit="words", repeats="charged")': F(9, 17 + 6),  # [1, 18) and [8, 14)
    'char_prec(budget=4, unit="words", charge="new", repeats="charged")': F(9, 17 + 16),  # [8, 24)
    'char_prec(budget=4, unit="tokens", charge="new", repeats="charged")': F(9, 17 + 16),
    'char_rec(budget=2, unit="words", fit="whole")': F(0),
    'span_rec(budget=1, unit="words", min=0.4)': F(1),  # 4 of 9 characters
    'span_rec(budget=1, unit="words")': F(0),
}


def parse(name: str) -> tuple[str, dict[str, object]]:
    measure = parse_measure(name)[0]
    return measure.declaration.name, dict(measure.written)


def score(run, gold, measure, **options):
    return evaluate(run, gold, measure, **options).scores["score"].item()


@pytest.mark.parametrize("measure", CHARACTERS)
def test_budgets_of_characters_give_the_worked_numbers(measure):
    assert score(RUN, GOLD, measure) == pytest.approx(float(CHARACTERS[measure]), abs=1e-15)
    name, parameters = parse(measure)
    case = Case(
        [Document("A", 100), Document("B", 100)],
        {"A": [(0, 100)]},
        [Result(doc, start, end) for _, doc, start, end in RUN],
        judged={"A"},
    )
    assert MEASURES[name](case, **parameters) == CHARACTERS[measure]


@pytest.mark.parametrize("measure", WORDS)
def test_budgets_of_words_give_the_worked_numbers(measure):
    expected = float(WORDS[measure])
    assert score(WORDS_RUN, WORDS_GOLD, measure, collection={"A": TEXT}) == pytest.approx(expected, abs=1e-15)
    name, parameters = parse(measure)
    case = Case(
        [Document("A", len(TEXT), None, TEXT)],
        {"A": [(4, 13)]},
        [Result(doc, start, end) for _, doc, start, end in WORDS_RUN],
        judged={"A"},
    )
    assert MEASURES[name](case, **parameters) == WORDS[measure]


@pytest.mark.parametrize(("budget", "recall"), [(50, 1), (60, 0)])
def test_under_skip_recall_can_fall_when_the_budget_grows(budget, recall):
    """Section 15: gold A [0, 50), run B [0, 60), A [0, 50)."""
    run = [("1", "B", 0, 60), ("1", "A", 0, 50)]
    assert score(run, [("1", "A", 0, 50)], f'char_rec(budget={budget}, fit="skip")') == recall

"""The numbers that measures.md works out in section 14, aspects, and the same by the oracle."""

from __future__ import annotations

from fractions import Fraction as F  # noqa: N817 - there are dozens of them

import pytest

from doxel.evaluation import evaluate
from doxel.measures import parse_measure
from oracle import MEASURES, Case, Document, Result

SPANS = {"A": [(0, 100), (200, 300)], "B": [(0, 50)], "C": [(0, 40)]}
NAMES = {"A": ["a1", "a2"], "B": ["a1"], "C": ["a3"]}
GOLD = [
    *(
        {"topic": "1", "doc": doc, "start": start, "end": end, "aspect": name}
        for doc, spans in SPANS.items()
        for (start, end), name in zip(spans, NAMES[doc], strict=True)
    ),
    {"topic": "1", "aspects": {"a2": {"weight": 2}, "a3": {"vital": False}}},
]
RUN = [("N", 0, 100), ("A", 0, 60), ("B", 0, 50), ("A", 150, 300), ("C", 0, 10)]

# measures.md, section 14, the paragraph marked (exact)
NUMBERS = {
    "aspect_rec@2": F(1, 4),
    "aspect_rec@4": F(3, 4),
    "aspect_rec(min=1)@2": F(0),
    "aspect_rec(min=1)@3": F(1, 4),
    "aspect_rec(min=0.25)": F(1),
    "all_aspects@3": F(0),
    "all_aspects@4": F(1),
    "aspect_AP": F(11, 24),
    "aspect_AP(min=0.25)": F(31, 48),
    "aspect_AP(min=1)": F(1, 3),
    "alpha_nDCG@2": 0.2398124666,
    "alpha_nDCG@4": 0.5206644694,
    "nugget_F@2": F(50, 143),
    "nugget_F@4": F(25, 27),
    "nugget_F@5": F(200, 217),
    "aspect_char_rec@2": F(3, 29),
    "aspect_char_rec@3": F(5, 29),
    "aspect_char_rec@4": F(25, 29),
    "aspect_char_rec@5": F(26, 29),
}


def case(run):
    return Case(
        [Document(name, 400) for name in "ABCN"],
        SPANS,
        [Result(*each) for each in run],
        judged=set(SPANS),
        aspects=NAMES,
        aspect_settings={"a2": (2, True), "a3": (1, False)},
    )


def by_oracle(run, name):
    measure = parse_measure(name)[0]
    return MEASURES[measure.declaration.name](case(run), at=measure.at, **measure.written)


def score(run, name, gold=GOLD):
    return evaluate([("1", *each) for each in run], gold, name).scores["score"].item()


@pytest.mark.parametrize("name", NUMBERS)
def test_aspects_give_the_worked_numbers(name):
    expected = NUMBERS[name]
    digits = 5e-11 if isinstance(expected, float) else 1e-14  # as many as measures.md prints
    assert score(RUN, name) == pytest.approx(float(expected), abs=digits)
    exact = by_oracle(RUN, name)
    assert exact == (pytest.approx(expected, abs=digits) if isinstance(expected, float) else expected)


def test_a_result_with_several_gold_spans_exceeds_the_ideal_list():
    """Section 14: A [0, 300) alone gains 3, the best gold span 2."""
    run = [("A", 0, 300)]
    assert score(run, "alpha_nDCG@1") == pytest.approx(1.5, abs=1e-15)
    assert by_oracle(run, "alpha_nDCG@1") == pytest.approx(1.5, abs=1e-15)


def test_finding_the_short_alternative_does_not_lower_character_recall():
    """Section 14: a = 1000 half covered or 10, b = 1000 unseen; dividing by the best span would fall."""
    gold = [
        {"topic": "1", "doc": "A", "start": 0, "end": 1000, "aspect": "a"},
        {"topic": "1", "doc": "B", "start": 0, "end": 10, "aspect": "a"},
        {"topic": "1", "doc": "C", "start": 0, "end": 1000, "aspect": "b"},
    ]
    run = [("A", 0, 500), ("B", 0, 10)]
    assert score(run, "aspect_char_rec@1", gold) == pytest.approx(5 / 1010, abs=1e-15)
    assert score(run, "aspect_char_rec@2", gold) == pytest.approx(10 / 1010, abs=1e-15)

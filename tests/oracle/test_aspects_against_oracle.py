"""Section 14 agrees with the slow exact implementation: alternatives, weights, vital aspects, budgets."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from oracle import MEASURES, random_case
from oracle.bridge import Bridge, bare, build
from random_share import count_cases

CASES = count_cases(100)
SHARES = [Fraction(1, 100), Fraction(1, 2), Fraction(4, 5), 1]
MEASURES_OF_ASPECTS = ("aspect_rec", "all_aspects", "aspect_AP", "alpha_nDCG", "nugget_F", "aspect_char_rec")


@pytest.fixture(scope="module", params=["texts", "trees"])
def bridge(request, tmp_path_factory) -> Bridge:
    """Overlapping passages of bare texts; elements and passages of trees."""
    random = Random(1400)
    if request.param == "texts":
        return bare([random_case(random, bare=True, length=12, aspects=True) for _ in range(CASES)])
    cases = [random_case(random, aspects=True) for _ in range(CASES)]
    return build(cases, tmp_path_factory.mktemp("aspects"))


@pytest.mark.parametrize("share", SHARES)
def test_aspects_shown_agree_with_the_oracle(bridge, share):
    with bridge.at_once() as compare:
        for at in (None, 1, 2, 5):
            compare("aspect_rec", min=share, at=at)
            compare("all_aspects", min=share, at=at)
            compare("nugget_F", min=share, at=at, allowance=7)
            compare("nugget_F", min=share, at=at, allowance=2, beta=1, repeats="charged")
        compare("aspect_AP", min=share)
        compare("aspect_AP", min=share, limit=3)


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("alpha", [0, Fraction(1, 4), Fraction(1, 2), 1])
def test_gains_of_aspects_agree_with_the_oracle(bridge, share, alpha):
    with bridge.at_once() as compare:
        for at in (None, 1, 3, 8):
            compare("alpha_nDCG", min=share, alpha=alpha, at=at)


def test_characters_of_aspects_agree_with_the_oracle(bridge):
    for at in (None, 1, 2, 5):
        assert bridge.compare("aspect_char_rec", at=at) > CASES // 2


@pytest.mark.parametrize("unit", ["chars", "words"])
@pytest.mark.parametrize("fit", ["cut", "whole", "skip"])
def test_aspects_within_a_budget_agree_with_the_oracle(bridge, unit, fit):
    with bridge.at_once() as compare:
        for name in MEASURES_OF_ASPECTS:
            for budget, charge in ((3, "all"), (14, "new"), (40, "all")):
                compare(name, budget=budget, unit=unit, fit=fit, charge=charge)


def without_aspects(case):
    return replace(case, aspects={}, highlight_grades={}, aspect_settings={})


def test_without_aspects_aspect_rec_is_span_rec(bridge):
    """Section 14: min=.5, as in span_rec, because on plain gold the two are the same."""
    for case in map(without_aspects, bridge.cases):
        for at in (None, 1, 3):
            for share in SHARES:
                assert MEASURES["aspect_rec"](case, at=at, min=share) == MEASURES["span_rec"](
                    case, at=at, min=share
                )

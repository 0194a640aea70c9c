"""Section 15 agrees with the slow exact implementation, for every measure that takes a budget."""

from __future__ import annotations

import math
from itertools import product
from random import Random

import pytest

from doxel.evaluation import evaluate
from oracle import MEASURES, Refused, random_case
from oracle.bridge import Bridge, bare, build
from random_share import count_cases

CASES = count_cases(60)
RULES = list(product(("cut", "whole", "skip"), ("all", "new")))
MEASURES_WITH_BUDGET = (
    ("char_rec", {}),
    ("char_prec", {"repeats": "charged"}),
    ("char_iou", {"at": 3}),
    ("char_f1", {}),
    ("token_rec", {}),
    ("token_prec", {"repeats": "charged", "at": 2}),
    ("span_rec", {"min": 0.7}),
    ("hit", {"at": 2}),
    ("span_RR", {}),
    ("iP", {"at": 0.3, "task": "thorough"}),
    ("MAiP", {"task": "thorough"}),
)


@pytest.fixture(scope="module", params=["texts", "trees"])
def bridge(request, tmp_path_factory) -> Bridge:
    """Overlapping passages of bare texts; elements and passages of trees."""
    random = Random(1512)
    if request.param == "texts":
        return bare([random_case(random, bare=True, length=14) for _ in range(CASES)])
    return build([random_case(random) for _ in range(CASES)], tmp_path_factory.mktemp("budgets"))


@pytest.mark.parametrize("unit", ["chars", "words", "tokens"])
@pytest.mark.parametrize(("fit", "charge"), RULES)
def test_budgets_agree_with_the_oracle(bridge, unit, fit, charge):
    with bridge.at_once() as compare:
        for (name, parameters), budget in product(MEASURES_WITH_BUDGET, (1, 4, 17, 60)):
            compare(name, **parameters, budget=budget, unit=unit, fit=fit, charge=charge)
        compare("char_rec", budget=9, unit=unit, fit=fit, charge=charge, limit=3, article_chars=12)


def halves(text):
    """A custom tokeniser: every second character starts a token."""
    return [(place, place) for place in range(0, len(text), 2)]


@pytest.mark.parametrize(("fit", "charge"), RULES)
def test_budgets_of_custom_tokens_agree_with_the_oracle(bridge, fit, charge):
    parameters = {"budget": 7, "unit": "tokens", "fit": fit, "charge": charge}
    written = f'budget=7, unit="tokens", fit="{fit}", charge="{charge}", tokens="halves"'
    names = ["char_prec", "token_rec", "span_rec"]
    result = evaluate(
        bridge.run,
        bridge.assessments,
        [f"{name}({written})" for name in names],
        collection=bridge.collection,
        tokenisers=[halves],
    )
    for name, table in zip(names, result.scores.partition_by("measure", maintain_order=True), strict=True):
        for case, score in zip(bridge.cases, table["score"], strict=True):
            wanted = MEASURES[name](case, tokens=halves, **parameters)
            assert math.isnan(score) if wanted is None else score == pytest.approx(float(wanted), rel=1e-12)


@pytest.mark.parametrize("fit", ["cut", "whole", "skip"])
def test_overlap_is_refused_before_the_budget_is_spent(fit):
    """Focused iP refuses a run whose results overlap only after the budget."""
    random = Random(1513)
    refused = 0
    for _ in range(CASES // 2):
        case = random_case(random, bare=True, length=8)
        alone = bare([case])
        result = evaluate(
            alone.run, alone.assessments, f'MAiP(budget=10, fit="{fit}")', collection=alone.collection
        )
        try:
            wanted = MEASURES["MAiP"](case, budget=10, fit=fit)
        except Refused:
            assert result.rejected
            refused += 1
        else:
            score = result.scores["score"].item()
            assert math.isnan(score) if wanted is None else score == pytest.approx(float(wanted), rel=1e-12)
    assert 0 < refused < CASES // 2

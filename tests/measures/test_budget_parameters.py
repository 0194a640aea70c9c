"""The parameters of budgets: they are the same for all families, and exclude each other where they must."""

import pytest

from doxel.errors import MeasureError
from doxel.measures import MEASURES
from doxel.measures.budget_parameters import check_budget, check_spending, check_unit

# measures.md, section 15: the measures of sections 8 and 12, and section 14
WITH_BUDGET = {
    *(f"{unit}_{kind}" for unit in ("char", "token") for kind in ("rec", "prec", "iou", "f1")),
    *("span_rec", "hit", "span_RR", "iP", "MAiP"),
    *("aspect_rec", "all_aspects", "aspect_AP", "alpha_nDCG", "nugget_F", "aspect_char_rec"),
}


def test_these_measures_take_a_budget():
    declared = {measure.declaration.name: measure.declaration.parameters for measure in MEASURES}
    assert {name for name, parameters in declared.items() if "budget" in parameters} >= WITH_BUDGET
    for name in WITH_BUDGET:
        assert {"budget", "unit", "fit", "charge", "tokens"} <= set(declared[name]), name
        defaults = [declared[name][key].default for key in ("budget", "unit", "fit", "charge", "tokens")]
        assert defaults == [None, "chars", "cut", "all", "words"]


def test_two_budgets_exclude_each_other():
    for check in (check_budget, check_spending):
        check({"chars": 5, "budget": None})
        with pytest.raises(MeasureError, match="chars=5 and budget=6"):
            check({"chars": 5, "budget": 6})


def test_a_tokeniser_needs_tokens_to_count():
    check_unit({"tokens": "mine", "unit": "tokens"})
    check_unit({"tokens": "words", "unit": "chars"})
    with pytest.raises(MeasureError, match='needs unit="tokens"'):
        check_unit({"tokens": "mine", "unit": "words"})

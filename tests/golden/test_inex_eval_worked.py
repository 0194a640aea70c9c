"""The figures that the official tool printed for the worked example (see SOURCE.md beside the data)."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from doxel.assessments import read_assessments
from doxel.evaluation.compat.inex_eval.inex_eval_tool import evaluate_like_tool
from doxel.runs import read_run

FOLDER = Path(__file__).parent / "inex_eval-worked"
CASES = json.loads((FOLDER / "expected.json").read_text("utf-8"))
OPTIONS = ("task", "topics", "score", "beta", "n", "tolerance")


def _name(case):
    return "-".join(str(case[key]) for key in ("run", *OPTIONS, "topic", "measure") if key in case)


@pytest.mark.parametrize("case", CASES, ids=_name)
def test_figures_of_the_worked_example_equal_the_tools_output(case):
    options = {key: case[key] for key in OPTIONS if key in case}
    outcome = evaluate_like_tool(
        read_run(FOLDER / case["run"]), read_assessments(FOLDER / case.get("qrels", "qrels.txt")), **options
    )
    assert outcome.rejected == case.get("rejected")
    values = [
        row.value
        for row in outcome.rows
        if (row.topic, row.measure) == (case.get("topic"), case.get("measure"))
    ]
    if "fraction" in case:
        assert values == pytest.approx([float(Fraction(case["fraction"]))], rel=1e-12)
    else:
        assert values == ([case["value"]] if "value" in case else [])

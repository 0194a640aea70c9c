"""The declaration of studies: panels, arguments of the function, and the data used by default."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from doxel.studies.study_declaration import Panel, Study, StudyResult

LONG, SHORT = pl.DataFrame({"score": [0.1, 0.2, 0.3]}), pl.DataFrame({"score": [0.2]})


def echo(*arguments, **keywords):
    """Return the arguments as a result, to see what a study passes on."""
    return StudyResult(parameters={"arguments": arguments, **keywords})


STUDY = Study(
    name="echo",
    question="What is passed on?",
    about="returns its arguments",
    source="none",
    function=echo,
    measures=("AP",),
    demo_assessments="gold",
    demo_runs=("bm25",),
)


def test_a_panel_shows_its_short_table_if_it_has_one():
    assert Panel("scores", "All scores.", LONG).table is LONG
    assert Panel("scores", "All scores.", LONG, SHORT).table is SHORT


def test_a_study_with_runs_passes_runs_assessments_and_measures_on_in_this_order():
    assert STUDY.takes_runs
    result = STUDY.ask(["run"], "gold", ["P@1"], seed=3)
    assert result.parameters == {"arguments": (["run"], "gold", ["P@1"]), "seed": 3}
    assert STUDY.ask(["run"], "gold").parameters["arguments"] == (["run"], "gold", None)


def test_a_study_that_creates_its_own_runs_is_not_given_any():
    study = replace(STUDY, demo_runs=())
    assert not study.takes_runs
    assert study.ask(["run"], "gold", ["P@1"]).parameters == {"arguments": ("gold", ["P@1"])}


def test_one_set_of_assessments_is_chosen_as_it_is_and_several_as_a_list():
    available = {"gold": "a", "other": "b", "third": "c"}
    assert STUDY.choose_demo_assessments(available) == "a"
    several = replace(STUDY, demo_assessments=("third", "gold"))
    assert several.choose_demo_assessments(available) == ["c", "a"]
    with pytest.raises(KeyError):
        replace(STUDY, demo_assessments="none").choose_demo_assessments(available)


def test_a_result_without_tables_or_findings_is_incomplete():
    result = StudyResult()
    assert (result.warnings, result.rejected, dict(result.parameters)) == ((), (), {})
    with pytest.raises(NotImplementedError):
        _ = result.panels
    with pytest.raises(NotImplementedError):
        _ = result.findings

"""The data of a study: runs and settings, their syntax, their effect, and invalid ones."""

from __future__ import annotations

import polars as pl
import pytest

from doxel.assessments import Assessments
from doxel.assessments.assessments import ELEMENTS, HIGHLIGHTS, JUDGED
from doxel.errors import InputError, MeasureError
from doxel.measures import parse_measure
from doxel.studies import (
    study_agreement,
    study_ideal_base,
    study_power,
    study_settings,
    study_structural_relevance,
)
from doxel.studies.study_data import AS_IT_IS, parse_setting, reduce_grades
from studies.toy_runs import GOLD, RUNS, TOPICS, run


@pytest.mark.parametrize(
    ("written", "label", "changes"),
    [
        ("", AS_IT_IS, {}),
        (AS_IT_IS, AS_IT_IS, {}),
        ("quant=strict", "quant=strict", {"quant": "strict"}),
        (
            " quant = strict ;overlap=off; ",
            "quant=strict; overlap=off",
            {"quant": "strict", "overlap": "off"},
        ),
        ("no links: exclude_tags=links", "no links", {"exclude_tags": "links"}),
        ("structure=target=strict,support=vague", None, {"structure": "target=strict,support=vague"}),
        ('quant="spec"', "quant=spec", {"quant": "spec"}),
    ],
)
def test_settings_are_parsed(written, label, changes):
    parsed = parse_setting(written)
    assert dict(parsed.changes) == changes
    assert parsed.label == (label or written)


@pytest.mark.parametrize("written", ["quant", "=strict", "quant=", "quant=a; quant=b"])
def test_an_invalid_setting_raises_an_error(written):
    with pytest.raises(InputError, match="a setting: wanted changes such as quant=strict"):
        parse_setting(written)


def test_parameters_apply_to_the_measures_that_have_them():
    measures = parse_measure("nxCG@10, char_rec@5")
    assert [str(measure) for measure in parse_setting("overlap=off").apply_to(measures)] == [
        'nxCG(overlap="off")@10',
        "char_rec@5",
    ]


def test_a_setting_overrides_the_measures_parameters():
    (measure,) = parse_measure("nxCG(alpha=1)@10")
    assert str(parse_setting("alpha=0.5").apply_to([measure])[0]) == "nxCG(alpha=0.5)@10"


def test_a_change_without_effect_raises_an_error_with_the_options():
    with pytest.raises(InputError, match=r"'overlp'.*wanted one of topics, order.*overlap"):
        parse_setting("overlp=off").apply_to(parse_measure("nxCG@10"))


def test_a_value_out_of_range_raises_an_error():
    with pytest.raises(MeasureError, match="overlap"):
        parse_setting("overlap=maybe").apply_to(parse_measure("nxCG@10"))


def graded(scale, column, grades):
    rows = [
        {"topic": "1", "doc": "d", "path": f"/a[{n}]", column: grade} for n, grade in enumerate(grades, 1)
    ]
    return Assessments(
        scale, JUDGED.from_rows([{"topic": "1", "doc": "d"}]), elements=ELEMENTS.from_rows(rows)
    )


@pytest.mark.parametrize(
    ("scale", "column", "levels", "before", "after"),
    [
        ("2003", "exhaustivity", 1, "0123", "0333"),
        ("2003", "exhaustivity", 2, "0123", "0133"),
        ("2003", "exhaustivity", 3, "0123", "0123"),
        ("2002", "relevance", 1, "0123", "0333"),
        ("2005", "exhaustivity", 1, "?012", "?022"),
    ],
)
def test_grades_are_reduced_from_the_top(scale, column, levels, before, after):
    parsed = reduce_grades(graded(scale, column, before), levels)
    assert parsed.elements[column].to_list() == list(after)


@pytest.mark.parametrize("levels", [0, 3, "many"])
def test_levels_outside_the_scale_raise_an_error(levels):
    with pytest.raises(InputError, match="a number from 1 to 2"):
        reduce_grades(graded("2005", "exhaustivity", "12"), levels)


def test_grades_of_specificity_are_merged_from_the_top():
    judged = reduce_grades(graded("2003", "specificity", "1233"), 2, "specificity")
    assert judged.elements["specificity"].to_list() == ["1", "3", "3", "3"]
    with pytest.raises(InputError, match="specificity: the scale 2003, found the scale 2005"):
        reduce_grades(graded("2005", "exhaustivity", "12"), 1, "specificity")


def test_assessments_without_grades_raise_an_error():
    rows = HIGHLIGHTS.from_rows([{"topic": "1", "doc": "d", "start": 0, "end": 5}])
    judged = Assessments("2006", JUDGED.from_rows([{"topic": "1", "doc": "d"}]), highlights=rows)
    with pytest.raises(InputError, match="2002 or 2003 or 2005, found the scale 2006"):
        reduce_grades(judged, 1)
    assert judged.highlights.select(pl.col("start")).item() == 0


def test_a_run_that_cannot_be_read_is_left_out_and_reported(tmp_path):
    bad = tmp_path / "bad.run"
    bad.write_text("this is no run\n")
    good = tmp_path / "good.jsonl"
    good.write_text('{"topic": "1", "doc": "a", "start": 0, "end": 5}\n')
    measures = ["char_rec@1", "char_prec@1"]
    study = study_agreement([str(good), str(bad)], GOLD, measures, on_error="skip")
    assert [rejection.measure for rejection in study.rejected] == ["all"]
    with pytest.raises(InputError):
        study_agreement([str(good), str(bad)], GOLD, measures)
    with pytest.raises(InputError, match="no run could be read"):
        study_agreement([str(bad)], GOLD, measures, on_error="skip")


def test_a_study_without_runs_raises_an_error():
    with pytest.raises(InputError, match="wanted at least one run"):
        study_agreement([], GOLD, ["char_rec@1", "char_prec@1"])


@pytest.mark.parametrize("study", [study_agreement, study_power, study_structural_relevance, study_settings])
def test_runs_without_any_score_raise_an_error_with_the_reason(study):
    overlapping = {name: [*results, *results] for name, results in RUNS.items()}
    measures = ["iP@0.1", "MAiP"] if study is not study_structural_relevance else ["gP@5", "gP(beta=2)@5"]
    options = {"b": "limit=9"} if study is study_settings else {}
    with pytest.raises(InputError, match="a study: no run has a score: found half: results overlap"):
        study(overlapping, GOLD, measures, **options)


def test_the_best_run_is_first_if_lower_is_better():
    detour = [(topic, "a", 50, 60) for topic in TOPICS]
    runs = {"whole": run(*[10] * 6), "late": [*run(*[5] * 6), *detour, *run(*[10] * 6)]}
    study = study_agreement(runs, GOLD, ["read", "char_rec@1"])
    means = dict(study.rankings.filter(ranking="read").select("run", "mean").iter_rows())
    assert means == {"whole": 9, "late": 19}  # 9 of 10 characters are enough
    assert study.rankings.filter(ranking="read")["rank"].to_list() == [1, 2]
    assert study.pairs["tau"].to_list() == [1, 1]
    assert study.pairs["low"].to_list() == [1, 1]


@pytest.mark.parametrize(
    ("study", "options", "sentence"),
    [
        (study_agreement, {"level": 2}, "level: wanted a share between 0 and 1"),
        (study_agreement, {"resamples": -3}, "resamples: wanted a whole number from 1, found -3"),
        (study_power, {"splits": 0}, "splits: wanted a whole number from 1, found 0"),
        (study_power, {"seed": -1}, "seed: wanted a whole number from 0, found -1"),
        (study_settings, {"correction": "none at all"}, "none at all"),
        (study_ideal_base, {"resamples": 0}, "resamples: wanted a whole number from 1"),
    ],
)
def test_settings_out_of_range_raise_an_error(study, options, sentence):
    with pytest.raises(InputError, match=sentence):
        study(RUNS, GOLD, **options)

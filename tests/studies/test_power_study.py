"""Power and stability: worked out by hand, and on the bundled campaign."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from doxel.errors import InputError
from doxel.studies import study_power, study_settings
from studies.toy_runs import GOLD, RUNS, run


def test_too_few_topics_are_reported():
    runs = {name: rows[:4] for name, rows in RUNS.items()}
    study = study_settings(runs, GOLD[:4], "char_prec@1", b="limit=2")
    assert study.findings[-1] == "With only 4 topics, no difference can be significant."


def test_power_equals_that_worked_out_by_hand():
    study = study_power(RUNS, GOLD, ["char_rec@1", "char_prec@1"])
    recall, precision = study.power.iter_rows(named=True)
    # recall distinguishes half from the two others (p 2/64), but not these from each other (p 1)
    assert (recall["pairs"], recall["apart"], recall["share"]) == (3, 2, pytest.approx(2 / 3))
    assert recall["needed"] == 0.5
    assert (precision["apart"], precision["needed"]) == (2, 0.5)
    pairs = study.pairs.filter(measure="char_rec@1")
    assert pairs["p"].to_list() == [1.0, 2 / 64, 2 / 64]
    assert pairs["place"].to_list() == [1, 2, 3]
    assert pairs.row(0, named=True)["run"] == "whole"
    # all topics are alike, so no pair ever swaps
    assert study.stability["size"].unique().sort().to_list() == [1, 2, 3]
    assert study.stability["swaps"].max() == 0


def test_needed_is_the_smallest_significant_difference():
    study = study_power({**RUNS, "tenth": run(*[1] * 6)}, GOLD, "char_rec@1")
    # .1, .5, 1 and 1: significant differences are .4, .5 and .9
    assert study.power.select("apart", "needed").row(0) == (5, pytest.approx(0.4))


def test_swaps_equal_those_worked_out_by_hand():
    # two topics that prefer different runs: both samples of one topic always disagree
    runs = {"first": [("1", "a", 0, 10), ("2", "a", 0, 5)], "second": [("1", "a", 0, 5), ("2", "a", 0, 10)]}
    study = study_power(runs, GOLD[:2], "char_rec@1")
    assert study.stability.select("size", "swaps", "tau").row(0) == (1, 1.0, -1.0)


def test_power_needs_runs():
    with pytest.raises(InputError, match="at least two runs"):
        study_power({"alone": RUNS["half"]}, GOLD, "char_rec@1")


def test_one_topic_gives_power_but_no_stability():
    runs = {name: results[:1] for name, results in RUNS.items()}
    study = study_power(runs, GOLD[:1], "char_prec@1")
    assert study.power.select("runs", "topics", "pairs", "apart").row(0) == (3, 1, 3, 0)
    assert study.stability.height == 0
    assert study.panels[1].table.height == 0
    assert study.findings == ("char_prec@1 distinguishes the most pairs of runs: 0 of 3 (0%).",)


def test_larger_samples_of_topics_disagree_less(ask):
    study = ask("power", splits=300)
    assert study.power["pairs"].unique().to_list() == [36]
    assert study.power["topics"].unique().to_list() == [13]
    counted = study.pairs.group_by("measure").agg(apart=(pl.col("p") < 0.05).sum())
    assert dict(counted.iter_rows()) == dict(study.power.select("measure", "apart").iter_rows())
    for _, part in study.pairs.group_by("measure"):
        assert (np.diff(part.sort("place")["p"].to_numpy()) <= 0).all()
    # two samples of six of thirteen topics disagree less than two of three
    sizes = study.stability.pivot("size", index="measure", values="swaps")
    assert (sizes["6"] < sizes["3"]).all()

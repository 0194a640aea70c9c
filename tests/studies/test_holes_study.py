"""Holes: judgements cut down at random, on toy runs worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from doxel.assessments import read_assessments
from doxel.errors import InputError
from doxel.evaluation.inputs.input_tables import as_assessments
from doxel.runs import RESULTS, read_run
from doxel.studies import study_holes
from doxel.studies.holes_study import cut_judgements

TOPICS = [str(number) for number in range(1, 9)]
GOLD = [(topic, doc, 0, 10) for topic in TOPICS for doc in "abcd"]
GOOD = [(topic, doc, 0, 10) for topic in TOPICS for doc in "abcd"]
SCORED = {"on_mismatch": "score"}  # no document of the poor run is judged
POOR = [(topic, doc, 0, 10) for topic in TOPICS for doc in "wxyz"]


def test_a_share_of_each_topic_is_kept_and_one_document_at_least():
    assessments = as_assessments([("1", doc, 0, 9) for doc in "abcdefgh"] + [("2", "a", 0, 9)])
    for share, kept in ((0.5, 4), (0.25, 2), (0.01, 1)):
        cut = cut_judgements(assessments, share, np.random.default_rng(1))
        counts = dict(cut.judged.group_by("topic").len().iter_rows())
        assert counts == {"1": kept, "2": 1}
        assert cut.highlights.height == kept + 1
    first, second = (
        cut_judgements(assessments, 0.5, np.random.default_rng(seed)).judged["doc"].to_list()
        for seed in (1, 3)
    )
    assert first != second


def test_a_clear_difference_survives_and_score_and_residual_reach_the_full_score():
    study = study_holes({"good": GOOD, "poor": POOR}, GOLD, "char_prec@4", shares=[0.5], trials=2, **SCORED)
    counted, removed = study.survival.iter_rows(named=True)
    # under half of the judgements, good has precision 1/2 in all topics and poor 0: p = 2/256 stays
    assert (counted["unjudged"], counted["significant"], counted["kept"]) == ("nonrelevant", 1, 1.0)
    assert (counted["lost"], counted["reversed"], counted["new"], counted["tau"]) == (0, 0, 0, 1.0)
    assert counted["within"] == 1.0
    # without unjudged results, good has precision 1 and poor no result
    assert (removed["unjudged"], removed["kept"]) == ("remove", 1.0)
    assert np.isnan(removed["within"])
    assert study.conclusions.select("run", "other", "difference", "kept").rows() == [
        ("good", "poor", 1.0, 1.0),
        ("good", "poor", 1.0, 1.0),
    ]
    assert study.findings[-2] == "No significant difference was ever reversed."
    assert study.findings[-1].startswith("Score and residual together reach the full score in 100.0%")


def test_a_difference_can_be_lost():
    # the runs differ in one document of four: a quarter of the judgements hardly tells them apart
    other = [(topic, doc, 0, 10) for topic in TOPICS for doc in "abcz"]
    study = study_holes({"good": GOOD, "other": other}, GOLD, "char_prec@4", shares=[0.25], trials=4)
    counted = study.survival.row(0, named=True)
    assert counted["significant"] == 1
    assert counted["kept"] < 1
    assert counted["kept"] + counted["lost"] + counted["reversed"] == pytest.approx(1)


def test_a_reversed_difference_is_not_kept():
    # of twenty relevant documents one is long; the one that stays judged is a short one in most topics
    topics = [str(number) for number in range(24)]
    long = [(topic, "a", 0, 90) for topic in topics]
    short = [(topic, f"b{number}", 0, 2) for topic in topics for number in range(19)]
    runs = {"long": long, "short": short}
    study = study_holes(runs, long + short, "char_rec", shares=[1 / 20], trials=1)
    counted = study.survival.row(0, named=True)
    assert (counted["significant"], counted["kept"], counted["lost"], counted["reversed"]) == (1, 0, 0, 1)


def test_without_a_significant_difference_there_is_nothing_to_lose():
    study = study_holes({"one": GOOD, "two": GOOD}, GOLD, "char_prec@4", shares=[0.5], trials=1)
    assert study.conclusions.height == 0
    assert study.findings[0].startswith("No two runs differ significantly")


def test_a_measure_without_significant_differences_reverses_none():
    # R is 1 for both runs, so that only char_prec@4 tells them apart
    runs = {
        "good": GOOD,
        "long": [row for result in GOOD for row in (result, (result[0], f"z{result[1]}", 0, 10))],
    }
    study = study_holes(runs, GOLD, ["char_prec@8", "R@8"], shares=[0.5], trials=1)
    assert dict(study.survival.select("measure", "significant").iter_rows()) == {"char_prec@8": 1, "R@8": 0}
    assert "No significant difference was ever reversed." in study.findings


def test_bpref_has_one_treatment_because_it_skips_unjudged_results():
    study = study_holes({"good": GOOD, "poor": POOR}, GOLD, "bpref_chars", shares=[0.5], trials=1, **SCORED)
    assert study.survival["unjudged"].to_list() == ["nonrelevant"]
    assert np.isnan(study.survival["within"][0])


def test_wrong_shares_and_too_few_runs_are_errors():
    with pytest.raises(InputError, match="shares: wanted numbers between 0 and 1"):
        study_holes({"good": GOOD, "poor": POOR}, GOLD, "char_prec@4", shares=[1.5])
    with pytest.raises(InputError, match="at least two runs"):
        study_holes({"good": GOOD}, GOLD, "char_prec@4")
    with pytest.raises(InputError, match="splits: wanted a whole number from 1"):
        study_holes({"good": GOOD, "poor": POOR}, GOLD, "char_prec@4", trials=0)


def derive_runs(run):
    """Return real results in four rankings: as they are, shuffled, reversed, and every third of them."""
    numbered = {"rank": pl.int_range(1, pl.len() + 1).over("topic"), "rsv": pl.lit(None, pl.Float64)}
    chance = pl.Series(np.random.default_rng(13).random(run.results.height))
    results = run.results.with_columns(**numbered, chance=chance)
    ranks = {
        "original": pl.col("rank"),
        "shuffled": pl.col("chance").rank("ordinal").over("topic"),
        "reversed": pl.len().over("topic") - pl.col("rank") + 1,
    }
    derived = {name: results.with_columns(rank=rank.cast(pl.Int64)) for name, rank in ranks.items()}
    derived["third"] = results.filter(pl.col("rank") % 3 == 1)
    return [replace(run, id=name, results=RESULTS.fit(table)) for name, table in derived.items()]


def test_clear_conclusions_about_real_runs_survive_and_are_never_reversed(shared_data):
    folder = shared_data / "inex-adhoc-2009-2010"
    runs = derive_runs(read_run(folder / "bert_inex_converted_1.run.gz"))
    assessments = read_assessments(folder / "inex-adhoc-2009-2010.qrels")
    study = study_holes(
        runs, assessments, ["char_prec@10", "P@10"], shares=[0.5], trials=2, topics="run", resamples=200
    )
    counted = study.survival.filter(unjudged="nonrelevant")
    assert counted["within"].to_list() == [1.0, 1.0]
    assert (counted["significant"] >= 2).all()
    assert (counted["reversed"] == 0).all()
    assert (counted["kept"] > 0.5).all()

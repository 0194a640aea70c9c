"""Comparing runs: which topics count, what is said, and against what."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from doxel.errors import InputError
from doxel.evaluation import Evaluation


@pytest.fixture
def evaluation():
    random = np.random.default_rng(5)
    rows = [
        {"run": run, "topic": str(topic), "measure": measure, "score": float(random.random() / (1 + number))}
        for number, run in enumerate(("a", "b", "c"))
        for measure in ("MAiP", "iP@0.1")
        for topic in range(30)
    ]
    rows[3]["score"] = float("nan")
    return Evaluation(pl.DataFrame(rows))


def test_topics_without_a_score_are_left_out_of_all_runs(evaluation):
    compared = evaluation.compare("MAiP")
    assert (len(compared.topics), compared.left_out) == (29, 1)
    assert "3" not in compared.topics
    kept = evaluation.scores.filter(measure="MAiP").filter(pl.col("topic") != "3", run="b")
    assert compared.means.filter(run="b")["mean"].item() == pytest.approx(kept["score"].mean())


def test_all_pairs_or_a_baseline(evaluation):
    pairs = evaluation.compare("MAiP").pairs
    assert pairs.select("run", "other").rows() == [("a", "b"), ("a", "c"), ("b", "c")]
    against = evaluation.compare("MAiP", baseline="b").pairs
    assert against.select("run", "other").rows() == [("a", "b"), ("c", "b")]
    assert (pairs["p_adjusted"] >= pairs["p"]).all()


def test_everything_is_said(evaluation):
    settings = evaluation.compare("MAiP", test="wilcoxon", correction="none", seed=4).settings
    assert settings["topics"] == 29
    assert settings["seed"] == 4
    assert settings["sides"] == 2
    assert "left out" in settings["test"]
    tukey = evaluation.compare("MAiP", test="tukey")
    assert tukey.settings["correction"] == "by the test itself"
    assert tukey.pairs["p"].to_list() == tukey.pairs["p_adjusted"].to_list()


def test_the_same_seed_gives_the_same_figures(evaluation):
    one, two = (evaluation.compare("MAiP", test="bootstrap", seed=9) for _ in range(2))
    assert one.pairs.equals(two.pairs)
    assert one.means.equals(two.means)


def test_what_cannot_be_compared_is_refused_in_words(evaluation):
    with pytest.raises(InputError, match=r"wanted one of MAiP, iP@0.1, found None"):
        evaluation.compare()
    with pytest.raises(InputError, match="the baseline: wanted one of a, b, c, found 'z'"):
        evaluation.compare("MAiP", baseline="z")
    alone = Evaluation(evaluation.scores.filter(run="a"))
    with pytest.raises(InputError, match="at least two runs"):
        alone.compare("MAiP")

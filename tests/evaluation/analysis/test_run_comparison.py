"""Comparison of runs: the topics that count, the settings in the table, and the baseline."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import doxel
from doxel.errors import InputError
from doxel.evaluation import Evaluation
from doxel.evaluation.analysis.run_comparison import compute_mean_intervals


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
    scores = evaluation.scores.filter(measure="MAiP").filter(pl.col("topic") != "3", run="b")
    assert compared.means.filter(run="b")["mean"].item() == pytest.approx(scores["score"].mean())


def test_runs_are_compared_in_all_pairs_or_with_a_baseline(evaluation):
    pairs = evaluation.compare("MAiP").pairs
    assert pairs.select("run", "other").rows() == [("a", "b"), ("a", "c"), ("b", "c")]
    against = evaluation.compare("MAiP", baseline="b").pairs
    assert against.select("run", "other").rows() == [("a", "b"), ("c", "b")]
    assert (pairs["p_adjusted"] >= pairs["p"]).all()


def test_the_settings_are_in_the_table(evaluation):
    settings = evaluation.compare("MAiP", test="wilcoxon", correction="none", seed=4).settings
    assert settings["topics"] == 29
    assert settings["seed"] == 4
    assert settings["sides"] == 2
    assert "left out" in settings["test"]
    tukey = evaluation.compare("MAiP", test="tukey")
    assert tukey.settings["correction"] == "by the test itself"
    assert tukey.pairs["p"].to_list() == tukey.pairs["p_adjusted"].to_list()


def test_the_same_seed_gives_the_same_figures(evaluation):
    first, second = (evaluation.compare("MAiP", test="bootstrap", seed=9) for _ in range(2))
    assert first.pairs.equals(second.pairs)
    assert first.means.equals(second.means)


def test_the_first_measure_is_the_default_and_is_named(evaluation):
    compared = evaluation.compare(baseline="b")
    assert compared.measure == compared.settings["measure"] == "MAiP"
    count = len(compared.topics)
    assert repr(compared) == f"<Comparison by MAiP: 3 runs against b, {count} topics, test randomisation>"
    assert str(compared).startswith(f"{compared!r}\nshape: (2, 7)")


def test_runs_that_cannot_be_compared_raise_an_error(evaluation):
    with pytest.raises(InputError, match=r"wanted one of MAiP, iP@0.1, found 'P@5'"):
        evaluation.compare("P@5")
    with pytest.raises(InputError, match="wanted a result with scores, found none"):
        Evaluation(evaluation.scores.clear()).compare()
    with pytest.raises(InputError, match="the baseline: wanted one of a, b, c, found 'z'"):
        evaluation.compare("MAiP", baseline="z")
    alone = Evaluation(evaluation.scores.filter(run="a"))
    with pytest.raises(InputError, match="at least two runs"):
        alone.compare("MAiP")


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"level": 1.0}, "level: wanted a share between 0 and 1, found 1.0"),
        ({"level": float("nan")}, "level: wanted a finite number, found nan"),
        ({"resamples": 0}, "resamples: wanted a whole number from 1, found 0"),
        ({"seed": -1}, "seed: wanted a whole number from 0, found -1"),
        ({"test": "chance"}, "a test: wanted one of randomisation"),
    ],
)
def test_settings_out_of_range_raise_an_error(evaluation, settings, sentence):
    with pytest.raises(InputError, match=sentence):
        evaluation.compare("MAiP", **settings)


def test_a_lower_score_wins_if_lower_is_better():
    """By hand: b reads less than a in the first two topics, as much in the third, more in the last."""
    rows = [
        {"run": run, "topic": str(topic), "measure": "read", "score": score}
        for run, scores in {"a": [200.0, 300.0, 50.0, 10.0], "b": [100.0, 150.0, 50.0, 20.0]}.items()
        for topic, score in enumerate(scores)
    ]
    compared = Evaluation(pl.DataFrame(rows)).compare("read", baseline="b")
    assert compared.pairs.select("run", "difference", "wins", "ties", "losses").row(0) == ("a", 60, 1, 1, 2)


def test_the_best_run_has_the_first_letter():
    random = np.random.default_rng(1)
    more = random.random((40, 2)) + np.array([0.0, 10.0])
    rows = [
        {"run": run, "topic": str(topic), "measure": measure, "score": float(more[topic, place])}
        for place, run in enumerate("ab")
        for topic in range(40)
        for measure in ("MAiP", "read")
    ]
    result = Evaluation(pl.DataFrame(rows))
    assert result.compare("MAiP").groups == ["b", "a"]
    assert result.compare("read").groups == ["a", "b"]


def test_runs_without_a_common_topic_raise_an_error(evaluation):
    torn = evaluation.scores.with_columns(
        score=pl.when(pl.col("run") == "a").then(float("nan")).otherwise("score")
    )
    with pytest.raises(InputError, match="topics for which all runs have a score, found none"):
        Evaluation(torn).compare("MAiP")


def test_a_run_may_have_the_name_of_a_column(evaluation):
    renamed = evaluation.scores.with_columns(pl.col("run").replace("b", "topic"))
    assert Evaluation(renamed).compare("MAiP").means["mean"].to_list() == (
        evaluation.compare("MAiP").means["mean"].to_list()
    )


def test_letters_follow_randomised_tukey(evaluation):
    compared = evaluation.compare("MAiP", test="tukey", correction="none")
    letters = dict(zip(compared.runs, compared.groups, strict=True))
    for run, other, p in compared.pairs.select("run", "other", "p").iter_rows():
        assert bool(set(letters[run]) & set(letters[other])) == (p >= 0.05)


def test_agreement_of_measures_equals_the_published_formulas():
    # by hand: one and two rank a b c d and b a c d, three ties all runs
    means = {"one": [4, 3, 2, 1], "two": [3, 4, 2, 1], "three": [1, 1, 1, 1]}
    rows = [
        {"run": run, "topic": "1", "measure": measure, "score": float(score)}
        for measure, scores in means.items()
        for run, score in zip("abcd", scores, strict=True)
    ]
    result = Evaluation(pl.DataFrame(rows)).agreement()
    pair = result.row(by_predicate=(pl.col("measure") == "one") & (pl.col("other") == "two"), named=True)
    assert pair["runs"] == 4
    assert pair["tau"] == pytest.approx(4 / 6)  # 5 pairs agree, 1 does not
    assert pair["tau_ap"] == pytest.approx(2 / 3 * (0 + 1 + 1) - 1)  # Yilmaz et al. 2008
    assert pair["rbo"] == pytest.approx(0.1 * (0 + 0.9 + 0.81 + 0.729) + 0.9**4)  # Webber et al. 2010
    assert result.filter(measure="one", other="three")["tau"].is_nan().all()
    with pytest.raises(InputError, match="at least two measures"):
        Evaluation(pl.DataFrame(rows[:4])).agreement()


def test_measures_agree_on_the_best_run_even_if_lower_is_better():
    means = {"MAiP": [0.4, 0.3, 0.2], "read": [100.0, 200.0, 300.0]}  # a is the best by both
    rows = [
        {"run": run, "topic": "1", "measure": measure, "score": score}
        for measure, scores in means.items()
        for run, score in zip("abc", scores, strict=True)
    ]
    result = Evaluation(pl.DataFrame(rows)).agreement()
    assert result.select("tau", "tau_ap").rows() == [(1, 1), (1, 1)]
    assert result["rbo"].to_list() == pytest.approx([1, 1])


def test_intervals_keep_the_topics_of_each_run():
    values = np.random.default_rng(1).random(20)
    rows = [("a", str(topic), "m", value) for topic, value in enumerate(values)]
    rows += [("b", str(topic), "m", float("nan") if topic > 9 else values[topic]) for topic in range(20)]
    scores = pl.DataFrame(rows, schema=["run", "topic", "measure", "score"], orient="row")
    low = dict(compute_mean_intervals(scores, seed=2).select("run", "low").iter_rows())
    whole = doxel.Evaluation(pl.DataFrame(rows[:20], schema=scores.schema, orient="row"))
    twin = whole.scores.with_columns(run=pl.lit("twin"))
    compared = doxel.Evaluation(pl.concat([whole.scores, twin])).compare("m", seed=2)
    assert low["a"] == compared.means["low"][0]
    half = scores.filter(pl.col("run") == "b", pl.col("score").is_not_nan())
    assert low["b"] == compute_mean_intervals(half, seed=2)["low"][0]

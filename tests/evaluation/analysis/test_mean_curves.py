"""Curves averaged over topics, with intervals."""

import numpy as np
import polars as pl
import pytest

import doxel
from doxel.evaluation.analysis.mean_curves import average_curves
from doxel.measures.curves import curve
from doxel.statistics.significance import compute_bootstrap_interval

GOLD = [(str(topic), f"d{topic}", 0, 100) for topic in range(1, 9)]
HOSTILE = "=cmd|'`touch owned`'$x_{1}</script>\n\u202eabc"
CURVE = "char_rec(limit=12)"


def run(seed: int) -> list[tuple[str, str, int, int]]:
    """A run that finds a random part of each topic's text, piece by piece."""
    random = np.random.default_rng(seed)
    starts = [(topic, int(start)) for topic in range(1, 9) for start in random.integers(0, 300, 6)]
    return [(str(topic), f"d{topic}", start, start + 20) for topic, start in starts]


@pytest.fixture(scope="module")
def scored():
    measures = ["char_prec", *curve(CURVE).measures, *curve("P/R(limit=9)").measures]
    return doxel.evaluate({"one": run(1), HOSTILE: run(2)}, GOLD, measures)


def test_the_mean_is_the_mean_of_the_evaluation(scored):
    means_table = average_curves(scored.curve(CURVE))
    for run_name, at, mean, topics in means_table.select("run", "at", "mean", "topics").iter_rows():
        wanted = scored.means.filter(run=run_name, measure=f"char_rec(limit=12)@{at:.0f}").row(0, named=True)
        assert mean == pytest.approx(wanted["score"], abs=1e-15)
        assert topics == wanted["topics"] == 8
    assert means_table.height == 2 * 12


def test_the_interval_is_computed_by_the_statistics_room(scored):
    means_table = average_curves(scored.curve(CURVE), level=0.9, resamples=500, seed=3).filter(
        run="one", at=5.0
    )
    y = scored.curve(CURVE).filter(run="one", at=5.0)["y"].to_numpy()[:, None]
    low, high = compute_bootstrap_interval(y, level=0.9, resamples=500, seed=3)
    assert means_table.select("low", "high").row(0) == pytest.approx((low[0], high[0]))
    assert low[0] < y.mean() < high[0]


def test_a_cutoff_that_all_topics_share_is_kept_exactly():
    """The sum of ten times 0.01, divided by ten, is 0.009999999999999998 in floating-point arithmetic."""
    assert np.full((10, 2), 0.01).sum(axis=0)[0] / 10 == 0.009999999999999998
    rows = [("a", str(topic), "c", 0.01, topic / 10, 0.01) for topic in range(10)]
    points = pl.DataFrame(rows, schema=["run", "topic", "curve", "x", "y", "at"], orient="row")
    assert average_curves(points)["x"].to_list() == [0.01]
    varying = points.with_columns(x=pl.Series([0.0, 1.0] * 5))
    assert average_curves(varying)["x"].to_list() == [0.5]


def test_the_seed_determines_the_band(scored):
    points = scored.curve(CURVE)
    assert average_curves(points, seed=1).equals(average_curves(points, seed=1))
    assert not average_curves(points, seed=1).equals(average_curves(points, seed=2))


def test_undefined_topics_are_left_out_and_counted():
    points = pl.DataFrame(
        {
            "run": ["a"] * 6,
            "topic": ["1", "1", "2", "2", "3", "3"],
            "curve": ["c"] * 6,
            "x": [1.0, 2.0] * 3,
            "y": [0.2, 0.4, float("nan"), float("nan"), 0.4, float("nan")],
            "at": [1.0, 2.0] * 3,
        }
    )
    means_table = average_curves(points, resamples=100)
    assert means_table["mean"].to_list() == pytest.approx([0.3, 0.4])
    assert means_table["topics"].to_list() == [2, 1]
    assert means_table["undefined"].to_list() == [1, 2]
    assert means_table["low"].to_list()[1] == pytest.approx(0.4)


def test_the_mean_of_undefined_scores_is_undefined():
    points = pl.DataFrame(
        {"run": ["a"], "topic": ["1"], "curve": ["c"], "x": [1.0], "y": [float("nan")], "at": [1.0]}
    )
    means_table = average_curves(points).row(0, named=True)
    assert np.isnan(means_table["mean"])
    assert (means_table["topics"], means_table["undefined"]) == (0, 1)


def test_the_order_of_topics_does_not_matter(scored):
    points = scored.curve(CURVE)
    shuffled = points.sample(fraction=1.0, shuffle=True, seed=5).sort("run", maintain_order=True)
    means_table = average_curves(shuffled).sort("run", "at").select("run", "at", "mean")
    wanted = average_curves(points).sort("run", "at").select("run", "at", "mean")
    assert means_table["mean"].to_list() == pytest.approx(wanted["mean"].to_list())


def test_with_two_measures_both_axes_are_averaged_rank_by_rank(scored):
    means_table = average_curves(scored.curve("P/R(limit=9)")).filter(run="one", at=4.0).row(0, named=True)
    means = {row["measure"]: row["score"] for row in scored.means.filter(run="one").to_dicts()}
    assert means_table["x"] == pytest.approx(means["HiXEval_R(limit=9)@4"])
    assert means_table["mean"] == pytest.approx(means["HiXEval_P(limit=9)@4"])

"""Curves of runs: means and intervals, and their files."""

import csv

import numpy as np
import polars as pl
import pytest

import doxel
from doxel.errors import InputError
from doxel.evaluation.analysis.mean_curves import average_curves
from doxel.measures.curves import curve
from doxel.reports.curve_files import write_curves
from doxel.reports.output_files import claim_name
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


def test_data_are_written_with_full_precision_and_without_formulas(scored, tmp_path):
    written = write_curves(scored, [CURVE], tmp_path / "new", ("csv", "parquet"))
    assert [path.name for path in written[CURVE]] == ["char_rec-limit-12.csv", "char_rec-limit-12.parquet"]
    table = pl.read_parquet(written[CURVE][1])
    assert table.equals(average_curves(scored.curve(CURVE)))
    with written[CURVE][0].open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert {row["run"] for row in rows} == {
        "one",
        "'" + HOSTILE,
    }  # a spreadsheet shows it and does not run it
    assert [float(row["mean"]) for row in rows] == table["mean"].to_list()


def test_each_topic_is_drawn(scored, tmp_path):
    written = write_curves(scored, [CURVE], tmp_path, ("csv", "gnuplot"), topics=["3", "7"])
    assert sorted(path.name for path in written[CURVE]) == [
        "char_rec-limit-12.topic-3.dat",
        "char_rec-limit-12.topic-3.gp",
        "char_rec-limit-12.topic-7.dat",
        "char_rec-limit-12.topic-7.gp",
        "char_rec-limit-12.topics.csv",
    ]
    drawn = np.loadtxt(tmp_path / "char_rec-limit-12.topic-3.dat")[:12]  # the first block: run one
    wanted = scored.curve(CURVE).filter(run="one", topic="3")
    assert drawn[:, 1].tolist() == wanted["y"].to_list()


def test_an_unknown_topic_is_rejected(scored, tmp_path):
    with pytest.raises(InputError, match="topics of curves: wanted topics that were evaluated, found 99"):
        write_curves(scored, [CURVE], tmp_path, ("csv",), topics=["1", "99"])


def test_an_unknown_format_is_rejected_before_anything_is_written(scored, tmp_path):
    with pytest.raises(
        InputError, match="wanted csv or parquet or svg or png or pdf or gnuplot, found 'gif'"
    ):
        write_curves(scored, [CURVE], tmp_path / "none", ("csv", "gif"))
    assert not (tmp_path / "none").exists()


def test_names_that_differ_in_case_only_do_not_overwrite_each_other():
    # gr (gain-recall) and GR (targets seen) are two curves but the same file name on some systems
    taken: set[str] = set()
    assert [claim_name(stem, taken) for stem in ("gr", "GR", "gr", "ep")] == ["gr", "GR-2", "gr-3", "ep"]


def test_a_curve_without_runs_has_no_files(tmp_path):
    overlapping = [("1", "d1", 0, 50), ("1", "d1", 20, 60)]
    result = doxel.evaluate(overlapping, GOLD, curve("iP(task=focused)").measures)
    assert write_curves(result, ["iP(task=focused)"], tmp_path) == {'iP(task="focused")': []}

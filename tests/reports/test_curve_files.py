"""Files of curves: data, pictures, and their names."""

import csv

import numpy as np
import polars as pl
import pytest

import doxel
from doxel.errors import InputError
from doxel.evaluation.analysis.mean_curves import average_curves
from doxel.measures.curves import curve
from doxel.reports.curve_files import write_curves

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


def test_data_are_written_with_full_precision_and_without_formulas(scored, tmp_path):
    paths = write_curves(scored, [CURVE], tmp_path / "new", ("csv", "parquet"))
    assert [path.name for path in paths[CURVE]] == ["char_rec-limit-12.csv", "char_rec-limit-12.parquet"]
    table = pl.read_parquet(paths[CURVE][1])
    assert table.equals(average_curves(scored.curve(CURVE)))
    with paths[CURVE][0].open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    name = HOSTILE.replace("\u202e", "\\u202e")
    assert {row["run"] for row in rows} == {"one", "'" + name}  # a spreadsheet shows it and does not run it
    assert [float(row["mean"]) for row in rows] == table["mean"].to_list()


def test_each_topic_is_drawn(scored, tmp_path):
    paths = write_curves(scored, [CURVE], tmp_path, ("csv", "gnuplot"), topics=["3", "7"])
    assert sorted(path.name for path in paths[CURVE]) == [
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


def test_a_curve_without_runs_has_no_files(tmp_path):
    overlapping = [("1", "d1", 0, 50), ("1", "d1", 20, 60)]
    result = doxel.evaluate(overlapping, GOLD, curve("iP(task=focused)").measures)
    assert write_curves(result, ["iP(task=focused)"], tmp_path) == {'iP(task="focused")': []}

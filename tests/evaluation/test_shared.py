"""Overlap of runs against sets of characters, and kept results against measures."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import doxel
from doxel.evaluation.analysis.run_comparison import compute_mean_intervals
from doxel.evaluation.analysis.run_overlap import find_run_overlap
from doxel.evaluation.analysis.shown_documents import find_differing_topics, find_telling_documents

GOLD = [("1", "d", 10, 30), ("1", "d", 40, 50), ("1", "e", 0, 100), ("2", "d", 0, 10)]


def kept_results(rows):
    columns = {"run": [], "topic": [], "doc": [], "start": [], "end": []}
    for row in rows:
        for name, value in zip(columns, row, strict=True):
            columns[name].append(value)
    return pl.DataFrame(columns).with_columns(path=pl.lit(None, dtype=pl.String))


def random_rows(seed):
    random = np.random.default_rng(seed)
    for run in "abc":
        for topic in "12":
            for _ in range(6):
                start = int(random.integers(0, 30))
                yield run, topic, str(random.integers(0, 2)), start, start + int(random.integers(0, 12))


@pytest.mark.parametrize("seed", range(5))
def test_overlap_equals_that_of_sets_of_characters_and_results(seed):
    rows = list(random_rows(seed))
    result = find_run_overlap(kept_results(rows), "abc")
    for i, one in enumerate("abc"):
        for j, other in enumerate("abc"):
            texts, results = [], []
            for topic in "12":
                mine, theirs = (
                    [(doc, start, end) for run, at, doc, start, end in rows if run == name and at == topic]
                    for name in (one, other)
                )
                a, b = (
                    {(doc, place) for doc, start, end in spans for place in range(start, end)}
                    for spans in (mine, theirs)
                )
                texts.append(len(a & b) / len(a | b))
                results.append(len(set(mine) & set(theirs)) / len(set(mine) | set(theirs)))
            assert result.characters[i, j] == pytest.approx(np.mean(texts))
            assert result.results[i, j] == pytest.approx(np.mean(results))


def test_entry_points_share_results_but_no_characters():
    result = find_run_overlap(kept_results([("a", "1", "d", 5, 5), ("b", "1", "d", 5, 5)]), "ab")
    assert result.results.tolist() == [[1, 1], [1, 1]]
    assert np.isnan(result.characters).all()


def test_counts_of_kept_results_equal_those_of_the_measures():
    run = [("1", "d", 0, 20), ("1", "d", 15, 45), ("1", "e", 50, 60), ("2", "x", 0, 9), ("3", "d", 0, 1)]
    result = doxel.evaluate(run, GOLD, ["char_rec@2", "char_rec@3", "char_prec@3"], keep=3)
    results = result.results
    assert results is not None
    assert results["topic"].to_list() == ["1", "1", "1", "2"]  # topic 3 was not assessed
    first = results.filter(topic="1")
    scores = dict(result.scores.filter(topic="1").select("measure", "score").iter_rows())
    assert first["new_relevant"].head(2).sum() / 130 == scores["char_rec@2"]
    assert first["new_relevant"].sum() / 130 == scores["char_rec@3"]
    assert first["new_relevant"].sum() / first["new"].sum() == scores["char_prec@3"]
    assert first["relevant"].to_list() == [10, 20, 10]  # counted by hand
    assert doxel.evaluate(run, GOLD, "char_rec@2", keep=1).results["rank"].to_list() == [1, 1]
    assert doxel.evaluate(run, GOLD, "char_rec@2").results is None


def test_an_entry_point_is_kept_as_an_empty_span():
    gold = [{"topic": "1", "doc": "d", "bep": 3}]
    results = doxel.evaluate([("1", "d", 4, 4)], gold, "BEPD(A=1, L=100)", keep=2).results
    assert results.select("start", "end", "new").row(0) == (4, 4, 0)


def test_the_most_telling_topics_and_documents_come_first():
    scores = pl.DataFrame(
        {
            "run": ["a", "b", "a", "b", "a", "b"],
            "topic": ["1", "1", "2", "2", "3", "3"],
            "measure": "m",
            "score": [0.5, 0.5, 0.0, 1.0, 0.1, float("nan")],
        }
    )
    assert find_differing_topics(scores, "m", 2) == ["2", "1"]
    alone = scores.filter(run="a")
    assert find_differing_topics(alone, "m", 3) == ["2", "3", "1"]  # the topic with its worst score
    assert find_differing_topics(alone.with_columns(measure=pl.lit("read")), "read", 3) == ["1", "3", "2"]
    results = pl.DataFrame(
        {
            "run": ["a", "b", "a", "b"],
            "doc": ["both", "both", "one", "none"],
            "rank": [1, 1, 2, 2],
            "new_relevant": [50, 50, 20, 0],
        }
    )
    # found by both runs, by one run, by no run
    order = find_telling_documents(results, {"both": 60, "one": 30, "missed": 80}, 5)
    assert order == ["one", "missed", "both", "none"]


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

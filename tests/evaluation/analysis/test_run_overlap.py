"""Overlap of runs, compared with sets of characters."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from doxel.evaluation.analysis import run_overlap
from doxel.evaluation.analysis.run_overlap import find_run_overlap


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


def test_sums_of_characters_beyond_24_bits_are_exact():
    # in 32 bits 2^24 + 1 and 2^24 are the same number
    size = 2**24
    rows = [("a", "1", "d", 0, size + 1), ("b", "1", "d", 0, size + 3), ("b", "1", "e", 0, 1)]
    result = find_run_overlap(kept_results(rows), "ab")
    assert result.characters[0, 1] == (size + 1) / (size + 4)


def test_columns_of_all_blocks_are_added_up(monkeypatch):
    rows = list(random_rows(1))
    whole = find_run_overlap(kept_results(rows), "abc")
    monkeypatch.setattr(run_overlap, "_COLUMNS", 3)
    parts = find_run_overlap(kept_results(rows), "abc")
    assert np.array_equal(parts.characters, whole.characters)
    assert np.array_equal(parts.results, whole.results)

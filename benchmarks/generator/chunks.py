"""Gold spans and a run of overlapping chunks, without documents: only ids and positions matter."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

__all__ = ["write_chunks"]

_SIZE, _STEP = 400, 200  # chunks overlap by half
_LENGTH = 60_000  # characters of a document


def write_chunks(folder: Path, *, topic_count: int, results: int, seed: int = 1) -> None:
    """Write gold spans as JSON lines, and a run of overlapping chunks as JSON lines and Parquet."""
    folder.mkdir(parents=True)
    random = np.random.default_rng(seed)
    rows = topic_count * results
    topic = np.repeat(np.arange(topic_count), results)
    document = random.integers(0, 2_000, rows)
    start = random.integers(0, _LENGTH // _STEP - 1, rows) * _STEP
    gold = 8 * topic_count
    gold_topic, position = np.repeat(np.arange(topic_count), 8), random.integers(0, results, gold)
    near = gold_topic * results + position  # where a retrieved chunk is, or beside it
    gold_start = np.maximum(start[near] + random.integers(-_SIZE, _SIZE, gold), 0)
    marked = pl.DataFrame(
        {
            "topic": _names("q", gold_topic),
            "doc": _names("d", document[near]),
            "start": gold_start,
            "end": gold_start + random.integers(40, 600, gold),
        }
    )
    marked.write_ndjson(folder / "gold.jsonl")
    run = pl.DataFrame(
        {
            "topic": _names("q", topic),
            "doc": _names("d", document),
            "start": start,
            "end": start + _SIZE,
            "rank": np.tile(np.arange(1, results + 1), topic_count),
            "score": 1.0 / np.tile(np.arange(1, results + 1), topic_count),
        }
    )
    run.write_ndjson(folder / "run.jsonl")
    run.write_parquet(folder / "run.parquet")


def _names(letter: str, numbers: np.ndarray) -> pl.Series:
    return pl.select(pl.format(letter + "{}", pl.lit(pl.Series(numbers)))).to_series()

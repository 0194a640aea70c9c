"""The lowest cost of scoring FOL runs with Polars and NumPy: ``python -m benchmarks.sketch QRELS RUN...``.

It reads, matches documents by hash, looks for shared text and adds up the Focused measures, without checking
anything, and nothing of doxel is imported: a floor for ``doxel evaluate``, not a second implementation.
"""

from __future__ import annotations

import sys

import numpy as np
import polars as pl

__all__: list[str] = []

_SCHEMA = {
    "topic": pl.String,
    "q0": pl.String,
    "doc": pl.String,
    "rank": pl.Int64,
    "rsv": pl.Float64,
    "run": pl.String,
    "start": pl.Int64,
    "length": pl.Int64,
}
_STRIDE = 1 << 24  # longer than any document
_SPREAD = np.uint64(0x9E3779B97F4A7C15)


class _Gold:
    """The judged documents, and their highlights on one line."""

    def __init__(self, path: str) -> None:
        self.topics: dict[str, int] = {}
        topic, doc, size, spans = [], [], [], []
        with open(path, encoding="utf-8") as stream:  # noqa: PTH123
            for pair, line in enumerate(stream):
                fields = line.split()
                topic.append(self.topics.setdefault(fields[0], len(self.topics)))
                doc.append(fields[2])
                size.append(int(fields[3]))
                for span in fields[6:]:
                    start, length = map(int, span.split(":"))
                    spans.append((pair * _STRIDE + start, length))
        self.hashes = _hash(np.array(topic), pl.Series(doc))
        self.is_relevant = np.array(size) > 0
        self.total = np.bincount(topic, size)
        self.documents = np.bincount(topic, self.is_relevant)
        self.start, self.length = np.array(sorted(spans)).T
        self.before = np.cumsum(self.length) - self.length

    def covered_before(self, place: np.ndarray) -> np.ndarray:
        last = np.maximum(np.searchsorted(self.start, place, side="right") - 1, 0)
        covered: np.ndarray = self.before[last] + np.clip(place - self.start[last], 0, self.length[last])
        return covered


def _hash(topic: np.ndarray, docs: pl.Series) -> np.ndarray:
    hashes: np.ndarray = docs.hash().to_numpy() + topic.astype(np.uint64) * _SPREAD
    return hashes


def _sort_with_rows(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    bits = numbers.dtype.type(len(numbers).bit_length())
    mask = (numbers.dtype.type(1) << bits) - numbers.dtype.type(1)
    coded = (numbers & ~mask) | np.arange(len(numbers), dtype=numbers.dtype)
    ordered = pl.Series(coded).sort(multithreaded=False).to_numpy()
    return ordered >> bits, (ordered & mask).astype(np.int64)


def _score(path: str, gold: _Gold) -> list[np.ndarray]:
    scanned = pl.scan_csv(path, has_header=False, separator=" ", quote_char=None, schema=_SCHEMA)
    run = scanned.select("topic", "doc", "rank", "start", "length").collect().rechunk()
    blocks = run["topic"].rle().struct.unnest()
    topic = np.repeat([gold.topics[name] for name in blocks["value"]], blocks["len"])
    start, length = run["start"].to_numpy(), run["length"].to_numpy()
    hashes, row = _sort_with_rows(_hash(topic, run["doc"]))
    begins = np.append(True, hashes[1:] != hashes[:-1])
    group, heads = np.cumsum(begins) - 1, np.flatnonzero(begins)
    judged = gold.hashes >> np.uint64(len(hashes).bit_length())
    place = np.minimum(np.searchsorted(hashes[heads], judged), len(heads) - 1)
    matches = np.flatnonzero(hashes[heads][place] == judged)
    pair_of_group = np.full(len(heads), -1)
    pair_of_group[place[matches]] = matches
    pair = np.empty(len(row), dtype=np.int64)
    pair[row] = pair_of_group[group]
    _refuse_shared_text(row, group, start, length)
    relevant = np.zeros(len(row))
    rows = np.flatnonzero(pair >= 0)
    line = pair[rows] * _STRIDE + start[rows]
    relevant[rows] = gold.covered_before(line + length[rows]) - gold.covered_before(line)
    article = topic[np.minimum.reduceat(row, heads)]
    hits = np.append(gold.is_relevant, False)[pair_of_group]
    return [*_measure_text(relevant, length, gold), *_measure_articles(article, hits, gold)]


def _refuse_shared_text(row: np.ndarray, group: np.ndarray, start: np.ndarray, length: np.ndarray) -> None:
    has_others = np.bincount(group)[group] > 1
    row, group = row[has_others], group[has_others]
    shift = len(row).bit_length()
    line, order = _sort_with_rows((group * _STRIDE + start[row]) << shift)
    if (line[1:] < np.maximum.accumulate(line + length[row][order])[:-1]).any():
        raise SystemExit("results share text")


def _measure_text(relevant: np.ndarray, length: np.ndarray, gold: _Gold) -> list[np.ndarray]:
    shape, total = (len(gold.total), -1), gold.total
    found, read = relevant.reshape(shape).cumsum(axis=1), length.reshape(shape).cumsum(axis=1)
    precision = found / read
    best = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]
    best = np.append(best, np.zeros((len(best), 1)), axis=1)
    points = np.arange(101) / 100
    first = [np.searchsorted(row, points * size) for row, size in zip(found, total, strict=True)]
    ip = np.take_along_axis(best, np.array(first), axis=1)
    recall = found[:, -1] / total
    scores = [ip[:, 0], ip[:, 1], ip[:, 5], ip[:, 10], ip.mean(axis=1), precision[:, -1], recall]
    scores += [2 * found[:, -1] / (read[:, -1] + total), found[:, -1] / (read[:, -1] + total - found[:, -1])]
    for cutoff in (10, 25, 50):
        reached = found[:, cutoff - 1]
        scores += [
            reached / read[:, cutoff - 1],
            reached / total,
            2 * reached / (read[:, cutoff - 1] + total),
        ]
    return scores


def _measure_articles(article: np.ndarray, hits: np.ndarray, gold: _Gold) -> list[np.ndarray]:
    count, relevant = np.bincount(article), np.bincount(article, hits)
    return [relevant / count, relevant / gold.documents, 2 * relevant / (count + gold.documents)]


if __name__ == "__main__":
    judged_documents = _Gold(sys.argv[1])
    for name in sys.argv[2:]:
        print(name, *(float(scores.mean()) for scores in _score(name, judged_documents)))

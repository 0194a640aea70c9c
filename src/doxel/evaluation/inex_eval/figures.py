"""The figures of every assessed topic, and their conversion to rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from doxel.evaluation.inex_eval.base import Base
from doxel.evaluation.inex_eval.outcome import Row
from doxel.evaluation.inex_eval.results import Results, is_relevant
from doxel.spans import Booleans, Floats, Ints

__all__ = ["Figures", "counts_of", "divide", "interpolate", "total"]


@dataclass(frozen=True)
class Figures:
    """Counts and figures, one value per assessed topic, in the order in which the tool prints them.

    ``average`` is printed last for a topic, and over all topics before or after the figures; ``curve`` has
    one column per recall point.  ``all_relevant``: the overall counts of relevant articles and characters
    cover every assessed topic, even those left out of the averages.
    """

    counts: Mapping[str, Ints]
    figures: Mapping[str, Floats]
    average: tuple[str, Floats]
    average_first: bool
    curve: Floats
    all_relevant: bool

    def topic_rows(self, topics: tuple[str, ...], is_counted: Booleans) -> Iterator[Row]:
        """Yield the rows of the topics marked in ``is_counted``."""
        columns: list[tuple[str, Ints | Floats]] = [*self.counts.items(), *self.figures.items(), self.average]
        for number in np.flatnonzero(is_counted):
            for name, values in columns:
                yield Row(topics[number], name, values[number].item())

    def overall_rows(self, is_counted: Booleans) -> Iterator[Row]:
        """Yield the rows over all topics: sums of counts, and means over the marked topics."""
        topics = int(is_counted.sum())
        yield Row("all", "num_q", topics)
        for name, counts in self.counts.items():
            yield Row("all", name, int(counts[... if self.all_relevant else is_counted].sum()))
        for name, values in self._ordered():
            with np.errstate(invalid="ignore"):
                yield Row("all", name, float(total(values[is_counted]) / np.float64(topics)))

    def _ordered(self) -> Iterable[tuple[str, Floats]]:
        figures, average = list(self.figures.items()), [self.average]
        points = self.curve.shape[1] - 1
        curve = [(f"ircl_prn.{point / points:.2f}", self.curve[:, point]) for point in range(points + 1)]
        return [*average, *figures, *curve] if self.average_first else [*figures, *average, *curve]


def counts_of(results: Results, base: Base, rsize: Ints, size: Ints) -> dict[str, Ints]:
    """Return the tool's counts: articles retrieved, relevant and both; characters likewise."""
    first = np.unique(results.article, return_index=True)[1]
    topic, is_found = results.topic[first], is_relevant(base, results.pair[first])
    return {
        "num_ret": _per_topic(base, topic, np.ones(len(topic), dtype=np.int64)),
        "num_rel": base.num_rel,
        "num_rel_ret": _per_topic(base, topic, is_found.astype(np.int64)),
        "ret_size": _per_topic(base, results.topic, size),
        "rel_size": base.rel_size,
        "rel_ret_size": _per_topic(base, results.topic, rsize),
    }


def _per_topic(base: Base, topic: Ints, values: Ints) -> Ints:
    sums = np.zeros(len(base.topics), dtype=np.int64)
    np.add.at(sums, topic, values)
    return sums


def total(values: Floats) -> Floats:
    """Return the sum along the first axis, added in order: ``sum`` would regroup the values."""
    from_nothing = np.concatenate((np.zeros((1, *values.shape[1:])), values))
    sums: Floats = np.asarray(np.add.accumulate(from_nothing)[-1])
    return sums


def divide(above: Ints | Floats, below: Ints | Floats) -> Floats:
    """Divide; return 0 where the divisor is 0."""
    out = np.zeros(np.broadcast_shapes(above.shape, below.shape))
    return np.divide(above, below, out=out, where=below != 0)


def interpolate(topics: int, points: int, topic: Ints, recall: Floats, precision: Floats) -> Floats:
    """Return the interpolated precision of each topic at ``points`` recall points, 0 to 1.

    Recall is rounded down to a point in raw doubles; recall above 1 is left out.
    """
    place = np.floor((points - 1) * recall)
    is_valid = (place >= 0) & (place < points)  # False for NaN, which means nothing is relevant
    best = np.zeros((topics, points))
    np.maximum.at(best, (topic[is_valid], place[is_valid].astype(np.int64)), precision[is_valid])
    return np.maximum.accumulate(best[:, ::-1], axis=1)[:, ::-1]

"""The Focused and Thorough tasks: precision and recall in characters, result by result."""

from __future__ import annotations

import numpy as np

from doxel.evaluation.inex_eval.base import Base
from doxel.evaluation.inex_eval.figures import Figures, counts_of, divide, interpolate, total
from doxel.evaluation.inex_eval.results import Results, is_relevant
from doxel.spans import Floats, Ints

__all__ = ["character_figures"]


_POINTS = 101
_CUTOFFS = (0, 1, 5, 10)  # in hundredths of recall


def character_figures(results: Results, base: Base, *, thorough: bool) -> Figures:
    """Return the figures of the Focused or the Thorough task."""
    rsize, size = _new_sizes(results, base) if thorough else (results.rsize(base), results.size)
    counts = counts_of(results, base, rsize, size)
    curve = _curve(results, base, rsize, size)
    figures = {
        **_precision_and_recall("art", counts["num_rel_ret"], counts["num_ret"], counts["num_rel"]),
        **_precision_and_recall("char", counts["rel_ret_size"], counts["ret_size"], counts["rel_size"]),
        **{f"iP@{point / (_POINTS - 1):g}": curve[:, point] for point in _CUTOFFS},
    }
    average = ("MAiP", total(curve.T) / _POINTS)
    return Figures(counts, figures, average, average_first=False, curve=curve, all_relevant=False)


def _new_sizes(results: Results, base: Base) -> tuple[Ints, Ints]:
    """Return the relevant and the total number of new characters of each result.

    In articles without relevant text the tool does not look for new text: there a repeat counts in full.
    """
    new, pair = results.new, results.pair[results.new.result]
    relevant_sizes = new.total(base.highlights.size(pair, new.start, new.end), len(results))
    relevant = is_relevant(base, results.pair)
    size = np.where(relevant & results.resolved, new.sizes(len(results)), results.size)
    return np.where(relevant, relevant_sizes, 0), size


def _curve(results: Results, base: Base, rsize: Ints, size: Ints) -> Floats:
    order = np.argsort(results.topic, kind="stable")
    topic = results.topic[order]
    relevant, retrieved = _running(topic, rsize[order]), _running(topic, size[order])
    with np.errstate(invalid="ignore", divide="ignore"):
        recall = relevant / base.rel_size[topic]
    return interpolate(len(base.topics), _POINTS, topic, recall, divide(relevant, retrieved))


def _running(topic: Ints, values: Ints) -> Ints:
    """Return running sums that restart with each topic; topics are sorted."""
    sums = np.cumsum(values)
    first = np.searchsorted(topic, topic)
    return sums - (sums - values)[first]


def _precision_and_recall(name: str, both: Ints, retrieved: Ints, relevant: Ints) -> dict[str, Floats]:
    precision, recall = divide(both, retrieved), divide(both, relevant)
    f1 = divide(2 * precision * recall, precision + recall)
    return {f"{name}_prec": precision, f"{name}_rec": recall, f"{name}_f1": f1}

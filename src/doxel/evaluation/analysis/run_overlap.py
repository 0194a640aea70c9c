"""Overlap of runs: the share of results and of characters that two runs have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from doxel.spans import Booleans, Floats, Ints, concatenate_ranges

__all__ = ["RunOverlap", "find_run_overlap"]

_EXACT_IN_32_BITS = 1 << 24
_COLUMNS = 2048


@dataclass(frozen=True)
class RunOverlap:
    """The overlap of runs, as arrays of runs x runs: the intersection as a share of the union.

    The shares are means over the topics for which at least one of the two runs returned something; NaN if
    there is no such topic, as for the characters of entry points.
    """

    runs: tuple[str, ...]
    results: Floats
    characters: Floats


def find_run_overlap(results: pl.DataFrame, runs: Sequence[str]) -> RunOverlap:
    """Return the overlap of runs among the results of an evaluation (``Evaluation.results``).

    Two results are the same when they are the same span of the same document.

    >>> results = pl.DataFrame(
    ...     {"run": ["a", "b"], "topic": "1", "doc": "d", "path": None, "start": [0, 5], "end": [10, 20]}
    ... )
    >>> find_run_overlap(results, ["a", "b"]).characters.tolist()
    [[1.0, 0.25], [0.25, 1.0]]
    """
    numbers = pl.int_range(len(runs), dtype=pl.Int64, eager=True)
    numbered = results.with_columns(number=results["run"].replace_strict(pl.Series(list(runs)), numbers))
    by_results, by_characters = _Mean(len(runs)), _Mean(len(runs))
    for (_,), table in numbered.group_by("topic", maintain_order=True):
        run, doc = table["number"].to_numpy(), table["doc"].rank("dense").cast(pl.Int64)
        by_results.add(_count_common_results(run, table.with_columns(doc), len(runs)))
        by_characters.add(_count_common_characters(run, table.with_columns(doc), len(runs)))
    return RunOverlap(tuple(runs), by_results.mean, by_characters.mean)


class _Mean:
    """A mean over topics of intersection over union; topics with an empty union do not count."""

    def __init__(self, runs: int) -> None:
        self._sum, self._count = np.zeros((runs, runs)), np.zeros((runs, runs))

    def add(self, common: Floats) -> None:
        size = common.diagonal()
        union = size[:, None] + size[None, :] - common
        self._sum += np.divide(common, union, out=np.zeros_like(common), where=union > 0)
        self._count += union > 0

    @property
    def mean(self) -> Floats:
        return np.divide(self._sum, self._count, out=np.full_like(self._sum, np.nan), where=self._count > 0)


def _count_common_results(run: Ints, table: pl.DataFrame, runs: int) -> Floats:
    """Return the number of results of a topic that each pair of runs shares.

    Results that only one run returns, which are most of them, are shared by no pair and counted separately.
    """
    # results that were not found are identified by their path
    path = pl.when(pl.col("start").is_null()).then("path")
    identity = table.select(pl.struct("doc", "start", "end", path).rank("dense")).to_series().to_numpy()
    is_repeated = np.bincount(identity) > 1
    is_shared = is_repeated[identity]
    is_returned = np.zeros((runs, int(is_repeated.sum())), dtype=bool)
    is_returned[run[is_shared], np.cumsum(is_repeated)[identity[is_shared]] - 1] = True
    common = _add_up_common(is_returned, np.ones(is_returned.shape[1]))
    return common + np.diag(np.bincount(run[~is_shared], minlength=runs))


def _count_common_characters(run: Ints, table: pl.DataFrame, runs: int) -> Floats:
    """Return the number of characters of a topic's documents that each pair of runs shares.

    The documents are laid out on one line and cut at every start and end of a result.
    """
    doc = table["doc"].to_numpy()
    start, end = (table[name].fill_null(0).to_numpy() for name in ("start", "end"))
    stride = int(end.max(initial=0)) + 1
    edges = np.concatenate([doc * stride + start, doc * stride + end])
    borders, place = np.unique(edges, return_inverse=True)
    first, pieces = place[: len(run)], place[len(run) :] - place[: len(run)]
    is_covered = np.zeros((runs, len(borders)), dtype=bool)
    is_covered[np.repeat(run, pieces), concatenate_ranges(first, pieces)] = True
    return _add_up_common(is_covered, np.diff(borders, append=borders[-1:]).astype(np.float64))


def _add_up_common(membership: Booleans, sizes: Floats) -> Floats:
    """Return the total size of the items that each two rows have in common.

    Sizes are whole numbers: products in 32 bits are exact while their sums are below 2^24, and take half the
    time.  Blocks of columns stay in the caches.
    """
    precision = np.float32 if sizes.sum() < _EXACT_IN_32_BITS else np.float64
    common = np.zeros((len(membership), len(membership)))
    for begin in range(0, len(sizes), _COLUMNS):
        block = slice(begin, begin + _COLUMNS)
        dense = membership[:, block].astype(precision)
        common += (dense * sizes[block].astype(precision)) @ dense.T
    return common

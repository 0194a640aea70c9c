"""Which spans of a group share text with another, and with which one.

For elements whose extent is not known because there is no collection, the path says enough: an element
shares text with its ancestors and descendants, and with nothing else.  Sorted as strings, with a slash
at their end, paths lie like spans: all that begins with a path follows it directly.  So a path becomes
the span from its own place to the place after the last path below it, and the same function serves.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from doxel.spans import Ints

__all__ = ["groups", "partners", "path_spans"]


def groups(keys: pl.DataFrame) -> Ints:
    """Return a number for each row, the same for rows that are the same.

    >>> groups(pl.DataFrame({"topic": ["1", "2", "1"], "doc": ["a", "a", "a"]})).tolist()
    [0, 1, 0]
    """
    numbered = keys.unique(maintain_order=True).with_row_index("group")
    joined = keys.join(numbered, on=keys.columns, how="left", maintain_order="left", nulls_equal=True)
    return joined["group"].cast(pl.Int64).to_numpy()


def partners(group: npt.ArrayLike, start: npt.ArrayLike, end: npt.ArrayLike) -> Ints:
    """Return for each span another one of its group that shares text with it, -1 where there is none.

    Empty spans share nothing.

    >>> partners([0, 0, 0, 1], [0, 5, 20, 0], [10, 15, 25, 10]).tolist()
    [1, 0, -1, -1]
    """
    groups, starts, ends = (np.asarray(one, dtype=np.int64) for one in (group, start, end))
    found = np.full(len(groups), -1, dtype=np.int64)
    rows = np.flatnonzero(ends > starts)
    if not len(rows):
        return found
    # places instead of positions: these may be so large that laying groups end to end would overflow
    distinct, place = np.unique(np.concatenate([starts[rows], ends[rows]]), return_inverse=True)
    _, number = np.unique(groups[rows], return_inverse=True)
    line_start = number * len(distinct) + place[: len(rows)]
    line_end = number * len(distinct) + place[len(rows) :]
    order = np.argsort(line_start, kind="stable")
    rows, line_start, line_end = rows[order], line_start[order], line_end[order]
    reached = np.maximum.accumulate(line_end)
    reaches = np.maximum.accumulate(np.where(line_end == reached, np.arange(len(rows)), 0))
    later = np.flatnonzero(line_start[1:] < line_end[:-1])
    found[rows[later]] = rows[later + 1]
    earlier = np.flatnonzero(line_start[1:] < reached[:-1]) + 1
    found[rows[earlier]] = rows[reaches[earlier - 1]]
    return found


def path_spans(paths: pl.Series) -> tuple[Ints, Ints]:
    """Return spans for canonical paths that contain each other as the elements do; "" is the whole.

    >>> start, end = path_spans(pl.Series(["/a[1]", "/a[1]/b[1]", "/a[1]/b[10]", "/a[1]/b[1]/c[2]"]))
    >>> ((start[:, None] <= start) & (end <= end[:, None])).astype(int).tolist()
    [[1, 1, 1, 1], [0, 1, 0, 1], [0, 0, 1, 0], [0, 0, 0, 1]]
    """
    first, beyond = paths + "/", paths + "0"  # "0" is the character after "/"
    places = pl.concat([first, beyond]).unique().sort()
    start, end = (_ranks(places, one) for one in (first, beyond))
    return start, end


def _ranks(places: pl.Series, values: pl.Series) -> Ints:
    ranks = pl.DataFrame({"value": places, "rank": np.arange(len(places), dtype=np.int64)})
    joined = values.to_frame("value").join(ranks, on="value", how="left", maintain_order="left")
    return joined["rank"].to_numpy()

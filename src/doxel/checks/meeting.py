"""Find spans that share text with another span of their group.

Without a collection the offsets of elements are unknown, but their paths are enough: an element shares
text with its ancestors and descendants, and with nothing else.  If paths are sorted as strings, with a
slash at the end, all paths below a path follow it directly.  So a path becomes the span from its own
position in that order to the position after the last path below it, and the same function applies.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from doxel.spans import Ints

__all__ = ["groups", "partners", "path_spans"]


def groups(keys: pl.DataFrame) -> Ints:
    """Number the rows; equal rows get the same number.

    >>> groups(pl.DataFrame({"topic": ["1", "2", "1"], "doc": ["a", "a", "a"]})).tolist()
    [0, 1, 0]
    """
    numbered = keys.unique(maintain_order=True).with_row_index("group")
    joined = keys.join(numbered, on=keys.columns, how="left", maintain_order="left", nulls_equal=True)
    return joined["group"].cast(pl.Int64).to_numpy()


def partners(group: npt.ArrayLike, start: npt.ArrayLike, end: npt.ArrayLike) -> Ints:
    """Return, for each span, another span of its group that shares text with it, or -1.

    Empty spans share text with nothing.

    >>> partners([0, 0, 0, 1], [0, 5, 20, 0], [10, 15, 25, 10]).tolist()
    [1, 0, -1, -1]
    """
    groups, starts, ends = (np.asarray(column, dtype=np.int64) for column in (group, start, end))
    partner = np.full(len(groups), -1, dtype=np.int64)
    rows = np.flatnonzero(ends > starts)
    if not len(rows):
        return partner
    # ranks instead of positions: with large positions, placing the groups end to end would overflow
    distinct, place = np.unique(np.concatenate([starts[rows], ends[rows]]), return_inverse=True)
    _, number = np.unique(groups[rows], return_inverse=True)
    line_start = number * len(distinct) + place[: len(rows)]
    line_end = number * len(distinct) + place[len(rows) :]
    order = np.argsort(line_start, kind="stable")
    rows, line_start, line_end = rows[order], line_start[order], line_end[order]
    reached = np.maximum.accumulate(line_end)
    reaches = np.maximum.accumulate(np.where(line_end == reached, np.arange(len(rows)), 0))
    later = np.flatnonzero(line_start[1:] < line_end[:-1])
    partner[rows[later]] = rows[later + 1]
    earlier = np.flatnonzero(line_start[1:] < reached[:-1]) + 1
    partner[rows[earlier]] = rows[reaches[earlier - 1]]
    return partner


def path_spans(paths: pl.Series) -> tuple[Ints, Ints]:
    """Return spans for canonical paths that contain each other as the elements do; "" contains all.

    >>> start, end = path_spans(pl.Series(["/a[1]", "/a[1]/b[1]", "/a[1]/b[10]", "/a[1]/b[1]/c[2]"]))
    >>> ((start[:, None] <= start) & (end <= end[:, None])).astype(int).tolist()
    [[1, 1, 1, 1], [0, 1, 0, 1], [0, 0, 1, 0], [0, 0, 0, 1]]
    """
    first, beyond = paths + "/", paths + "0"  # "0" is the character after "/"
    places = pl.concat([first, beyond]).unique().sort()
    start, end = (_ranks(places, borders) for borders in (first, beyond))
    return start, end


def _ranks(places: pl.Series, values: pl.Series) -> Ints:
    ranks = pl.DataFrame({"value": places, "rank": np.arange(len(places), dtype=np.int64)})
    joined = values.to_frame("value").join(ranks, on="value", how="left", maintain_order="left")
    return joined["rank"].to_numpy()

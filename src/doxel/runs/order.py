"""The ranking of a run: which result comes first, and which are tied.

``rank``
    By rank; results without a rank come last, by descending rsv.
``score``
    By descending rsv, ranks ignored; results without an rsv come last.
``file``
    In file order, ranks and rsv ignored.

Equal results stay in file order.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import polars as pl

from doxel.errors import InputError

__all__ = ["order", "tied_levels"]

Order = Literal["rank", "file", "score"]
Ties = Literal["rsv", "rank"]

_BY_SCORE = (-pl.col("rsv"),)
_KEYS = {
    "rank": (pl.col("rank"), pl.when(pl.col("rank").is_null()).then(*_BY_SCORE)),
    "score": _BY_SCORE,
    "file": (),
}


def order(frame: pl.DataFrame, by: Order | str = "rank") -> pl.DataFrame:
    """Return results sorted by topic, in order of appearance, and by their ``position`` in it, from 1.

    ``frame`` has the columns topic, rank and rsv of ``RESULTS``, with its rows in file order.

    >>> frame = pl.DataFrame({"topic": ["b", "a", "b"], "rank": [2, 1, 1], "rsv": [0.9, 0.8, 0.7]})
    >>> order(frame).rows()
    [('b', 1, 0.7, 1), ('b', 2, 0.9, 2), ('a', 1, 0.8, 1)]
    >>> order(frame, by="file")["rsv"].to_list()
    [0.9, 0.7, 0.8]
    """
    if by not in _KEYS:
        raise InputError("the order of a run", wanted=f"one of {', '.join(_KEYS)}", found=repr(by))
    numbered = _as_it_stands(frame, by)
    if numbered is not None:
        return numbered
    return (
        frame.drop("position", strict=False)
        .with_row_index("position")
        .sort(pl.col("position").min().over("topic"), *_KEYS[by], nulls_last=True, maintain_order=True)
        .select(pl.exclude("position"), position=pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("topic"))
    )


def _as_it_stands(frame: pl.DataFrame, by: str) -> pl.DataFrame | None:
    """Add positions to a frame that is already in order, as most files are, or return None."""
    blocks = frame["topic"].rle()
    lengths = blocks.struct.field("len").to_numpy().astype(np.int64)
    block_start = np.cumsum(lengths) - lengths
    if blocks.struct.field("value").n_unique() < len(blocks):
        return None
    if by != "file":
        column = frame["rank" if by == "rank" else "rsv"]
        if column.null_count():
            return None
        above, below = column.to_numpy()[:-1], column.to_numpy()[1:]
        is_ordered = above <= below if by == "rank" else above >= below
        is_ordered[block_start[1:] - 1] = True  # the ranking of a topic is independent of the topic before
        if not is_ordered.all():
            return None
    position = np.arange(1, frame.height + 1) - np.repeat(block_start, lengths)
    return frame.with_columns(position=pl.Series(position, dtype=pl.Int64))


def tied_levels(frame: pl.DataFrame, ties: Ties | str = "rsv", *, by: Order | str = "rank") -> pl.Series:
    """Return the level of each result in its topic, from 1; results of one level are tied.

    ``frame`` is the result of ``order(..., by=by)``.  Results with equal rsv share a level if all results
    of the topic have an rsv and no rsv is higher than the one before it.  Otherwise, and always with
    ``ties="rank"``, results with equal rank share a level.  In file order, and for results with neither
    rank nor rsv, every result has its own level.

    >>> frame = pl.DataFrame({"topic": ["a"] * 3, "rank": [1, 2, 3], "rsv": [0.9, 0.5, 0.5]})
    >>> tied_levels(order(frame)).to_list()
    [1, 2, 2]
    >>> tied_levels(order(frame), ties="rank").to_list()
    [1, 2, 3]
    """
    if ties not in {"rsv", "rank"}:
        raise InputError("the ties of a run", wanted="one of rsv, rank", found=repr(ties))
    if by == "file":
        return frame.select(level=pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("topic"))["level"]
    above = pl.col("rsv").shift().over("topic")
    same_rank = pl.col("rank") == pl.col("rank").shift().over("topic")
    is_ordered = (above.is_null() | (pl.col("rsv") <= above)) & pl.col("rsv").is_not_null()
    by_rsv = is_ordered.all().over("topic")
    same_rsv = pl.col("rsv") == above
    is_tied = same_rank if ties == "rank" else pl.when(by_rsv).then(same_rsv).otherwise(same_rank)
    starts = (~is_tied.fill_null(value=False)).cast(pl.Int64)
    return frame.select(level=starts.cum_sum().over("topic"))["level"]

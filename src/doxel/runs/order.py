"""The ranking of a run: which result comes first, and which are tied.

``rank``
    By rank; results without a rank come after those with one, by descending rsv.
``score``
    By descending rsv, ranks ignored; results without an rsv come last.
``file``
    As the file has them, both columns ignored.

Whatever is equal stays in file order.
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
    in_order = _as_it_stands(frame, by)
    if in_order is not None:
        return in_order
    return (
        frame.drop("position", strict=False)
        .with_row_index("position")
        .sort(pl.col("position").min().over("topic"), *_KEYS[by], nulls_last=True, maintain_order=True)
        .select(pl.exclude("position"), position=pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("topic"))
    )


def _as_it_stands(frame: pl.DataFrame, by: str) -> pl.DataFrame | None:
    """Return a frame that is in order already, as most files are, with positions; else None."""
    blocks = frame["topic"].rle()
    lengths = blocks.struct.field("len").to_numpy().astype(np.int64)
    begins = np.cumsum(lengths) - lengths
    if blocks.struct.field("value").n_unique() < len(blocks):
        return None
    if by != "file":
        column = frame["rank" if by == "rank" else "rsv"]
        if column.null_count():
            return None
        above, below = column.to_numpy()[:-1], column.to_numpy()[1:]
        rising = above <= below if by == "rank" else above >= below
        rising[begins[1:] - 1] = True  # a new topic starts anew
        if not rising.all():
            return None
    position = np.arange(1, frame.height + 1) - np.repeat(begins, lengths)
    return frame.with_columns(position=pl.Series(position, dtype=pl.Int64))


def tied_levels(frame: pl.DataFrame, ties: Ties | str = "rsv", *, by: Order | str = "rank") -> pl.Series:
    """Return the level of each result in its topic, from 1; results of one level are tied.

    ``frame`` is what ``order(..., by=by)`` returned.  A level holds results with equal rsv where all
    results of the topic have one and none is higher than that of the result before it; else, and
    always with ``ties="rank"``, those with equal rank.  In file order, and where results have neither,
    every result is a level of its own.

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
    ordered = (above.is_null() | (pl.col("rsv") <= above)) & pl.col("rsv").is_not_null()
    by_rsv = ordered.all().over("topic")
    tied = same_rank if ties == "rank" else pl.when(by_rsv).then(pl.col("rsv") == above).otherwise(same_rank)
    starts = (~tied.fill_null(value=False)).cast(pl.Int64)
    return frame.select(level=starts.cum_sum().over("topic"))["level"]

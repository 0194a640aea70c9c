"""The ranking of a run: the order of its results, ties, and the ranking of whole documents.

Results are ordered by one of:

``rank``
    By rank; results without a rank come last, by descending rsv.  If all results of a topic, two or more,
    have the same rank and each has an rsv, the ranks are ignored.
``score``
    By descending rsv, ranks ignored; results without an rsv come last.
``file``
    In file order, ranks and rsv ignored.

Equal results stay in file order.  A ranking of parts becomes a ranking of documents by one of:

``first``
    A document has the rank and the rsv of its first result.
``maxp``
    A document has the highest rsv of its results, whatever their ranks; of equal ones the first counts.

The two rules differ if ranks and rsv disagree.  Tools that read TREC files sort by rsv and ignore ranks,
so an rsv that does not fall from document to document is replaced by the reciprocal of the rank.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
import polars as pl

from doxel.errors import InputError
from doxel.runs.run import RESULTS, Run
from doxel.wording import pluralise

__all__ = [
    "DOCUMENT_RULES",
    "find_ties",
    "mark_constant_ranks",
    "mark_same_ranks",
    "order_results",
    "rank_documents",
]

ResultOrder = Literal["rank", "file", "score"]
TieRule = Literal["rsv", "rank"]

_BY_SCORE = (-pl.col("rsv"),)
_SORT_KEYS = {
    "rank": (pl.col("rank"), pl.when(pl.col("rank").is_null()).then(*_BY_SCORE)),
    "score": _BY_SCORE,
    "file": (),
}


def order_results(frame: pl.DataFrame, by: ResultOrder | str = "rank") -> pl.DataFrame:
    """Return results sorted by topic, in order of appearance, and by their ``position`` in it, from 1.

    ``frame`` has the columns topic, rank and rsv of ``RESULTS``, with its rows in file order.

    >>> frame = pl.DataFrame({"topic": ["b", "a", "b"], "rank": [2, 1, 1], "rsv": [0.9, 0.8, 0.7]})
    >>> order_results(frame).rows()
    [('b', 1, 0.7, 1), ('b', 2, 0.9, 2), ('a', 1, 0.8, 1)]
    >>> order_results(frame.with_columns(rank=pl.lit(1))).rows()
    [('b', None, 0.9, 1), ('b', None, 0.7, 2), ('a', 1, 0.8, 1)]
    >>> order_results(frame, by="file")["rsv"].to_list()
    [0.9, 0.7, 0.8]
    """
    if by not in _SORT_KEYS:
        raise InputError("the order of a run", wanted=f"one of {', '.join(_SORT_KEYS)}", found=repr(by))
    blocks = frame["topic"].rle()
    is_split = blocks.struct.field("value").n_unique() < len(blocks)
    if by == "rank" and all(frame[name].null_count() == frame.height for name in ("rank", "rsv")):
        by = "file"  # nothing else decides
    if by == "rank":
        frame = _drop_constant_ranks(frame, is_split=is_split)
    numbered = None if is_split else _number_ordered_results(frame, blocks, by)
    if numbered is not None:
        return numbered
    return (
        frame.drop("position", strict=False)
        .with_row_index("position")
        .sort(pl.col("position").min().over("topic"), *_SORT_KEYS[by], nulls_last=True, maintain_order=True)
        .select(pl.exclude("position"), position=pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("topic"))
    )


def _drop_constant_ranks(frame: pl.DataFrame, *, is_split: bool) -> pl.DataFrame:
    """Set ranks to null in topics whose results, two or more, all have the same rank, if all have an rsv.

    ``is_split``: the results of a topic are not all neighbours.
    """
    rank = frame["rank"].to_numpy()
    if not is_split and not (rank[1:] == rank[:-1]).any():
        return frame  # no topic has two neighbours of the same rank
    return frame.with_columns(rank=pl.when(~mark_constant_ranks()).then("rank"))


def mark_constant_ranks() -> pl.Expr:
    """Return whether all results of a result's topic, two or more, have the same rank, and each an rsv."""
    return mark_same_ranks() & (pl.col("rsv").null_count() == 0).over("topic")


def mark_same_ranks() -> pl.Expr:
    """Return whether all results of a result's topic, two or more, have the same rank."""
    rank = pl.col("rank")
    return ((pl.len() > 1) & (rank.null_count() == 0) & (rank.min() == rank.max())).over("topic")


def _number_ordered_results(frame: pl.DataFrame, blocks: pl.Series, by: str) -> pl.DataFrame | None:
    """Add positions to a frame that is already in order, as most files are, or return None.

    ``blocks`` are the runs of equal topics, each topic once.
    """
    lengths = blocks.struct.field("len").to_numpy().astype(np.int64)
    block_start = np.cumsum(lengths) - lengths
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


def find_ties(
    frame: pl.DataFrame, ties: TieRule | str = "rsv", *, by: ResultOrder | str = "rank"
) -> pl.Series:
    """Return the level of each result in its topic, from 1; results of one level are tied.

    ``frame`` is the result of ``order_results(..., by=by)``.  Results with equal rsv share a level if all
    results of the topic have an rsv and no rsv is higher than the one before it.  Otherwise, and always with
    ``ties="rank"``, results with equal rank share a level.  In file order, and for results with neither
    rank nor rsv, every result has its own level.

    >>> frame = pl.DataFrame({"topic": ["a"] * 3, "rank": [1, 2, 3], "rsv": [0.9, 0.5, 0.5]})
    >>> find_ties(order_results(frame)).to_list()
    [1, 2, 2]
    >>> find_ties(order_results(frame), ties="rank").to_list()
    [1, 2, 3]
    """
    if ties not in {"rsv", "rank"}:
        raise InputError("the ties of a run", wanted="one of rsv, rank", found=repr(ties))
    lengths = frame["topic"].rle().struct.field("len").to_numpy().astype(np.int64)
    block, begin = np.repeat(np.arange(len(lengths)), lengths), np.cumsum(lengths) - lengths
    is_tied = np.zeros(frame.height, dtype=bool)
    if by != "file" and frame.height:
        rank, rsv = frame["rank"], frame["rsv"]
        is_tied = (rank == rank.shift()).fill_null(value=False).to_numpy()
        if ties == "rsv":
            is_ordered = (rsv <= rsv.shift()).fill_null(value=False).to_numpy(writable=True)
            is_ordered[begin] = True
            by_rsv = np.logical_and.reduceat(is_ordered & rsv.is_not_null().to_numpy(), begin)[block]
            is_tied = np.where(by_rsv, (rsv == rsv.shift()).fill_null(value=False).to_numpy(), is_tied)
        is_tied[begin] = False
    level = np.cumsum(~is_tied)
    return pl.Series("level", level - level[begin][block] + 1)


DOCUMENT_RULES = ("first", "maxp")
_PLACE_COLUMNS = ("path", "path_end", "start", "end", "text")


def rank_documents(run: Run, rule: str = "first") -> tuple[Run, tuple[str, ...]]:
    """Return a run of whole documents, each once per topic, and notes about the changes."""
    if rule not in DOCUMENT_RULES:
        raise InputError(
            "a rule for documents", wanted=f"one of {', '.join(DOCUMENT_RULES)}", found=repr(rule)
        )
    results = order_results(RESULTS.fit(run.results))
    if rule == "maxp":
        results = _rank_by_best_rsv(run, results)
    documents = results.unique(["topic", "doc"], keep="first", maintain_order=True)
    documents = documents.with_columns(rank=pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("topic"))
    rule_text = {"first": "their first results", "maxp": "their best rsv"}[rule]
    count = pluralise(documents.height, "document")
    notes = [f"{pluralise(results.height, 'result')} became {count}, ranked by {rule_text}"]
    fall = (pl.col("rsv") <= pl.col("rsv").shift().over("topic")).fill_null(value=True)
    if not documents.select((fall & pl.col("rsv").is_not_null()).all()).item():
        documents = documents.with_columns(rsv=1.0 / pl.col("rank"))
        notes.append("some rsv were missing or did not fall with the ranks: they are now 1/rank")
    no_place = [pl.lit(None, dtype=RESULTS.schema[name]).alias(name) for name in _PLACE_COLUMNS]
    return replace(run, results=RESULTS.fit(documents.with_columns(no_place))), tuple(notes)


def _rank_by_best_rsv(run: Run, results: pl.DataFrame) -> pl.DataFrame:
    unscored = results.filter(pl.col("rsv").is_null())
    if unscored.height:
        raise InputError(
            "maxp ranks documents by rsv",
            file=run.file,
            line=unscored["line"][0],
            wanted="an rsv for every result, or the rule 'first'",
            found=f"{pluralise(unscored.height, 'result')} without rsv",
        )
    return order_results(results.with_columns(rsv=pl.col("rsv").max().over("topic", "doc")), by="score")

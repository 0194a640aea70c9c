"""Checks of the ranking: length, repeated results, ties, and ranks that contradict rsv."""

from __future__ import annotations

import polars as pl

from doxel.checks.check_declaration import Check, pluralise_column
from doxel.checks.check_subjects import CheckedRun
from doxel.measures.measure_parameters import LIMIT as OFFICIAL_LIMIT
from doxel.runs.result_order import find_ties, mark_constant_ranks, mark_same_ranks

__all__ = ["RESULT_LIMIT", "RUN_RANKING_CHECKS"]

RESULT_LIMIT: int = OFFICIAL_LIMIT.default
"""The number of results per topic that INEX accepts and that measures count by default."""

_RANK, _RSV = pl.col("rank"), pl.col("rsv")
_UNRANKED = ("result without rank", "results without rank")


def _find_long_lists(checked: CheckedRun) -> pl.DataFrame:
    results = checked.results.select("line", "topic", "doc", "position", results=pl.len().over("topic"))
    beyond = results.filter(pl.col("position") == RESULT_LIMIT + 1)
    message = pl.format("{} results; only the first {} count", "results", pl.lit(RESULT_LIMIT))
    return beyond.select("line", "topic", "doc", message=message)


def _find_repeats(checked: CheckedRun) -> pl.DataFrame:
    """Find results with the same element or the same span as a better-ranked result."""
    resolved = checked.results.filter(pl.col("problem").is_null())
    is_element, has_span = pl.col("element").is_not_null(), pl.col("start").is_not_null()
    place = (
        pl.when(is_element)
        .then(pl.format("element {}", "element"))
        .when(has_span)
        .then(pl.format("{} {}", "start", "end"))
        .otherwise(pl.concat_str("path", "path_end", "text", separator="\n", ignore_nulls=True))
    )
    keyed = resolved.with_columns(place=place)
    key = pl.struct("topic", "doc", "place")
    first = keyed.with_columns(first=pl.col("position").first().over("topic", "doc", "place"))
    repeats = first.filter(~key.is_first_distinct())
    message = pl.format("rank {} is the same as rank {}", "position", "first")
    return repeats.select("line", "topic", "doc", message=message)


def _find_contradicting_rsv(checked: CheckedRun) -> pl.DataFrame:
    above = _RSV.shift().over("topic")
    results = checked.by_rank.with_columns(above=above, rank_above=_RANK.shift().over("topic"))
    results = results.filter((pl.col("rank_above") < _RANK) & (pl.col("above") < _RSV))
    message = pl.format("rank {} has rsv {}, but rank {} only {}", "rank", "rsv", "rank_above", "above")
    return results.select("line", "topic", "doc", message=message)


def _add_levels(checked: CheckedRun) -> pl.DataFrame:
    return checked.by_rank.with_columns(level=find_ties(checked.by_rank))


def _find_ties(checked: CheckedRun) -> pl.DataFrame:
    size = pl.len().over("topic", "level")
    tied = _add_levels(checked).with_columns(size=size).filter(pl.col("size") > 1)
    first = tied.filter(pl.struct("topic", "level").is_first_distinct())
    message = pl.format("{} results are tied at rank {}", "size", "position")
    return first.select("line", "topic", "doc", message=message)


def _find_missing_ranks(checked: CheckedRun) -> pl.DataFrame:
    lacks = _RANK.is_null()
    results = checked.by_rank.filter(lacks & ~lacks.all().over("topic"))
    return results.select(
        "line", "topic", "doc", message=pl.lit("no rank, unlike other results of the topic")
    )


def _find_unranked_topics(checked: CheckedRun) -> pl.DataFrame:
    rising = _find_rising_rsv(checked)["topic"]  # another check reports these
    results = checked.filed.filter(
        _RANK.is_null().all().over("topic") & ~pl.col("topic").is_in(rising.implode())
    )
    order = pl.when(_RSV.is_null().all()).then(pl.lit("in file order")).otherwise(pl.lit("ordered by rsv"))
    return (
        results.group_by("topic", maintain_order=True)
        .agg(line=pl.col("line").min(), count=pl.len(), order=order)
        .select(
            "line",
            "topic",
            message=pl.format("{}: {}", pluralise_column("count", *_UNRANKED), "order"),
        )
    )


def _find_other_first_ranks(checked: CheckedRun) -> pl.DataFrame:
    first = checked.by_rank.filter((pl.col("position") == 1) & (_RANK != 1))
    return first.select("line", "topic", "doc", message=pl.format("the first rank is {}", "rank"))


def _find_gaps(checked: CheckedRun) -> pl.DataFrame:
    """Find ranks that are missing; after two results at rank 1, either 2 or 3 may follow."""
    ranks = (
        checked.by_rank.filter(_RANK.is_not_null())
        .group_by("topic", "rank", maintain_order=True)
        .agg(pl.col("line", "doc").first(), count=pl.len())
        .with_columns(above=_RANK.shift().over("topic"), count_above=pl.col("count").shift().over("topic"))
        .filter(pl.col("above") + pl.col("count_above") < _RANK)
    )
    return ranks.select("line", "topic", "doc", message=pl.format("rank {} follows rank {}", "rank", "above"))


def _find_shared_ranks(checked: CheckedRun) -> pl.DataFrame:
    """Find results that share their rank with another result of a different rsv."""
    first = _RSV.first().over("topic", "rank")
    shared = checked.by_rank.filter(_RANK.is_not_null()).filter(first != _RSV)
    return shared.select("line", "topic", "doc", message=pl.format("rank {} again", "rank"))


def _find_constant_ranks(checked: CheckedRun) -> pl.DataFrame:
    """Find topics whose results all have the same rank, so that their order depends on something else."""
    first = checked.filed.filter(mark_same_ranks() & pl.col("topic").is_first_distinct())
    return first.select("line", "topic", message=pl.format("rank {} for all results", "rank"))


def _find_rising_rsv(checked: CheckedRun) -> pl.DataFrame:
    """Find topics ordered by rsv whose rsv rise along the ranks or the file, if this is so in all topics.

    In an order by rank, only topics without ranks are ordered by rsv.
    """
    has_ranks = _RANK.is_not_null().any().over("topic") & ~mark_constant_ranks()
    filed = checked.filed.with_columns(has_ranks=has_ranks).with_row_index("row")
    if checked.order == "score":
        filed = filed.sort("has_ranks", pl.when("has_ranks").then("rank"), "row", nulls_last=True)
    else:
        filed = filed.filter((checked.order == "rank") & ~pl.col("has_ranks"))
    step = _RSV - _RSV.shift().over("topic")
    by_topic = (
        filed.with_columns(step=step)
        .group_by("topic", maintain_order=True)
        .agg(
            line=pl.col("line").first(),
            first=_RSV.first(),
            last=_RSV.last(),
            varies=_RSV.n_unique() > 1,
            rises=(_RSV.null_count() == 0) & (pl.col("step").min() >= 0),
        )
        .filter("varies")
    )
    rising = by_topic if by_topic["rises"].all() else by_topic.clear()
    return rising.select("line", "topic", message=pl.format("rsv rise from {} to {}", "first", "last"))


def _find_lines_out_of_order(checked: CheckedRun) -> pl.DataFrame:
    """Find topics whose lines are not in the order of their ranks, with the first line out of order."""
    back = checked.filed.filter(pl.col("rank") < pl.col("rank").shift().over("topic"))
    first = back.filter(pl.col("topic").is_first_distinct())
    return first.select("line", "topic", "doc", message=pl.format("rank {} follows a higher rank", "rank"))


RUN_RANKING_CHECKS: tuple[Check[CheckedRun], ...] = (
    Check(
        "R301",
        "warning",
        f"more than {RESULT_LIMIT} results for a topic",
        f"INEX scores the first {RESULT_LIMIT} results of a topic, and so do its measures by default; "
        "measures of characters, tokens, chunks and documents score all.",
        "Shorten the run, or score with --limit none.",
        _find_long_lists,
        effect="guess",
    ),
    Check(
        "R302",
        "warning",
        "repeated result",
        "The same element (document and path) or the same span already has a better rank in the topic.  The "
        "repeated result keeps its rank and gains nothing.",
        "Remove repeated results before ranking.",
        _find_repeats,
    ),
    Check(
        "R303",
        "warning",
        "ranks disagree with rsv",
        "A result has a higher rsv than the result ranked before it.  The ranks count, unless you score with "
        "--order score.",
        "Sort by rsv before numbering; negate distances, because the highest rsv is the best.",
        _find_contradicting_rsv,
        effect="guess",
    ),
    Check(
        "R304",
        "note",
        "tied results",
        "Several results have the same rsv (or the same rank, if rsv and ranks disagree).  precall and GR "
        "treat them as one level, every other measure takes them in file order.",
        "Nothing to do if the system scored them equally; otherwise write rsv with more digits.",
        _find_ties,
    ),
    Check(
        "R305",
        "warning",
        "results without a rank",
        "Some results of the topic have no rank.  They are placed after the ranked results, by descending "
        "rsv.",
        "Give a rank to all results of a topic, or to none.",
        _find_missing_ranks,
        effect="guess",
    ),
    Check(
        "R306",
        "note",
        "no ranks",
        "No result of the topic has a rank: results are ordered by descending rsv or, without rsv, as in the "
        "file.",
        "Nothing to do if this is the intended ranking.",
        _find_unranked_topics,
    ),
    Check(
        "R307",
        "note",
        "ranks do not start at 1",
        "Only the order of ranks counts, so scores do not change; but results may be missing.",
        "Number the results from 1.",
        _find_other_first_ranks,
    ),
    Check(
        "R308",
        "warning",
        "gap in the ranks",
        "A rank is missing.  Only the order counts, so the following results move up.",
        "Look for results that were lost when the file was written; number without gaps.",
        _find_gaps,
    ),
    Check(
        "R309",
        "warning",
        "same rank for results with different rsv",
        "Two results of a topic have the same rank but different rsv.  They are taken in file order.",
        "Give each result its own rank.",
        _find_shared_ranks,
        effect="guess",
    ),
    Check(
        "R310",
        "note",
        "file not in the order of its ranks",
        "The lines of a topic are not in the order of their ranks.  The ranks count, unless you score with "
        "--order file; the official tool of 2010 used only the order of the lines.",
        "Sort the lines, number the results in the order of the lines, or choose an order with --order.",
        _find_lines_out_of_order,
    ),
    Check(
        "R311",
        "note",
        "same rank for all results",
        "All results of the topic, two or more, have the same rank.  The ranks are ignored: results are "
        "ordered by descending rsv or, unless each has one, as in the file.",
        "Number the results of each topic, or leave the ranks out.",
        _find_constant_ranks,
        effect="guess",
    ),
    Check(
        "R312",
        "warning",
        "rsv that rise along the list",
        "The results of all topics are listed with the lowest rsv first, as distances are, but the highest "
        "rsv is ranked first.",
        "If the scores are distances, negate them, or call them distance (JSON lines, CSV, Python).  "
        "Otherwise nothing to do.",
        _find_rising_rsv,
        effect="guess",
    ),
)

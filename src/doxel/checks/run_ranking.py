"""Checks of the ranking: too long, repeats, and ranks and rsv that say different things."""

from __future__ import annotations

import polars as pl

from doxel.checks.declare import Check, counted_in
from doxel.checks.subjects import CheckedRun
from doxel.measures.views import LIMIT as OFFICIAL_LIMIT
from doxel.runs.order import tied_levels

__all__ = ["CHECKS", "LIMIT"]

LIMIT: int = OFFICIAL_LIMIT.default
"""How many results of a topic INEX keeps, and measures count unless told otherwise."""

_RANK, _RSV = pl.col("rank"), pl.col("rsv")
_UNRANKED = ("result without rank", "results without rank")


def _too_many(checked: CheckedRun) -> pl.DataFrame:
    counted = checked.results.select("line", "topic", "doc", "position", results=pl.len().over("topic"))
    beyond = counted.filter(pl.col("position") == LIMIT + 1)
    message = pl.format("{} results; the first {} count", "results", pl.lit(LIMIT))
    return beyond.select("line", "topic", "doc", message=message)


def _repeats(checked: CheckedRun) -> pl.DataFrame:
    """Find results that are the same as a better-ranked one: the same element, or the same span."""
    known = checked.results.filter(pl.col("problem").is_null())
    is_element, has_span = pl.col("element").is_not_null(), pl.col("start").is_not_null()
    place = (
        pl.when(is_element)
        .then(pl.format("element {}", "element"))
        .when(has_span)
        .then(pl.format("{} {}", "start", "end"))
        .otherwise(pl.concat_str("path", "path_end", "text", separator="\n", ignore_nulls=True))
    )
    keyed = known.with_columns(place=place)
    key = pl.struct("topic", "doc", "place")
    first = keyed.with_columns(first=pl.col("position").first().over("topic", "doc", "place"))
    again = first.filter(~key.is_first_distinct())
    message = pl.format("rank {} is the same as rank {}", "position", "first")
    return again.select("line", "topic", "doc", message=message)


def _disagreeing(checked: CheckedRun) -> pl.DataFrame:
    above = _RSV.shift().over("topic")
    bad = checked.by_rank.with_columns(above=above, rank_above=_RANK.shift().over("topic"))
    bad = bad.filter((pl.col("rank_above") < _RANK) & (pl.col("above") < _RSV))
    message = pl.format("rank {} has rsv {}, rank {} only {}", "rank", "rsv", "rank_above", "above")
    return bad.select("line", "topic", "doc", message=message)


def _levels(checked: CheckedRun) -> pl.DataFrame:
    return checked.by_rank.with_columns(level=tied_levels(checked.by_rank))


def _ties(checked: CheckedRun) -> pl.DataFrame:
    size = pl.len().over("topic", "level")
    tied = _levels(checked).with_columns(size=size).filter(pl.col("size") > 1)
    first = tied.filter(pl.struct("topic", "level").is_first_distinct())
    message = pl.format("{} results are tied at rank {}", "size", "position")
    return first.select("line", "topic", "doc", message=message)


def _partly_ranked(checked: CheckedRun) -> pl.DataFrame:
    lacks = _RANK.is_null()
    bad = checked.by_rank.filter(lacks & ~lacks.all().over("topic"))
    return bad.select("line", "topic", "doc", message=pl.lit("no rank, unlike others of its topic"))


def _not_ranked(checked: CheckedRun) -> pl.DataFrame:
    bad = checked.by_rank.filter(_RANK.is_null().all().over("topic"))
    told = pl.when(_RSV.is_null().all()).then(pl.lit("file order counts")).otherwise(pl.lit("rsv counts"))
    return (
        bad.group_by("topic", maintain_order=True)
        .agg(line=pl.col("line").min(), count=pl.len(), told=told)
        .select(
            "line",
            "topic",
            message=pl.format("{}: {}", counted_in("count", *_UNRANKED), "told"),
        )
    )


def _not_from_one(checked: CheckedRun) -> pl.DataFrame:
    first = checked.by_rank.filter((pl.col("position") == 1) & (_RANK != 1))
    return first.select("line", "topic", "doc", message=pl.format("the first rank is {}", "rank"))


def _gaps(checked: CheckedRun) -> pl.DataFrame:
    """Find ranks that were left out; after two results at rank 1 both 2 and 3 may follow."""
    ranks = (
        checked.by_rank.filter(_RANK.is_not_null())
        .group_by("topic", "rank", maintain_order=True)
        .agg(pl.col("line", "doc").first(), count=pl.len())
        .with_columns(above=_RANK.shift().over("topic"), held=pl.col("count").shift().over("topic"))
        .filter(pl.col("above") + pl.col("held") < _RANK)
    )
    return ranks.select("line", "topic", "doc", message=pl.format("rank {} follows rank {}", "rank", "above"))


def _shared_ranks(checked: CheckedRun) -> pl.DataFrame:
    """Find results with the rank of another from which their rsv tells them apart."""
    shared = (
        _levels(checked)
        .filter(_RANK.is_not_null())
        .with_columns(first=pl.col("level").first().over("topic", "rank"))
        .filter(pl.col("level") != pl.col("first"))
    )
    return shared.select("line", "topic", "doc", message=pl.format("rank {} once more", "rank"))


def _not_filed_by_rank(checked: CheckedRun) -> pl.DataFrame:
    """Find topics whose lines are not in the order of their ranks: the first line that is out of order."""
    back = checked.filed.filter(pl.col("rank") < pl.col("rank").shift().over("topic"))
    first = back.filter(pl.col("topic").is_first_distinct())
    return first.select("line", "topic", "doc", message=pl.format("rank {} after a later one", "rank"))


CHECKS: tuple[Check[CheckedRun], ...] = (
    Check(
        "R301",
        "warning",
        f"more than {LIMIT} results of a topic",
        f"INEX keeps the first {LIMIT} results of a topic, and so do all measures unless told otherwise.",
        "Cut the run, or score with --limit none.",
        _too_many,
    ),
    Check(
        "R302",
        "warning",
        "the same result again",
        "The same element (document and path), or the same span, stands at an earlier rank of the topic.  It "
        "keeps its rank and gains nothing.",
        "Remove the repeats before ranking.",
        _repeats,
    ),
    Check(
        "R303",
        "warning",
        "ranks disagree with rsv",
        "A result has a higher rsv than the one ranked before it.  The ranks count, unless scored with "
        "--order score.",
        "Sort by rsv before numbering; a distance must be negated, because the highest rsv is the best.",
        _disagreeing,
    ),
    Check(
        "R304",
        "note",
        "tied results",
        "Several results have the same rsv (where rsv follows the ranks; else the same rank).  precall and "
        "GR take them as one level, every other measure in file order.",
        "Nothing, if the system could not tell them apart; else write more digits.",
        _ties,
    ),
    Check(
        "R305",
        "warning",
        "some results of a topic have no rank",
        "They are placed after those that have one, by descending rsv.",
        "Give all results of a topic a rank, or none.",
        _partly_ranked,
    ),
    Check(
        "R306",
        "note",
        "no ranks",
        "No result of the topic has a rank: the order is by descending rsv, or, without rsv, that of the "
        "file.",
        "Nothing, if that is the ranking.",
        _not_ranked,
    ),
    Check(
        "R307",
        "note",
        "ranks do not start at 1",
        "Only the order of ranks counts, so scores do not change; but some results may be missing.",
        "Number from 1.",
        _not_from_one,
    ),
    Check(
        "R308",
        "warning",
        "gap in the ranks",
        "A rank is left out.  Only the order counts: what follows moves up, as if nothing had stood there.",
        "Look for results that were lost on the way to the file; number without gaps.",
        _gaps,
    ),
    Check(
        "R309",
        "warning",
        "one rank for results with different rsv",
        "Two results of a topic have the same rank, but their rsv tells them apart.  They are taken in file "
        "order.",
        "Number the results one by one.",
        _shared_ranks,
    ),
    Check(
        "R310",
        "note",
        "file is not in the order of its ranks",
        "The lines of a topic stand in another order than their ranks say.  The ranks count, unless scored "
        "with --order file; the official tool of 2010 looked at the order of lines alone.",
        "Number in the order of lines, sort the lines, or name the order that is meant with --order.",
        _not_filed_by_rank,
    ),
)

"""Ids of passages in place of documents: ``doc:start-end`` and ``doc#passage``.

Indexes of passages often use such ids.  ``doc:start-end`` becomes the span of these characters;
``doc#passage`` becomes the whole document, because the place of the passage is unknown.  Ids are read in this
way only on request, because ids of documents may contain the same signs.
"""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from doxel.errors import InputError
from doxel.runs.run import RESULTS, Run
from doxel.wording import quote_value

__all__ = ["PASSAGE_ID_WANTED", "parse_passage_ids", "split_passage_ids"]

PASSAGE_ID_WANTED = "ids such as doc:0-120 or doc#3"
_SPAN = r"(?s)^(.+):([0-9]{1,18})-([0-9]{1,18})$"
_PASSAGE = r"(?s)^(.+)#[^#]*$"


def parse_passage_ids(ids: pl.Series) -> pl.DataFrame:
    """Return document, start and end of each id; start and end are null if the id gives none.

    >>> parse_passage_ids(pl.Series(["report:10-25", "report#3", "report"])).rows()
    [('report', 10, 25), ('report', None, None), ('report', None, None)]
    """
    name = pl.col("id")
    is_span = name.str.contains(_SPAN)
    table = (
        ids.cast(pl.String)
        .to_frame("id")
        .select(
            pl.when(is_span)
            .then(name.str.extract(_SPAN, 1))
            .otherwise(pl.coalesce(name.str.extract(_PASSAGE, 1), name))
            .alias("doc"),
            *(
                name.str.extract(_SPAN, group).cast(pl.Int64).alias(column)
                for column, group in (("start", 2), ("end", 3))
            ),
        )
    )
    backwards = table.with_columns(id=ids.cast(pl.String)).filter(pl.col("end") < pl.col("start"))
    if backwards.height:
        raise InputError(
            "the id of a passage", wanted="an end after its start", found=quote_value(backwards["id"][0])
        )
    return table


def split_passage_ids(run: Run) -> Run:
    """Return a run whose whole documents are the passages, or the documents, that their ids name."""
    results = RESULTS.fit(run.results)
    is_whole = pl.all_horizontal(pl.col(name).is_null() for name in ("start", "path", "text"))
    places = parse_passage_ids(results["doc"])
    if (places["doc"] == results["doc"]).all():
        found = quote_value(results["doc"][0]) if results.height else "no results"
        raise InputError("the passages of a run", file=run.file, wanted=PASSAGE_ID_WANTED, found=found)
    passages = results.with_columns(
        **{
            name: pl.when(is_whole).then(places[name]).otherwise(pl.col(name))
            for name in ("doc", "start", "end")
        }
    )
    return replace(run, results=RESULTS.fit(passages))

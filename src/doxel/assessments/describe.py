"""The same places in other words: quotations and paths for positions.

Some formats hold positions, some paths, some quotations.  :func:`doxel.assessments.resolve.resolve`
turns all of them into positions; these functions lead from there to the others.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from doxel.assessments.assessments import Assessments
from doxel.documents.collection import Collection
from doxel.documents.positions import Places, Side

__all__ = ["locate", "quote"]

_CONTEXT = 32  # characters before and after a quotation: enough to tell repeated sentences apart


def quote(assessments: Assessments, collection: Collection) -> Assessments:
    """Return resolved assessments whose highlights quote their text, and some text around it.

    A quotation outlives small changes of a document; annotation formats keep both.
    """
    numbers = dict(assessments.judged.select("doc", "number").iter_rows())
    rows = assessments.highlights.select("doc", "start", "end", "text", "prefix", "suffix").rows()
    quoted = [row[3:] for row in rows]
    opened, text = None, ""
    for place in sorted(range(len(rows)), key=lambda place: rows[place][0]):  # a document is read once
        doc, start, end, known, *_ = rows[place]
        number = numbers.get(doc)
        if start is None or known is not None or number is None:
            continue
        if doc != opened:
            opened, text = doc, collection.text(number)
        quoted[place] = (text[start:end], text[max(0, start - _CONTEXT) : start], text[end : end + _CONTEXT])
    columns = pl.DataFrame(
        quoted, schema=dict.fromkeys(("text", "prefix", "suffix"), pl.String), orient="row"
    )
    return replace(assessments, highlights=assessments.highlights.with_columns(columns.get_columns()))


def locate(assessments: Assessments, collection: Collection) -> Assessments:
    """Return resolved assessments whose highlights and best entry points have paths and sizes.

    Paths that are there already stay; the others name a text node and an offset in it.
    """
    numbers = assessments.judged.select("doc", "number").unique("doc")
    known = numbers["number"].drop_nulls().to_numpy().astype(np.int64)
    strip = assessments.about.get("whitespace-text-node", "").startswith("strip")
    places = Places(collection, known, strip=strip)

    def paths(frame: pl.DataFrame, column: str, side: Side) -> pl.Series:
        number = frame.join(numbers, on="doc", how="left", maintain_order="left")["number"]
        position = frame[column].fill_null(-1).to_numpy()
        return places.places(number.fill_null(-1).to_numpy(), position, side=side)

    highlights, beps = assessments.highlights, assessments.beps
    whole = highlights["path"].is_null()  # a path says where a passage ends even where path_end does not
    end = pl.select(pl.when(whole).then(paths(highlights, "end", "end"))).to_series()
    return replace(
        assessments,
        highlights=highlights.with_columns(
            path=highlights["path"].fill_null(paths(highlights, "start", "start")),
            path_end=highlights["path_end"].fill_null(end),
            size=highlights["size"].fill_null(highlights["end"] - highlights["start"]),
        ),
        beps=beps.with_columns(path=beps["path"].fill_null(paths(beps, "position", "start"))),
    )

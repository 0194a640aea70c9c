"""Add quotations and paths to assessments with positions.

Some formats hold positions, some paths, some quotations.  :func:`doxel.assessments.resolve.resolve`
turns all of them into positions; these functions turn positions into the others.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from doxel.assessments.assessments import Assessments
from doxel.documents.collection import Collection
from doxel.documents.element_paths import PlaceFinder, Side

__all__ = ["locate", "quote"]

_CONTEXT = 32  # characters before and after a quotation: enough to distinguish repeated sentences


def quote(assessments: Assessments, collection: Collection) -> Assessments:
    """Add quotations to the highlights of resolved assessments, with some text before and after.

    A quotation can still be found after small changes of a document; annotation formats keep both.
    """
    numbers = dict(assessments.judged.select("doc", "number").iter_rows())
    rows = assessments.highlights.select("doc", "start", "end", "text", "prefix", "suffix").rows()
    quotations = [row[3:] for row in rows]
    current_doc, text = None, ""
    for index in sorted(range(len(rows)), key=lambda index: rows[index][0]):  # a document is read once
        doc, start, end, quotation, *_ = rows[index]
        number = numbers.get(doc)
        if start is None or quotation is not None or number is None:
            continue
        if doc != current_doc:
            current_doc, text = doc, collection.text(number)
        prefix, suffix = text[max(0, start - _CONTEXT) : start], text[end : end + _CONTEXT]
        quotations[index] = (text[start:end], prefix, suffix)
    columns = pl.DataFrame(
        quotations, schema=dict.fromkeys(("text", "prefix", "suffix"), pl.String), orient="row"
    )
    return replace(assessments, highlights=assessments.highlights.with_columns(columns.get_columns()))


def locate(assessments: Assessments, collection: Collection) -> Assessments:
    """Add paths and sizes to the highlights and best entry points of resolved assessments.

    Existing paths do not change; new ones give a text node and an offset in it.
    """
    numbers = assessments.judged.select("doc", "number").unique("doc")
    known_numbers = numbers["number"].drop_nulls().to_numpy().astype(np.int64)
    strip = assessments.about.get("whitespace-text-node", "").startswith("strip")
    places = PlaceFinder(collection, known_numbers, strip=strip)

    def paths(frame: pl.DataFrame, column: str, side: Side) -> pl.Series:
        number = frame.join(numbers, on="doc", how="left", maintain_order="left")["number"]
        position = frame[column].fill_null(-1).to_numpy()
        return places.places(number.fill_null(-1).to_numpy(), position, side=side)

    highlights, beps = assessments.highlights, assessments.beps
    lacks_path = highlights["path"].is_null()  # a passage with a path and no path_end ends with that element
    end = pl.select(pl.when(lacks_path).then(paths(highlights, "end", "end"))).to_series()
    return replace(
        assessments,
        highlights=highlights.with_columns(
            path=highlights["path"].fill_null(paths(highlights, "start", "start")),
            path_end=highlights["path_end"].fill_null(end),
            size=highlights["size"].fill_null(highlights["end"] - highlights["start"]),
        ),
        beps=beps.with_columns(path=beps["path"].fill_null(paths(beps, "position", "start"))),
    )

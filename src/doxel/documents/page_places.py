"""Places given by page: ``page`` counts from 1, and ``start`` and ``end`` count within the page.

Runs, assessments and rows in Python may give a page.  It becomes a path (``/document[1]/page[3]``, the
whole page) or, with offsets, a place in the text of a page (``/document[1]/page[3]/text()[1].17``), which a
collection resolves like any other path: pages are the leaves of PDF documents.  Without a collection such
places are unknown, like those of all paths.

If a row also has a text, the text decides: it is searched for from the beginning of the page.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from doxel.spans import Booleans

__all__ = ["build_page_path", "convert_pages", "is_page_path"]

_PATH = "/document[1]/page["


def build_page_path(page: int, offset: int | None = None) -> str:
    """Return the path of a page, or of an offset in its text.

    >>> build_page_path(3), build_page_path(3, 17)
    ('/document[1]/page[3]', '/document[1]/page[3]/text()[1].17')
    """
    return f"{_PATH}{page}]" + ("" if offset is None else f"/text()[1].{offset}")


def convert_pages(frame: pl.DataFrame) -> pl.DataFrame:
    """Return rows with paths in place of pages and of the offsets in them.

    The columns start, end, path and path_end are added if they are missing.  A start of -1 (not found) is
    unchanged.

    >>> rows = pl.DataFrame({"page": [3, None], "start": [17, 4], "end": [20, 5]})
    >>> convert_pages(rows).select("start", "end", "path_end").rows()
    [(None, None, '/document[1]/page[3]/text()[1].20'), (4, 5, None)]
    """
    if frame.schema.get("page", pl.Null) == pl.Null or not frame["page"].is_not_null().any():
        return frame
    types: dict[str, type[pl.DataType]] = {
        "start": pl.Int64, "end": pl.Int64, "path": pl.String, "path_end": pl.String
    }  # fmt: skip
    absent = [
        pl.lit(None, dtype=dtype).alias(name) for name, dtype in types.items() if name not in frame.columns
    ]
    rows = frame.with_columns(*absent).with_columns(pl.col("page", "start", "end").cast(pl.Int64))
    page, start, end = pl.col("page"), pl.col("start"), pl.col("end")
    is_on_page = page.is_not_null() & (start.is_null() | (start >= 0))
    path = pl.concat_str(pl.lit(_PATH), page.cast(pl.String), pl.lit("]"))
    path_start, path_end = (
        pl.concat_str(path, pl.lit("/text()[1]."), offset.cast(pl.String))
        for offset in (start, pl.coalesce(end, start))
    )
    return rows.with_columns(
        path=pl.when(is_on_page).then(pl.coalesce(path_start, path)).otherwise("path"),
        path_end=pl.when(is_on_page).then(path_end).otherwise("path_end"),
        start=pl.when(~is_on_page).then(start),
        end=pl.when(~is_on_page).then(end),
    )


def is_page_path(paths: pl.Series) -> Booleans:
    """Return whether each path is a page of a PDF document, or a place in its text."""
    return np.asarray(paths.str.starts_with(_PATH).fill_null(value=False).to_numpy(), dtype=np.bool_)

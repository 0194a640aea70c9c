"""Places given by page: ``page`` counts from 1, and ``start`` and ``end`` count within the page.

Runs, assessments and rows in Python may give a page.  It becomes a path (``/document[1]/page[3]``, the
whole page) or, with offsets, a place in the text of a page (``/document[1]/page[3]/text()[1].17``), which a
collection resolves like any other path: pages are the leaves of PDF documents.  Without a collection such
places are unknown, as those of all paths are.

If a row also has a text, the text decides: it is searched for from the beginning of the page.

Places in sections of articles work likewise: BioASQ's offsets count within the title or the abstract, and
``11/abstract`` is the abstract of document 11 (``/article[1]/abstract[1]``), if the collection has no
document of the whole name.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from doxel.spans import Booleans

__all__ = ["build_page_path", "convert_pages", "convert_sections", "is_page_path"]

_PATH = "/document[1]/page["


def build_page_path(page: int, offset: int | None = None) -> str:
    """Return the path of a page, or of an offset in its text.

    >>> build_page_path(3), build_page_path(3, 17)
    ('/document[1]/page[3]', '/document[1]/page[3]/text()[1].17')
    """
    return f"{_PATH}{page}]" + ("" if offset is None else f"/text()[1].{offset}")


def convert_pages(frame: pl.DataFrame) -> pl.DataFrame:
    """Return rows with paths in place of pages and of the offsets in them.

    The columns start, end, path and path_end are added if they are missing.  A start of -1, not found, stays.

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
    whole = frame.with_columns(*absent).with_columns(pl.col("page", "start", "end").cast(pl.Int64))
    page, start, end = pl.col("page"), pl.col("start"), pl.col("end")
    is_on_page = page.is_not_null() & (start.is_null() | (start >= 0))
    path = pl.concat_str(pl.lit(_PATH), page.cast(pl.String), pl.lit("]"))
    first, last = (
        pl.concat_str(path, pl.lit("/text()[1]."), offset.cast(pl.String))
        for offset in (start, pl.coalesce(end, start))
    )
    return whole.with_columns(
        path=pl.when(is_on_page).then(pl.coalesce(first, path)).otherwise("path"),
        path_end=pl.when(is_on_page).then(last).otherwise("path_end"),
        start=pl.when(~is_on_page).then(start),
        end=pl.when(~is_on_page).then(end),
    )


def is_page_path(paths: pl.Series) -> Booleans:
    """Return whether each path is a page of a PDF document, or a place in its text."""
    return np.asarray(paths.str.starts_with(_PATH).fill_null(value=False).to_numpy(), dtype=np.bool_)


_SECTION = r"title|abstract|sections\.[0-9]{1,6}"
_SECTIONS = rf"^(.+)/({_SECTION})(?:\.\.({_SECTION}))?$"


def convert_sections(frame: pl.DataFrame, documents: pl.Series) -> pl.DataFrame:
    """Return rows with paths in place of offsets in a section of a document, and of the section's name.

    ``documents`` are the ids of the collection.

    >>> rows = pl.DataFrame({"doc": ["11/abstract", "7"], "start": [5, 0], "end": [9, 2]})
    >>> places = convert_sections(rows, pl.Series(["11"]))
    >>> places.select("doc", "start", "path").rows()
    [('11', None, '/article[1]/abstract[1]/text()[1].5'), ('7', 0, None)]
    """
    if not frame["doc"].str.contains(_SECTIONS).any():
        return frame
    parts = frame["doc"].str.extract_groups(_SECTIONS).struct.unnest()
    parent, begin, end = (parts.to_series(column) for column in range(3))
    ids = documents.implode()
    is_section = (parent.is_in(ids) & ~frame["doc"].is_in(ids)).fill_null(value=False)
    if not is_section.any():
        return frame
    frame = frame.with_columns(doc=parent.zip_with(is_section, frame["doc"]))
    if "start" not in frame.columns:  # judged documents, of which a section is no more than its document
        return frame.unique(["topic", "doc"], keep="first", maintain_order=True)
    for name in ("path", "path_end"):
        if name not in frame.columns:
            frame = frame.with_columns(pl.lit(None, dtype=pl.String).alias(name))
    is_placed = is_section & (frame["start"] >= 0).fill_null(value=False)
    last = end.zip_with(end.is_not_null(), begin)
    for name, section, offset in (("path", begin, "start"), ("path_end", last, "end")):
        place = _build_section_paths(section) + "/text()[1]." + frame[offset].cast(pl.String)
        frame = frame.with_columns(place.zip_with(is_placed, frame[name]).alias(name))
    return frame.with_columns(pl.when(~is_placed).then(name).alias(name) for name in ("start", "end"))


def _build_section_paths(names: pl.Series) -> pl.Series:
    """Return the paths of sections; sections.0 is the first element ``section``."""
    number = names.str.extract(r"([0-9]+)$").cast(pl.Int64) + 1
    numbered = "section[" + number.cast(pl.String) + "]"
    named = names + "[1]"
    return "/article[1]/" + numbered.zip_with(number.is_not_null(), named)

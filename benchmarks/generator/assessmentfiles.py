"""Assessments as files: qrels of 2007 and later, and the XML of 2005 and 2006."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.generator.topics import Topic, Universe

__all__ = ["qrels", "write_xml"]

_TOO_SMALL, _FAIRLY = 40, 300  # relevant characters below which an element is too small, or exhaustivity 1


def qrels(topic: Topic) -> bytes:
    """Return the lines of a topic: ``topic Q0 doc rsize docsize [bep off:len ...]``."""
    length = pl.col("end") - pl.col("start")
    places = (
        topic.highlights.sort("row", "start")
        .group_by("row")
        .agg(places=pl.format("{}:{}", "start", length).str.join(" "))
    )
    lines = topic.judged.join(places, on="row", how="left", maintain_order="left").select(
        pl.format(
            f"{topic.id} Q0 {{}} {{}} {{}}{{}}\n",
            "doc",
            "rsize",
            "size",
            pl.when(pl.col("rsize") > 0).then(pl.format(" {} {}", "bep", "places")).otherwise(pl.lit("")),
        )
    )
    return "".join(lines.to_series()).encode()


def write_xml(folder: Path, topic: Topic, universe: Universe, *, year: int) -> None:
    """Write a topic as ``topic-N/pool-N.xml``; 2005 grades all relevant elements, 2006 has entry points."""
    places = topic.highlights.select(
        "row",
        xml=pl.format(
            '  <passage start="{}" end="{}" size="{}"/>\n',
            "path",
            "path_end",
            pl.col("end") - pl.col("start"),
        ),
    )
    children = [places, _elements(topic, universe)] if year == 2005 else [_entry_points(topic), places]
    inside = pl.concat(children).group_by("row", maintain_order=True).agg(pl.col("xml").str.join(""))
    files = topic.judged.join(inside, on="row", how="left", maintain_order="left").select(
        pl.format(
            ' <file collection="generated" name="{}">\n{} </file>\n', "doc", pl.col("xml").fill_null("")
        )
    )
    further = "" if year == 2005 else ' whitespace-text-node="keep"'
    top = f'<assessments pool="{topic.id}" topic="{topic.id}" version="2"{further}>\n'
    path = folder / f"topic-{topic.id}" / f"pool-{topic.id}.xml"
    path.parent.mkdir(parents=True)
    path.write_text(f"{top}{''.join(files.to_series())}</assessments>\n", "utf-8")


def _entry_points(topic: Topic) -> pl.DataFrame:
    relevant = topic.judged.filter(pl.col("rsize") > 0)
    return relevant.select("row", xml=pl.format('  <best-entry-point path="{}"/>\n', "bep_path"))


def _elements(topic: Topic, universe: Universe) -> pl.DataFrame:
    """Return every element with relevant text, with its sizes and an exhaustivity derived from them."""
    documents = np.unique(topic.highlights["row"].to_numpy())
    rows = universe.rows(documents)
    size = universe.size[rows]
    rsize = np.round(universe.relevance(topic, rows) * size).astype(np.int64)
    relevant = np.flatnonzero(rsize > 0)
    rows, size, rsize = rows[relevant], size[relevant], rsize[relevant]
    grade = np.where(rsize < _TOO_SMALL, "?", np.where(rsize < _FAIRLY, "1", "2"))
    frame = pl.DataFrame(
        {
            "row": universe.forest.document[rows],
            "path": universe.paths.gather(rows),
            "grade": pl.Series(grade.tolist()),
            "size": size,
            "rsize": rsize,
        }
    )
    element = '  <element path="{}" exhaustivity="{}" size="{}" rsize="{}"/>\n'
    return frame.select("row", xml=pl.format(element, "path", "grade", "size", "rsize"))

"""Read and write files of topics in any format."""

from __future__ import annotations

import os

import polars as pl

from doxel.errors import InputError
from doxel.files import write_file
from doxel.files.formats import recognise
from doxel.files.sets import Paths, read_file_set
from doxel.topics.formats import FORMATS, format_named
from doxel.topics.topics import Topics

__all__ = ["read_topics", "write_topics"]


def read_topics(paths: Paths, *, format: str | None = None) -> Topics:  # noqa: A002 -- the public word
    """Read topics from a file, or from several files, folders and archives as one set.

    The format of each file is recognised by its content unless ``format`` is given.  An id that occurs
    twice is an error that names both places.
    """
    files = read_file_set(paths, kind="topics")
    parts: list[Topics] = []
    for name, data in files.files:
        file_format = format_named(format) if format else recognise(FORMATS, data, file=name, kind="topics")
        parts.append(file_format.read(data, name))
    table = pl.concat([part.table for part in parts])
    _refuse_repeated_ids(table)
    formats = {part.format for part in parts}
    return Topics(table, format=formats.pop() if len(formats) == 1 else None, notes=files.notes)


def write_topics(
    topics: Topics,
    path: str | os.PathLike[str],
    format: str,  # noqa: A002 -- the public word
) -> None:
    """Write topics to a file atomically, compressed if its name ends in .gz, .xz or .zst.

    Fields that the format cannot store are left out; the ``losses`` of the format list them.
    """
    write_file(path, format_named(format).write(topics))


def _refuse_repeated_ids(table: pl.DataFrame) -> None:
    repeated = table.filter(pl.col("id").is_duplicated())
    if repeated.height:
        topic = repeated["id"][0]
        first, second = repeated.filter(pl.col("id") == topic).select("file", "line").rows()[:2]
        raise InputError(
            f"topic {topic!r} occurs twice",
            file=second[0],
            line=second[1],
            wanted="each topic once",
            found=f"the first in {first[0]}, line {first[1]}",
        )

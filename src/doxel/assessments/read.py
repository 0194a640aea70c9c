"""Read and write assessments in any format."""

from __future__ import annotations

import os
from dataclasses import replace

from doxel.assessments.assessments import Assessments
from doxel.assessments.formats import FORMATS, format_named
from doxel.assessments.sets import combine
from doxel.errors import InputError
from doxel.files import write_file
from doxel.files.archives import Paths, read_file_set
from doxel.files.file_format import recognise_format

__all__ = ["read_assessments", "write_assessments"]


def read_assessments(paths: Paths, *, format: str | None = None) -> Assessments:  # noqa: A002 -- the public word
    """Read assessments from a file, or from several files, folders and archives as one set.

    The format of each file is recognised by its content unless ``format`` names it.  All files must have
    the same scale.  If a document is judged twice for a topic and the judgements differ, the error names
    both places.
    """
    files = read_file_set(paths, kind="assessments")
    parts: list[Assessments] = []
    for name, data in files.files:
        if format:
            file_format = format_named(format)
        else:
            file_format = recognise_format(FORMATS, data, file=name, kind="assessments")
        parts.append(file_format.read(data, name))
    assessments = combine(parts)
    if not assessments.judged.height:
        raise InputError("no assessments", file=parts[0].file, wanted="judged documents", found="none")
    return replace(assessments, notes=(*files.notes, *assessments.notes))


def write_assessments(
    assessments: Assessments,
    path: str | os.PathLike[str],
    format: str,  # noqa: A002 -- the public word
) -> None:
    """Write assessments to a file atomically; .gz, .xz and .zst files are compressed.

    Columns that the format cannot keep are left out; ``Format.losses`` lists them for
    ``assessments.tables``.
    """
    write_file(path, format_named(format).write(assessments))

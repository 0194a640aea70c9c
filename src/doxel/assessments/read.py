"""Reading assessments, whatever their format, and writing them."""

from __future__ import annotations

import os
from dataclasses import replace

from doxel.assessments.assessments import Assessments
from doxel.assessments.formats import FORMATS, format_named
from doxel.assessments.sets import combine
from doxel.errors import InputError
from doxel.files import write_file
from doxel.files.formats import recognise
from doxel.files.sets import Paths, read_file_set

__all__ = ["read_assessments", "write_assessments"]


def read_assessments(paths: Paths, *, format: str | None = None) -> Assessments:  # noqa: A002 -- the public word
    """Read assessments from a file, or from several files, folders and archives as one set.

    The format of each file is recognised by its content unless ``format`` names it.  All files must
    be of one scale.  A document that is judged twice for a topic is an error that names both places,
    unless the two judgements are the same.
    """
    files = read_file_set(paths, kind="assessments")
    parts: list[Assessments] = []
    for name, data in files.files:
        chosen = format_named(format) if format else recognise(FORMATS, data, file=name, kind="assessments")
        parts.append(chosen.read(data, name))
    together = combine(parts)
    if not together.judged.height:
        raise InputError("no assessments", file=parts[0].file, wanted="judged documents", found="none")
    return replace(together, notes=(*files.notes, *together.notes))


def write_assessments(
    assessments: Assessments,
    path: str | os.PathLike[str],
    format: str,  # noqa: A002 -- the public word
) -> None:
    """Write assessments to a file, whole or not at all; .gz, .xz and .zst are compressed.

    What the format cannot keep is left out: ``FORMATS`` say what that is (``Format.losses``, given
    ``assessments.tables``).
    """
    write_file(path, format_named(format).write(assessments))

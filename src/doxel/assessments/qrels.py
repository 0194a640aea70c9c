"""The qrels of 2007 and later: ``topic Q0 doc rsize docsize [bep off:len off:len ...]``.

A line with ``rsize`` 0 says that the document was judged and nothing in it is relevant.
"""

from __future__ import annotations

import polars as pl

from doxel.assessments.assessments import BEPS, HIGHLIGHTS, JUDGED, Assessments
from doxel.errors import InputError
from doxel.files import decode

__all__ = ["read_qrels"]

_SHAPE = "topic Q0 doc rsize docsize [bep off:len ...]"


def read_qrels(data: bytes, name: str) -> Assessments:
    """Read qrels of 2007 and later."""
    judged: list[tuple[object, ...]] = []
    highlights: list[tuple[object, ...]] = []
    beps: list[tuple[object, ...]] = []
    for line, text in enumerate(decode(data, name).splitlines(), 1):
        fields = text.split()
        if not fields:
            continue
        if len(fields) < 5 or (len(fields) == 6 and ":" in fields[5]):
            raise InputError("an assessment", file=name, line=line, wanted=_SHAPE, found=repr(text[:80]))
        topic, _, doc, *rest = fields
        rsize, docsize = _whole(rest[0], "rsize", name, line), _whole(rest[1], "docsize", name, line)
        judged.append((topic, doc, rsize, docsize, line))
        if len(rest) > 2:
            beps.append((topic, doc, _whole(rest[2], "best entry point", name, line), line))
        for passage in rest[3:]:
            offset, colon, length = passage.partition(":")
            if not colon:
                raise InputError("a passage", file=name, line=line, wanted="off:len", found=repr(passage))
            start = _whole(offset, "offset of a passage", name, line)
            end = start + _whole(length, "length of a passage", name, line)
            highlights.append((topic, doc, start, end, line))
    if not judged:
        raise InputError("empty file", file=name, wanted=_SHAPE, found="no assessments")
    span = ["topic", "doc", "start", "end", "line"]
    return Assessments(
        scale="2006",
        judged=JUDGED.fit(pl.DataFrame(judged, schema=["topic", "doc", "rsize", "docsize", "line"], orient="row")),
        highlights=HIGHLIGHTS.fit(pl.DataFrame(highlights, schema=span, orient="row")),
        beps=BEPS.fit(pl.DataFrame(beps, schema=["topic", "doc", "position", "line"], orient="row")),
        file=name,
        format="qrels",
    )


def _whole(field: str, what: str, name: str, line: int) -> int:
    if field.isascii() and field.isdigit():
        return int(field)
    raise InputError(f"the {what}", file=name, line=line, wanted="a whole number", found=repr(field))

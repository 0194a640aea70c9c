"""Runs of paths: ``topic Q0 doc rank rsv run-id path`` for elements, with a second path for ranges.

All lines of a file have one path, or all have two.  A range is from the start of the first element to
the end of the last; a passage may start and end inside a text node, ``/article[1]/p[2]/text()[1].17``.
"""

from __future__ import annotations

from doxel.runs.declare import RunFormat
from doxel.runs.fields import PATH, PLACE
from doxel.runs.run import RESULTS, Run
from doxel.runs.text import Shape, first_fields, is_offset

__all__ = ["PATHS"]

_ELEMENTS = Shape("paths", {"path": PATH}, "path")
_RANGES = Shape("paths", {"path": PLACE, "path_end": PLACE}, "path path")


def _recognises(head: bytes) -> bool:
    fields = first_fields(head)
    return len(fields) in {7, 8} and not is_offset(fields[6])


def _read(data: bytes, name: str) -> Run:
    shape = _RANGES if len(first_fields(data[:65_536])) == 8 else _ELEMENTS
    run_id, table = shape.read(data, name)
    return Run(run_id, RESULTS.fit(table), file=name, format="paths")


def _write(run: Run) -> bytes:
    has_ranges = run.results["path_end"].is_not_null().any()
    return (_RANGES if has_ranges else _ELEMENTS).write(run, run.results)


PATHS = RunFormat(
    name="paths",
    about="topic Q0 doc rank rsv run-id path: elements; with a second path: ranges and passages",
    recognises=_recognises,
    read=_read,
    write=_write,
    says=("element", "range"),
    holds={
        "results": frozenset({"topic", "doc", "rank", "rsv", "path", "path_end"}),
        "about": frozenset({"id"}),
    },
)

"""Best entry points: ``topic Q0 doc rank rsv run-id offset``."""

from __future__ import annotations

from doxel.runs.declare import RunFormat
from doxel.runs.fields import OFFSET
from doxel.runs.run import RESULTS, Run
from doxel.runs.text import Shape, first_fields, is_offset

__all__ = ["BEP"]

_SHAPE = Shape("bep", {"start": OFFSET}, "offset")


def _recognises(head: bytes) -> bool:
    fields = first_fields(head)
    return len(fields) == 7 and is_offset(fields[6])


def _read(data: bytes, name: str) -> Run:
    run_id, table = _SHAPE.read(data, name)
    return Run(run_id, RESULTS.fit(table), file=name, format="bep")


def _write(run: Run) -> bytes:
    return _SHAPE.write(run, run.results)


BEP = RunFormat(
    name="bep",
    about="topic Q0 doc rank rsv run-id offset: entry points",
    recognises=_recognises,
    read=_read,
    write=_write,
    says=("point",),
    holds={"results": frozenset({"topic", "doc", "rank", "rsv", "start"}), "about": frozenset({"id"})},
)

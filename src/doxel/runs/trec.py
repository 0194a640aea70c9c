"""TREC runs: ``topic Q0 doc rank rsv run-id``, whole documents."""

from __future__ import annotations

from doxel.runs.declare import RunFormat
from doxel.runs.run import RESULTS, Run
from doxel.runs.text import Shape, first_fields

__all__ = ["TREC"]

_SHAPE = Shape("trec", {})


def _read(data: bytes, name: str) -> Run:
    run_id, table = _SHAPE.read(data, name)
    return Run(run_id, RESULTS.fit(table), file=name, format="trec")


def _write(run: Run) -> bytes:
    return _SHAPE.write(run, run.results)


TREC = RunFormat(
    name="trec",
    about="topic Q0 doc rank rsv run-id: whole documents",
    recognises=lambda head: len(first_fields(head)) == 6,
    read=_read,
    write=_write,
    says=("whole",),
    holds={"results": frozenset({"topic", "doc", "rank", "rsv"}), "about": frozenset({"id"})},
)

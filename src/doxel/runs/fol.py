"""File, offset, length (2009 and later): ``topic Q0 doc rank rsv run-id offset length``.

An offset of X or -1 means that the system did not find its own passage in the collection; its length
then has no meaning.  Some old writers put the end of a passage in the length column: ``read_fol`` reads
those files with ``fol_end``.
"""

from __future__ import annotations

import polars as pl

from doxel.errors import InputError
from doxel.runs.declare import RunFormat
from doxel.runs.fields import LENGTH, OFFSET
from doxel.runs.run import NOT_FOUND, RESULTS, Run
from doxel.runs.text import Shape, first_fields, is_offset

__all__ = ["FOL", "read_fol"]

_SHAPE = Shape("fol", {"start": OFFSET, "length": LENGTH}, "offset length")


def _recognises(head: bytes) -> bool:
    fields = first_fields(head)
    return len(fields) == 8 and is_offset(fields[6])


def read_fol(data: bytes, name: str, *, fol_end: bool = False) -> Run:
    """Read a run; ``fol_end``: the last column is an end, not a length."""
    run_id, table = _SHAPE.read(data, name)
    end = pl.col("length") if fol_end else pl.col("start") + pl.col("length")
    is_lost = pl.col("start") == NOT_FOUND
    table = table.with_columns(end=pl.when(is_lost).then(NOT_FOUND).otherwise(end))
    backward = table.filter(pl.col("end") < pl.col("start")).head(1) if fol_end else table.clear()
    if backward.height:
        raise InputError(
            "the end of a result",
            file=name,
            line=backward["line"].item(),
            wanted=f"an end that is not before the offset {backward['start'].item()}",
            found=str(backward["end"].item()),
        )
    return Run(run_id, RESULTS.fit(table), file=name, format="fol")


def _write(run: Run) -> bytes:
    return _SHAPE.write(run, run.results.with_columns(length=pl.col("end") - pl.col("start")))


FOL = RunFormat(
    name="fol",
    about="topic Q0 doc rank rsv run-id offset length: passages",
    recognises=_recognises,
    read=read_fol,
    write=_write,
    says=("span",),
    holds={"results": frozenset({"topic", "doc", "rank", "rsv", "start", "end"}), "about": frozenset({"id"})},
)

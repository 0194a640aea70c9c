"""All formats of runs, in the order in which they are recognised."""

from __future__ import annotations

from doxel.errors import InputError
from doxel.runs.bep import BEP
from doxel.runs.fol import FOL
from doxel.runs.inex_xml import INEX_XML
from doxel.runs.jsonl import JSONL
from doxel.runs.paths import PATHS
from doxel.runs.run import Run
from doxel.runs.trec import TREC
from doxel.tables import Format

__all__ = ["FORMATS", "format_named"]

FORMATS: tuple[Format[Run], ...] = (INEX_XML, JSONL, PATHS, FOL, BEP, TREC)


def format_named(name: str) -> Format[Run]:
    """Return the format with a name."""
    for one in FORMATS:
        if one.name == name:
            return one
    known = ", ".join(one.name for one in FORMATS)
    raise InputError("a format of runs", wanted=f"one of {known}", found=repr(name))

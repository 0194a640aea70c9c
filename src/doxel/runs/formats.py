"""All formats of runs, in the order in which they are recognised."""

from __future__ import annotations

from doxel.files.file_format import find_format
from doxel.runs.bep import BEP
from doxel.runs.declare import RunFormat
from doxel.runs.fol import FOL
from doxel.runs.inex_xml import INEX_XML
from doxel.runs.jsonl import JSONL
from doxel.runs.paths import PATHS
from doxel.runs.trec import TREC

__all__ = ["FORMATS", "format_named"]

FORMATS: tuple[RunFormat, ...] = (INEX_XML, JSONL, PATHS, FOL, BEP, TREC)


def format_named(name: str) -> RunFormat:
    """Return the run format with a name."""
    return find_format(FORMATS, name, kind="runs")

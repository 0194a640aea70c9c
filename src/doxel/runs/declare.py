"""What a format of runs is: declared once, at the end of the file that reads and writes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from doxel.files.formats import Format
from doxel.runs.run import Run

__all__ = ["RunFormat", "Way"]

Way = Literal["span", "point", "element", "range", "quotation", "whole"]
"""A way of saying where a result is."""


@dataclass(frozen=True, kw_only=True)
class RunFormat(Format[Run]):
    """A format of runs; ``says`` are the ways in which it can say where a result is."""

    says: tuple[Way, ...]

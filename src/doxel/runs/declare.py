"""The declaration of a run format: made once, at the end of the file that reads and writes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from doxel.files.file_format import FileFormat
from doxel.runs.run import Run

__all__ = ["RunFormat", "Way"]

Way = Literal["span", "point", "element", "range", "quotation", "whole"]
"""How a result gives its place in the collection; "whole" is a whole document."""


@dataclass(frozen=True, kw_only=True)
class RunFormat(FileFormat[Run]):
    """A format of runs; ``says`` lists the kinds of results that it can express."""

    says: tuple[Way, ...]

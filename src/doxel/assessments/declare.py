"""What a format of assessments is: declared once, at the end of the file that reads and writes it."""

from __future__ import annotations

from dataclasses import dataclass

from doxel.assessments.assessments import Assessments
from doxel.files.formats import Format

__all__ = ["AssessmentFormat"]


@dataclass(frozen=True, kw_only=True)
class AssessmentFormat(Format[Assessments]):
    """A format of assessments; ``scale`` is that of whatever is read from it."""

    scale: str

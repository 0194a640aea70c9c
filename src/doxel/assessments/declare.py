"""The declaration of an assessment format: made once, at the end of the file that reads and writes it."""

from __future__ import annotations

from dataclasses import dataclass

from doxel.assessments.assessments import Assessments
from doxel.files.file_format import FileFormat

__all__ = ["AssessmentFormat"]


@dataclass(frozen=True, kw_only=True)
class AssessmentFormat(FileFormat[Assessments]):
    """A format of assessments; ``scale`` is the scale of assessments read from it."""

    scale: str

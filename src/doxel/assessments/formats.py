"""All formats of assessments, in the order in which they are recognised."""

from __future__ import annotations

from doxel.assessments.declare import AssessmentFormat
from doxel.assessments.graded import INEX2002, INEX2003
from doxel.assessments.highlighted import INEX2005, INEX2006
from doxel.assessments.jsonl import JSONL
from doxel.assessments.qrels import QRELS
from doxel.assessments.trec import TREC
from doxel.assessments.webannotation import WEB_ANNOTATION
from doxel.files.file_format import find_format

__all__ = ["FORMATS", "format_named"]

FORMATS: tuple[AssessmentFormat, ...] = (
    INEX2006,
    INEX2005,
    INEX2002,
    INEX2003,
    WEB_ANNOTATION,
    JSONL,
    TREC,
    QRELS,
)


def format_named(name: str) -> AssessmentFormat:
    """Return the assessment format with a name."""
    return find_format(FORMATS, name, kind="assessments")

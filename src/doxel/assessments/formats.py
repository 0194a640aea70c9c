"""All formats of assessments, in the order in which they are recognised."""

from __future__ import annotations

from doxel.assessments.assessments import Assessments
from doxel.assessments.graded import INEX2002, INEX2003
from doxel.assessments.highlighted import INEX2005, INEX2006
from doxel.assessments.jsonl import JSONL
from doxel.assessments.qrels import QRELS
from doxel.assessments.trec import TREC
from doxel.assessments.webannotation import WEB_ANNOTATION
from doxel.tables import Format

__all__ = ["FORMATS"]

FORMATS: tuple[Format[Assessments], ...] = (
    INEX2006,
    INEX2005,
    INEX2002,
    INEX2003,
    WEB_ANNOTATION,
    JSONL,
    TREC,
    QRELS,
)

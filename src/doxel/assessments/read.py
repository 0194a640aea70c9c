"""Reading assessments, whatever their format: recognised by content."""

from __future__ import annotations

import os

from doxel.assessments.assessments import Assessments
from doxel.assessments.qrels import read_qrels
from doxel.files import read_bytes

__all__ = ["read_assessments"]


def read_assessments(path: str | os.PathLike[str]) -> Assessments:
    """Read assessments from a file, compressed or not."""
    return read_qrels(read_bytes(path), str(path))

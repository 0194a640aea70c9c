"""The table of all checks, in the order of their codes."""

from __future__ import annotations

from typing import Any

from doxel.checks import (
    assessed_grades,
    assessed_highlights,
    assessed_places,
    assessed_sizes,
    assessed_topics,
    run_places,
    run_ranking,
    run_tasks,
    run_topics,
    sources,
)
from doxel.checks.declare import Check
from doxel.checks.subjects import CheckedAssessments, CheckedRun

__all__ = ["ASSESSMENT_CHECKS", "CHECKS", "KINDS", "RUN_CHECKS"]

KINDS = {"F": "Files", "C": "Collection", "T": "Topics", "R": "Runs", "A": "Assessments"}
"""The meaning of the first letter of a code, in the order of printing."""

RUN_CHECKS: tuple[Check[CheckedRun], ...] = (
    *run_places.CHECKS,
    *run_tasks.CHECKS,
    *run_ranking.CHECKS,
    *run_topics.CHECKS,
)

ASSESSMENT_CHECKS: tuple[Check[CheckedAssessments], ...] = (
    *assessed_topics.CHECKS,
    *assessed_places.CHECKS,
    *assessed_highlights.CHECKS,
    *assessed_grades.CHECKS,
    *assessed_sizes.CHECKS,
)

CHECKS: tuple[Check[Any], ...] = tuple(
    sorted(
        (
            *sources.FILE_CHECKS,
            *sources.COLLECTION_CHECKS,
            *sources.TOPIC_CHECKS,
            *RUN_CHECKS,
            *run_topics.SET_CHECKS,
            *assessed_topics.SET_CHECKS,
            *ASSESSMENT_CHECKS,
        ),
        key=lambda check: (list(KINDS).index(check.code[0]), check.code),
    )
)

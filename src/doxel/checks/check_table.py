"""The table of all checks, in the order of their codes, and the documentation page generated from it."""

from __future__ import annotations

from typing import Any

from doxel.checks import (
    assessment_grade_checks,
    assessment_place_checks,
    run_place_checks,
    run_ranking_checks,
    run_task_checks,
    source_checks,
)
from doxel.checks.check_declaration import EFFECTS, MOST_PLACES, SEVERITIES, Check
from doxel.checks.check_subjects import CheckedAssessments, CheckedRun
from doxel.checks.score_checks import SCORE_CHECKS

__all__ = ["ASSESSMENT_CHECKS", "CHECKS", "KINDS", "RUN_CHECKS", "render_check_page"]

KINDS = {"F": "Files", "C": "Collection", "T": "Topics", "R": "Runs", "A": "Assessments", "S": "Scores"}
"""The meaning of the first letter of a code, in the order of printing."""

RUN_CHECKS: tuple[Check[CheckedRun], ...] = (
    *run_place_checks.RUN_PLACE_CHECKS,
    *run_task_checks.TASK_CHECKS,
    *run_ranking_checks.RUN_RANKING_CHECKS,
    *run_task_checks.TOPIC_CHECKS,
)

ASSESSMENT_CHECKS: tuple[Check[CheckedAssessments], ...] = (
    *source_checks.ASSESSED_TOPIC_CHECKS,
    *assessment_place_checks.PLACE_CHECKS,
    *assessment_grade_checks.HIGHLIGHT_CHECKS,
    *assessment_grade_checks.GRADE_CHECKS,
    *assessment_place_checks.SIZE_CHECKS,
)

CHECKS: tuple[Check[Any], ...] = tuple(
    sorted(
        (
            *source_checks.FILE_CHECKS,
            *source_checks.COLLECTION_CHECKS,
            *source_checks.TOPIC_CHECKS,
            *RUN_CHECKS,
            *run_task_checks.RUN_SET_CHECKS,
            *source_checks.ASSESSMENT_SET_CHECKS,
            *ASSESSMENT_CHECKS,
        ),
        key=lambda check: (list(KINDS).index(check.code[0]), check.code),
    )
)


_INTRODUCTION = f"""\
# What `doxel check` finds

This page is generated from the declarations of the checks; `doxel check --codes` prints the same texts.

All findings with the same code in the same file are one line, with their number and the first places;
`-f json` lists up to {MOST_PLACES:,} places for each.  The exit status is 1 if there is any error, 2 if the
command itself was called wrongly, and 0 otherwise.

Findings that can change a score are also reported beside the scores: see
[warnings beside scores](formats.md#warnings-beside-scores).  Codes that begin with S occur only there.
"""


def render_check_page() -> str:
    """Return the page as Markdown."""
    severities = [f"| {name} | {meaning} |" for name, meaning in SEVERITIES.items()]
    effects = [f"| {name} | {meaning} |" for name, meaning in EFFECTS.items()]
    lines = [_INTRODUCTION, "| severity | means |", "|---|---|", *severities, ""]
    lines += ["| effect on scores | means |", "|---|---|", *effects, ""]
    for letter, kind in KINDS.items():
        checks = [check for check in (*CHECKS, *SCORE_CHECKS) if check.code.startswith(letter)]
        lines += [f"## {kind}", "", "| code | severity | effect | finding |", "|---|---|---|---|"]
        for check in checks:
            link = f"[{check.code}](#{check.code.lower()})"
            lines.append(f"| {link} | {check.severity} | {check.effect} | {check.title} |")
        lines.append("")
        for check in checks:
            lines += [
                f"### {check.code}",
                "",
                f"**{check.title}** ({check.severity}; effect: {check.effect})",
                "",
            ]
            lines += [check.explanation, "", f"*How to fix it:* {check.mend}", ""]
    return "\n".join(lines).rstrip() + "\n"

"""Assessments and runs in few words, for the evaluator that imitates inex_eval."""

from __future__ import annotations

from doxel.assessments.assessments import BEPS, HIGHLIGHTS, JUDGED, Assessments
from doxel.evaluation.compat.inex_eval.inex_eval_figures import ToolOutcome
from doxel.runs import RESULTS, Run

__all__ = ["BEST", "IN_CONTEXT", "QRELS", "qrels", "run", "values"]

IN_CONTEXT, BEST = "relevant-in-context", "best-in-context"


def qrels(*lines: str) -> Assessments:
    """Assessments, from lines ``topic doc rsize docsize [bep off:len ...]``."""
    judged, highlights, beps = [], [], []
    for text in lines:
        topic, doc, rsize, docsize, *rest = text.split()
        about = {"topic": topic, "doc": doc}
        judged.append(about | {"rsize": int(rsize), "docsize": int(docsize)})
        beps += [about | {"position": int(position)} for position in rest[:1]]
        spans = [tuple(map(int, passage.split(":"))) for passage in rest[1:]]
        highlights += [about | {"start": offset, "end": offset + length} for offset, length in spans]
    tables = JUDGED.from_rows(judged), HIGHLIGHTS.from_rows(highlights)
    return Assessments("2006", *tables, beps=BEPS.from_rows(beps))


def run(*lines: str) -> Run:
    """A run, from lines ``topic doc offset length``; the offset X is not in the collection."""
    rows = []
    for line, text in enumerate(lines, 1):
        topic, doc, offset, length = text.split()
        start = -1 if offset == "X" else int(offset)
        end = -1 if offset == "X" else start + int(length)
        rows.append({"topic": topic, "doc": doc, "start": start, "end": end, "line": line})
    return Run("test", RESULTS.from_rows(rows))


def values(outcome: ToolOutcome, topic: str = "1") -> dict[str, float]:
    """Return the figures of one topic by their names."""
    assert outcome.rejected is None
    return {row.measure: row.value for row in outcome.rows if row.topic == topic}


# for topic 1, A has 100 relevant characters of 1000, B 100 of 400, C none; topic 2 has D
QRELS = qrels(
    "1 A 100 1000 150 150:100",
    "1 B 100 400 0 0:100",
    "1 C 0 500",
    "2 D 50 200 20 20:50",
)

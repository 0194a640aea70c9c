"""Runs laid out as arrays for the tests of views, and a collection of two small trees."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from doxel.assessments.assessment_spans import resolve_assessments
from doxel.assessments.assessments import ELEMENTS, HIGHLIGHTS, JUDGED, Assessments
from doxel.assessments.judged_pairs import lay_out_assessments
from doxel.documents import Collection, read_collection
from doxel.documents.ingestion import ingest
from doxel.evaluation.inputs.input_tables import as_assessments, as_runs
from doxel.evaluation.ranked_run import RankedRun, lay_out_run
from doxel.evaluation.recall_bases import RecallBases
from doxel.runs.result_order import order_results
from doxel.runs.result_spans import resolve_run
from evaluation.small_inputs import rows

__all__ = ["IDEAL_RULES", "TREES", "grade_elements", "lay_out", "open_trees", "results_of"]

TREES = {
    # a[0,25) > b[0,10) c[10,25) > e[20,25)
    "d": "<a><b>0123456789</b><c>abcdefghij<e>klmno</e></c></a>",
    "f": "<a><b>01234</b></a>",
}
IDEAL_RULES = {"construction": "path", "tie": "ancestor", "paths": "leaf"}


@contextmanager
def open_trees() -> Iterator[Collection]:
    """Ingest the two trees into a temporary collection."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "sources").mkdir()
        for doc, text in TREES.items():
            (folder / "sources" / f"{doc}.xml").write_text(text, "utf-8")
        ingest(str(folder / "sources"), str(folder / "trees.doxel"))
        yield read_collection(folder / "trees.doxel")


def lay_out(run: Iterable[Any], gold: Any, collection: Collection | None = None, **options: Any) -> RankedRun:
    """Return plain rows, dicts or spans, laid out as a run; ``options`` are those of RecallBases."""
    assessments = as_assessments(gold, collection)
    if collection is not None:
        assessments = resolve_assessments(assessments, collection)
    assessed = lay_out_assessments(assessments, declared_sizes=False)
    spans = [row if isinstance(row, Mapping) else rows([row])[0] for row in run]
    (source,) = as_runs([spans])
    results = order_results(resolve_run(source, collection), by="rank")
    return lay_out_run(results, assessed, RecallBases(assessments, assessed, collection, **options))


def results_of(*paths: str, doc: str = "d", topic: str = "1") -> list[dict[str, Any]]:
    """Return the rows of a run that retrieves elements of one document."""
    return [{"topic": topic, "doc": doc, "path": path} for path in paths]


def grade_elements(scale: str, spans: Any = (), **grades: tuple[str, str]) -> Assessments:
    """Return grades of elements of ``d``, named by their tags: the two columns of the scale."""
    paths = {"a": "/a[1]", "b": "/a[1]/b[1]", "c": "/a[1]/c[1]", "e": "/a[1]/c[1]/e[1]"}
    columns = ("relevance", "coverage") if scale == "2002" else ("exhaustivity", "specificity")
    return Assessments(
        scale,
        JUDGED.from_rows([{"topic": "1", "doc": "d"}]),
        HIGHLIGHTS.from_rows({"topic": "1", "doc": "d", "start": start, "end": end} for start, end in spans),
        ELEMENTS.from_rows(
            {"topic": "1", "doc": "d", "path": paths[tag]} | dict(zip(columns, pair, strict=True))
            for tag, pair in grades.items()
        ),
    )

"""Comparison of two assessors of a topic, for organisers and for those who have finished the topic."""

from __future__ import annotations

import math
from typing import Any
from urllib.parse import urlencode

from starlette.responses import JSONResponse, Response

from doxel.assess.office.assessor_comparison import (
    AssessorComparison,
    choose_pair,
    compare_assignments,
    find_differences,
)
from doxel.assess.store.assignments import AssignmentProgress, list_assignments
from doxel.assess.web.call import Call, encode_progress, read_topic_fields, render_page
from doxel.assess.web.endpoints import Endpoint
from doxel.errors import RefusedError

__all__ = ["COMPARISON_ENDPOINTS"]


def _compare(call: Call) -> tuple[AssessorComparison, list[AssignmentProgress], dict[str, Any] | None]:
    """Return the comparison, all assignments of the topic, and the differences in the document if any."""
    library = call.service.library
    with call.service.store.read() as connection:
        topic_assignments = list_assignments(connection, topic=call.path["topic"])
        if not topic_assignments:
            raise RefusedError(404, "not-found", "this topic is assigned to nobody")
        one, other = choose_pair(topic_assignments, call.query.get("one"), call.query.get("other"))
        compared = compare_assignments(connection, library, one, other)
        doc = call.query.get("doc")
        if doc is None:
            return compared, topic_assignments, None
        if doc not in {row.doc for row in compared.documents}:
            raise RefusedError(404, "not-found", "there is no such document in the pool")
        return compared, topic_assignments, find_differences(connection, library, one, other, doc).as_json()


def _send_comparison(call: Call) -> Response:
    compared, _, differing = _compare(call)
    payload: dict[str, Any] = {
        "one": encode_progress(compared.one),
        "other": encode_progress(compared.other),
        "figures": None if compared.figures is None else _replace_nan(compared.figures),
        "documents": [_replace_nan(vars(row)) for row in compared.documents],
    }
    if differing is not None:
        payload |= {"doc": call.query["doc"], "differences": differing}
    return JSONResponse(payload)


def _replace_nan(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with NaN replaced by None, because JSON has no NaN."""
    return {key: None if _is_nan(value) else value for key, value in row.items()}


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _show_comparison(call: Call) -> Response:
    compared, topic_assignments, differing = _compare(call)
    docs = [row.doc for row in compared.documents]
    pair = {"one": compared.one.assessor, "other": compared.other.assessor}
    most = max((row.marked for row in compared.documents), default=0)
    doc = call.query.get("doc")
    place = docs.index(doc) if doc is not None else 0

    def address(**more: str) -> str:
        return f"?{urlencode({**pair, **more})}"

    return render_page(
        "compare.html" if differing is None else "comparing.html",
        call,
        topic=call.path["topic"],
        fields=read_topic_fields(call, call.path["topic"]),
        compared=compared,
        figures=None if compared.figures is None else _replace_nan(compared.figures),
        assignments=topic_assignments,
        most=most,
        address=address,
        row=compared.documents[place] if docs else None,
        doc=doc,
        place=place,
        before=docs[place - 1] if place else None,
        after=docs[place + 1] if place + 1 < len(docs) else None,
    )


COMPARISON_ENDPOINTS = (
    Endpoint("GET", "/api/topics/{topic:path}/compare", _send_comparison, "finisher"),
    Endpoint("GET", "/topics/{topic:path}/compare", _show_comparison, "finisher"),
)

"""Comparison of the assessors of a topic, for organisers and for those who have finished the topic.

A user whose assignment of the topic is not locked first sees a notice: the look at the marks of others is
recorded, and later changes of the user's own marks are shown as changes after it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from sqlalchemy import Connection
from starlette.responses import JSONResponse, Response

from doxel.assess.office.assessor_comparison import (
    AssessorComparison,
    choose_pair,
    compare_assignments,
    compare_topic,
    find_differences,
)
from doxel.assess.office.group_agreement import GroupAgreement
from doxel.assess.store.accounts import User, list_users
from doxel.assess.store.adjudications import (
    LateChanges,
    find_late_changes,
    list_adjudications,
    list_looks,
    record_looks,
)
from doxel.assess.store.assignments import AssignmentProgress, list_assignments
from doxel.assess.web.call import Call, encode_progress, read_topic_fields, render_page
from doxel.assess.web.endpoints import Endpoint
from doxel.errors import RefusedError

__all__ = ["COMPARISON_ENDPOINTS", "render_comparison"]


@dataclass(frozen=True)
class _TopicWork:
    """The assignments of a topic: all, the sources of adjudications, changes after looks, adjudicators."""

    assignments: list[AssignmentProgress]
    adjudications: dict[int, tuple[int, ...]]
    late: list[LateChanges]
    people: list[User]

    @property
    def independent(self) -> list[AssignmentProgress]:
        """The assignments that are not adjudications."""
        return [assignment for assignment in self.assignments if assignment.id not in self.adjudications]


def _read_work(call: Call, connection: Connection) -> _TopicWork:
    topic = call.path["topic"]
    assignments = list_assignments(connection, topic=topic)
    if not assignments:
        raise RefusedError(404, "not-found", "this topic is assigned to nobody")
    numbers = [assignment.id for assignment in assignments]
    assessor_ids = {assignment.user_id for assignment in assignments}
    people = [user for user in list_users(connection) if not user.disabled and user.id not in assessor_ids]
    adjudications = list_adjudications(connection, numbers)
    return _TopicWork(assignments, adjudications, find_late_changes(connection, topic), people)


def _compare(
    call: Call, connection: Connection, work: _TopicWork
) -> tuple[AssessorComparison, dict[str, Any] | None]:
    """Return the comparison of two assessors, and the differences in the document if one is named."""
    library = call.service.library
    first, second = choose_pair(work.assignments, call.query.get("one"), call.query.get("other"))
    comparison = compare_assignments(connection, library, first, second)
    doc = call.query.get("doc")
    if doc is None:
        return comparison, None
    if doc not in {row.doc for row in comparison.documents}:
        raise RefusedError(404, "not-found", "there is no such document in the pool")
    return comparison, find_differences(connection, library, first, second, doc).as_json()


def _send_comparison(call: Call) -> Response:
    with call.service.store.read() as connection:
        work = _read_work(call, connection)
        comparison, differing = _compare(call, connection, work)
    record_looks(call.service.store, call.caller.user_id, [comparison.one, comparison.other])
    payload: dict[str, Any] = {
        "one": encode_progress(comparison.one),
        "other": encode_progress(comparison.other),
        "figures": None if comparison.figures is None else _replace_nan(comparison.figures),
        "documents": [_replace_nan(vars(row)) for row in comparison.documents],
        "late": [vars(change) for change in work.late],
    }
    if differing is not None:
        payload |= {"doc": call.query["doc"], "differences": differing}
    return JSONResponse(payload)


def _send_agreement(call: Call) -> Response:
    """Return the agreement of all assessors of a topic."""
    with call.service.store.read() as connection:
        work = _read_work(call, connection)
        agreement = compare_topic(connection, call.service.library, work.assignments)
    record_looks(call.service.store, call.caller.user_id, work.independent)
    tables = {} if agreement is None else vars(agreement)
    return JSONResponse(
        {
            "assessors": [assignment.assessor for assignment in work.independent],
            **{
                name: [_replace_nan(row) for row in tables[name].iter_rows(named=True)] if tables else []
                for name in ("topics", "documents", "pairs")
            },
            "late": [vars(change) for change in work.late],
        }
    )


def _replace_nan(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with NaN replaced by None, because JSON has no NaN."""
    return {key: None if _is_nan(value) else value for key, value in row.items()}


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _show_comparison(call: Call) -> Response:
    return render_comparison(call)


def render_comparison(call: Call, error: str = "") -> Response:
    """Return the comparison of a topic; with an error, the form of the adjudication as it was filled in."""
    with call.service.store.read() as connection:
        work = _read_work(call, connection)
        if _is_first_look(call, connection, work):
            return _show_notice(call, work)
        agreement = compare_topic(connection, call.service.library, work.assignments)
        is_pair = len(work.independent) < 3 or {"one", "other", "doc"} & call.query.keys()
        comparison, differing = _compare(call, connection, work) if is_pair else (None, None)
    shown_assignments = work.independent if comparison is None else [comparison.one, comparison.other]
    record_looks(call.service.store, call.caller.user_id, shown_assignments)
    page = _build_page(call, work, agreement)
    page |= {"error": error, "entered": call.form() if error else {}, "status": 400 if error else 200}
    if comparison is None:
        return render_page("agreement.html", call, **page, doc=None)
    return _show_pair(call, comparison, differing, page)


def _is_first_look(call: Call, connection: Connection, work: _TopicWork) -> bool:
    """Return whether the caller can still change own marks, has seen no others, and has not agreed yet."""
    user_id = call.caller.user_id
    own_assignments = [assignment for assignment in work.independent if assignment.user_id == user_id]
    if (
        call.query.get("look") == "yes"
        or not own_assignments
        or own_assignments[0].locked
        or len(work.assignments) == 1
    ):
        return False
    return not list_looks(connection, own_assignments[0].topic, user_id)


def _show_notice(call: Call, work: _TopicWork) -> Response:
    query = {key: value for key, value in call.query.items() if key in ("one", "other", "doc")}
    return render_page(
        "look.html",
        call,
        topic=call.path["topic"],
        fields=read_topic_fields(call, call.path["topic"]),
        own=next(item for item in work.independent if item.user_id == call.caller.user_id),
        address=f"?{urlencode({**query, 'look': 'yes'})}",
    )


def _build_page(call: Call, work: _TopicWork, agreement: GroupAgreement | None) -> dict[str, Any]:
    topic = call.path["topic"]
    return {
        "topic": topic,
        "fields": read_topic_fields(call, topic),
        "work": work,
        "assignments": work.assignments,
        "group": None if agreement is None else agreement.topics.row(-1, named=True),
        "alphas": {} if agreement is None else dict(agreement.documents.select("doc", "alpha").iter_rows()),
        "agreement": agreement,
    }


def _show_pair(
    call: Call, comparison: AssessorComparison, differing: dict[str, Any] | None, page: dict[str, Any]
) -> Response:
    docs = [row.doc for row in comparison.documents]
    pair = {"one": comparison.one.assessor, "other": comparison.other.assessor}
    doc = call.query.get("doc")
    place = docs.index(doc) if doc is not None else 0

    def address(**more: str) -> str:
        return f"?{urlencode({**pair, **more})}"

    return render_page(
        "compare.html" if differing is None else "comparing.html",
        call,
        **page,
        compared=comparison,
        figures=None if comparison.figures is None else _replace_nan(comparison.figures),
        most=max((row.marked for row in comparison.documents), default=0),
        address=address,
        row=comparison.documents[place] if docs else None,
        doc=doc,
        place=place,
        before=docs[place - 1] if place else None,
        after=docs[place + 1] if place + 1 < len(docs) else None,
    )


COMPARISON_ENDPOINTS = (
    Endpoint("GET", "/api/topics/{topic:path}/compare", _send_comparison, "finisher"),
    Endpoint("GET", "/api/topics/{topic:path}/agreement", _send_agreement, "finisher"),
    Endpoint("GET", "/topics/{topic:path}/compare", _show_comparison, "finisher"),
)

"""Check the rows of a backup by the rules of the server, before they are committed.

The checksum of a backup detects accidents.  A row that was edited, with a new checksum, is refused unless the
server itself could have written it: an event must be one that it would accept from the assessor, on the
scale of the assignment, about a pooled document; settings, users, assignments and pooled parts must have
values that it accepts, and password hashes its cost.  With the collection, positions and paths are also
compared with the texts, and documents that are done must be complete.

Two rules of the server are left out, because they depend on the moment at which an event arrived: whether
its assignment was locked, and whether all elements that are pooled now have a grade.
"""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Connection, Row, select

from doxel.assess.document_state import EMPTY_STATE, State, apply_event, find_breaches
from doxel.assess.judging_events import Arrival, parse_arrival
from doxel.assess.scales import Scale, check_snapping, find_scale
from doxel.assess.store.accounts import check_hash_cost, check_user_name
from doxel.assess.store.adjudications import find_source_misfit, list_adjudications
from doxel.assess.store.campaign_settings import CampaignSettings, read_campaign_settings
from doxel.assess.store.database_schema import ASSIGNMENTS, EVENTS, LOOKS, POOLED, SHARES, USERS
from doxel.assess.store.event_writer import (
    build_origin,
    find_grade_misfit,
    find_kind_misfit,
    find_place_misfit,
)
from doxel.assess.store.pooled_documents import Library
from doxel.errors import InputError

__all__ = ["check_restored_rows"]


def check_restored_rows(connection: Connection, name: str, library: Library | None) -> None:
    """Raise InputError for the first row of the backup ``name`` that the server would not have written."""
    label = "settings"
    try:
        _check_settings(read_campaign_settings(connection))
        label = "users"
        for user in connection.execute(select(USERS)):
            label = f"user {user.id}"
            check_user_name(user.name)
            check_hash_cost(user.password_hash)
        for pooled in connection.execute(select(POOLED)):
            label = f"pooled document {pooled.doc}"
            _check_pooled(pooled, library)
        assignments = {row.id: row for row in connection.execute(select(ASSIGNMENTS))}
        for assignment in assignments.values():
            label = f"assignment {assignment.id}"
            find_scale(assignment.scale)
            check_snapping(assignment.snapping)
        pooled_texts = _read_pooled_texts(connection)
        for share in connection.execute(select(SHARES)):
            label = f"document {share.doc} of assignment {share.assignment_id}"
            _check_share(assignments[share.assignment_id], share, pooled_texts)
        adjudications = list_adjudications(connection)
        for number, sources in adjudications.items():
            label = f"adjudication {number}"
            _check_sources(assignments, number, sources)
        rules = _EventRules(assignments, pooled_texts, library, frozenset(adjudications))
        for event in connection.execute(select(EVENTS).order_by(EVENTS.c.seq)):
            label = f"event {event.seq}"
            rules.check(event)
        for look in connection.execute(select(LOOKS)):
            label = f"the look of user {look.user_id} at assignment {look.assignment_id}"
            _check_look(look, assignments[look.assignment_id])
    except (InputError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        wanted = "rows that the server could have written"
        raise InputError("a backup", file=name, wanted=wanted, found=f"{label}: {error}") from None


def _check_settings(settings: CampaignSettings) -> None:
    if settings.topics is not None:
        settings.topics.read()


def _check_look(look: Row[Any], assignment: Row[Any]) -> None:
    if assignment.user_id == look.user_id:
        raise InputError("its assignment", wanted="that of another user", found="their own")


def _check_sources(assignments: dict[int, Row[Any]], number: int, sources: tuple[int, ...]) -> None:
    misfit = find_source_misfit([assignments[source] for source in sources])
    if misfit is not None:
        raise misfit
    adjudication, source = assignments[number], assignments[sources[0]]
    if (adjudication.topic, adjudication.scale) != (source.topic, source.scale) or number in sources:
        raise InputError("its sources", wanted="other assignments of its topic and scale", found=str(sources))


def _check_pooled(pooled: Row[Any], library: Library | None) -> None:
    parts = json.loads(pooled.parts)
    if not isinstance(parts, list) or not all(_is_part(part) for part in parts):
        raise InputError("its parts", wanted="a list of paths or spans", found=repr(pooled.parts[:80]))
    document = None if library is None else library.find(pooled.doc)
    if library is not None and (document is None or document.fingerprint != pooled.fingerprint):
        raise InputError("its text", wanted="the text in the collection", found="another or none")


def _check_share(assignment: Row[Any], share: Row[Any], pooled: dict[tuple[str, str], str]) -> None:
    if not assignment.partial or (assignment.topic, share.doc) not in pooled:
        raise InputError(
            "its share", wanted="a pooled document, in a partial assignment", found=repr(share.doc)
        )


def _is_part(part: Any) -> bool:
    keys = {"path": str, "start": int, "end": int}
    return isinstance(part, dict) and all(
        isinstance(part.get(key), kind) or part.get(key) is None for key, kind in keys.items()
    )


def _read_pooled_texts(connection: Connection) -> dict[tuple[str, str], str]:
    rows = connection.execute(select(POOLED.c.topic, POOLED.c.doc, POOLED.c.fingerprint))
    return {(topic, doc): fingerprint for topic, doc, fingerprint in rows}


class _EventRules:
    """Checks events in the order of the log, and folds them to check documents that are done."""

    def __init__(
        self,
        assignments: dict[int, Row[Any]],
        pooled: dict[tuple[str, str], str],
        library: Library | None,
        adjudications: frozenset[int],
    ) -> None:
        self._assignments, self._pooled, self._library = assignments, pooled, library
        self._adjudications = adjudications
        self._states: dict[tuple[int, str], State] = {}

    def check(self, row: Row[Any]) -> None:
        """Raise an error if the server would refuse an event."""
        keys = ("doc", "client", "sequence", "fingerprint", "kind")
        body = json.loads(row.body)
        steps = {"step": row.step, "reverts": row.reverts}
        arrival = parse_arrival({**{key: getattr(row, key) for key in keys}, **steps, "body": body})
        if arrival.event.body != body:  # the server stores spans in order and joined
            raise InputError("its body", wanted=json.dumps(arrival.event.body), found=row.body)
        assignment = self._assignments[row.assignment_id]
        if assignment.user_id != row.user_id:
            raise InputError("its user", wanted="the assessor of its assignment", found=str(row.user_id))
        if row.origin != build_origin(row.user_id, arrival):
            raise InputError("its origin", wanted=build_origin(row.user_id, arrival), found=repr(row.origin))
        if self._pooled.get((assignment.topic, row.doc)) != row.fingerprint:
            raise InputError("its document", wanted="a text in the pool of its topic", found=repr(row.doc))
        if row.kind == "decide" and row.assignment_id not in self._adjudications:
            raise InputError("its kind", wanted="decisions in adjudications only", found="decide")
        scale = find_scale(assignment.scale)
        misfit = self._find_misfit(arrival, scale)
        if misfit is not None:
            raise InputError(misfit[1])
        key = (row.assignment_id, row.doc)
        state = self._states.get(key, EMPTY_STATE)
        if arrival.event.kind == "validate" and self._library is not None:
            outline = self._library.graded_outline(row.doc, scale)
            for breach in find_breaches(state, scale, outline, []):
                raise InputError(f"not done: {breach.message}")
        self._states[key] = apply_event(state, arrival.event)

    def _find_misfit(self, arrival: Arrival, scale: Scale) -> tuple[str, str] | None:
        if arrival.event.kind == "validate":
            return None
        document = None if self._library is None else self._library.find(arrival.doc)
        outside = (
            None
            if self._library is None or document is None
            else find_place_misfit(self._library, document, arrival.event)
        )
        return find_kind_misfit(arrival.event, scale) or outside or find_grade_misfit(arrival.event, scale)

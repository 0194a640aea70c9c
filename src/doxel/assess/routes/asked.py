"""Look up what a request is about: the pool, its topic, and the document; several endpoints share this."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

from sqlalchemy import Connection

from doxel.assess.appending import Outcome, Submission
from doxel.assess.calls import Call
from doxel.assess.events import parse_arrival
from doxel.assess.fold import State
from doxel.assess.library import Held
from doxel.assess.pooled import Pooled, find_pooled
from doxel.assess.pools import Pool, find_pool
from doxel.assess.rules import Breach, breaches
from doxel.assess.scales import scale_named
from doxel.errors import InputError, RefusedError

__all__ = ["breaches_of", "counted_pool", "document_of", "pool_json", "submitted", "topic_fields"]

_TOPIC_FIELDS = ("title", "castitle", "description", "narrative", "keywords")


def counted_pool(call: Call, connection: Connection) -> Pool:
    """Return the pool in the address, with its progress."""
    pool = find_pool(connection, call.own_pool.id)
    if pool is None:
        raise RefusedError(404, "not-found", "there is no such pool")
    return pool


def pool_json(pool: Pool) -> dict[str, Any]:
    """Return the public fields of a pool as plain data."""
    names = ("id", "topic", "assessor", "snapping", "official", "locked", "documents", "validated", "open")
    fields = {name: getattr(pool, name) for name in names}
    return {**fields, "scale": scale_named(pool.scale).as_json(), "finished": pool.finished}


def topic_fields(call: Call, topic: str) -> dict[str, str]:
    """Return the fields of a topic that are not empty."""
    topics = call.service.topics
    if topics is None or topic not in topics:
        return {}
    fields = {name: getattr(topics[topic], name) for name in _TOPIC_FIELDS}
    return {name: value for name, value in fields.items() if value}


def document_of(call: Call, connection: Connection) -> tuple[Held, Pooled]:
    """Return the document in the address and its pooled parts; refuse one that is not in the pool."""
    document = call.service.library.find(call.path["doc"])
    pooled = None if document is None else find_pooled(connection, call.own_pool.topic, document.doc)
    if document is None or pooled is None:
        raise RefusedError(404, "not-found", "there is no such document in the pool")
    return document, pooled


def breaches_of(call: Call, state: State, pooled: Pooled) -> list[Breach]:
    """Return the rules that a document breaks; it is done when there are none."""
    scale = scale_named(call.own_pool.scale)
    outline = call.service.library.graded_outline(pooled.doc, scale)
    return breaches(state, scale, outline, pooled.paths)


def submitted(call: Call, events: list[Any]) -> Future[list[Outcome]]:
    """Submit events to the writer and return a future, which is set after the commit."""
    try:
        arrivals = tuple(parse_arrival(event) for event in events)
    except InputError as error:
        raise RefusedError(400, "bad-request", str(error)) from None
    return call.service.writer.submit(Submission(call.caller.user_id, call.own_pool.id, arrivals))

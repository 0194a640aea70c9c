"""The audit log: who did what besides judging, and when."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, select

from doxel.assess.clock import now, written
from doxel.assess.schema import AUDIT
from doxel.assess.store import next_id

__all__ = ["COMMAND_LINE", "audit_lines", "record"]

COMMAND_LINE = "(command line)"
"""Who did something that was typed beside the server, where nobody signs in."""

_LINES = 200


def record(connection: Connection, who: str, action: str, detail: str = "") -> None:
    """Write a line of the audit log."""
    number = next_id(connection, AUDIT)
    connection.execute(AUDIT.insert().values(id=number, at=now(), who=who, action=action, detail=detail))


def audit_lines(connection: Connection, before: int | None = None) -> list[dict[str, Any]]:
    """Return the last lines of the audit log, or the last of those before a number, newest first."""
    question = select(AUDIT).order_by(AUDIT.c.id.desc()).limit(_LINES)
    if before is not None:
        question = question.where(AUDIT.c.id < before)
    return [
        {"id": row.id, "at": written(row.at), "who": row.who, "action": row.action, "detail": row.detail}
        for row in connection.execute(question)
    ]

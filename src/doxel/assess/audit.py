"""The audit log: who did what, and when, apart from judging."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, select

from doxel.assess.clock import now, written
from doxel.assess.schema import AUDIT
from doxel.assess.store import next_id

__all__ = ["COMMAND_LINE", "audit_lines", "record"]

COMMAND_LINE = "(command line)"
"""The user recorded for actions on the command line, where nobody signs in."""

_LINES = 200


def record(connection: Connection, who: str, action: str, detail: str = "") -> None:
    """Add a line to the audit log."""
    number = next_id(connection, AUDIT)
    connection.execute(AUDIT.insert().values(id=number, at=now(), who=who, action=action, detail=detail))


def audit_lines(connection: Connection, before: int | None = None) -> list[dict[str, Any]]:
    """Return the latest lines of the audit log, or the latest before an id, newest first."""
    query = select(AUDIT).order_by(AUDIT.c.id.desc()).limit(_LINES)
    if before is not None:
        query = query.where(AUDIT.c.id < before)
    return [
        {"id": row.id, "at": written(row.at), "who": row.who, "action": row.action, "detail": row.detail}
        for row in connection.execute(query)
    ]

"""The status of an assessment: its pools, unassigned topics and events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select

from doxel.assess.pooled import topics
from doxel.assess.pools import Pool, pools
from doxel.assess.schema import EVENTS, SETTINGS
from doxel.assess.store import Store

__all__ = ["AssessmentStatus", "assessment_status"]


@dataclass(frozen=True)
class AssessmentStatus:
    """All pools, the topics without an assessor, the number of events, and the collection's fingerprint."""

    pools: tuple[Pool, ...]
    waiting: tuple[str, ...]
    events: int
    fingerprint: str | None
    text_rule: str | None

    def as_json(self) -> dict[str, Any]:
        """Return everything as plain data."""
        pool_rows = [pool.as_json() for pool in self.pools]
        return {**vars(self), "pools": pool_rows, "waiting": list(self.waiting)}


def assessment_status(store: Store) -> AssessmentStatus:
    """Return the status of an assessment."""
    with store.read() as connection:
        all_pools = pools(connection)
        assigned = {pool.topic for pool in all_pools}
        settings = {row.name: row.value for row in connection.execute(select(SETTINGS))}
        return AssessmentStatus(
            pools=tuple(all_pools),
            waiting=tuple(topic for topic, _ in topics(connection) if topic not in assigned),
            events=connection.execute(select(func.count()).select_from(EVENTS)).scalar() or 0,
            fingerprint=settings.get("fingerprint"),
            text_rule=settings.get("text_rule"),
        )

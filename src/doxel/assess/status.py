"""How far an assessment has come."""

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
    """All pools, the topics that nobody has, how many events there are, and the texts they are about."""

    pools: tuple[Pool, ...]
    waiting: tuple[str, ...]
    events: int
    fingerprint: str | None
    text_rule: str | None

    def as_json(self) -> dict[str, Any]:
        """Return everything as plain data."""
        told = [pool.as_json() for pool in self.pools]
        return {**vars(self), "pools": told, "waiting": list(self.waiting)}


def assessment_status(store: Store) -> AssessmentStatus:
    """Return how far an assessment has come."""
    with store.read() as connection:
        found = pools(connection)
        given = {pool.topic for pool in found}
        said = {row.name: row.value for row in connection.execute(select(SETTINGS))}
        return AssessmentStatus(
            pools=tuple(found),
            waiting=tuple(topic for topic, _ in topics(connection) if topic not in given),
            events=connection.execute(select(func.count()).select_from(EVENTS)).scalar() or 0,
            fingerprint=said.get("fingerprint"),
            text_rule=said.get("text_rule"),
        )

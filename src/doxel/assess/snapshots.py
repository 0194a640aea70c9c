"""States that were folded once are kept, so that the next who asks need not fold them again."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from sqlalchemy.exc import SQLAlchemyError

from doxel.assess.fold import State
from doxel.assess.log import save_snapshots
from doxel.assess.store import Store

__all__ = ["keep_states"]

_AT_ONCE = 500  # states in one transaction: others want to write as well


def keep_states(store: Store, states: Mapping[tuple[int, str], tuple[State, int]]) -> None:
    """Keep states by pool and document; what a database does not take is folded again next time."""
    keys = list(states)
    with suppress(SQLAlchemyError):
        for at in range(0, len(keys), _AT_ONCE):
            with store.write() as connection:
                save_snapshots(connection, {key: states[key] for key in keys[at : at + _AT_ONCE]})

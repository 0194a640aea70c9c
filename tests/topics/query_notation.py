"""Short notation for syntax trees of queries."""

from __future__ import annotations

from collections.abc import Collection

from doxel.topics.nexi.query_tree import PathStep, QueryPath, Term

__all__ = ["path", "words"]


def path(*names: str, child: Collection[str] = ()) -> QueryPath:
    """Return a path of one tag per step; the steps named in ``child`` lead to children."""
    return QueryPath(tuple(PathStep((name,), is_child=name in child) for name in names))


def words(*texts: str) -> tuple[Term, ...]:
    """Return one term per word."""
    return tuple(Term((text,)) for text in texts)

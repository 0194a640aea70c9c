"""Two assessors of a topic side by side: which documents they judged alike, and where they differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from doxel.assess.agreement import Agreement, agreement
from doxel.assess.characters import Characters, common, without
from doxel.assess.fold import State
from doxel.assess.gathering import gather
from doxel.assess.library import Library
from doxel.assess.log import state_of
from doxel.assess.pooled import documents_of
from doxel.assess.pools import Pool, statuses
from doxel.assess.rules import effective_grades
from doxel.assess.scales import scale_named
from doxel.errors import InputError, RefusedError

__all__ = ["Compared", "ComparedDocument", "Differences", "compare", "differences", "pair_of"]


def pair_of(found: Sequence[Pool], one: str | None, other: str | None) -> tuple[Pool, Pool]:
    """Return the pools of two assessors of a topic; whoever is not named is the official one, or the next."""
    official = sorted(found, key=lambda pool: (not pool.official, pool.id))
    first, second = (_of(found, name) if name else None for name in (one, other))
    first = first or next((pool for pool in official if pool != second), None)
    second = second or next((pool for pool in official if pool != first), None)
    if first is None or second is None:
        raise RefusedError(404, "not-found", "nobody else has this topic: there is nothing to compare")
    if first == second:
        raise InputError("two assessors", wanted="two different ones", found=first.assessor)
    return first, second


def _of(found: Sequence[Pool], name: str) -> Pool:
    for pool in found:
        if pool.assessor == name.strip().lower():
            return pool
    known = ", ".join(pool.assessor for pool in found)
    raise InputError("an assessor of the topic", wanted=f"one of {known}", found=repr(name[:80]))


@dataclass(frozen=True)
class ComparedDocument:
    """A document that both have done, with what differs; or one that is not done by both, with None.

    Counted are characters that both marked, that only one marked, and elements whose grades differ.
    """

    doc: str
    missing: tuple[str, ...]
    both: int | None = None
    only_one: int | None = None
    only_other: int | None = None
    bep_distance: float | None = None
    differing: int | None = None

    @property
    def marked(self) -> int:
        """How many characters anyone marked."""
        return (self.both or 0) + (self.only_one or 0) + (self.only_other or 0)

    @property
    def difference(self) -> tuple[bool, int, float]:
        """What to sort by, largest first: documents that were not compared come last."""
        alone = (self.only_one or 0) + (self.only_other or 0)
        return (not self.missing, alone + (self.differing or 0), self.bep_distance or 0.0)

    @property
    def is_alike(self) -> bool:
        """Whether both said the same."""
        return not self.missing and self.difference == (True, 0, 0.0)


@dataclass(frozen=True)
class Compared:
    """Two pools of a topic; ``agreement`` is None where there is no document that both have done."""

    one: Pool
    other: Pool
    agreement: Agreement | None
    documents: tuple[ComparedDocument, ...]

    @property
    def figures(self) -> dict[str, Any] | None:
        """The figures of the topic, None where there are none."""
        return None if self.agreement is None else self.agreement.characters.row(-1, named=True)


def compare(connection: Connection, library: Library, one: Pool, other: Pool) -> Compared:
    """Compare two pools of a topic, the documents with the largest differences first."""
    if one.scale != other.scale:
        raise InputError("two pools", wanted="one scale", found=f"{one.scale} and {other.scale}")
    done = [
        {doc for doc, status in statuses(connection, pool.id).items() if status == "validated"}
        for pool in (one, other)
    ]
    found = None
    if done[0] & done[1]:
        pair = [gather(connection, library, [pool]).assessments for pool in (one, other)]
        found = agreement(pair[0], pair[1], library.collection)
    rows = {} if found is None else {row["doc"]: row for row in found.documents.iter_rows(named=True)}
    listed = []
    for doc in documents_of(connection, one.topic):
        missing = tuple(
            pool.assessor for pool, some in zip((one, other), done, strict=True) if doc not in some
        )
        counted = {name: rows[doc][name] for name in _COUNTED} if doc in rows else {}
        listed.append(ComparedDocument(doc, missing, **counted))
    return Compared(one, other, found, tuple(sorted(listed, key=lambda row: row.difference, reverse=True)))


_COUNTED = ("both", "only_one", "only_other", "bep_distance", "differing")


@dataclass(frozen=True)
class Differences:
    """Where two assessors differ in a document: characters, entry points, and grades by path."""

    agreed: Characters
    only_one: Characters
    only_other: Characters
    beps: tuple[int | None, int | None]
    grades: tuple[tuple[str, dict[str, str] | None, dict[str, str] | None], ...]

    def as_json(self) -> dict[str, Any]:
        """Return everything as plain data."""
        marks = {name: getattr(self, name) for name in ("agreed", "only_one", "only_other")}
        return {
            **{name: [list(span) for span in spans] for name, spans in marks.items()},
            "beps": list(self.beps),
            "grades": [{"path": path, "one": one, "other": other} for path, one, other in self.grades],
        }


def differences(connection: Connection, library: Library, one: Pool, other: Pool, doc: str) -> Differences:
    """Return where two pools differ in a document, as it is now."""
    first, second = (state_of(connection, pool.id, doc)[0] for pool in (one, other))
    return Differences(
        agreed=common(first.highlights, second.highlights),
        only_one=without(first.highlights, second.highlights),
        only_other=without(second.highlights, first.highlights),
        beps=(first.bep, second.bep),
        grades=_grades(library, one, doc, first, second),
    )


def _grades(
    library: Library, pool: Pool, doc: str, first: State, second: State
) -> tuple[tuple[str, dict[str, str] | None, dict[str, str] | None], ...]:
    """Return the elements, in document order, that do not have the same grades of both."""
    scale = scale_named(pool.scale)
    if not scale.grades:
        return ()
    outline = library.outline(doc)
    here, there = (effective_grades(state, scale, outline) for state in (first, second))
    rows = [
        (path, dict(here[path]) if path in here else None, dict(there[path]) if path in there else None)
        for path in sorted({*here, *there}, key=outline.rows.__getitem__)
    ]
    return tuple(row for row in rows if row[1] != row[2])

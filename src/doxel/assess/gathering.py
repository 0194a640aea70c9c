"""Collect the states of pools into :class:`~doxel.assessments.Assessments`."""

from __future__ import annotations

from collections.abc import Collection as Some
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import Connection

from doxel.assess.fold import State
from doxel.assess.library import Library
from doxel.assess.log import folded_of
from doxel.assess.pooled import Pooled, held_text, pooled_of
from doxel.assess.pools import Pool, pools
from doxel.assess.rules import Outline, effective_grades
from doxel.assess.scales import Scale, scale_named
from doxel.assessments import Assessments
from doxel.assessments.assessments import BEPS, ELEMENTS, HIGHLIGHTS, JUDGED
from doxel.errors import InputError
from doxel.wording import pluralise_share

__all__ = ["Gathered", "choose", "gather"]

_MANY = 4  # events; folding more takes longer than reading a snapshot


@dataclass(frozen=True)
class Gathered:
    """Assessments, the pools they come from, and the number of documents left out per pool.

    ``folded`` are states that were folded from many events, by pool and document: worth a snapshot.
    """

    assessments: Assessments
    pools: tuple[Pool, ...]
    left_out: Mapping[int, int]
    folded: Mapping[tuple[int, str], tuple[State, int]] = field(default_factory=dict)

    @property
    def notes(self) -> list[str]:
        """One sentence per pool with documents that are not done."""
        return [
            f"topic {pool.topic} of {pool.assessor}: "
            f"{pluralise_share(self.left_out[pool.id], pool.documents, 'document')} not done and left out"
            for pool in self.pools
            if self.left_out[pool.id]
        ]


@dataclass
class _Rows:
    judged: list[dict[str, object]] = field(default_factory=list)
    highlights: list[dict[str, object]] = field(default_factory=list)
    elements: list[dict[str, object]] = field(default_factory=list)
    beps: list[dict[str, object]] = field(default_factory=list)


def choose(
    connection: Connection, *, assessor: str | None = None, topics: Some[str] = (), scale: str | None = None
) -> list[Pool]:
    """Return the official pools, or those of one assessor, of all or some topics; all on one scale."""
    matches = [
        pool
        for pool in pools(connection)
        if (pool.official if assessor is None else pool.assessor == assessor.strip().lower())
        and (not topics or pool.topic in topics)
        and (scale is None or pool.scale == scale)
    ]
    if not matches:
        wanted = "official pools" if assessor is None else f"pools of {assessor}"
        raise InputError("no pools", wanted=wanted, found="none")
    scales = sorted({pool.scale for pool in matches})
    if len(scales) > 1:
        wanted = "one scale, chosen with --scale"
        raise InputError("pools of several scales", wanted=wanted, found=", ".join(scales))
    return matches


def gather(
    connection: Connection, library: Library, assignments: Sequence[Pool], *, include_open: bool = False
) -> Gathered:
    """Return the assessments of pools: of documents that are done, or with ``include_open`` of all begun."""
    rows = _Rows()
    left_out: dict[int, int] = {}
    folded: dict[tuple[int, str], tuple[State, int]] = {}
    for pool in assignments:
        by_doc = folded_of(connection, pool.id)
        slow = {doc: entry for doc, entry in by_doc.items() if entry.fresh > _MANY}
        folded |= {(pool.id, doc): (entry.state, entry.seq) for doc, entry in slow.items()}
        states = {doc: entry.state for doc, entry in by_doc.items()}
        tasks = pooled_of(connection, pool.topic)
        judged = [task for task in tasks if _is_taken(states.get(task.doc), include_open=include_open)]
        left_out[pool.id] = len(tasks) - len(judged)
        for task in judged:
            _add(rows, pool, task, states[task.doc], library)
    assessments = Assessments(
        scale=assignments[0].scale,
        judged=JUDGED.from_rows(rows.judged),
        highlights=HIGHLIGHTS.from_rows(rows.highlights),
        elements=ELEMENTS.from_rows(rows.elements),
        beps=BEPS.from_rows(rows.beps),
    )
    return Gathered(assessments, tuple(assignments), left_out, folded)


def _is_taken(state: State | None, *, include_open: bool) -> bool:
    return state is not None and (state.validated or include_open)


def _add(rows: _Rows, pool: Pool, pooled: Pooled, state: State, library: Library) -> None:
    key: dict[str, object] = {"topic": pool.topic, "doc": pooled.doc}
    document = held_text(library, pooled)
    rows.judged.append({**key, "pool": str(pool.id), "docsize": document.characters})
    rows.highlights += [{**key, "start": start, "end": end} for start, end in state.highlights]
    if state.bep is not None:
        rows.beps.append({**key, "position": state.bep})
    scale = scale_named(pool.scale)
    if scale.grades:
        outline = library.outline(pooled.doc)
        rows.elements += [{**key, **row} for row in _elements(state, scale, outline, pooled.paths)]


def _elements(state: State, scale: Scale, outline: Outline, pooled: Some[str]) -> Iterator[dict[str, object]]:
    relevant = outline.highlighted(state)
    for path, grades in effective_grades(state, scale, outline).items():
        row: dict[str, object] = {"path": path, **grades}
        if scale.name == "2005":
            at = outline.rows[path]
            row |= {"size": int(outline.end[at] - outline.start[at]), "rsize": int(relevant[at])}
        if scale.name == "2003":
            row |= {"inpool": path in pooled, "inferred": False, "inconsistent": False}
        yield row

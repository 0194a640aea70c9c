"""What the queries of topics ask for, taken strictly: what is left to find, and which results can gain.

Without a word about structure, everything is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from doxel.assessments.assessments import Assessments
from doxel.documents import Collection
from doxel.errors import InputError
from doxel.wording import counted, listed

if TYPE_CHECKING:  # most evaluations ask for no structure, and need not wait for its modules
    from doxel.files.sets import Paths
    from doxel.topics import Topics
    from doxel.topics.structure import Constraints

__all__ = ["Asked", "asked"]


@dataclass(frozen=True)
class Asked:
    """The assessments as far as they are asked for, and what marks the results that are."""

    assessments: Assessments
    constraints: Constraints | None = None
    notes: tuple[str, ...] = ()

    @property
    def parameters(self) -> dict[str, str]:
        """What to say of it where scores are."""
        return {} if self.constraints is None else {"structure": str(self.constraints.structure)}

    def mark(self, results: pl.DataFrame, collection: Collection | None) -> pl.DataFrame:
        """Return results with a column that tells which of them their topics ask for."""
        if self.constraints is None:
            return results
        from doxel.runs.on_target import on_target

        return results.with_columns(on_target(results, self.constraints, collection))


def asked(
    structure: str | None,
    topics: Topics | Paths | None,
    assessments: Assessments,
    collection: Collection | None,
    *,
    sizes: str,
) -> Asked:
    """Take from resolved assessments what the topics do not ask for."""
    if topics is None and structure is None:
        return Asked(assessments)
    from doxel.assessments.on_target import conforming_part
    from doxel.topics import Topics, read_topics
    from doxel.topics.structure import constraints_of

    known = topics if topics is None or isinstance(topics, Topics) else read_topics(topics)
    constraints = constraints_of(structure, known)
    if constraints is None:
        return Asked(assessments, notes=_unknown_topics(assessments, known))
    if collection is None:
        raise InputError(
            f"structure: {constraints.structure} is about elements",
            wanted="a collection (-c), or assessments that list elements",
            found="neither",
        )
    if sizes == "declared":
        raise InputError(
            "structure: declared sizes count text that is not asked for",
            wanted="sizes from the collection",
            found="sizes='declared'",
        )
    left = conforming_part(assessments, constraints, collection)
    return Asked(left, constraints, _notes(assessments, left, constraints))


def _unknown_topics(assessments: Assessments, topics: Topics | None) -> tuple[str, ...]:
    """Say which topics were assessed, but not asked."""
    known = set(assessments.topics) if topics is None else set(topics.ids)
    strange = [topic for topic in assessments.topics if topic not in known]
    said = counted(len(strange), "assessed topic is", "assessed topics are")
    return (f"{said} not in the topic file: {listed(strange)}",) if strange else ()


def _notes(before: Assessments, after: Assessments, constraints: Constraints) -> tuple[str, ...]:
    notes: list[str] = []
    free = [topic for topic in before.topics if not constraints.asks(topic)]
    if free:
        said = counted(len(free), "topic has", "topics have")
        notes.append(f"structure: {said} no query with structure ({listed(free)}): nothing is off target")
    marked, left = (int((one.highlights["end"] - one.highlights["start"]).sum()) for one in (before, after))
    if left < marked:
        notes.append(
            f"structure: {marked - left:,} of {marked:,} highlighted characters lie in no element on target"
        )
    if lost := before.beps.height - after.beps.height:
        notes.append(
            f"structure: {lost:,} of {before.beps.height:,} best entry points lie in no element on target"
        )
    return tuple(notes)

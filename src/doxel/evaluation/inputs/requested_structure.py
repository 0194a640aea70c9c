"""Restrict an evaluation to the structure that the topics' queries ask for.

Assessments are reduced to the parts that match; the constraints mark the results that match.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from doxel.assessments.assessments import Assessments
from doxel.checks.score_warnings import ScoreWarning
from doxel.documents import Collection
from doxel.errors import InputError
from doxel.wording import join_words, pluralise

if TYPE_CHECKING:
    from doxel.files.archives import Paths
    from doxel.topics import Topics
    from doxel.topics.query_structure import Constraints

__all__ = ["RequestedStructure", "restrict_to_structure"]


@dataclass(frozen=True)
class RequestedStructure:
    """The assessments that match the requested structure, and the constraints that mark matching results.

    Without constraints, nothing is restricted.
    """

    assessments: Assessments
    constraints: Constraints | None = None
    notes: tuple[ScoreWarning, ...] = ()
    topics: Topics | None = None  # the topics with their queries, if they are known


def restrict_to_structure(
    structure: str | None,
    topics: Topics | Paths | None,
    assessments: Assessments,
    collection: Collection | None,
    *,
    sizes: str,
) -> RequestedStructure:
    """Reduce resolved assessments to the parts that match the topics' queries."""
    from doxel.assessments.conforming_parts import select_conforming_parts
    from doxel.topics import Topics, read_topics
    from doxel.topics.query_structure import build_constraints

    topic_set = topics if topics is None or isinstance(topics, Topics) else read_topics(topics)
    constraints = build_constraints(structure, topic_set)
    if constraints is None:
        notes = _note_unknown_topics(assessments, topic_set)
        return RequestedStructure(assessments, notes=notes, topics=topic_set)
    if collection is None:
        raise InputError(
            f"structure: {constraints.structure} applies to elements",
            wanted="a collection (-c), or assessments that list elements",
            found="neither",
        )
    if sizes == "declared":
        raise InputError(
            "structure: declared sizes include text that does not match the query",
            wanted="sizes from the collection",
            found="sizes='declared'",
        )
    matching = select_conforming_parts(assessments, constraints, collection)
    notes = _note_restrictions(assessments, matching, constraints)
    return RequestedStructure(matching, constraints, notes, topic_set)


def _note_unknown_topics(assessments: Assessments, topics: Topics | None) -> tuple[ScoreWarning, ...]:
    """List the assessed topics that are not in the topic file."""
    topic_ids = set(assessments.topics) if topics is None else set(topics.ids)
    unlisted = [topic for topic in assessments.topics if topic not in topic_ids]
    subject = pluralise(len(unlisted), "assessed topic is", "assessed topics are")
    sentence = f"{subject} not in the topic file: {join_words(unlisted)}"
    return (ScoreWarning(sentence, "A501", topics=len(unlisted)),) if unlisted else ()


def _note_restrictions(
    before: Assessments, after: Assessments, constraints: Constraints
) -> tuple[ScoreWarning, ...]:
    notes: list[str] = []
    unconstrained = [topic for topic in before.topics if not constraints.asks(topic)]
    if unconstrained:
        subject = pluralise(len(unconstrained), "topic has", "topics have")
        notes.append(
            f"structure: {subject} no query with structure ({join_words(unconstrained)}); "
            "all results for such topics are on target"
        )
    relevant = [part.relevant_highlights for part in (before, after)]
    total, left = (int((spans["end"] - spans["start"]).sum()) for spans in relevant)
    if left < total:
        notes.append(
            f"structure: {total - left:,} of {total:,} highlighted characters "
            "are outside the elements on target"
        )
    if lost_beps := before.beps.height - after.beps.height:
        notes.append(
            f"structure: {lost_beps:,} of {before.beps.height:,} best entry points "
            "are outside the elements on target"
        )
    return tuple(ScoreWarning(note, "S111") for note in notes)

"""Interpretations of query structure, and the structural constraints of topics.

A query with structure has a target (what to return) and a support (where to look).  Each is interpreted
strictly or vaguely, which gives four interpretations; campaigns named them as sub-tasks.

============================  ==========  ==========
sub-task                      target      support
============================  ==========  ==========
CO, CO+S, VCAS, VVCAS         vague       vague
SVCAS                         strict      vague
VSCAS                         vague       strict
CAS (2002), SCAS, SSCAS       strict      strict
============================  ==========  ==========

:mod:`doxel.topics.nexi.query_matching` defines what strict and vague mean for an element.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from doxel.documents import Collection, LabelPaths
from doxel.errors import InputError, QueryError
from doxel.files.archives import Paths
from doxel.spans import Booleans, Ints
from doxel.topics.topics import Topics
from doxel.wording import did_you_mean, join_words, pluralise

# the parser of queries is imported when it is used: most evaluations have no structure
if TYPE_CHECKING:
    from doxel.topics.nexi.query_tree import Keywords, Query

__all__ = ["SUBTASKS", "Constraints", "Structure", "build_constraints", "parse_queries"]

_WORDS = ("strict", "vague")


@dataclass(frozen=True)
class Structure:
    """An interpretation of queries: target and support, each ``"strict"`` or ``"vague"``.

    >>> print(Structure.parse("target=strict"), Structure.parse("SCAS"))
    target=strict,support=vague target=strict,support=strict
    """

    target: str = "vague"
    support: str = "vague"

    def __post_init__(self) -> None:
        for name in ("target", "support"):
            if getattr(self, name) not in _WORDS:
                raise InputError(
                    f"structure: {name}", wanted="strict or vague", found=repr(getattr(self, name))
                )

    def __str__(self) -> str:
        return f"target={self.target},support={self.support}"

    @property
    def is_vague(self) -> bool:
        """Whether the interpretation excludes nothing."""
        return self.target == self.support == "vague"

    @classmethod
    def parse(cls, written: str) -> Structure:
        """Parse ``target=strict,support=vague`` (in any order, vague by default) or a sub-task's name."""
        if written.strip().upper() in SUBTASKS:
            return SUBTASKS[written.strip().upper()]
        values: dict[str, str] = {}
        for piece in written.split(","):
            name, equals, value = (text.strip() for text in piece.partition("="))
            if name not in {"target", "support"} or not equals or name in values:
                hint = did_you_mean(written.strip().upper(), SUBTASKS)
                wanted = f"target=strict|vague,support=strict|vague, or one of {', '.join(SUBTASKS)}"
                raise InputError("structure", wanted=wanted, found=f"{written!r}{hint}")
            values[name] = value
        return cls(**values)


SUBTASKS: dict[str, Structure] = {
    "CO": Structure(),
    "CO+S": Structure(),
    "CAS": Structure("strict", "strict"),
    "SCAS": Structure("strict", "strict"),
    "VCAS": Structure(),
    "SSCAS": Structure("strict", "strict"),
    "SVCAS": Structure("strict", "vague"),
    "VSCAS": Structure("vague", "strict"),
    "VVCAS": Structure(),
}
"""The interpretations of the sub-tasks of INEX 2002 to 2005."""


def parse_queries(topics: Topics) -> tuple[dict[str, Query | Keywords], list[QueryError]]:
    """Return the structured queries by topic, and the errors of those that cannot be parsed."""
    from doxel.topics.nexi.query_parser import parse

    queries: dict[str, Query | Keywords] = {}
    errors: list[QueryError] = []
    places = topics.table.select("file", "line").rows()
    for topic, (file, line) in zip(topics, places, strict=True):
        if topic.nexi is None:
            continue
        try:
            queries[topic.id] = parse(topic.nexi)
        except QueryError as error:
            errors.append(error.at(file, line, f"the query of topic {topic.id}"))
    return queries, errors


@dataclass(frozen=True)
class Constraints:
    """The structural constraints of an evaluation's topics.

    ``queries`` are the structured queries; topics of ``topics`` without one have no constraints.
    """

    structure: Structure
    queries: Mapping[str, Query | Keywords]
    topics: frozenset[str]
    _masks: dict[tuple[str, int], tuple[LabelPaths, Booleans]] = field(
        default_factory=dict, repr=False, compare=False
    )

    @classmethod
    def of(cls, structure: Structure, topics: Topics) -> Constraints:
        """Parse the queries of topics; raise the first error."""
        queries, errors = parse_queries(topics)
        if errors:
            raise errors[0]
        return cls(structure, queries, frozenset(topics.ids))

    def __getstate__(self) -> dict[str, object]:
        """Leave out the masks, which are computed again."""
        return {**self.__dict__, "_masks": {}}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)

    def require(self, topics: Iterable[str]) -> None:
        """Raise InputError for unknown topics, because their queries are not known."""
        unknown_topics = [topic for topic in topics if topic not in self.topics]
        if unknown_topics:
            raise InputError(
                f"the query structure of {pluralise(len(unknown_topics), 'topic')} is unknown",
                wanted="topic files (-t) with all topics",
                found=f"no topic {join_words(unknown_topics)}",
            )

    def asks(self, topic: str) -> bool:
        """Return whether a topic has a query with structure."""
        from doxel.topics.nexi.query_tree import Query

        return isinstance(self.queries.get(topic), Query)

    def on_target(self, topic: str, labels: LabelPaths) -> Booleans:
        """Mark the label paths that are strictly on target for a topic; cached, as all runs need it."""
        from doxel.topics.nexi.query_matching import find_target_labels

        key = (topic, id(labels))
        if key not in self._masks:  # stored with the labels, so that no other object can get their id
            self._masks[key] = (labels, find_target_labels(self.queries[topic], labels))
        return self._masks[key][1]

    def conforming(self, topic: str, collection: Collection, numbers: Ints) -> Booleans:
        """Mark the elements of ``collection.forest(numbers)`` that match a topic's query."""
        from doxel.topics.nexi.query_matching import find_conforming_elements

        return find_conforming_elements(
            self.queries[topic],
            collection,
            numbers,
            target=self.structure.target,
            support=self.structure.support,
        )


def build_constraints(structure: str | Structure | None, topics: Topics | Paths | None) -> Constraints | None:
    """Return the constraints of a structure option and topics; None if nothing is constrained."""
    from doxel.topics.topic_files import read_topics

    if structure is None:
        return None
    interpretation = Structure.parse(structure) if isinstance(structure, str) else structure
    if interpretation.is_vague:
        return None
    if topics is None:
        raise InputError(
            f"structure {interpretation} needs the topics' queries", wanted="topics (-t)", found="none"
        )
    return Constraints.of(interpretation, topics if isinstance(topics, Topics) else read_topics(topics))

"""How strictly the structure of queries is taken, and what that makes of the queries of topics.

A query with structure says what to return, its target, and where to look, its support.  Each is taken
strictly or vaguely, which gives four interpretations; campaigns named them as sub-tasks.

============================  ==========  ==========
sub-task                      target      support
============================  ==========  ==========
CO, CO+S, VCAS, VVCAS         vague       vague
SVCAS                         strict      vague
VSCAS                         vague       strict
CAS (2002), SCAS, SSCAS       strict      strict
============================  ==========  ==========

What strict and vague mean for an element is said in :mod:`doxel.topics.nexi.matching`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from doxel.documents import Collection, Labels
from doxel.errors import InputError, QueryError
from doxel.files.sets import Paths
from doxel.spans import Booleans, Ints
from doxel.topics.nexi.matching import conforming, target_labels
from doxel.topics.nexi.parser import parse
from doxel.topics.nexi.tree import Keywords, Query
from doxel.topics.read import read_topics
from doxel.topics.topics import Topics
from doxel.wording import counted, did_you_mean, listed

__all__ = ["SUBTASKS", "Constraints", "Structure", "constraints_of", "parse_queries"]

_WORDS = ("strict", "vague")


@dataclass(frozen=True)
class Structure:
    """How the target and the support of queries are taken: ``"strict"`` or ``"vague"``.

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
        """Whether it excludes nothing."""
        return self.target == self.support == "vague"

    @classmethod
    def parse(cls, written: str) -> Structure:
        """Read ``target=strict,support=vague``, in any order, what is left out being vague; or a sub-task."""
        if written.strip().upper() in SUBTASKS:
            return SUBTASKS[written.strip().upper()]
        found: dict[str, str] = {}
        for piece in written.split(","):
            name, equals, value = (one.strip() for one in piece.partition("="))
            if name not in {"target", "support"} or not equals or name in found:
                hint = did_you_mean(written.strip().upper(), SUBTASKS)
                wanted = f"target=strict|vague,support=strict|vague, or one of {', '.join(SUBTASKS)}"
                raise InputError("structure", wanted=wanted, found=f"{written!r}{hint}")
            found[name] = value
        return cls(**found)


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
"""The sub-tasks of INEX 2002 to 2005 by what they make of structure."""


def parse_queries(topics: Topics) -> tuple[dict[str, Query | Keywords], list[QueryError]]:
    """Return the queries with structure by topic, and the errors of those that cannot be understood."""
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
    """The structure that the topics of an evaluation ask for.

    ``queries`` holds the queries with structure; a topic of ``topics`` that has none asks for nothing.
    """

    structure: Structure
    queries: Mapping[str, Query | Keywords]
    topics: frozenset[str]
    _masks: dict[tuple[str, int], tuple[Labels, Booleans]] = field(
        default_factory=dict, repr=False, compare=False
    )

    @classmethod
    def of(cls, structure: Structure, topics: Topics) -> Constraints:
        """Read the queries of topics; one that cannot be understood is an error."""
        queries, errors = parse_queries(topics)
        if errors:
            raise errors[0]
        return cls(structure, queries, frozenset(topics.ids))

    def __getstate__(self) -> dict[str, object]:
        """Travel light: masks are computed again."""
        return {**self.__dict__, "_masks": {}}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)

    def require(self, topics: Iterable[str]) -> None:
        """Raise where a topic is not known: nobody can tell what it asks for."""
        missing = [topic for topic in topics if topic not in self.topics]
        if missing:
            raise InputError(
                f"the structure that {counted(len(missing), 'topic asks', 'topics ask')} for is not known",
                wanted="topic files (-t) with all topics",
                found=f"no topic {listed(missing)}",
            )

    def asks(self, topic: str) -> bool:
        """Whether a topic has a query with structure."""
        return isinstance(self.queries.get(topic), Query)

    def on_target(self, topic: str, labels: Labels) -> Booleans:
        """Tell which label paths are strictly on target for a topic; run after run asks about the same."""
        key = (topic, id(labels))
        if key not in self._masks:  # the labels are kept too, so that nothing else gets their id
            self._masks[key] = (labels, target_labels(self.queries[topic], labels))
        return self._masks[key][1]

    def conforming(self, topic: str, collection: Collection, numbers: Ints) -> Booleans:
        """Tell which elements of ``collection.forest(numbers)`` conform to a topic's query."""
        return conforming(
            self.queries[topic],
            collection,
            numbers,
            target=self.structure.target,
            support=self.structure.support,
        )


def constraints_of(structure: str | Structure | None, topics: Topics | Paths | None) -> Constraints | None:
    """Return what an option and topics ask for; None where nothing is asked for."""
    if structure is None:
        return None
    chosen = Structure.parse(structure) if isinstance(structure, str) else structure
    if chosen.is_vague:
        return None
    if topics is None:
        raise InputError(
            f"structure: {chosen} is that of the topics' queries", wanted="topics (-t)", found="none"
        )
    return Constraints.of(chosen, topics if isinstance(topics, Topics) else read_topics(topics))

"""Summarise a set of topics: kinds, fields, and the structure that its queries use."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from doxel.errors import QueryError
from doxel.topics.nexi.query_explanation import Explanation, explain, find_abouts, find_comparisons, find_tags
from doxel.topics.nexi.query_parser import read
from doxel.topics.nexi.query_tree import And, Condition, Keywords, Or, Query, path_to_text
from doxel.topics.query_structure import parse_queries
from doxel.topics.topics import TOPICS, Topics

__all__ = ["TopicsSummary", "describe_topics", "find_nearest_tags", "find_unknown_tags"]

_NOT_FIELDS = {"id", "kind", "about", "file", "line"}


@dataclass(frozen=True)
class TopicsSummary:
    """Counts of topics; ``errors`` are the errors of structured queries that cannot be parsed.

    ``structure`` counts queries by the features they use, ``targets`` by the path of their target, and
    ``tags`` by the elements they name.
    """

    topics: int
    kinds: dict[str, int]
    fields: dict[str, int]
    queries: int
    structure: dict[str, int]
    targets: dict[str, int]
    tags: dict[str, int]
    remarks: dict[str, int]
    errors: tuple[QueryError, ...]


def describe_topics(topics: Topics) -> TopicsSummary:
    """Count the kinds, fields and query features of topics."""
    queries, errors = parse_queries(topics)
    columns = [name for name in TOPICS.schema if name not in _NOT_FIELDS]
    field_counts = {name: topics.table[name].len() - topics.table[name].null_count() for name in columns}
    structured = [query for query in queries.values() if isinstance(query, Query)]
    texts = [topic.nexi for topic in topics if topic.nexi is not None and topic.id in queries]
    return TopicsSummary(
        topics=len(topics),
        kinds=_count_values(topics.table["kind"].fill_null("none declared")),
        fields={name: count for name, count in field_counts.items() if count},
        queries=len(queries) + len(errors),
        structure=_count_uses(queries.values()),
        targets=_count_values(path_to_text(query.target) for query in structured),
        tags=_count_values(tag for query in structured for tag in find_tags(query)),
        remarks=_count_values(remark for text in texts for remark in read(text).remarks),
        errors=tuple(errors),
    )


def _count_values(values: Iterable[str]) -> dict[str, int]:
    """Count values, the most frequent first."""
    return dict(Counter(values).most_common())


def _count_uses(queries: Iterable[Query | Keywords]) -> dict[str, int]:
    """Count queries by the features they use."""
    counts = dict.fromkeys(_USES, 0)
    for query in queries:
        explanation = explain(query)
        for use, is_used in _USES.items():
            counts[use] += is_used(query, explanation)
    return counts


def _names_target(query: Query | Keywords) -> bool:
    return isinstance(query, Query) and bool(query.parts[-1].path.steps[-1].names)


def _has_support(query: Query | Keywords) -> bool:
    """Return whether a query restricts where to look: by conditions on ancestors or on descendants."""
    on_ancestors = isinstance(query, Query) and len(query.parts) > 1
    paths = [about.path for about in find_abouts(query)] + [
        comparison.path for comparison in find_comparisons(query)
    ]
    return on_ancestors or any(paths)


def _joins(query: Query | Keywords, kind: type[And | Or]) -> bool:
    def within(condition: Condition | None) -> bool:
        if not isinstance(condition, And | Or):
            return False
        return isinstance(condition, kind) or any(within(part) for part in condition.parts)

    return isinstance(query, Query) and any(within(part.condition) for part in query.parts)


_USES: dict[str, Callable[[Query | Keywords, Explanation], bool]] = {
    "no structure": lambda query, _: isinstance(query, Keywords),
    "any element as target": lambda query, _: isinstance(query, Query) and not _names_target(query),
    "a named target": lambda query, _: _names_target(query),
    "a choice of targets": lambda query, _: (
        isinstance(query, Query) and len(query.parts[-1].path.steps[-1].names) > 1
    ),
    "support": lambda query, _: _has_support(query),
    "and": lambda query, _: _joins(query, And),
    "or": lambda query, _: _joins(query, Or),
    "comparisons": lambda query, _: bool(find_comparisons(query)),
    "attributes": lambda _, explanation: bool(explanation.attributes),
    "phrases": lambda _, explanation: bool(explanation.phrases),
    "important terms (+)": lambda _, explanation: bool(explanation.important),
    "unwanted terms (-)": lambda _, explanation: bool(explanation.unwanted),
}


def find_unknown_tags(query: Query | Keywords, tags: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the tags of a query that are not among the known tags, each with similar known tags.

    >>> from doxel.topics.nexi.query_parser import parse
    >>> find_unknown_tags(parse("//article[about(.//Section, x)]"), ["article", "section", "p"])
    {'Section': ('section',)}
    """
    known_tags = set(tags)
    return {tag: find_nearest_tags(tag, tags) for tag in find_tags(query) if tag not in known_tags}


def find_nearest_tags(tag: str, tags: Sequence[str]) -> tuple[str, ...]:
    """Return the known tags most similar to a tag."""
    equal_tags = [name for name in tags if name.lower() == tag.lower()]
    return tuple(equal_tags or difflib.get_close_matches(tag, tags, 3))

"""Queries as trees: printed in a canonical form, which is parsed to the same tree."""

import pytest
from hypothesis import given, settings

from doxel.errors import InputError
from doxel.topics import nexi
from doxel.topics.nexi.query_tree import (
    About,
    And,
    Keywords,
    PathStep,
    Query,
    QueryPart,
    QueryPath,
    Term,
    ValueComparison,
)
from topics.query_notation import path, words
from topics.random_queries import KEYWORDS, queries


@settings(deadline=None)
@given(queries())
def test_a_query_with_structure_is_printed_and_parsed_again(query):
    assert nexi.parse(nexi.print(query)) == query


@settings(deadline=None)
@given(KEYWORDS)
def test_a_query_without_structure_is_printed_and_parsed_again(query):
    assert nexi.parse(nexi.print(query)) == query


@settings(deadline=None)
@given(queries())
def test_the_canonical_form_of_a_canonical_form_is_the_same(query):
    text = nexi.print(query)
    assert nexi.print(nexi.parse(text)) == text


@pytest.mark.parametrize(
    "build",
    [
        lambda: Term(()),
        lambda: Term(("two", "words")),
        lambda: Term(("a(b",)),
        lambda: Term(("-a",)),
        lambda: Term(("a",), "*"),
        lambda: PathStep(("a b",)),
        lambda: PathStep(("a", "b"), is_attribute=True),
        lambda: Keywords(()),
        lambda: Keywords(words("/a")),
        lambda: About(QueryPath(), ()),
        lambda: And((About(QueryPath(), words("a")),)),
        lambda: ValueComparison(QueryPath(), "!=", 1),
        lambda: ValueComparison(QueryPath(), "=", "it's"),
        lambda: Query((QueryPart(path("a")),)),
        lambda: Query((QueryPart(QueryPath(), About(QueryPath(), words("a"))),)),
    ],
)
def test_a_tree_that_cannot_be_written_cannot_be_built(build):
    with pytest.raises(InputError):
        build()

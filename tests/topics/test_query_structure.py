"""The queries of topics, and the constraints that they give."""

import pytest

from doxel.errors import QueryError
from doxel.topics import Topic, Topics
from doxel.topics.query_structure import Constraints, Structure, parse_queries


def test_queries_that_cannot_be_parsed_are_errors_with_their_topics():
    topics = Topics.of(
        [Topic("7", castitle="//a["), Topic("8", castitle="//a[about(., x)]"), Topic("9", title="x")]
    )
    queries, errors = parse_queries(topics)
    assert list(queries) == ["8"]
    assert [(error.problem, error.position) for error in errors] == [("the query of topic 7", 4)]
    with pytest.raises(QueryError, match="the query of topic 7, character 5"):
        Constraints.of(Structure("strict"), topics)

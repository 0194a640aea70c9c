"""What topics hold, counted; the real ones of 2009 against plain searches in their text."""

import re

import pytest

from doxel.errors import QueryError
from doxel.topics import Topic, Topics, nexi, read_topics
from doxel.topics.describe import describe_topics, unknown_tags
from doxel.topics.structure import Constraints, Structure, parse_queries


def test_the_real_topics_of_2009(shared_data):
    topics = read_topics(shared_data / "inex-adhoc-2009-2010" / "inex-2009-topics.xml")
    found = describe_topics(topics)
    castitles = topics.table["castitle"].to_list()
    paths = [re.sub(r"\[[^\]]*\]|\s", "", castitle) for castitle in castitles]  # no filter holds another
    targets = [path.rpartition("//")[2] for path in paths]
    assert (found.topics, found.queries, found.errors) == (115, 115, ())
    assert found.structure["any element as target"] == targets.count("*")
    assert found.structure["a choice of targets"] == sum(target.startswith("(") for target in targets)
    assert found.structure["phrases"] == sum('"' in castitle for castitle in castitles)
    assert found.structure["no structure"] == 0
    assert sum(found.targets.values()) == 115
    assert set(found.targets) == set(paths)
    inside = [re.findall(r"\.//", castitle) or castitle.count("[") > 1 for castitle in castitles]
    trailing = [re.search(r"\]\s*//", castitle) for castitle in castitles]
    assert found.structure["support"] == sum(
        bool(one or other) for one, other in zip(inside, trailing, strict=True)
    )


def test_queries_that_cannot_be_understood_are_errors_with_their_topics():
    topics = Topics.of(
        [Topic("7", castitle="//a["), Topic("8", castitle="//a[about(., x)]"), Topic("9", title="x")]
    )
    queries, errors = parse_queries(topics)
    assert list(queries) == ["8"]
    assert [(error.problem, error.position) for error in errors] == [("the query of topic 7", 4)]
    with pytest.raises(QueryError, match="the query of topic 7, character 5"):
        Constraints.of(Structure("strict"), topics)


def test_the_title_of_a_cas_topic_of_2003_is_its_query():
    found = describe_topics(
        Topics.of([Topic("1", kind="CAS", title="/a[about(./b, 'x')]"), Topic("2", title="/x")])
    )
    assert found.targets == {"/a": 1}
    assert len(found.remarks) == 2
    assert found.kinds == {"CAS": 1, "none declared": 1}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("//article[about(., x)]", {}),
        ("//section[about(.//SEC, x)]", {"section": ("sec",), "SEC": ("sec",)}),
        ("//qqq[about(., x)]", {"qqq": ()}),
        ("words only", {}),
    ],
)
def test_unknown_tags(query, expected):
    assert unknown_tags(nexi.parse(query), ["article", "p", "sec"]) == expected

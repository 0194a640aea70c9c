"""Summaries of topics; those of 2009 are compared with plain searches in their text."""

import re

import pytest

from doxel.topics import Topic, Topics, nexi, read_topics
from doxel.topics.topic_summary import describe_topics, find_unknown_tags


def test_the_summary_of_the_real_topics_of_2009_is_right(shared_data):
    topics = read_topics(shared_data / "inex-adhoc-2009-2010" / "inex-2009-topics.xml")
    summary = describe_topics(topics)
    castitles = topics.table["castitle"].to_list()
    paths = [re.sub(r"\[[^\]]*\]|\s", "", castitle) for castitle in castitles]  # no filter is nested
    targets = [path.rpartition("//")[2] for path in paths]
    assert (summary.topics, summary.queries, summary.errors) == (115, 115, ())
    assert summary.structure["any element as target"] == targets.count("*")
    assert summary.structure["a choice of targets"] == sum(target.startswith("(") for target in targets)
    assert summary.structure["phrases"] == sum('"' in castitle for castitle in castitles)
    assert summary.structure["no structure"] == 0
    assert sum(summary.targets.values()) == 115
    assert set(summary.targets) == set(paths)
    inner = [re.findall(r"\.//", castitle) or castitle.count("[") > 1 for castitle in castitles]
    trailing = [re.search(r"\]\s*//", castitle) for castitle in castitles]
    assert summary.structure["support"] == sum(
        bool(inside or after) for inside, after in zip(inner, trailing, strict=True)
    )


def test_the_title_of_a_cas_topic_of_2003_is_its_query():
    summary = describe_topics(
        Topics.of([Topic("1", kind="CAS", title="/a[about(./b, 'x')]"), Topic("2", title="/x")])
    )
    assert summary.targets == {"/a": 1}
    assert len(summary.remarks) == 2
    assert summary.kinds == {"CAS": 1, "none declared": 1}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("//article[about(., x)]", {}),
        ("//section[about(.//SEC, x)]", {"section": ("sec",), "SEC": ("sec",)}),
        ("//qqq[about(., x)]", {"qqq": ()}),
        ("words only", {}),
    ],
)
def test_unknown_tags_come_with_similar_known_ones(query, expected):
    assert find_unknown_tags(nexi.parse(query), ["article", "p", "sec"]) == expected

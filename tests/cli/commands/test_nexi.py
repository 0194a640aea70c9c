"""``doxel nexi``: queries explained, and errors with their position."""

import json

import pytest

from documents.commands import doxel, is_sentence


def test_a_query_is_explained():
    outcome = doxel("nexi", "//article[.//yr>='1998']//sec[about(.//p, +a -b)]", "-f", "json")
    assert outcome.status == 0
    payload = json.loads(outcome.out)
    assert payload["canonical"] == "//article[.//yr >= 1998]//sec[about(.//p, +a -b)]"
    assert payload["target"] == "any sec inside an article"
    assert payload["conditions"] == [
        "the article: a yr inside it is at least 1998",
        "the sec: a p inside it is about a (important), but not b",
    ]
    assert (payload["important"], payload["unwanted"], payload["tags"]) == (
        ["a"],
        ["b"],
        ["article", "yr", "sec", "p"],
    )
    assert all(is_sentence(entry) for entry in outcome.messages)
    assert "dialect of 2003" in outcome.err


def test_the_table_contains_the_same():
    outcome = doxel("nexi", '+graph "random walk" -tree')
    rows = dict(line.strip().split(maxsplit=1) for line in outcome.out.splitlines() if line.strip(" ─"))
    assert rows["canonical"].strip() == '+graph "random walk" -tree'
    assert rows["unwanted"].strip() == "tree"
    assert rows["kind"].strip() == "content only"


def test_unknown_tags_are_reported(structured):
    outcome = doxel("nexi", "//section[about(.//P, x) and about(.//zzz, y)]", "-c", structured / "c.doxel")
    assert outcome.status == 0
    assert outcome.messages == [
        "doxel: the collection has no element 'section'; similar: sec",
        "doxel: the collection has no element 'P'; similar: p",
        "doxel: the collection has no element 'zzz'",
    ]


def test_an_invalid_query_is_reported_with_its_position():
    outcome = doxel("nexi", "//sec[about(., x]")
    assert (outcome.status, outcome.out) == (2, "")
    sentence, query, mark = outcome.err.splitlines()
    assert is_sentence(sentence)
    assert "character 17" in sentence
    assert query[mark.index("^")] == "]"


@pytest.mark.parametrize("query", ["", "   ", "//a[" + "(" * 5000, "\N{GRINNING FACE}[", "//a[.//b < ]"])
def test_hostile_queries_are_rejected(query):
    outcome = doxel("nexi", query)
    assert (outcome.status, outcome.out) == (2, "")
    assert is_sentence(outcome.messages[0])

"""``doxel topics``: topics and the structure of their queries are counted."""

import json

from cli.structured_topics import TOPICS
from documents.commands import doxel, write_files


def test_topics_are_counted(structured):
    outcome = doxel("topics", structured / "topics.xml", "-f", "json", "-c", structured / "c.doxel")
    payload = json.loads(outcome.out)
    assert outcome.status == 0
    assert payload["topics"] == 3
    assert payload["kinds"] == {"CAS": 1, "CO+S": 1, "CO": 1}
    assert payload["fields"] == {"title": 3, "castitle": 2}
    assert payload["targets"] == {"//article//sec": 1, "//*": 1}
    assert payload["structure"]["support"] == 2
    assert (
        payload["structure"]["comparisons"]
        == payload["structure"]["phrases"]
        == payload["structure"]["a named target"]
        == 1
    )
    assert payload["structure"]["attributes"] == 0
    assert payload["unknown_tags"] == {}


def test_topics_are_shown_as_tables(structured):
    outcome = doxel("topics", structured / "topics.xml")
    assert outcome.status == 0
    for title in ("inex2005", "Types", "Fields", "Queries with structure", "Elements to return"):
        assert title in outcome.out


def test_errors_in_queries_name_the_topic(tmp_path):
    path = write_files(tmp_path, {"t.xml": TOPICS.replace("about(., x)]", "about(., x]")}) / "t.xml"
    outcome = doxel("topics", path)
    assert outcome.status == 1
    assert outcome.messages[0].startswith(
        f"doxel: {path}, line 2: the query of topic 1, character 40: wanted"
    )
    payload = json.loads(doxel("topics", path, "-f", "json").out)
    assert [(entry["problem"], entry["position"]) for entry in payload["errors"]] == [
        ("the query of topic 1", 39)
    ]

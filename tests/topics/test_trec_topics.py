"""Topics of TREC, with tags closed or not."""

import pytest

from doxel import Topic, Topics, read_topics
from doxel.errors import InputError
from doxel.topics.topic_files import TOPIC_FORMATS

WRITE = next(file_format for file_format in TOPIC_FORMATS if file_format.name == "trec").write
OPEN = """
<top>

<num> Number: 301
<title> valve failure

<desc> Description:
Why do valves in pumps fail?

<narr> Narrative:
A relevant document names a cause
of failure.

</top>

<top>
<num> Number: 302
<title> Topic:  pump noise
</top>
"""
CLOSED = """<top lang="en">
<num>Number: 301</num>
<title>valve failure</title>
<desc>Why do valves in pumps fail?</desc>
<narr>A relevant document names a cause
of failure.</narr>
</top>
<top><num>302</num><title>pump noise</title></top>
"""


@pytest.mark.parametrize("content", [OPEN, CLOSED, OPEN.replace("</top>", ""), OPEN.replace("\n", "\r\n")])
def test_fields_are_read_with_tags_closed_or_not(tmp_path, content):
    (tmp_path / "topics.txt").write_text(content, newline="")
    topics = read_topics(tmp_path / "topics.txt")
    assert topics.format == "trec"
    first, second = topics
    assert (first.id, first.title, first.description) == (
        "301",
        "valve failure",
        "Why do valves in pumps fail?",
    )
    assert " ".join(first.narrative.split()) == "A relevant document names a cause of failure."
    assert (second.id, second.title, second.description) == ("302", "pump noise", None)


def test_older_topics_have_more_fields_and_numbers_with_zeros(tmp_path):
    (tmp_path / "topics.txt").write_text(
        "<top>\n<head> Tipster Topic Description\n<num> Number: 051\n<dom> Domain: Law\n"
        "<title> Topic: Airbus\n<con> Concept(s):\n1. aid\n</top>\n"
    )
    (topic,) = read_topics(tmp_path / "topics.txt")
    assert (topic.id, topic.title, topic.keywords) == ("51", "Airbus", "1. aid")
    assert topic.about == {"head": "Tipster Topic Description", "dom": "Law"}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("<top>\n<title> x\n</top>", "line 1: a topic: wanted its number in <num>, found '<title> x'"),
        (
            "\n<top>\n<num> 1\n<title> x\n<title> y\n</top>",
            "line 2: a topic: wanted one <title>, found several",
        ),
    ],
)
def test_a_bad_topic_is_reported_with_its_line(tmp_path, content, sentence):
    (tmp_path / "topics.txt").write_text(content)
    with pytest.raises(InputError, match=sentence):
        read_topics(tmp_path / "topics.txt")


@pytest.mark.parametrize(
    ("topic", "sentence"),
    [
        (Topic("051", title="x"), "wanted a number without leading zeros"),
        (Topic("1", title="a <narr> b"), "wanted text without the tags of topics"),
    ],
)
def test_text_that_would_be_read_differently_is_not_written(topic, sentence):
    with pytest.raises(InputError, match=sentence):
        WRITE(Topics.of([topic]))


def test_queries_of_beir_are_topics(tmp_path):
    (tmp_path / "queries.jsonl").write_text('{"_id": "q1", "text": "why", "metadata": {}}\n')
    (topic,) = read_topics(tmp_path / "queries.jsonl")
    assert (topic.id, topic.title, topic.about) == ("q1", "why", {})


def test_the_real_shapes_are_read(shared_data):
    doors = shared_data / "living" / "doors"
    assert read_topics(doors / "topics.301-302.txt").ids == ["301", "302"]
    assert read_topics(doors / "beir" / "queries.jsonl").ids == ["q1", "q2", "q3"]
    assert read_topics(doors / "msmarco.queries.tsv")["12"].title == "what moves fluid"

"""Questions of campaigns are read as topics from the files of their gold."""

import json

import pytest

from doxel.errors import InputError
from doxel.topics import read_topics

CONTENTS = {
    "bioasq": {"questions": [{"id": "q1", "type": "list", "body": "Why? "}]},
    "squad": {
        "data": [{"title": "T", "paragraphs": [{"context": "x", "qas": [{"id": "q1", "question": "Why?"}]}]}]
    },
    "qasper": {"p1": {"title": "T", "qas": [{"question_id": "q1", "question": "Why?"}]}},
    "locomo": [{"sample_id": "c", "qa": [{"question": "Why?", "evidence": []}]}],
}


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("name", CONTENTS)
def test_questions_are_topics(tmp_path, name, indent):
    (tmp_path / "questions.json").write_text(json.dumps(CONTENTS[name], indent=indent))
    topics = read_topics(tmp_path / "questions.json")
    assert topics.format == name
    topic = "c:0" if name == "locomo" else "q1"
    assert [(entry.id, entry.title) for entry in topics] == [(topic, "Why?")]


def test_the_type_of_a_question_is_kept(tmp_path):
    (tmp_path / "questions.json").write_text(json.dumps(CONTENTS["bioasq"]))
    assert next(iter(read_topics(tmp_path / "questions.json"))).about == {"type": "list"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"questions": [{"id": "q1"}]}, "line 3: the body of the question: wanted a text, found nothing"),
        ({"questions": [{"body": "x"}]}, "line 3: the id of the question"),
        ({"questions": []}, "empty file: wanted questions, found none"),
        ({"questions": [{"id": "a", "body": "x"}, {"id": "a", "body": "y"}]}, "topic 'a' occurs twice"),
    ],
)
def test_an_odd_question_is_an_error_with_its_line(tmp_path, content, message):
    (tmp_path / "questions.json").write_text(json.dumps(content, indent=1))
    with pytest.raises(InputError) as caught:
        read_topics(tmp_path / "questions.json")
    assert message in str(caught.value)

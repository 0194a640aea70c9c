"""The assessors' marks of the bundled campaign: how much was judged, and invalid marks are rejected."""

import json

import pytest
from tools.demo_data.demo_marks import MarkedDocument, Passage, read_marks

from doxel.errors import InputError

MARKS = {marks.topic: marks for marks in read_marks()}
BY_HAND = {"grades_2002": ["4", "7", "8", "12"], "grades_2003": ["1", "4", "9", "13"]}

# Relevant documents per topic: a change here should be deliberate.
RELEVANT = [15, 18, 17, 12, 18, 17, 8, 8, 17, 14, 2, 3, 13, 0]


def test_fourteen_topics_are_assessed():
    assert list(MARKS) == [str(number) for number in range(1, 15)]


def test_topics_have_at_least_eight_relevant_documents_on_average():
    relevant = [len(marks.relevant) for marks in MARKS.values()]
    assert relevant == RELEVANT
    assert sum(relevant) / len(relevant) >= 8  # very few in topics 11 and 12, nothing in topic 14


@pytest.mark.parametrize("topic", MARKS)
def test_documents_without_relevant_text_were_judged_too(topic):
    assert len(MARKS[topic].nonrelevant) >= 6
    assert len(set(MARKS[topic].nonrelevant)) == len(MARKS[topic].nonrelevant)


@pytest.mark.parametrize("topic", MARKS)
def test_the_assessor_left_a_note(topic):
    assert MARKS[topic].note.endswith(".")


@pytest.mark.parametrize(("scale", "topics"), BY_HAND.items())
def test_four_topics_were_graded_by_hand_on_each_of_the_old_scales(scale, topics):
    graded = {topic: getattr(marks, scale) for topic, marks in MARKS.items() if getattr(marks, scale)}
    assert list(graded) == topics
    for elements in graded.values():
        assert 10 <= len(elements) <= 25
        assert 4 <= len({element.doc for element in elements}) <= 8


# Reading the marks

GOOD = {
    "topic": "1",
    "note": "",
    "relevant": {"d": {"bep": "a", "passages": [{"quote": "a", "exhaustivity": 2}]}},
    "nonrelevant": ["e"],
}


def with_passage(**passage):
    return {**GOOD, "relevant": {"d": {"bep": "a", "passages": [passage]}}}


def with_grade(scale, **grade):
    return {**GOOD, scale: {"d": [{"path": "/a[1]", "begins": "a", **grade}]}}


@pytest.mark.parametrize(
    ("marks", "words"),
    [
        ({key: value for key, value in GOOD.items() if key != "note"}, "the keys topic, note"),
        ({**GOOD, "irrelevant": []}, "irrelevant"),
        ([], "list"),
        ({**GOOD, "nonrelevant": ["d"]}, "d in both lists"),
        ({**GOOD, "relevant": {"d": {"bep": "a", "passages": []}}}, "wanted at least one passage"),
        (with_passage(quote="a", exhaustivity=3), "one of 1, 2, '?', found 3"),
        (with_passage(quote="a", exhaustivity=True), "found True"),
        (with_passage(quote_from="a", exhaustivity=1), "quote_to"),
        (with_passage(quote="a", quote_to="b", exhaustivity=1), "quote_to"),
        (with_grade("grades_2002", relevance=1), "coverage"),
        (with_grade("grades_2002", relevance=4, coverage="E"), "found 4"),
        (with_grade("grades_2003", exhaustivity=1, specificity="U"), "found 'U'"),
    ],
)
def test_invalid_marks_are_rejected_with_their_file(marks, words, tmp_path):
    (tmp_path / "topic-01.json").write_text(json.dumps(marks))
    with pytest.raises(InputError) as caught:
        read_marks(tmp_path)
    assert caught.value.file == "topic-01.json"
    assert words in str(caught.value)


def test_a_file_that_is_not_json_is_rejected(tmp_path):
    (tmp_path / "topic-01.json").write_text("{")
    with pytest.raises(InputError, match=r"topic-01\.json"):
        read_marks(tmp_path)


def test_valid_marks_are_read(tmp_path):
    (tmp_path / "topic-01.json").write_text(json.dumps(GOOD))
    (marks,) = read_marks(tmp_path)
    assert marks.relevant == (MarkedDocument("d", "a", (Passage("a", "a", "2"),)),)
